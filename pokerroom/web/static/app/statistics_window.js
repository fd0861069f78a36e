/** The window with the statistics of the account, or of another player as the account has seen that player. */

import { stakesOf } from "./amounts.js";
import { ask } from "./dialog.js";
import { currentLanguage, money, speakMore, t } from "./i18n.js";
import { signed } from "./results.js";
import { noteMark } from "./note_mark.js";
import { noteOn, notes } from "./notes.js";
import { noteWindow } from "./on_demand.js";
import { room } from "./room.js";
import { RATES, aggression, firstMonth, grouped, lines, rate, summed, winRate } from "./statistics.js";
import { h } from "./view.js";

await speakMore("/locales/statistics");

const PERIODS = ["all", "year", "quarter", "month"];
const POSITIONS = ["early", "middle", "cutoff", "button", "small_blind", "big_blind"];
const COLUMNS = ["hands", "win_rate", ...Object.keys(RATES), "aggression"];

/** `player`: of another player, at first. */
export async function statisticsWindow(player = null) {
  const state = { period: "all", by: "stake", player };
  let found = await answer(state);
  if (!found) return;
  await ask(() => (state.player === null ? t("statistics.title") : t("statistics.of", { player: state.player })), (_, refresh) => {
    const look = async (changes) => {
      Object.assign(state, changes);
      found = (await answer(state)) ?? found;
      refresh();
    };
    const choose = (name, values, then) => h("label", { key: name, class: "field" }, t(`statistics.${name}`), h("select", { name, onchange: (event) => then({ [name]: event.target.value }) },
      values.map((value) => h("option", { key: value, value, selected: state[name] === value }, t(`statistics.${name}.${value}`)))));
    const isOwn = state.player === null;
    return [
      h("form", { key: "of", "aria-label": t("statistics.player"), onsubmit: (event) => (event.preventDefault(), look({ player: new FormData(event.target).get("player").trim() || null })) },
        h("div", { class: "row" },
          choose("period", PERIODS, look),
          choose("by", ["stake", "position"], look),
          h("label", { key: "player", class: "field" }, t("statistics.player"), h("input", { name: "player", maxlength: 20, spellcheck: "false", autocomplete: "off", value: state.player ?? "" })),
          h("button", { key: "show" }, t("statistics.show")))),
      !isOwn && notes() && noted(state.player, () => noteWindow(state.player).then(refresh)),
      isOwn && found.points.length > 0 && graph(found.points),
      found.stakes.length > 0 ? counters(found.stakes, state.by) : h("p", { key: "none" }, t(isOwn ? "statistics.none" : "statistics.never_met")),
      found.tournaments.length > 0 && tournaments(found.tournaments),
      h("p", { key: "about", class: "hint" }, t("statistics.about")),
    ];
  }, { wide: true });
}

const answer = ({ period, player }) => room.ask({ type: "get_statistics", player, first_month: firstMonth(period, new Date(room.client.serverNow())) });

/** The note on the player, and the button that changes it. */
function noted(player, change) {
  const note = noteOn(player);
  return h("p", { key: "noted", class: "row" },
    note && [noteMark(note.color), h("span", { key: "text" }, [note.color && t(`note.color.${note.color}`), note.text].filter(Boolean).join(" · "))],
    h("button", { key: "note", id: "note", onclick: change }, t(note ? "note.change" : "note.write")));
}

// --- counters

function counters(stakes, by) {
  const order = by === "position" ? POSITIONS : null;
  const rows = order ? grouped(stakes, ({ position }) => position).sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key)) : grouped(stakes, stakeName);
  const nameOf = ({ key }) => (order ? t(`statistics.position.${key}`) : key);
  const shown = rows.length > 1 ? [...rows.map((row) => [nameOf(row), row]), [t("statistics.total"), summed(stakes)]] : rows.map((row) => [nameOf(row), row]);
  return h("div", { class: "records", key: "counters" },
    h("table", { class: "statistics" },
      h("caption", { class: "unseen" }, t("statistics.title")),
      h("thead", {}, h("tr", {}, h("th", { key: "what", scope: "col" }, t(`statistics.by.${order ? "position" : "stake"}`)), COLUMNS.map((name) => h("th", { key: name, scope: "col", class: "sum", title: t(`statistics.${name}.about`) }, t(`statistics.${name}`))))),
      h("tbody", {}, shown.map(([name, row]) => h("tr", { key: name }, h("th", { scope: "row" }, name), COLUMNS.map((column) => h("td", { key: column, class: "sum", "data-label": t(`statistics.${column}`) }, cell(row, column))))))));
}

