/** What the account has played, newest first, and each hand of it step by step; from the room, not from this page. */

import { afterEvent } from "/client/pokerroom.js";
import { ask } from "./dialog.js";
import { replayWindow } from "./history.js";
import { currentLanguage, money, t, wholeChips } from "./i18n.js";
import { recordingOf } from "./past.js";
import { room } from "./room.js";
import { h } from "./view.js";

const LINES = 25;

/** Opens the account's history. */
export async function accountHistoryWindow() {
  const first = await room.ask({ type: "get_history", limit: LINES });
  if (!first) return;
  let { entries, before } = first;
  const when = new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "short", timeStyle: "short" });
  await ask(t("account.history"), (_, refresh) => [
    entries.length === 0 && h("p", {}, t("account.nothing")),
    h("ul", { class: "hands" }, entries.map((entry) => h("li", { key: `${entry.game}${entry.id}` }, line(entry, when)))),
    before !== null && h("button", { onclick: async () => {
      const more = await room.ask({ type: "get_history", limit: LINES, before });
      if (!more) return;
      entries = [...entries, ...more.entries];
      before = more.before;
      refresh();
    } }, t("account.more")),
  ], { wide: true });
}

function line(entry, when) {
  const amount = entry.chips ? wholeChips : money;
  const won = entry.win - entry.stake;
  const text = [
    h("time", {}, when.format(entry.at_ms)), " ",
    h("strong", {}, entry.table), " ", t(`account.game.${entry.game}`), entry.place !== null && `, ${t("account.place", { place: entry.place })}`, " ",
    h("span", { class: won > 0 ? "gain" : null }, entry.void ? t("uth.outcome.void") : `${won > 0 ? "+" : won < 0 ? "−" : ""}${amount(Math.abs(won))}`),
  ];
  return entry.game === "holdem" ? h("button", { onclick: () => replay(entry) }, text) : h("p", {}, text);
}

async function replay(entry) {
  const answer = await room.ask({ type: "get_hand", hand_id: entry.id });
  if (!answer) return;
  const info = room.lobby?.tables.find((each) => each.table === entry.table);
  replayWindow(t("history.title", { table: info?.name ?? entry.table }), [recordingOf(answer.hand, afterEvent, { seats: info?.seats, chips: entry.chips })], true);
}
