/** The pages *Clubs*: finding one by its name or a member, and one club with its members, its chips and the orders. */

import { money, refusal, t } from "../static/app/i18n.js";
import { View, h } from "../static/app/view.js";
import { pathOf } from "./desk.js";
import { fittingClubOrders } from "./facts.js";
import { orderButtons } from "./orders.js";
import { Page, desk, linked, moment, number, records } from "./parts.js";
import { changed } from "./player_parts.js";

const LINES = 50;

/** The page of one club. */
export const clubPage = (club) => `#clubs/${encodeURIComponent(club)}`;

/** The link to a table or a sit-and-go of a club. Its host knows the part of the id that is shown. */
function gameLink(game) {
  const [, kind, id] = /^(?:(host|private):)?(.*?)(?:\.\d+)?$/.exec(game);
  const [page, code] = kind === "private" ? ["tournaments", "club.sit_and_go"] : ["tables", "club.table"];
  return h("a", { key: game, href: `#${page}/${encodeURIComponent(game)}` }, t(code, { id }));
}

class Clubs extends View {
  #wanted = { name: "", player: "" };
  /** The number of the last club of the page before; null for the newest. */
  #before = null;
  #found = null;
  #problem = "";

  connectedCallback() {
    super.connectedCallback();
    this.#search(null);
  }

  render() {
    const field = (name) => h("label", { class: "field" }, t(`clubs.${name}`), h("input", { name, type: "search", autocomplete: "off", spellcheck: "false", maxlength: 40 }));
    return [
      h("header", { class: "page-head", key: "head" }, h("h1", {}, t("page.clubs"))),
      h("form", { class: "row filters", key: "search", role: "search", onsubmit: (event) => (event.preventDefault(), this.#asked(new FormData(event.target))) },
        field("name"), field("player"), h("button", { class: "primary" }, t("players.find"))),
      h("p", { class: "problem", key: "problem", role: "alert" }, this.#problem),
      this.#found === null ? this.#problem === "" && h("p", { class: "hint wait", key: "wait", role: "status" }, t("loading")) : this.#list(this.#found),
    ];
  }

  #list(found) {
    const shown = found.slice(0, LINES);
    const any = this.#wanted.name !== "" || this.#wanted.player !== "";
    return [
      records({
        caption: t("page.clubs"), empty: t(any ? "clubs.none" : "clubs.empty"), columns: ["club", "owner", "members", "tables", "issued", "since"],
        rows: shown.map((club) => ({
          key: club.club,
          cells: {
            club: [h("a", { href: clubPage(club.club) }, club.name), h("small", {}, club.club), club.closed_ms !== null && h("span", { class: "tag" }, t("state.closed"))],
            owner: club.owner === "" ? "–" : linked(club.owner), members: number(club.members), tables: number(club.tables),
            issued: money(club.issued), since: moment(club.opened_ms),
          },
        })),
      }),
      h("div", { class: "row end", key: "pages" },
        this.#before !== null && h("button", { key: "newest", onclick: () => this.#search(null) }, t("log.newest")),
        found.length > LINES && h("button", { key: "older", onclick: () => this.#search(shown.at(-1).number) }, t("log.older"))),
    ];
  }

  #asked(form) {
    this.#wanted = { name: form.get("name").trim(), player: form.get("player").trim() };
    return this.#search(null);
  }

  async #search(before) {
    this.#problem = "";
    try {
      const found = await desk.get("/clubs", { ...this.#wanted, before, limit: LINES + 1 });
      if (!this.isConnected) return;
      this.#found = found;
      this.#before = before;
    } catch (failure) {
      this.#problem = refusal(failure);
    }
    this.update();
  }
}

customElements.define("pr-clubs", Clubs);

class OneClub extends Page {
  everyMs = 5_000;
  /** Movements below this number are shown. */
  #before = null;

  async ask() {
    const path = pathOf("clubs", this.subject);
    const [club, moves] = await Promise.all([desk.get(path), desk.get(`${path}/transfers`, { before: this.#before, limit: LINES + 1 })]);
    return { club, moves };
  }

  head(data) {
    return [h("a", { class: "back", href: "#clubs" }, t("back.clubs")), h("h1", {}, data?.club.overview.name ?? this.subject)];
  }

  content({ club, moves }) {
    const { overview, members, tables } = club;
    const fact = (name, value) => [h("dt", { key: `${name}-name` }, t(`column.${name}`)), h("dd", { key: name }, value)];
    const until = club.code_until_ms === null ? t("yes") : t("player.until", { time: moment(club.code_until_ms) });
    return [
      h("dl", { class: "facts", key: "facts" },
        fact("id", overview.club),
        fact("since", moment(overview.opened_ms)),
        overview.closed_ms !== null && fact("closed", moment(overview.closed_ms)),
        fact("issued", money(overview.issued)),
        fact("invitation", club.invites ? until : t("no")),
        fact("tables", tables.length === 0 ? "–" : h("span", { class: "row" }, tables.map(gameLink)))),
      orderButtons({
        group: "club", folder: "clubs", subject: overview.club, name: overview.name, orders: fittingClubOrders(club),
        fields: { rename: ["club_name"], set_owner: ["member"] },
        lists: async () => ({ member: members.filter(({ role }) => role !== "owner").map(({ name }) => name) }), then: () => this.poll.refresh(),
      }),
      tables.length > 0 && h("p", { class: "hint", key: "in-use" }, t("club.in_use")),
      h("section", { key: "members" },
        h("h2", {}, t("club.members")),
        records({
          caption: t("club.members"), empty: t("club.no_members"), columns: ["name", "role", "balance"],
          rows: members.map((member) => ({
            key: member.name,
            cells: {
              name: [linked(member.name), member.leaving && h("span", { class: "tag" }, t("club.leaving"))],
              role: t(`club.role.${member.role}`), balance: money(member.balance),
            },
          })),
        }),
        members.length > 0 && tables.length > 0 && h("p", { class: "hint", key: "at-tables" }, t("club.at_tables"))),
      this.#moveSection(moves),
    ];
  }

  #moveSection(moves) {
    const lines = moves.slice(0, LINES);
    const turn = (before) => () => ((this.#before = before), this.poll.refresh());
    return h("section", { key: "moves" },
      h("h2", {}, t("club.moves")),
      records({
        caption: t("club.moves"), empty: t("club.no_moves"), columns: ["name", "amount", "ordered_by", "time", "number"],
        rows: lines.map((move) => ({
          key: move.number,
          cells: {
            name: linked(move.name), amount: changed(move.amount), ordered_by: move.by === "" ? "–" : linked(move.by), time: moment(move.at_ms),
            number: String(move.number),
          },
        })),
      }),
      h("div", { class: "row end", key: "pages" },
        this.#before !== null && h("button", { key: "newest", onclick: turn(null) }, t("log.newest")),
        moves.length > LINES && h("button", { key: "older", onclick: turn(lines.at(-1).number) }, t("log.older"))));
  }
}

customElements.define("pr-one-club", OneClub);