function stakeName({ game, structure, chips, small_blind, big_blind }) {
  const limits = structure === "fixed_limit" ? { small_bet: big_blind, big_bet: 2 * big_blind } : { small_blind, big_blind };
  const played = `${t(`game.${game}`)}, ${t(`structure.${structure}`)}`;
  return chips ? `${t("statistics.tournaments")}, ${played}` : `${stakesOf(limits, money)} ${played}`;
}

const number = (value, digits) => new Intl.NumberFormat(currentLanguage(), { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "negative" }).format(value).replace("-", "−");
const percent = (share) => (share === null ? "–" : new Intl.NumberFormat(currentLanguage(), { style: "percent", maximumFractionDigits: 0 }).format(share).replace("-", "−"));

function cell(row, column) {
  if (column === "hands") return number(row.hands, 0);
  if (column === "aggression") return aggression(row) === null ? "–" : number(aggression(row), 1);
  if (column in RATES) return percent(rate(row, column));
  const won = winRate(row);
  if (won === null) return "–";
  return won.margin === null ? number(won.value, 1) : [number(won.value, 1), " ", h("small", {}, `± ${number(won.margin, 0)}`)];
}

// --- results

const WIDTH = 600;
const HEIGHT = 160;

function graph(points) {
  const line = lines(points);
  const last = line.at(-1);
  const amounts = line.flatMap(({ won, expected }) => [won, expected]);
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)];
  const y = (amount) => (high === low ? HEIGHT / 2 : (HEIGHT * (high - amount)) / (high - low)).toFixed(1);
  const path = (name) => `M${line.map((point) => `${((WIDTH * point.hands) / last.hands).toFixed(1)} ${y(point[name])}`).join("L")}`;
  const told = t("statistics.graph", { hands: number(last.hands, 0), won: signed(last.won), expected: signed(Math.round(last.expected)) });
  /** Whether a level is far enough from the ends for a label of its own. */
  const isApart = (amount) => amount === high || amount === low || (Number(y(amount)) > 20 && Number(y(amount)) < HEIGHT - 20);
  const mark = (name) => h("span", { key: name }, h("svg", { viewBox: "0 0 30 8" }, h("path", { class: name, d: "M0 4H30" })), t(`statistics.graph.${name}`));
  const level = (amount) => h("span", { key: amount, style: { top: `${(100 * (4 + Number(y(amount)))) / (HEIGHT + 8)}%` } }, signed(Math.round(amount)));
  return h("figure", { key: "graph", class: "results-graph" },
    h("div", { key: "legend", class: "legend", "aria-hidden": "true" }, mark("won"), mark("expected")),
    h("div", { key: "levels", class: "levels", "aria-hidden": "true" }, [...new Set([high, 0, low])].filter(isApart).map(level)),
    h("svg", { preserveAspectRatio: "none", viewBox: `-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`, role: "img", "aria-label": told },
      h("path", { key: "zero", class: "zero", d: `M0 ${y(0)}H${WIDTH}` }),
      h("path", { key: "expected", class: "expected", d: path("expected") }),
      h("path", { key: "won", class: "won", d: path("won") })),
    h("figcaption", {}, told));
}

function tournaments(rows) {
  const columns = ["entries", "in_the_money", "roi"];
  const of = ({ buy_in, entries, in_the_money, returned }) => ({
    entries: number(entries, 0),
    in_the_money: percent(in_the_money / entries),
    roi: buy_in > 0 ? percent((returned - entries * buy_in) / (entries * buy_in)) : "–",
  });
  return h("div", { class: "records", key: "tournaments" },
    h("table", {},
      h("caption", { class: "unseen" }, t("statistics.tournaments")),
      h("thead", {}, h("tr", {}, h("th", { key: "what", scope: "col" }, t("statistics.buy_in")), columns.map((name) => h("th", { key: name, scope: "col", class: "sum" }, t(`statistics.${name}`))))),
      h("tbody", {}, rows.map((row) => h("tr", { key: row.buy_in }, h("th", { scope: "row" }, t("statistics.tournament", { buy_in: money(row.buy_in) })), columns.map((name) => h("td", { key: name, class: "sum", "data-label": t(`statistics.${name}`) }, of(row)[name])))))));
}
