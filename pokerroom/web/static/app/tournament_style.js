/** The style of the windows of tournaments, which load late: to import this module is to load it. */

const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/style/tournament.css" });
// a window that has no style is better than none
await new Promise((done) => {
  Object.assign(sheet, { onload: done, onerror: done });
  document.head.append(sheet);
});
