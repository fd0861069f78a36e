/** Icons of the tools, drawn in the colour of the text. */

import { h } from "./view.js";

const PATHS = {
  chat: "M4 5h16v11H9l-5 4z",
  history: "M4 4v5h5M4.600 9A8 8 0 1 1 4 13M12 8v5l3 2",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  settings: "M4 8h9M17 8h3M4 16h3M11 16h9M15 5v6M9 13v6",
  first: "M6 5v14M18 5l-7 7 7 7",
  previous: "M15.500 5l-7 7 7 7",
  next: "M8.500 5l7 7-7 7",
  last: "M18 5v14M6 5l7 7-7 7",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  fullscreen: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  sound: "M4 10v4h4l5 4V6l-5 4zM16.500 9a4 4 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11",
  mute: "M4 10v4h4l5 4V6l-5 4zM17 9.500l4 5M21 9.500l-4 5",
  window: "M4 6h16v12H4zM11 12h9M11 6v12",
  rules: "M12 6v14M12 6C10 4 7 4 3 4v14c4 0 7 0 9 2 2-2 5-2 9-2V4c-4 0-7 0-9 2",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500v.01",
};

export const icon = (name) =>
  h("svg", { class: "glyph", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: PATHS[name] }));
