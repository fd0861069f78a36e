/** The window of a tournament: its state, and tabs with players, tables, prizes and levels; before, during and after it. */

import "./tournament_style.js";
import "./until.js";
import { tableNumber, tournamentOf } from "/client/pokerroom.js";
import { stakesOf } from "./amounts.js";
import { ask } from "./dialog.js";
import { currentLanguage, dayAndTime, money, speakMore, t, wholeChips } from "./i18n.js";
import { room } from "./room.js";
import { entryButton, isOver, isPrivate, saleButtons, scheduledButton, ticketFor, withAnte } from "./sit_and_go.js";
import { h } from "./view.js";

await speakMore("/locales/tournaments");

export const ROWS = 50;
const TABS = ["players", "tables", "prizes", "levels"];

/** Open the window of an offer's tournament: the one of this table, else yours, the one that fills, or the newest running. */
export async function tournamentWindow(offerId, table = null) {
  const offerOf = () => room.lobby?.sit_and_gos?.find((each) => each.offer === offerId) ?? null;
  const scheduledOf = () => room.lobby?.tournaments.find((each) => each.tournament === tournament) ?? null;
  const view = { tab: "players", offset: 0, name: "" };
  let tournament = table && tournamentOf(table);
  let [state, rows] = [null, null];
  let [again, leave, host, purse] = [() => {}, () => {}, null, null];
  const load = async () => {
    const offer = offerOf();
    tournament ??= offer?.your_tournament ?? offer?.filling[0]?.tournament ?? offer?.running[0]?.tournament ?? null;
    if (tournament === null) return again();
    const { tab, offset, name } = view;
    const [found, page] = await Promise.all([
      room.client.request({ type: "get_tournament", tournament }).catch((failure) => failure),
      pageOf(tournament, view),
      host?.look(),
      purse?.look(),
    ]);
    if (state && found.code === "unknown_tournament") return leave(); // its host has removed you
    state = found.tournament ? found : state; // else the next change follows
    if (tab === view.tab && offset === view.offset && name === view.name) rows = page ?? rows;
    again();
  };
  const look = (changes) => {
    if (changes.tab) rows = null;
    Object.assign(view, changes);
    again();
    return load();
  };
  await load();
  if (isPrivate(tournament)) {
    const { hostOf, purseOf } = await import("./hosting_sit_and_go.js");
    [host, purse] = await Promise.all([hostOf(tournament, () => again()), purseOf(tournament)]);
  }
  const begun = () => leave(); // it would cover the table that opens
  room.addEventListener("lobby", load);
  room.addEventListener("begun", begun);
  await ask(() => state?.name ?? offerOf()?.name ?? t("sng.name"), (close, refresh) => {
    [again, leave] = [refresh, close];
    return page(state ?? expected(offerOf()), rows, view, { offer: offerOf(), scheduled: scheduledOf(), host, purse, look, close });
  }, { wide: true, onClosed: () => (room.removeEventListener("lobby", load), room.removeEventListener("begun", begun)) });
}

/** The rows of a tab that the room has, or null. */
function pageOf(tournament, { tab, offset, name }) {
  if (tab === "players") return room.client.request({ type: "get_tournament_ranks", tournament, offset, count: ROWS, ...(name && { name }) }).catch(() => null);
  if (tab === "tables") return room.client.request({ type: "get_tournament_tables", tournament, offset, count: ROWS }).catch(() => null);
  return null;
}

/** The state of a tournament that no player has entered yet. */
const expected = (offer) => offer && { ...offer, phase: "registering", entries: 0, left: 0, tables: 0, average: null, level: null, next_level: null, break_until_ms: null, paused: false, pool: offer.prizes.reduce((sum, prize) => sum + prize, 0), next_payout: null, you: null };

