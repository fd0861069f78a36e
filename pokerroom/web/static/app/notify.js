/** A notification of the device when it is your turn at a page that is not looked at; by the player's choice. */

import { t } from "./i18n.js";
import { room } from "./room.js";
import { settings } from "./settings.js";

export function startNotifying() {
  room.addEventListener("happened", ({ detail: { event, model } }) => {
    const asks = (event.type === "turn" || event.type === "decisions") && model.ownTurn;
    if (!asks || !document.hidden || !settings.get("notifications") || globalThis.Notification?.permission !== "granted") return;
    const shown = new Notification(t("dock.your_turn"), { body: model.info.name, icon: "/icon.svg", tag: model.name });
    shown.onclick = () => {
      window.focus();
      document.dispatchEvent(new CustomEvent("pr-focus", { detail: model.name }));
      shown.close();
    };
  });
}

/** Switch notifications on, if the browser and the player allow them, or off. */
export async function chooseNotifications(wanted) {
  const allowed = wanted && (await globalThis.Notification?.requestPermission()) === "granted";
  settings.set("notifications", allowed === true);
  if (wanted && !allowed) room.notify("no_permission", null, "refused");
}
