// What is wrong with the tables' layout, as a list of sentences: your cards are covered, chips lie on the board or under
// a plate, something is cut off. An expression, for the driver to evaluate.
(() => {
  const problems = [];
  const SLACK = 1.5;
  const box = (element) => element.getBoundingClientRect();
  const meet = (one, other) => one.right - SLACK > other.x && one.x + SLACK < other.right && one.bottom - SLACK > other.y && one.y + SLACK < other.bottom;
  const within = (inner, outer) => inner.x >= outer.x - SLACK && inner.y >= outer.y - SLACK && inner.right <= outer.right + SLACK && inner.bottom <= outer.bottom + SLACK;
  const words = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return Object.assign(range, { className: element.className, textContent: element.textContent });
  };
  const text = (element) => `${element.className}${element.textContent ? ` “${element.textContent.slice(0, 20)}”` : ""}`;
  for (const table of document.querySelectorAll("pr-table")) {
    if (!table.checkVisibility()) continue;
    const all = (selector) => [...table.querySelectorAll(selector)].filter((each) => each.checkVisibility() && box(each).width > 0);
    const say = (what, one, other) => problems.push(`${what}: ${text(one)} / ${text(other)}`);
    const stage = table.querySelector(".stage");
    const own = all(".place.near .hole .card");
    const board = all(".board .card");
    const plates = all(".plate");
    const deeds = all(".deed");
    const heaps = all(".bet");
    for (const card of own) {
      if (!within(box(card), box(stage))) say("your card is cut off", card, stage);
      for (const other of [...plates, ...deeds, ...heaps, ...board, ...all(".pots .heap"), ...all(".button-mark")]) if (meet(box(card), box(other))) say("your card is covered", card, other);
    }
    for (const card of all(".place:not(.near) .hole.open .card")) {
      const { y, height, width } = box(card);
      const plate = card.closest(".place").querySelector(".plate");
      for (const tool of all(".table-head :is(h2, p, .icon)")) if (meet(box(card), box(tool))) say("a shown card lies on the head", tool, card);
      if (width < 20 || box(plate).y < y + 0.6 * height - SLACK) say("a shown card is illegible", card, plate);
      for (const other of board) if (meet(box(card), box(other))) say("a shown card lies on the board", card, other);
    }
    for (const mark of all(".button-mark")) for (const other of board) if (meet(box(mark), box(other))) say("the button lies on the board", mark, other);
    for (const mark of all(".button-mark")) for (const other of all(".who")) if (meet(box(mark), box(other))) say("the button lies on a plate", mark, other);
    for (const heap of heaps) {
      for (const other of [...board, ...plates, ...deeds, ...all(".pots .heap"), ...all(".middle .pot").map(words)]) if (meet(box(heap), box(other))) say("chips overlap", heap, other);
      for (const other of heaps) if (heap !== other && meet(box(heap), box(other))) say("two bets overlap", heap, other);
    }
    for (const other of [...plates, ...deeds]) if (!within(box(other), box(stage))) say("cut off by the dock", other, stage);
    for (const seen of all(".seen-play")) {
      const others = plates.filter((each) => !each.contains(seen));
      if (!within(box(seen), box(stage))) say("statistics are cut off", seen, stage);
      for (const other of [...own, ...board, ...heaps, ...deeds, ...others, ...all(".name, .stack, .bot, pr-clock b, .button-mark, .seen-play")]) if (other !== seen && meet(box(seen), box(other))) say("statistics cover something", seen, other);
    }
    for (const stack of all(".who .stack")) {
      const range = words(stack);
      if (!within(box(range), box(stage))) say("a stack is cut off", stack, stage);
      const plate = stack.closest(".plate");
      if (box(range).right > box(plate).right + SLACK) say("a stack runs over its plate", stack, plate);
    }
    for (const told of all("pr-clock b")) {
      if (!within(box(told), box(stage))) say("the countdown is cut off", told, stage);
      for (const other of [...own, ...board, ...heaps, ...deeds, ...all(".stack"), ...plates.filter((each) => !each.contains(told))]) if (meet(box(told), box(other))) say("the countdown covers something", told, other);
    }
    for (const control of all(".dock button, .dock input")) if (!within(box(control), box(table.querySelector(".dock")))) say("out of the dock", control, table);
    // what is told by a short form in `data-short` overflows by it alone
    for (const told of [...deeds, ...all(".table-head h2")]) if (told.scrollWidth > told.clientWidth + SLACK) say("a text is cut", told, table);
    for (const tool of all(".table-head .tools > *")) if (!within(box(tool), box(table))) say("out of the head", tool, table);
    for (const tick of all(".pre span")) if (box(tick).width > 24 || box(tick).height > 24) say("not a tick", tick, table);
  }
  const nav = document.querySelector(".bar nav");
  for (const tab of nav.querySelectorAll("a")) if (!within(box(tab), box(nav))) problems.push(`out of the bar: ${text(tab)}`);
  return [...new Set(problems)];
})()