function page(state, rows, view, { offer, scheduled, host, purse, look, close }) {
  if (state === null) return h("p", { class: "hint" }, t("lobby.loading"));
  const tabs = TABS.filter((tab) => (tab !== "tables" || state.tables > 0) && (tab !== "prizes" || state.prizes.length > 0));
  const tab = tabs.includes(view.tab) ? view.tab : "players";
  const mine = scheduled ? scheduledButton(scheduled) : offer ? state.phase === "registering" && entryButton(offer) : privateButton(state, purse);
  const own = state.you?.table ?? null;
  return h("div", { class: "tournament-page", key: "page" },
    h("p", { key: "facts", class: "hint" }, [
      ...startOf(state),
      t(`sng.phase.${state.phase}`) + (state.ended_ms ? `, ${dayAndTime(state.ended_ms)}` : ""),
      state.buy_in > 0 ? `${t("sng.buy_in")}: ${money(state.buy_in)}${state.fee > 0 ? ` (${t("sng.of_fee", { fee: money(state.fee) })})` : ""}` : t("mtt.free"),
      ...(state.bounty > 0 ? [t(`mtt.bounty.${state.bounty_kind}`, { amount: money(state.bounty) })] : []),
      ...(state.satellite ? [t("mtt.satellite_pays", { count: state.satellite.seats, amount: money(state.satellite.value), name: nameOf(state.satellite.offer) })] : []),
      ...(ticketFor(state) ? [t("mtt.your_ticket", { date: dayAndTime(ticketFor(state).expires_ms) })] : []),
      `${t("sng.stack")}: ${wholeChips(state.starting_stack)}`,
    ].join(" · ")),
    soldBeside(state),
    purse?.part(),
    host?.part(state),
    state.level && clock(state),
    h("dl", { key: "figures", class: "figures" }, figures(state).map(([name, value]) => h("div", { key: name }, h("dt", {}, t(name)), h("dd", {}, value)))),
    h("div", { key: "tabs", class: "row views" },
      h("div", { class: "tabs", role: "group", "aria-label": t("mtt.views") },
        tabs.map((each) => h("button", { key: each, class: "tab", "aria-pressed": String(each === tab), onclick: () => look({ tab: each, offset: 0, name: "" }) }, t(`mtt.${each}`)))),
      mine,
      saleButtons(state),
      own && h("button", { key: "go", class: "primary", onclick: () => watch(own, close) }, t("mtt.go"))),
    SECTIONS[tab](state, rows, view, { look, close }));
}

/** The button that enters a private sit-and-go, which no list has, or leaves it. */
const privateButton = ({ you, ...state }, purse) => state.phase === "registering" && scheduledButton({ ...state, your_entries: you ? 1 : 0, your_status: you?.status ?? null }, purse?.held());

