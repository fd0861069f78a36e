/** The account's history from the room, newest first, with a replay of each hand or round. */

import { afterEvent, afterUltimateEvent } from "/client/pokerroom.js";
import { ask } from "./dialog.js";
import { downloadHands } from "./download.js";
import { titleOf } from "./hand_text.js";
import { replayWindow } from "./history.js";
import { hostedAt } from "./hosting.js";
import { money, regionOfDates, t, wholeChips } from "./i18n.js";
import { handLinksWindow, notesWindow, statisticsWindow } from "./on_demand.js";
import { recordingOf } from "./past.js";
import { roundRecordingOf } from "./past_round.js";
import { signed } from "./results.js";
import { room } from "./room.js";
import { h } from "./view.js";

const LINES = 25;
/** An ended hand adds an entry: then the newest entries are requested again. */
const ENDS = new Set(["hand_ended", "round_ended", "tournament_ended"]);

/** Open the account's history. It grows while it is open. */
export async function accountHistoryWindow() {
  const first = await room.ask({ type: "get_history", limit: LINES });
  if (!first) return;
  let { entries, before } = first;
  let again = () => {};
  const newest = async ({ detail }) => {
    if (!ENDS.has(detail.event.type)) return;
    const found = await room.client.request({ type: "get_history", limit: LINES }).catch(() => null);
    if (!found) return; // the connection is lost: the next attempt follows
    const fresh = new Set(found.entries.map(keyOf));
    entries = [...found.entries, ...entries.filter((entry) => !fresh.has(keyOf(entry)))];
    again();
  };
  const older = async () => {
    const more = await room.ask({ type: "get_history", limit: LINES, before });
    if (!more) return;
    entries = [...entries, ...more.entries];
    before = more.before;
    again();
  };
  room.addEventListener("happened", newest);
  await ask(t("account.history"), (_, refresh) => {
    again = refresh;
    const when = new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "short", timeStyle: "short" });
    return [
      h("p", { key: "do", class: "row places" },
        room.has("player_notes") && h("button", { key: "notes", id: "notes", onclick: notesWindow }, t("notes.title")),
        room.has("hand_links") && h("button", { key: "links", id: "hand-links", onclick: handLinksWindow }, t("links.title")),
        room.has("export_hands") && h("button", { key: "download", id: "download-hands", onclick: () => downloadHands() }, t("history.download_hands")),
        room.has("statistics") && h("button", { key: "statistics", id: "statistics", onclick: () => statisticsWindow() }, t("account.statistics"))),
      entries.some((entry) => entry.archived) && h("p", { key: "archived", class: "hint" }, t("account.archived_about")),
      entries.length === 0 ? h("p", { key: "nothing" }, t("account.nothing")) : table(entries, when),
      before !== null && h("button", { key: "more", onclick: older }, t("account.more")),
    ];
  }, { wide: true, onClosed: () => room.removeEventListener("happened", newest) });
}

const keyOf = (entry) => `${entry.game} ${entry.id}`;

function table(entries, when) {
  const head = (name, index) => h("th", { key: name, scope: "col", class: index > 1 ? "sum" : null }, t(`account.${name}`));
  return h("div", { class: "records", key: "past" },
    h("table", {},
      h("caption", { class: "unseen" }, t("account.history")),
      h("thead", {}, h("tr", {}, ["date", "what", "result"].map(head))),
      h("tbody", {}, entries.map((entry) => line(entry, when)))));
}

function line(entry, when) {
  const net = entry.win - entry.stake;
  const what = [`${nameOf(entry.table)}: ${t(`account.game.${entry.game}`)}`, entry.place !== null && t("account.place", { place: entry.place }), entry.void && t("uth.outcome.void"), entry.chips && t("account.chips"), entry.archived && t("account.archived"), entry.tip > 0 && t("account.tip", { amount: money(entry.tip) })].filter(Boolean).join(", ");
  return h("tr", { key: keyOf(entry) },
    h("td", {}, h("time", {}, when.format(entry.at_ms))),
    h("th", { scope: "row" }, entry.archived ? what : entry.game === "sit_and_go" ? sitAndGo(entry, what) : h("button", { title: t("account.replay"), onclick: () => (entry.game === "ultimate" ? openRound(entry.id) : openHand(entry.id)) }, what)),
    h("td", { class: net > 0 ? "sum gain" : "sum", "data-label": t("account.result") }, signed(net, entry.chips ? wholeChips : money)));
}

/** A sit-and-go is no replay: its line saves the hands of it. */
const sitAndGo = (entry, what) => (entry.void || !room.has("export_hands") ? what : h("button", { title: t("history.download_hands"), onclick: () => downloadHands(entry.id) }, what));

const infoOf = (table) => [...(room.lobby?.tables ?? []), ...(room.lobby?.ultimate ?? [])].find((info) => info.table === table) ?? null;
/** The name of a table of the lobby or of a private one, else its id. */
export const nameOf = (table) => (hostedAt(table)?.info ?? infoOf(table))?.name ?? (table.startsWith("host:") ? t("hosted.one") : table);

/** Open the replay of a hand that the account has played. */
export async function openHand(id) {
  const answer = await room.ask({ type: "get_hand", hand_id: id });
  if (!answer) return;
  const recording = recordingOf(answer.hand, afterEvent);
  replayWindow(`${nameOf(answer.hand.table)} · ${titleOf(recording)}`, [recording], true);
}

/** Open the replay of a round that the account has played. */
export async function openRound(id) {
  const answer = await room.ask({ type: "get_round", round_id: id });
  if (!answer) return;
  const { table } = answer.round;
  replayWindow(t("history.rounds", { table: nameOf(table) }), [roundRecordingOf(answer.round, afterUltimateEvent, infoOf(table) ?? {})], true);
}
