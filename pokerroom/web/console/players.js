/** The pages *Players*: finding one by how the name begins, and one player's account with its log-ins and orders. */

import { ask } from "../static/app/dialog.js";
import { money, refusal, t, wholeChips } from "../static/app/i18n.js";
import { View, h } from "../static/app/view.js";
import { adjustButton } from "./adjustments.js";
import { clubPage } from "./clubs.js";
import { pathOf } from "./desk.js";
import { orderButtons } from "./orders.js";
import { Page, desk, moment, openSources, records } from "./parts.js";
import { limitSection, noteSection, transferSection, transfersAfter } from "./player_parts.js";

const LISTED = 50;

const pageOf = (name) => `#players/${encodeURIComponent(name)}`;

class Players extends View {
  #found = null;
  #wanted = "";
  #problem = "";

  render() {
    return [
      h("header", { class: "page-head", key: "head" }, h("h1", {}, t("page.players"))),
      h("form", { class: "row filters", key: "search", role: "search", onsubmit: (event) => (event.preventDefault(), this.#search(new FormData(event.target).get("name").trim())) },
        h("label", { class: "field" }, t("players.name"), h("input", { name: "name", type: "search", autocomplete: "off", spellcheck: "false", maxlength: 40 })),
        h("button", { class: "primary" }, t("players.find"))),
      h("p", { class: "problem", key: "problem", role: "alert" }, this.#problem),
      h("div", { key: "found", class: "found", role: "status" }, this.#list()),
    ];
  }

  #list() {
    if (this.#found === null) return h("p", { class: "hint empty" }, t("players.hint"));
    if (this.#found.length === 0) return h("p", { class: "hint empty" }, t("players.none", { name: this.#wanted }));
    return [
      h("ul", { class: "states", key: "names" }, this.#found.slice(0, LISTED).map((name) => h("li", { key: name }, h("a", { href: pageOf(name) }, name)))),
      this.#found.length > LISTED && h("p", { class: "hint", key: "more" }, t("players.more", { count: LISTED })),
    ];
  }

  async #search(wanted) {
    this.#problem = "";
    try {
      const found = await desk.get("/players", { name: wanted, limit: LISTED + 1 });
      if (!this.isConnected) return;
      this.#wanted = wanted;
      this.#found = found;
      if (found.length === 1) location.hash = pageOf(found[0]);
    } catch (failure) {
      this.#problem = refusal(failure);
    }
    this.update();
  }
}

customElements.define("pr-players", Players);

/** Which orders fit an account. */
const fitting = (player) => [player.is_locked ? "unlock" : "lock", player.muted_until_ms === null ? "mute" : "unmute", "log_out", "recovery_code", "rename", "exclude"];

class OnePlayer extends Page {
  everyMs = 5_000;
  /** Transfers below this number are shown. */
  #before = null;

  async ask() {
    const path = pathOf("players", this.subject);
    const allowed = (verb, page, values) => (desk.may(verb) ? desk.get(`${path}/${page}`, values) : null);
    const [player, sessions, tickets, history, notes, limits, transfers, clubs] = await Promise.all([
      desk.get(path), allowed("account.sessions", "sessions"), allowed("cashier.tickets", "tickets"), allowed("account.history", "history"),
      allowed("account.notes", "notes"), allowed("account.limits", "limits"), allowed("account.transfers", "transfers", transfersAfter(this.#before)),
      desk.may("club.list") ? desk.get("/clubs", { player: this.subject }) : null,
    ]);
    return { player, sessions, tickets, history, notes, limits, transfers, clubs };
  }

  head(data) {
    return [h("a", { class: "back", href: "#players" }, t("back.players")), h("h1", {}, data?.player.name ?? this.subject)];
  }

  content({ player, sessions, tickets, history, notes, limits, transfers, clubs }) {
    const fact = (name, value) => [h("dt", { key: `${name}-name` }, t(`column.${name}`)), h("dd", { key: name }, value)];
    const excluded = player.excluded_until_ms === null ? t("player.for_ever") : t("player.until", { time: moment(player.excluded_until_ms) });
    return [
      h("dl", { class: "facts", key: "facts" },
        fact("account", String(player.account)),
        fact("wallet", money(player.wallet)),
        fact("tables", player.tables.length === 0 ? "–" : h("span", { class: "row" }, player.tables.map((table) => h("a", { key: table, href: `#tables/${encodeURIComponent(table)}` }, table)))),
        clubs !== null && fact("clubs", clubs.length === 0 ? "–" : h("span", { class: "row" }, clubs.map((club) => h("a", { key: club.club, href: clubPage(club.club) }, club.name)))),
        fact("locked", h("span", { class: `state ${player.is_locked ? "loud" : ""}` }, t(player.is_locked ? "yes" : "no"))),
        fact("excluded", player.is_excluded ? excluded : t("no")),
        fact("muted", player.muted_until_ms === null ? t("no") : t("player.until", { time: moment(player.muted_until_ms) }))),
      orderButtons({
        group: "account", folder: "players", subject: player.name, name: player.name, orders: fitting(player),
        fields: { exclude: ["days", "for_ever"], mute: ["minutes"], rename: ["new_name"], recovery_code: ["end_second_factor"] },
        then: (answer, order) => this.#done(answer, order),
      }),
      adjustButton(player.name, () => this.poll.refresh()),
      notes !== null && noteSection(player.name, notes, () => this.poll.refresh()),
      transfers !== null && transferSection(transfers, this.#before, (before) => ((this.#before = before), this.poll.refresh())),
      limits !== null && limitSection(limits),
      tickets !== null && h("section", { key: "tickets" },
        h("h2", {}, t("player.tickets")),
        records({
          caption: t("player.tickets"), empty: t("player.no_tickets"), columns: ["offer", "amount", "source", "expires", "orders"],
          rows: tickets.map((ticket) => this.#ticket(ticket)),
        }),
        orderButtons({
          group: "cashier", folder: "players", subject: player.name, name: player.name, orders: ["give_ticket"],
          fields: { give_ticket: ["offer", "source", "days"] }, lists: targets, then: () => this.poll.refresh(),
        })),
      sessions !== null && h("section", { key: "sessions" },
        h("h2", {}, t("player.sessions")),
        records({
          caption: t("player.sessions"), empty: t("player.no_sessions"), columns: ["device", "address", "since", "used"],
          rows: sessions.map(({ client, address, opened_ms, seen_ms }, place) => ({
            key: place, cells: { device: client || "–", address: address || "–", since: moment(opened_ms), used: moment(seen_ms) },
          })),
        })),
      history !== null && h("section", { key: "history" },
        h("h2", {}, t("player.history")),
        records({
          caption: t("player.history"), empty: t("player.no_history"), columns: ["game", "id", "table", "time", "result"],
          rows: history.map((game) => this.#game(game)),
        })),
    ];
  }

  #game({ number, kind, subject, table, ended_ms, result, in_chips, place, archived }) {
    const won = `${["−", "", "+"][Math.sign(result) + 1]}${in_chips ? t("player.in_chips", { amount: wholeChips(Math.abs(result)) }) : money(Math.abs(result))}`;
    return {
      key: number,
      cells: {
        game: archived ? t("player.archived", { game: t(`game.${kind}`) }) : t(`game.${kind}`), id: subject, table: table || "–", time: moment(ended_ms),
        result: place === null ? won : t("player.placed", { result: won, place }),
      },
    };
  }

  #ticket({ number, offer, value, source, expires_ms }) {
    const told = t("player.ticket", { number, offer, amount: money(value) });
    return {
      key: number,
      cells: {
        offer, amount: money(value), source: source || t("player.won"), expires: moment(expires_ms),
        orders: orderButtons({ group: "cashier", folder: "tickets", subject: number, name: told, orders: ["end_ticket"], then: () => this.poll.refresh() }),
      },
    };
  }

  #done(answer, order) {
    if (order === "recovery_code") codeWindow(answer);
    if (order === "rename") location.hash = "#players";
    else this.poll.refresh();
  }
}

/** What a ticket can be for, and the sources that can pay it. */
async function targets() {
  const [offers, source] = await Promise.all([desk.get("/offers"), openSources()]);
  return { offer: offers.filter(({ kind, is_offered }) => kind === "tournament" && is_offered).map(({ offer }) => offer), source };
}

/** Show a recovery code: the room tells it once. */
const codeWindow = ({ player, code }) =>
  ask(t("recovery.title", { name: player }), (close) => [
    h("p", {}, t("recovery.about")),
    h("p", {}, h("output", { class: "secret" }, code)),
    h("div", { class: "row end" }, h("button", { class: "primary", autofocus: true, onclick: () => close() }, t("close"))),
  ]);

customElements.define("pr-one-player", OnePlayer);
