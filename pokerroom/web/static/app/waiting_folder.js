/** The folder for hands that the player has to allow again, if there is one. The lobby tells of it without loading `auto_save.js`. */

import { t } from "./i18n.js";
import { h } from "./view.js";

/** `now` is `{ name, allow, stop }`, or null. */
export const waitingFolder = { now: null };

/** What tells of it, with its buttons; null without one. `done` is called after each. */
export function waitingLine(done = () => {}) {
  const { name, allow, stop } = waitingFolder.now ?? {};
  return name === undefined ? null : h("p", { key: "folder", class: "folder row" },
    h("span", { key: "where" }, t("history.folder_waits", { folder: name })),
    h("button", { key: "allow", id: "allow-folder", type: "button", class: "primary", onclick: () => allow().then(done) }, t("history.allow_folder")),
    h("button", { key: "stop", type: "button", onclick: () => stop().then(done) }, t("history.stop_saving")));
}
