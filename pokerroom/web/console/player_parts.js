/** Parts of a player's page: transfers of the wallet and the tickets, limits, and notes of operators. */

import { money, t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { orderButtons } from "./orders.js";
import { moment, number, records } from "./parts.js";

const LINES = 20;

/** How a page of transfers is asked for: with one more than is shown. */
export const transfersAfter = (before) => ({ before, limit: LINES + 1 });

/** What changed the wallet or the tickets; `turn` asks for the page below a number, or for the newest. */
export function transferSection(found, before, turn) {
  const lines = found.slice(0, LINES);
  return h("section", { key: "transfers" },
    h("h2", {}, t("player.transfers")),
    records({
      caption: t("player.transfers"), empty: t("player.no_transfers"), columns: ["movement", "time", "wallet_change", "tickets_change", "other_side", "number"],
      rows: lines.map((one) => ({
        key: one.number,
        cells: {
          movement: t(`transfer.${one.kind}`), time: moment(one.at_ms), wallet_change: changed(one.wallet), tickets_change: changed(one.tickets),
          other_side: one.other, number: String(one.number),
        },
      })),
    }),
    h("div", { class: "row end", key: "pages" },
      before !== null && h("button", { key: "newest", onclick: () => turn(null) }, t("log.newest")),
      found.length > LINES && h("button", { key: "older", onclick: () => turn(lines.at(-1).number) }, t("log.older"))));
}

/** An amount with its sign. */
export const changed = (amount) => (amount === 0 ? "–" : `${amount < 0 ? "−" : "+"}${money(Math.abs(amount))}`);

/** The limits that the player or the room has set, and what is used of each. */
export function limitSection(limits) {
  const shown = limits.filter(({ value, cap, wanted }) => value !== null || cap !== null || wanted !== null);
  return h("section", { key: "limits" },
    h("h2", {}, t("player.limits")),
    records({
      caption: t("player.limits"), empty: t("player.no_limits"), columns: ["limit", "own_limit", "cap", "used_of_it", "window"],
      rows: shown.map((one) => {
        const told = (value) => (value === null ? "–" : one.kind === "session" ? t("player.minutes", { minutes: number(Math.floor(value / 60)) }) : money(value));
        return {
          key: `${one.kind} ${one.period}`,
          cells: {
            limit: t(`limit.${one.kind}_${one.period}`), own_limit: told(one.value), cap: told(one.cap), used_of_it: told(one.used), window: moment(one.ends_ms),
          },
        };
      }),
    }));
}

/** What operators have noted, with the order to note more. */
export function noteSection(name, notes, then) {
  return h("section", { key: "notes" },
    h("h2", {}, t("player.notes")),
    records({
      caption: t("player.notes"), empty: t("player.no_notes"), columns: ["noted", "who", "time"],
      rows: notes.map((note) => ({ key: note.number, cells: { noted: note.text, who: note.who, time: moment(note.at_ms) } })),
    }),
    orderButtons({ group: "account", folder: "players", subject: name, name, orders: ["note"], then }));
}
