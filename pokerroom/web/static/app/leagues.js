/** The window of the room's leagues: the table of one of them, by period and page. */

import { ask } from "./dialog.js";
import { money, regionOfDates, speakMore, t, wholeChips } from "./i18n.js";
import { signed } from "./results.js";
import { room } from "./room.js";
import { ROWS, pages, table } from "./tournament_window.js";
import { h } from "./view.js";

await speakMore("/locales/leagues");

export async function leaguesWindow() {
  const leagues = (await room.ask({ type: "get_leagues" }))?.leagues;
  if (!leagues?.length) return;
  let view = { league: leagues[0].league, back: 0, offset: 0, around: true };
  let [found, asked] = [null, null];
  let again = () => {};
  const look = async (changes = {}) => {
    const wanted = { ...view, offset: 0, around: false, ...changes };
    const { league, back, offset, around } = (asked = wanted);
    const answer = await room.ask({ type: "get_league", league, back, offset, count: ROWS, around_you: around });
    if (asked !== wanted || !answer) return again(); // another page was asked for since, or the room has said why not
    view = wanted;
    found = answer;
    again();
  };
  await look({ around: true });
  if (!found) return;
  await ask(t("leagues.title"), (close, refresh) => {
    again = refresh;
    return [
      h("div", { key: "which", class: "row" },
        leagues.length > 1
          ? h("label", { key: "choice", class: "field" }, t("leagues.league"),
            h("select", { id: "league", onchange: (event) => look({ league: event.target.value, back: 0, around: true }) }, leagues.map((each) => h("option", { key: each.league, value: each.league, selected: each.league === view.league }, each.name))))
          : h("strong", { key: "name" }, found.league.name),
        found.from_ms !== null && h("p", { key: "period", class: "row pages" },
          h("button", { key: "earlier", "aria-label": t("leagues.earlier"), title: t("leagues.earlier"), disabled: found.from_ms <= 0, onclick: () => look({ back: view.back + 1, around: true }) }, "‹"),
          h("strong", { role: "status" }, periodOf(found)),
          h("button", { key: "later", "aria-label": t("leagues.later"), title: t("leagues.later"), disabled: view.back === 0, onclick: () => look({ back: view.back - 1, around: true }) }, "›"))),
      h("p", { key: "about", class: "hint" }, t("leagues.tournaments", { names: found.league.offers.map(nameOf).join(", ") }), " ", found.league.best > 0 ? t("leagues.best", { count: found.league.best }) : t("leagues.all")),
      found.you && h("p", { key: "yours", class: "row" }, h("strong", {}, t("leagues.yours", { rank: wholeChips(found.you.rank), score: scoreOf(found, found.you) })),
        found.total > ROWS && h("button", { key: "around", onclick: () => look({ around: true }) }, t("leagues.around"))),
      found.total === 0
        ? h("p", { key: "none" }, t("leagues.none"))
        : table("leagues.title", [["mtt.rank", "sum"], ["mtt.player"], [`leagues.${found.league.score}`, "sum"], ["leagues.counted", "sum least"], ["leagues.wins", "sum"]], found.ranks.map((rank) => line(found, rank))),
      pages(found, found.offset, look),
      h("div", { key: "do", class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("close"))),
    ];
  }, { wide: true });
}

const line = (found, rank) =>
  h("tr", { key: rank.name, class: rank.name === found.you?.name ? "now" : null },
    h("td", { class: "sum" }, `${wholeChips(rank.rank)}.`),
    h("th", { scope: "row" }, rank.name),
    h("td", { class: "sum" }, scoreOf(found, rank)),
    h("td", { class: "sum least" }, t("leagues.of", { counted: rank.counted, played: rank.played })),
    h("td", { class: "sum" }, rank.wins));

/** Points have hundredths, as money has. */
const scoreOf = ({ league }, { score }) => (league.score === "net" ? signed(score) : money(score));

/** The display name of an offer; its id if it is not in the lobby. */
const nameOf = (offer) =>
  room.lobby?.sit_and_gos?.find((each) => each.offer === offer)?.name ?? room.lobby?.tournaments?.find((each) => each.offer === offer)?.name.replace(/ #\d+$/, "") ?? offer;

/** The period in words, by its middle: its ends are midnights of another zone, maybe. */
function periodOf({ league, from_ms, until_ms }) {
  const format = (parts, ms) => new Intl.DateTimeFormat(regionOfDates(), parts).format(ms);
  const middle = (from_ms + until_ms) / 2;
  const names = {
    year: () => format({ year: "numeric" }, middle),
    month: () => format({ month: "long", year: "numeric" }, middle),
    week: () => t("leagues.period.week", { from: format({ day: "numeric", month: "long", year: "numeric" }, from_ms + 43_200_000) }),
  };
  return names[league.period]();
}
