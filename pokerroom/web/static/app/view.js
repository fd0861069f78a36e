/** Rendering: `h` describes elements, `patch` changes the page to match.
 *
 * Elements that stay keep their focus, input and transitions. Handlers are properties `on…`. Styles are set one by one,
 * because the page's policy forbids style attributes. Nothing is parsed as HTML.
 */

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "selected"]);
const NONE = Object.freeze({});

/** Describe an element: `h("button", { class: "big", onclick }, "Call")`. Children may be nested lists; null and false are none. */
export function h(tag, props, ...children) {
  return { tag, props: props ?? NONE, key: props?.key, children: flat(children) };
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Change the children of `parent` to match. */
export function patch(parent, children) {
  patchChildren(parent, flat([children]));
}

/** An element of the page that renders itself: override `render`, call `update` when something has changed. */
export class View extends HTMLElement {
  #due = false;

  connectedCallback() {
    this.update();
  }

  /** Render once before the next frame. */
  update() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      if (this.isConnected) patch(this, this.render());
    });
  }

  render() {
    return [];
  }
}

/** A child without a key is identified by its tag and its position among siblings of that tag. */
function patchChildren(parent, wanted) {
  const held = new Map();
  for (const node of parent.childNodes) held.set(node.viewKey ?? node, node);
  const counts = new Map();
  let place = parent.firstChild;
  for (const child of wanted) {
    const key = keyOf(child, counts);
    let node = held.get(key);
    held.delete(key);
    if (node && node.viewTag !== child.tag) {
      if (place === node) place = node.nextSibling;
      node.remove();
      node = undefined;
    }
    node ??= create(child, key, parent);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    refresh(node, child);
  }
  for (const node of held.values()) node.remove();
}

function keyOf(child, counts) {
  if (child.key !== undefined) return child.key;
  const tag = child.tag ?? "#text";
  const count = counts.get(tag) ?? 0;
  counts.set(tag, count + 1);
  return `~${tag}${count}`;
}

function create(child, key, parent) {
  if (typeof child !== "object") return Object.assign(document.createTextNode(""), { viewKey: key });
  const inSvg = child.tag === "svg" || (parent.namespaceURI === SVG && parent.localName !== "foreignObject");
  const element = inSvg ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  element.viewTag = child.tag;
  element.viewKey = key;
  element.viewProps = NONE;
  return element;
}

function refresh(node, child) {
  if (typeof child !== "object") {
    const text = String(child);
    if (node.data !== text) node.data = text;
    return;
  }
  const before = node.viewProps;
  node.viewProps = child.props;
  for (const name of Object.keys(before)) if (!(name in child.props)) set(node, name, undefined, before[name]);
  for (const [name, value] of Object.entries(child.props)) set(node, name, value, before[name]);
  // a custom element renders its own content
  if (!child.tag.includes("-")) patchChildren(node, child.children);
  if (before === NONE && child.props.made) child.props.made(node);
}

function set(node, name, value, before) {
  if (name === "key" || name === "made") return;
  if (name === "style") {
    for (const property of Object.keys(before ?? NONE)) if (!(property in (value ?? NONE))) node.style.removeProperty(property);
    for (const [property, each] of Object.entries(value ?? NONE)) {
      if (before?.[property] !== each) node.style.setProperty(property, each);
    }
  } else if (name.startsWith("on")) {
    node[name] = value ?? null;
  } else if (name.startsWith(".")) {
    if (node[name.slice(1)] !== value) node[name.slice(1)] = value;
  } else if (PROPERTIES.has(name)) {
    if (node[name] !== (value ?? "")) node[name] = value ?? (name === "value" ? "" : false);
  } else if (value === undefined || value === null || value === false) {
    node.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}
