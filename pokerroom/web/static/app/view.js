/** What is seen as a function of what is known: `h` describes elements, `patch` changes the page to match.
 *
 * Elements that stay keep their focus, their input and their transitions. Handlers are properties `on…`, styles are set
 * one by one (the page's policy allows no style attribute), and nothing is ever read as HTML.
 */

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "selected"]);
const NONE = Object.freeze({});

/** An element: `h("button", { class: "big", onclick }, "Call")`. Children may be nested lists; null and false are none. */
export function h(tag, props, ...children) {
  return { tag, props: props ?? NONE, key: props?.key, children: flat(children) };
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Makes the children of `parent` match. */
export function patch(parent, children) {
  patchChildren(parent, flat([children]));
}

/** An element of the page that renders itself: override `render`, call `update` when something has changed. */
export class View extends HTMLElement {
  #due = false;

  connectedCallback() {
    this.update();
  }

  /** Renders before the next frame is painted, however often it is asked for. */
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

/** A child without a key is known by its tag and its place among those of the same tag. */
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
  // what a custom element has in it is its own affair
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
