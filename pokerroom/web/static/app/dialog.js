/** Dialogs: `ask` opens one, Escape and a click outside close it, and the focus returns. */

import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { h, patch } from "./view.js";

/** Dialogs may be stacked: each heading has its own id. */
let opened = 0;

/** Open a dialog. `render(close, refresh)` describes its content; `refresh` renders it again, also a `title` that is a
 * function. `onKey` handles a key, and tells whether it had a meaning. Resolves when it closes. */
export function ask(title, render, { wide = false, onKey = null, onClosed = null } = {}) {
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
  // the table's keys do not work while a dialog is open
  dialog.addEventListener("keydown", (event) => (event.stopPropagation(), onKey?.(event) && event.preventDefault()));
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0; // a last button with the focus is in view anyway
  liftNotices();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      liftNotices();
      onClosed?.();
      resolve(result);
    });
  });
}

/** Show the notices above a window, which would cover them, and in their place without one. Those of the console are no popover. */
export function liftNotices() {
  const notices = document.querySelector(".notices[popover]");
  notices?.hidePopover();
  if (isOpen()) notices?.showPopover();
}

/** Tell whether a dialog is open. */
export const isOpen = () => document.querySelector("dialog[open]") !== null;
