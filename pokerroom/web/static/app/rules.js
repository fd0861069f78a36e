/** The rules of the games in a window, from `/rules/*.json`: course, outcomes, ranking of hands, pay tables. */

import { pictograms } from "./cards.js";
import { ask } from "./dialog.js";
import { currentLanguage, money, t } from "./i18n.js";
import { returnOfMainBets, returnOfProgressive, returnOfTrips } from "./ranking.js";
import { room } from "./room.js";
import { h } from "./view.js";

const GAMES = ["holdem", "sit_and_go", "tournament", "ultimate"];
const RANKED = new Set(["holdem", "ultimate"]);

/** An example of each hand, best first. */
const EXAMPLES = {
  royal_flush: "As Ks Qs Js Ts", straight_flush: "9h 8h 7h 6h 5h", four_of_a_kind: "Ac Ad Ah As 7d", full_house: "Kc Kd Ks 6h 6d", flush: "Kd Jd 9d 6d 3d",
  straight: "9c 8d 7d 6s 5h", three_of_a_kind: "Kc Kd Kh 9s 4d", two_pair: "Ah Ad Ks Kc 7d", pair: "Kh Kd Js 8c 4d", high_card: "Ah Jd 9s 6c 3d",
};

/** Open the rules of a game; `info` is the table of Ultimate with the pay tables to show. */
export async function rulesWindow(game, info = room.lobby?.ultimate?.[0] ?? null) {
  const rules = await texts();
  if (rules === null) return room.notify("not_loaded", null, "refused");
  let chosen = game;
  return ask(t("rules.title"), (_, refresh) => [
    h("div", { class: "tabs", key: "games", role: "group", "aria-label": t("lobby.games") }, GAMES.map((each) =>
      h("button", { key: each, class: "tab", "aria-pressed": String(each === chosen), onclick: () => ((chosen = each), refresh()) }, rules[each].name))),
    h("div", { class: "rules", key: chosen, role: "region", "aria-label": rules[chosen].name },
      rules[chosen].parts.map((each) => part(each)),
      chosen === "ultimate" && info && payTables(info, rules.ultimate),
      RANKED.has(chosen) && ranking(rules.ranking)),
  ], { wide: true });
}

async function texts() {
  try {
    return await (await fetch(`/rules/${currentLanguage()}.json`)).json();
  } catch {
    return null; // the connection is lost
  }
}

const part = ({ title, text = [], list = [] }) => [
  h("h3", { key: title }, title),
  text.map((each, index) => h("p", { key: `${title}${index}` }, each)),
  list.length > 0 && h("ul", { key: `${title} list` }, list.map((each, index) => h("li", { key: index }, each))),
];

const ranking = (about) => [
  h("h3", { key: "ranking" }, about.title),
  h("p", { key: "about" }, about.about),
  h("table", { class: "pays ranking", key: "hands" }, h("caption", { class: "unseen" }, about.title), h("tbody", {}, Object.entries(EXAMPLES).map(([hand, cards]) =>
    h("tr", { key: hand }, h("th", { scope: "row" }, t(`rank.${hand}`), h("span", { class: "example" }, pictograms(cards.split(" ")))), h("td", {}, about[hand]))))),
];

function payTables(info, { pays, rtp, main_rtp, strategy, progressive_rtp, prizes_rtp }) {
  const rows = (table) => table.map((row) => h("tr", { key: row.hand }, h("th", { scope: "row" }, t(`rank.${row.hand}`)), h("td", {}, `${row.pays}:${row.to}`)));
  const prize = (row) => h("tr", { key: row.hand }, h("th", { scope: "row" }, t(`rank.${row.hand}`)), h("td", {}, row.amount !== null ? money(row.amount) : t("uth.of_meter", { percent: row.meter_bps / 100 })));
  const percent = new Intl.NumberFormat(currentLanguage(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return [
    h("h3", { key: "pays" }, pays),
    h("p", { key: "qualification" }, t(`uth.qualification.${info.qualification}`)),
    h("table", { class: "pays", key: "blind" }, h("caption", {}, t("uth.blind_pays")), h("tbody", {}, rows(info.blind_pays))),
    mainReturn(info, { main_rtp, strategy }, percent),
    info.trips_max && h("table", { class: "pays", key: "trips" }, h("caption", {}, t("uth.trips_pays"), ` (${money(info.trips_min)}–${money(info.trips_max)})`), h("tbody", {}, rows(info.trips_pays))),
    info.trips_max && h("p", { key: "rtp", class: "rtp" }, rtp.replace("{percent}", percent.format(100 * returnOfTrips(info.trips_pays)))),
    info.progressive && h("table", { class: "pays", key: "progressive" }, h("caption", {}, t("uth.progressive_pays", { stake: money(info.progressive.stake), envy: money(info.progressive.envy_prize) })), h("tbody", {}, info.progressive.prizes.map(prize))),
    info.progressive && h("p", { key: "progressive_rtp", class: "rtp" }, progressiveReturn(info, { progressive_rtp, prizes_rtp }, percent)),
    h("p", { key: "keys", class: "hint" }, t("uth.keys")),
  ];
}

function mainReturn(info, texts, percent) {
  const found = returnOfMainBets(info);
  if (found === null) return null;
  const said = texts.main_rtp.replace("{percent}", percent.format(100 * found.share)).replace("{loss}", percent.format(100 * found.loss));
  return [h("p", { key: "main_rtp", class: "rtp" }, said), h("p", { key: "strategy", class: "hint" }, texts.strategy)];
}

/** The meter is known at an open table; elsewhere the fixed prizes alone are counted. */
function progressiveReturn({ table, progressive }, texts, percent) {
  const meter = room.model(table)?.snapshot?.meter ?? null;
  const share = percent.format(100 * returnOfProgressive(progressive, meter ?? 0));
  return meter === null ? texts.prizes_rtp.replace("{percent}", share) : texts.progressive_rtp.replace("{percent}", share).replace("{meter}", money(meter));
}
