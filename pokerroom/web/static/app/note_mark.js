/** The mark of a note on a player: each colour has a shape of its own, so that no colour alone tells anything. */

import { h } from "./view.js";

const SHAPES = {
  red: "M6 1l5 5-5 5-5-5z",
  orange: "M6 1l5.500 10H.5z",
  yellow: "M6 .5l1.600 3.700 4 .3-3 2.700.9 4L6 9.100 2.500 11.200l.9-4-3-2.700 4-.3z",
  green: "M6 1a5 5 0 1 0 0 10A5 5 0 1 0 6 1z",
  blue: "M1.500 1.500h9v9h-9z",
  violet: "M4 1h4v3h3v4H8v3H4V8H1V4h3z",
};
export const COLORS = Object.keys(SHAPES);
/** A note without a colour. */
const LINES = "M1.500 1h9v10h-9zM3.500 4h5M3.500 6h5M3.500 8h3";

/** The mark of a note, if there is one, and a button over the whole element that opens it; `notes` are those of `notes()`. */
export function noteButton(notes, name) {
  const note = notes.of(name);
  return [
    note && noteMark(note.color),
    h("button", { key: "about", class: "about", "aria-label": notes.told(name), title: note ? notes.told(name) : null, onclick: () => notes.open(name) }),
  ];
}

export const noteMark = (color) =>
  h("svg", { key: "note-mark", class: `note-mark ${color ?? "plain"}`, viewBox: "0 0 12 12", "aria-hidden": "true" }, h("path", { d: color ? SHAPES[color] : LINES }));
