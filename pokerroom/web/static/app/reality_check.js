/** The reality check: a dialog that says how long the player has played, and what came of it. */

import { ask } from "./dialog.js";
import { money, t } from "./i18n.js";
import { limitsWindow } from "./on_demand.js";
import { room } from "./room.js";
import { h } from "./view.js";

let isOpen = false;

/** Show each reality check of the room until the player has read it. */
export const startRealityChecks = () => room.addEventListener("reality", ({ detail }) => show(detail));

async function show({ played_s, net }) {
  if (isOpen) return; // the player has not read the one before
  isOpen = true;
  const minutes = Math.round(played_s / 60);
  await ask(t("reality.title"), (close) => [
    h("p", { key: "played", class: "status" }, t("reality.played", { hours: Math.floor(minutes / 60), minutes: minutes % 60 })),
    h("p", { key: "net" }, t(net < 0 ? "reality.lost" : "reality.won", { amount: money(Math.abs(net)) })),
    h("p", { key: "end", class: "row end" }, h("button", { onclick: () => (close(), limitsWindow()) }, t("limits.title")), h("button", { class: "primary", id: "reality-read", onclick: () => close() }, t("reality.go_on"))),
  ]);
  isOpen = false;
}
