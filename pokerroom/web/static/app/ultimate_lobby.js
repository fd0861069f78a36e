/** Tables of Ultimate Texas Hold'em: their part of the lobby, and how to take a place. */

import { money, t } from "./i18n.js";
import { room } from "./room.js";
import { h } from "./view.js";

/** The tables of the lobby. */
export function ultimateSection(tables) {
  return h("table", { class: "tables" },
    h("caption", { class: "unseen" }, t("uth.tables")),
    h("thead", {}, h("tr", {}, ["table", "stakes", "players"].map((each) => h("th", { key: each, scope: "col" }, t(`lobby.${each}`))), h("th", { key: "do", scope: "col" }, h("span", { class: "unseen" }, t("lobby.actions"))))),
    h("tbody", {}, tables.map((info) =>
      h("tr", { key: info.table, class: info.players > 0 ? "live" : null },
        h("th", { scope: "row" }, info.name, h("span", { class: "tag" }, info.seating === "boxes" ? t("uth.boxes", { boxes: info.boxes }) : t("uth.common"))),
        h("td", { "data-label": t("lobby.stakes") }, limits(info)),
        h("td", { "data-label": t("lobby.players") }, info.boxes ? `${info.occupied}/${info.boxes}` : info.occupied),
        h("td", { class: "do" },
          offered(info) && h("button", { key: "take", class: "primary", disabled: !room.online || info.closing, "aria-label": `${t("uth.take")}: ${info.name}`, onclick: () => take(info) }, t("uth.take")),
          h("button", { key: "look", "aria-label": `${t(seated(info) ? "lobby.go" : "lobby.look")}: ${info.name}`, onclick: () => look(info.table) }, t(seated(info) ? "lobby.go" : "lobby.look")))))));
}

const seated = ({ table }) => room.sitsAt(table);

/** Whether one more table may be joined here: not where you have a place, and not with the most tables open. */
const offered = (info) => !seated(info) && (info.boxes === null || info.occupied < info.boxes) && room.mayOpen(info.table);

async function look(table) {
  const shown = await room.show(table);
  if (shown) location.assign("#tables");
  return shown;
}

async function take({ table }) {
  if (await look(table)) await takePlace(table, null);
}

/** The limits of a table's bets. */
export const limits = (info) => [t("uth.limits", { min: money(info.ante_min), max: money(info.ante_max) }), info.trips_max && t("uth.trips_limits", { min: money(info.trips_min), max: money(info.trips_max) })].filter(Boolean).join(" · ");

/** Request a place: a box, or any. */
export const takePlace = (table, box) => room.ask({ type: "take_place", table, box });
