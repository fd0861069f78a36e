// What of the open windows is beside the page, is cut, or has to be scrolled to in a second way, as a list of sentences.
// Run in the page; looks only at what is shown. An expression, for the driver to evaluate.
(() => {
  const SLACK = 0.5;
  const problems = [];
  const scrolls = (element, axis) => ["auto", "scroll"].includes(getComputedStyle(element)[`overflow${axis}`]);
  const called = (element) => `<${element.localName} class="${element.className}"> “${element.textContent.slice(0, 20)}”`;
  const lines = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    const shown = [...dialog.querySelectorAll("*")].filter((element) => element.checkVisibility() && !element.closest("svg, .unseen, thead"));
    for (const element of [dialog, ...shown]) {
      const { left, right, width } = element.getBoundingClientRect();
      if (element.scrollWidth > element.clientWidth && scrolls(element, "X")) problems.push(`scrolls sideways: ${called(element)}`);
      if (width > 0 && !element.closest(".replay") && (left < -SLACK || right > innerWidth + SLACK)) problems.push(`is beside the page: ${called(element)}`);
    }
    for (const element of shown) {
      if (element.scrollHeight > element.clientHeight + 1 && scrolls(element, "Y")) problems.push(`scrolls within the window: ${called(element)}`);
    }
    // what a long window ends with stays in view, above what is scrolled below it
    const stays = (element) => dialog.scrollHeight > dialog.clientHeight && element.closest(".window-body .row.end") !== null;
    const buttons = shown.filter((element) => element.localName === "button").map((element) => [element, element.getBoundingClientRect()]);
    for (const [button, box] of buttons) {
      if (button.scrollWidth > button.clientWidth + 1) problems.push(`is cut: ${called(button)}`);
      if (!button.textContent.includes(" ") && !button.querySelector("svg") && lines(button) > 1) problems.push(`is broken: ${called(button)}`);
      const touches = ([other, { left, right, top, bottom }]) => other !== button && stays(other) === stays(button) && left < box.right + 1 && right > box.left - 1 && top < box.bottom + 1 && bottom > box.top - 1;
      const touched = buttons.find(touches);
      if (touched) problems.push(`touch: ${called(button)} / ${called(touched[0])}`);
    }
  }
  return problems;
})()
