// What of the open windows is beside the page or has to be scrolled sideways to, as a list of sentences. Run in the page;
// looks only at what is shown. An expression, for the driver to evaluate.
(() => {
  const SLACK = 0.5;
  const problems = [];
  for (const element of document.querySelectorAll("dialog[open], dialog[open] *")) {
    if (!element.checkVisibility() || element.closest("svg, .unseen, thead")) continue;
    const text = `<${element.localName} class="${element.className}"> “${element.textContent.slice(0, 20)}”`;
    const { left, right, width } = element.getBoundingClientRect();
    if (element.scrollWidth > element.clientWidth && ["auto", "scroll"].includes(getComputedStyle(element).overflowX)) problems.push(`scrolls sideways: ${text}`);
    if (element.localName === "button" && element.scrollWidth > element.clientWidth + 1) problems.push(`is cut: ${text}`);
    if (width > 0 && !element.closest(".replay") && (left < -SLACK || right > innerWidth + SLACK)) problems.push(`is beside the page: ${text}`);
  }
  return problems;
})()
