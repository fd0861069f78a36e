/** Windows over the page: `ask` opens one, Escape and a click beside it close it, the focus goes back where it was. */

import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { h, patch } from "./view.js";

/** Windows may lie over each other: each heading has an id of its own. */
let opened = 0;

/** Opens a window. `render(close, refresh)` describes what is in it, and is asked again by `refresh`, as is a `title` that
 * is a function. Resolves when it closes. */
export function ask(title, render, { wide = false, onClosed = null } = {}) {
  const dialog = document.createElement("dialog");
  dialog.className = wide ? "window wide" : "window";
  const heading = `window-title-${(opened += 1)}`;
  dialog.setAttribute("aria-labelledby", heading);
  let result = null;
  const close = (value = null) => {
    result = value;
    dialog.close();
  };
  const refresh = () => {
    patch(dialog, [
      h("header", {}, h("h2", { id: heading }, typeof title === "function" ? title() : title), h("button", { class: "icon", "aria-label": t("close"), onclick: () => close() }, icon("close"))),
      h("div", { class: "window-body" }, render(close, refresh)),
    ]);
  };
  refresh();
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  // keys of the table are not for who writes into a window
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      onClosed?.();
      resolve(result);
    });
  });
}

/** Whether a window is open. */
export const isOpen = () => document.querySelector("dialog[open]") !== null;
