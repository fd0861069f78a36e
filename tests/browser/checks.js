// What a page gets wrong for assistive technology, as a list of sentences: names, labels, roles, contrast, sizes of
// targets, ids, language. Run in the page; looks only at what is shown. An expression, for the driver to evaluate.
(() => {
  const problems = [];
  const modal = document.querySelector("dialog[open]");
  const scope = modal ?? document.body;
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(".unseen");
  const describe = (element) => `<${element.localName} class="${element.getAttribute("class") ?? ""}">`;

  const nameOf = (element) =>
    element.getAttribute("aria-label") ||
    (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim() ||
    [...(element.labels ?? [])].map((label) => label.textContent).join(" ").trim() ||
    (element.localName === "input" ? "" : element.textContent.trim()) ||
    element.querySelector("img[alt]")?.alt ||
    "";

  for (const element of scope.querySelectorAll("button, a[href], input, select, [role=img], [role=region], dialog, nav, aside")) {
    if (shown(element) && !element.closest("[aria-hidden=true]") && !nameOf(element)) problems.push(`no name: ${describe(element)}`);
  }
  for (const image of scope.querySelectorAll("img")) if (!image.hasAttribute("alt")) problems.push(`no alt: ${image.src}`);

  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) problems.push(`id twice: ${id}`);
  if (!document.documentElement.lang) problems.push("no language");
  if (document.querySelectorAll("main").length !== 1) problems.push("not one main");

  // WCAG 2.2, 2.5.8: 24 by 24 pixels
  for (const element of scope.querySelectorAll("button, a[href], select, input")) {
    if (!shown(element)) continue;
    const target = element.closest("label") ?? element;
    const { width, height } = target.getBoundingClientRect();
    if (width < 24 || height < 24) problems.push(`small: ${describe(element)} ${Math.round(width)} x ${Math.round(height)}`);
  }

  // WCAG 2.2, 1.4.3. Where a picture is below, the lightest and the darkest colour of the felt stand for it.
  const channels = (colour) => {
    const srgb = /color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)/.exec(colour);
    if (srgb) return [...srgb.slice(1, 4).map((each) => 255 * Number(each)), Number(srgb[4] ?? 1)];
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = (colour) => {
    const [r, g, b] = colour.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const grounds = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      if (each.classList.contains("felt")) return [[28, 111, 80, 1], [13, 69, 50, 1]].map((ground) => layers.reduceRight((below, above) => over(above, below), ground));
      const colour = channels(getComputedStyle(each).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return [layers.reduceRight((below, above) => over(above, below), [255, 255, 255, 1])];
  };
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  const bad = new Set();
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (!text || !shown(element) || element.closest("svg, :disabled, option, .dim, .away, .gone, kbd, noscript")) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const ink = channels(style.color);
    for (const ground of grounds(element)) {
      const found = contrast(over(ink, ground), ground);
      if (found < needed) bad.add(`contrast ${found.toFixed(2)}: ${describe(element)} “${text.slice(0, 30)}”`);
    }
  }
  return [...problems, ...bad];
})()
