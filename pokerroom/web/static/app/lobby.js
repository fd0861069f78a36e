/** The lobby: all tables by game, filters, waiting lists, and one button to play at once. */

import { stakesOf } from "./amounts.js";
import { bestSeat, buyInFor, gamesFirst } from "./best_seat.js";
import { games } from "./games.js";
import { hostedTables, isHost, mayHost, sitAndGoLines } from "./hosting.js";
import { money, t, wholeChips } from "./i18n.js";
import { accountHistoryWindow, cashierWindow, clubsWindow, createTableWindow, enterWindow, leaguesWindow, shareWindow, ticketsWindow } from "./on_demand.js";
import { rake, rakeInFull } from "./rake.js";
import { room } from "./room.js";
import { View, h } from "./view.js";
import { waitingLine } from "./waiting_folder.js";
import { buyInWindow } from "./windows.js";
import { played } from "./words.js";

class Lobby extends View {
  /** The name of the chosen tab. Tabs come and go; what is not yet known has one. */
  #kind = null;

  connectedCallback() {
    super.connectedCallback();
    this.again = () => this.update();
    room.addEventListener("change", this.again);
    room.refresh();
  }

  disconnectedCallback() {
    room.removeEventListener("change", this.again);
  }

  render() {
    const kinds = games.filter((game) => game.section && (room.lobby === null ? !game.optional : game.lines(room.lobby)?.length !== 0));
    const kind = kinds.find((each) => each.kind === this.#kind) ?? kinds[0];
    const hosted = privateSection();
    return [
      h("header", { class: "lobby-head" },
        h("h1", {}, t("lobby.title")),
        h("p", { class: "wallet" }, t("lobby.wallet"), " ", h("strong", { id: "balance" }, money(room.balance))),
        h("button", { id: "cashier", onclick: cashierWindow }, t("cashier.title")),
        h("button", { id: "history", onclick: accountHistoryWindow }, t("account.history")),
        room.has("leagues") && h("button", { key: "leagues", id: "leagues", disabled: !room.online, onclick: leaguesWindow }, t("leagues.title")),
        room.lobby?.tickets?.length > 0 && h("button", { key: "tickets", id: "tickets", disabled: !room.online, onclick: ticketsWindow }, `${t("mtt.tickets")} (${room.lobby.tickets.length})`),
        kinds.length > 1 && h("div", { class: "tabs", role: "group", "aria-label": t("lobby.games") },
          kinds.map((each) => h("button", { key: each.kind, class: "tab", "aria-pressed": String(each === kind), onclick: () => ((this.#kind = each.kind), this.update()) }, t(`games.${each.kind}`))))),
      waitingLine(),
      hosted,
      hosted && kind && h("h2", { key: "public" }, t(`games.${kind.kind}`)),
      room.lobby === null ? h("p", { class: "hint" }, t("lobby.loading")) : kind?.section(kind.lines(room.lobby) ?? [], () => this.update()),
    ];
  }
}

customElements.define("pr-lobby", Lobby);

// --- cash tables

const filters = { game: "any", structure: "any", seats: "any", full: true, empty: true };

const SIZES = { any: () => true, heads_up: (info) => info.seats === 2, short: (info) => info.seats > 2 && info.seats < 8, full: (info) => info.seats >= 8 };

/** The cash tables of the lobby. */
export function cashSection(lines, update) {
  const shown = lines.filter(
    (info) =>
      (filters.game === "any" || info.game === filters.game) &&
      (filters.structure === "any" || info.structure === filters.structure) &&
      SIZES[filters.seats](info) &&
      (filters.full || info.occupied < info.seats) &&
      (filters.empty || info.players > 0),
  );
  const choice = (name, values) =>
    h("label", {}, t(`lobby.${name}`),
      h("select", { onchange: (event) => ((filters[name] = event.target.value), update()) },
        values.map((value) => h("option", { key: value, value, selected: filters[name] === value }, t(`${name}.${value}`)))));
  const box = (name) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: filters[name], onchange: (event) => ((filters[name] = event.target.checked), update()) }), t(`lobby.${name}`));
  const best = bestSeat(lines, { balance: room.balance, seated: (table) => room.sitsAt(table) });
  return [
    h("div", { class: "quick" },
      h("button", { id: "play-now", class: "primary big", disabled: best === null || !room.online, onclick: () => playNow(best) }, t("lobby.play_now")),
      h("p", { class: "hint" }, best ? t("lobby.play_now_hint", { table: best.name, buy_in: money(buyInFor(best, room.balance)) }) : t("lobby.no_seat"))),
    h("div", { class: "filters" }, choice("game", ["any", ...new Set(lines.map((info) => info.game))]), choice("structure", ["any", "no_limit", "pot_limit", "fixed_limit"]), choice("seats", ["any", "heads_up", "short", "full"]), box("full"), box("empty")),
    h("table", { class: "tables" },
      h("caption", { class: "unseen" }, t("lobby.tables")),
      h("thead", {}, h("tr", {}, ["table", "stakes", "players", "buy_in", "waiting"].map((each) => h("th", { key: each, scope: "col" }, t(`lobby.${each}`))), h("th", { key: "do", scope: "col" }, h("span", { class: "unseen" }, t("lobby.actions"))))),
      h("tbody", {}, gamesFirst(shown).map(line))),
    shown.length === 0 && h("p", { class: "hint" }, t("lobby.none")),
  ];
}

function line(info) {
  const free = info.occupied < info.seats && info.waiting === 0;
  const waits = [...room.waits.values()].find((wait) => wait.table === info.table);
  const seated = room.sitsAt(info.table);
  const label = (code) => `${t(code)}: ${info.name}`;
  return h("tr", { key: info.table, class: info.players > 1 ? "live" : null },
    h("th", { scope: "row" }, info.name, info.closing && h("span", { class: "tag" }, t("lobby.closing"))),
    h("td", { "data-label": t("lobby.stakes") }, stakes(info), " ", h("span", { class: "tag" }, played(info)), info.rake && [" ", h("span", { key: "rake", class: "tag", title: rakeInFull(info) }, rake(info))]),
    h("td", { "data-label": t("lobby.players") }, dots(info)),
    h("td", { "data-label": t("lobby.buy_in") }, `${money(info.min_buy_in)}–${money(info.max_buy_in)}`),
    h("td", { "data-label": t("lobby.waiting"), class: info.waiting || waits ? null : "none" }, info.waiting || (waits ? "" : "–"), waits && h("span", { class: "tag on" }, t("lobby.place", { position: waits.position }))),
    h("td", { class: "do" },
      !seated && free && room.mayOpen(info.table) && h("button", { class: "primary", key: "sit", "aria-label": label("lobby.sit"), disabled: !room.online || info.closing, onclick: () => sit(info) }, t("lobby.sit")),
      !seated && !free && !waits && h("button", { key: "wait", "aria-label": label("lobby.wait"), onclick: () => room.wait(info.table, false) }, t("lobby.wait")),
      !seated && !free && !waits && h("button", { key: "any", "aria-label": label("lobby.wait_any"), title: t("lobby.wait_any_hint"), onclick: () => room.wait(info.table, true) }, t("lobby.wait_any")),
      waits && h("button", { key: "leave", "aria-label": label("lobby.wait_no_more"), onclick: () => room.waitNoMore(waits.table, waits.any) }, t("lobby.wait_no_more")),
      h("button", { key: "look", "aria-label": label(seated ? "lobby.go" : "lobby.look"), onclick: () => look(info.table) }, t(seated ? "lobby.go" : "lobby.look"))));
}

/** Show a table. */
const look = async (table) => (await room.show(table)) && location.assign("#tables");

/** Show a table, and offer a seat if you have none there. */
export async function sit(info) {
  if (!(await room.show(info.table))) return;
  location.assign("#tables");
  if (!room.sitsAt(info.table)) await buyInWindow(info, null);
}

export const stakes = (info) => stakesOf(info, info.offer ? wholeChips : money);

function dots(info) {
  const label = t("lobby.taken", { taken: info.occupied, seats: info.seats });
  return h("span", { class: "dots", role: "img", "aria-label": label, title: label },
    Array.from({ length: info.seats }, (_, index) => h("i", { key: index, class: index < info.players ? "in" : index < info.occupied ? "out" : null })),
    h("span", { "aria-hidden": "true" }, `${info.occupied}/${info.seats}`));
}

// --- private tables

/** The private tables, and the button to create one. */
function privateSection() {
  const lines = [...sitAndGoLines(), ...hostedTables().map(privateLine)];
  if (!mayHost() && lines.length === 0) return null;
  return h("section", { key: "private", class: "private", "aria-labelledby": "private-title" },
    h("div", { class: "private-head" },
      h("h2", { id: "private-title" }, t("hosted.title")),
      h("p", { class: "hint" }, t("hosted.about")),
      mayHost() && h("button", { id: "create-table", disabled: !room.online, onclick: () => createTableWindow() }, t("hosted.create")),
      mayHost() && room.has("table_passwords") && h("button", { key: "enter", id: "enter-table", disabled: !room.online, onclick: enterWindow }, t("hosted.join")),
      room.has("clubs") && h("button", { key: "clubs", id: "clubs", disabled: !room.online, onclick: clubsWindow }, t("clubs.title"))),
    lines.length > 0 && h("table", { class: "tables" },
      h("caption", { class: "unseen" }, t("hosted.title")),
      h("thead", {}, h("tr", {}, ["lobby.table", "lobby.stakes", "lobby.players", "hosted.host_of"].map((each) => h("th", { key: each, scope: "col" }, t(each))), h("th", { key: "do", scope: "col" }, h("span", { class: "unseen" }, t("lobby.actions"))))),
      h("tbody", {}, lines)));
}

function privateLine({ info, host, paused }) {
  const { table } = info;
  const seated = room.sitsAt(table);
  const free = !seated && !info.closing && info.occupied < info.seats && room.mayOpen(table);
  const button = (code, onclick, more = {}) => h("button", { key: code, "aria-label": `${t(code)}: ${info.name}`, onclick, ...more }, t(code));
  return h("tr", { key: table, class: info.players > 1 ? "live" : null },
    h("th", { scope: "row" }, info.name, info.closing ? h("span", { class: "tag" }, t("lobby.closing")) : paused && h("span", { class: "tag on" }, t("table.paused"))),
    h("td", { "data-label": t("lobby.stakes") }, stakes(info), " ", h("span", { class: "tag" }, played(info))),
    h("td", { "data-label": t("lobby.players") }, dots(info)),
    h("td", { "data-label": t("hosted.host_of") }, isHost(table) ? t("table.you") : host),
    h("td", { class: "do" },
      free && button("lobby.sit", () => sit(info), { class: "primary", disabled: !room.online }),
      isHost(table) && button("hosted.share", () => shareWindow(table)),
      button(seated ? "lobby.go" : "lobby.look", () => look(table))));
}

// --- play now

async function playNow(info) {
  if (!(await room.show(info.table))) return;
  location.assign("#tables");
  await room.sitDown(info.table, buyInFor(info, room.balance));
}