/** The name of an offer, as its tournaments in the lobby tell it. */
const nameOf = (offer) => room.lobby?.tournaments.find((row) => row.offer === offer)?.name.replace(/ #\d+$/, "") ?? offer;

/** When a tournament with a start begins, and until when players may enter; what starts another one. */
function startOf({ tournament, phase, starts_ms, registration_open, late_levels }) {
  if (!starts_ms) return phase === "registering" ? [t(isPrivate(tournament) ? "mtt.starts_by_host" : "mtt.starts_full")] : [];
  return [`${t("mtt.start")}: ${dayAndTime(starts_ms)}`, ...(registration_open && late_levels > 0 ? [t("mtt.late_until", { level: late_levels })] : [])];
}

/** What is sold beside the first entry: rebuys, the add-on and re-entries, each with when; which deals are possible, and who ties. */
function soldBeside({ phase, sales = [], deals, hand_for_hand_ties, registration_open, late_levels, entries_max, buy_in, starting_stack }) {
  const lines = sales.map(({ kind, chips, price, most, levels: level, stack_max }) => t(`mtt.sold.${kind}`, { chips: wholeChips(chips), price: money(price), most, level, stack: wholeChips(stack_max ?? starting_stack) }));
  if (registration_open && late_levels > 0 && entries_max !== 1) lines.push(t(entries_max === 0 ? "mtt.sold.entries" : "mtt.sold.entries_max", { most: entries_max, level: late_levels, chips: wholeChips(starting_stack), price: money(buy_in) }));
  if (deals) lines.push(t(deals.leave_bps > 0 ? "mtt.deals_leave" : "mtt.deals", { players: deals.players_max, share: wholeChips(deals.leave_bps / 100) }));
  if (hand_for_hand_ties === "share") lines.push(t("mtt.ties"));
  return lines.length > 0 && !isOver({ phase }) && h("ul", { key: "sold", class: "hint sold" }, lines.map((line) => h("li", { key: line }, line)));
}

function clock({ level, next_level, break_until_ms, paused, hand_for_hand }) {
  const until = break_until_ms ?? level.ends_ms;
  return h("p", { key: "clock", class: "clock-line" },
    h("strong", {}, t("sng.level", { level: level.level })),
    h("span", {}, t("sng.blinds", { blinds: withAnte(level) })),
    paused ? h("span", { class: "tag on" }, t("sng.paused")) : break_until_ms !== null && h("span", { class: "tag on" }, t("sng.break")),
    hand_for_hand && h("span", { key: "together", class: "tag on" }, t("mtt.hand_for_hand")),
    until !== null && h("pr-until", { ".until": until }),
    level.hands_left !== null && h("span", { key: "hands" }, t("sng.hands_left", { hands: level.hands_left })),
    next_level && h("span", { key: "next", class: "hint" }, t("mtt.next_level", { blinds: withAnte(next_level) })));
}

/** What stands above the tabs: pairs of a text's name and its value. */
function figures({ phase, provisional, entries, seats, starts_ms, guarantee, bounty, left, average, largest, smallest, level, pool, prizes, next_payout, tables, you }) {
  const runs = phase === "running";
  const paid = prizes.length > 0 && (!provisional || entries > 0 || guarantee > 0); // else nothing is paid in yet
  return [
    runs ? ["mtt.left", t("mtt.of", { count: wholeChips(left), all: wholeChips(entries) })] : ["sng.seats", phase === "registering" && !starts_ms ? `${wholeChips(entries)}/${wholeChips(seats)}` : wholeChips(entries)],
    you?.status === "playing" && ["mtt.your_rank", t("mtt.of", { count: wholeChips(you.rank), all: wholeChips(left) })],
    bounty > 0 && you?.status === "playing" && ["mtt.your_head", money(you.head)],
    bounty > 0 && you && phase !== "registering" && ["mtt.your_bounties", money(you.bounties)],
    you?.place && ["mtt.your_place", `${wholeChips(you.place)}${you.prize > 0 ? ` (${money(you.prize)})` : ""}`],
    runs && average !== null && ["mtt.average", inBigBlinds(average, level)],
    runs && average !== null && ["mtt.largest", wholeChips(largest)],
    runs && average !== null && ["mtt.smallest", wholeChips(smallest)],
    runs && tables > 1 && ["mtt.tables", tables],
    paid && [provisional ? "mtt.pool_so_far" : "mtt.pool", money(pool)],
    guarantee > 0 && ["mtt.guarantee", money(guarantee)],
    paid && ["mtt.paid_places", prizes.length],
    next_payout !== null && ["mtt.next_payout", money(next_payout)],
  ].filter(Boolean);
}

/** Chips, and how many big blinds they are, rounded down. */
function inBigBlinds(chips, level) {
  if (level === null) return wholeChips(chips);
  const count = Math.floor((10 * chips) / level.big_blind) / 10;
  return [wholeChips(chips), " ", h("small", {}, t("mtt.big_blinds", { count: new Intl.NumberFormat(currentLanguage(), { minimumFractionDigits: 1 }).format(count) }))];
}

const SECTIONS = { players, tables, prizes, levels };

function players(state, rows, { name, offset }, { look, close }) {
  if (state.entries === 0) return h("p", { key: "none", class: "hint" }, t("sng.no_players"));
  return h("section", { key: "players" },
    state.entries > 10 && h("form", { key: "search", role: "search", onsubmit: (event) => event.preventDefault() },
      h("label", { class: "field" }, t("mtt.search"), h("input", { type: "search", name: "name", maxlength: 20, spellcheck: "false", autocomplete: "off", value: name, oninput: (event) => look({ name: event.target.value.trim(), offset: 0 }) }))),
    rows?.ranks && (rows.total === 0
      ? h("p", { key: "none", class: "hint", role: "status" }, t("mtt.no_match"))
      : table("mtt.players", [["mtt.rank", "sum"], ["mtt.player"], ...(isOver(state) ? [] : [["mtt.chips", "sum"]]), ...(hasLast(state) ? [[state.phase === "running" ? "mtt.table_or_prize" : "mtt.prize", "sum"]] : [])], rows.ranks.map((rank) => rankLine(rank, state, close)))),
    rows?.ranks && pages(rows, offset, look));
}

/** Whether the last column says something: without prizes it has only tables, and these only while it runs. */
const hasLast = ({ phase, prizes }) => prizes.length > 0 || phase === "running";

function rankLine({ rank, name, stack, table: at, status, prize, head }, state, close) {
  const over = isOver(state);
  return h("tr", { key: name, class: name === state.you?.name ? "now" : status === "out" && !over ? "out" : null },
    h("td", { class: "sum" }, rank === null ? "–" : `${wholeChips(rank)}.`),
    h("th", { scope: "row" }, name, head > 0 && [" ", h("span", { key: "head", class: "tag" }, t("mtt.head", { amount: money(head) }))]),
    !over && h("td", { key: "stack", class: "sum" }, stack ? wholeChips(stack) : "–"),
    hasLast(state) && h("td", { key: "prize", class: "sum" }, at !== null ? h("button", { class: "link", "aria-label": t("mtt.watch_player", { name, number: tableNumber(at) }), onclick: () => watch(at, close) }, t("mtt.table", { number: tableNumber(at) })) : prize > 0 ? h("strong", {}, money(prize)) : "–"));
}

function tables(state, rows, { offset }, { look, close }) {
  return h("section", { key: "tables" },
    rows?.tables && table("mtt.tables", [["mtt.table_name"], ["mtt.players", "sum"], ["mtt.smallest", "sum least"], ["mtt.average", "sum"], ["mtt.largest", "sum"]], rows.tables.map((each) =>
      h("tr", { key: each.table, class: each.table === state.you?.table ? "now" : null },
        h("th", { scope: "row" }, h("button", { class: "link", "aria-label": t("mtt.watch", { number: tableNumber(each.table) }), onclick: () => watch(each.table, close) }, t("mtt.table", { number: tableNumber(each.table) }))),
        h("td", { class: "sum" }, each.players), h("td", { class: "sum least" }, wholeChips(each.smallest)), h("td", { class: "sum" }, wholeChips(each.average)), h("td", { class: "sum" }, wholeChips(each.largest))))),
    rows?.tables && pages(rows, offset, look));
}

/** A table with a ranking; `columns` are codes of texts, with a class. */
export const table = (caption, columns, lines) => h("div", { key: "rows", class: "ranks" }, h("table", {},
  h("caption", { class: "unseen" }, t(caption)),
  h("thead", {}, h("tr", {}, columns.map(([name, kind]) => h("th", { key: name, scope: "col", class: kind ?? null }, t(name))))),
  h("tbody", {}, lines)));

/** The buttons to the rows before and after these, if there are more. */
export function pages({ total }, offset, look) {
  if (total <= ROWS) return null;
  return h("p", { key: "pages", class: "row pages" },
    h("button", { key: "earlier", disabled: offset === 0, onclick: () => look({ offset: Math.max(0, offset - ROWS) }) }, t("mtt.earlier")),
    h("span", { role: "status" }, t("mtt.rows", { from: wholeChips(offset + 1), to: wholeChips(Math.min(total, offset + ROWS)), total: wholeChips(total) })),
    h("button", { key: "later", disabled: offset + ROWS >= total, onclick: () => look({ offset: offset + ROWS }) }, t("mtt.later")));
}

/** The prizes; places with the same prize are one line. */
function prizes(state) {
  const bands = [];
  for (const [index, prize] of state.prizes.entries()) {
    if (bands.at(-1)?.prize === prize) bands.at(-1).to = index + 1;
    else bands.push({ from: index + 1, to: index + 1, prize });
  }
  return h("section", { key: "prizes" },
    state.provisional && h("p", { key: "provisional", class: "hint" }, t("mtt.provisional")),
    h("ol", { key: "prizes", class: "ladder prizes" }, bands.map(({ from, to, prize }) => h("li", { key: from }, h("span", {}, from === to ? `${from}.` : `${from}.–${to}.`), h("strong", {}, worth(prize, state.satellite))))));
}

/** What a prize is: money, a ticket of a satellite, or both. */
function worth(prize, satellite) {
  if (!satellite || prize < satellite.value) return money(prize);
  const rest = prize - satellite.value;
  return [t("mtt.ticket_of", { amount: money(satellite.value) }), ...(rest > 0 ? [` + ${money(rest)}`] : [])].join("");
}

function levels(state) {
  const length = (each) => t(state.level_unit === "hands" ? "sng.hands" : "sng.minutes", { count: state.level_unit === "hands" ? each.length : toTenths(each.length / 60) });
  return h("section", { key: "levels" },
    h("ol", { class: "ladder" }, state.levels.map((each, index) => h("li", { key: index, class: state.level?.level === index + 1 ? "now" : null },
      h("span", {}, `${index + 1}. ${withAnte(each)}`), h("span", {}, length(each), each.break_s > 0 && `, ${t("sng.break")}`)))),
    h("p", { class: "hint" }, t("mtt.after_levels")));
}

/** A number with at most one digit after the point or comma of the language. */
const toTenths = (number) => new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: 1 }).format(number);

async function watch(at, close) {
  if (!(await room.show(at))) return;
  close();
  location.assign("#tables");
}
