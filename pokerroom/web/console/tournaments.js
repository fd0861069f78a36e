/** The pages *Tournaments*: sit-and-gos that take entries or run, and offers, and one with its entries, places and orders. */

import { money, t, wholeChips } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { pathOf } from "./desk.js";
import { entriesOf, fittingTournamentOrders } from "./facts.js";
import { offerSection } from "./offers.js";
import { orderButtons } from "./orders.js";
import { Page, desk, moment, number, records, stateTag } from "./parts.js";

class Tournaments extends Page {
  async ask() {
    const [found, offers] = await Promise.all([desk.get("/sit_and_gos"), desk.get("/offers")]);
    return { found, offers };
  }

  head() {
    return h("h1", {}, t("page.tournaments"));
  }

  content({ found, offers }) {
    return [this.#list(found), offerSection(offers, () => this.poll.refresh())];
  }

  #list(found) {
    return records({
      caption: t("page.tournaments"), empty: t("tournaments.empty"),
      columns: ["tournament", "phase", "starts", "entries", "left", "buy_in", "node", "state"],
      rows: found.map((one) => ({
        key: one.tournament, mark: one.state === "frozen" ? "stopped" : null,
        cells: {
          tournament: h("a", { href: `#tournaments/${encodeURIComponent(one.tournament)}` }, one.tournament),
          phase: t(`phase.${one.phase}`), starts: startOf(one), entries: entriesOf(one, number), left: number(one.left),
          buy_in: money(one.buy_in), node: one.node ?? "–", state: one.state === null ? "–" : stateTag(one.state),
        },
      })),
    });
  }
}

customElements.define("pr-tournaments", Tournaments);

/** The announced start; a sit-and-go has none. */
const startOf = ({ starts_ms }) => (starts_ms === null ? "–" : h("time", { datetime: new Date(starts_ms).toISOString() }, moment(starts_ms)));

class OneTournament extends Page {
  ask() {
    return desk.get(pathOf("sit_and_gos", this.subject));
  }

  head() {
    return [h("a", { class: "back", href: "#tournaments" }, t("back.tournaments")), h("h1", {}, this.subject)];
  }

  content(found) {
    const { report, entries, places, prizes, fee } = found;
    const field = entries.some((entry) => entry.table > 1);
    const fact = (name, value) => value !== null && [h("dt", { key: `${name}-name` }, t(`column.${name}`)), h("dd", { key: name }, value)];
    return [
      h("dl", { class: "facts", key: "facts" },
        fact("phase", t(`phase.${report.phase}`)), fact("state", report.state === null ? null : stateTag(report.state)), fact("node", report.node),
        fact("starts", report.starts_ms === null ? null : startOf(report)), fact("entries", entriesOf(report, number)), fact("left", number(report.left)),
        fact("buy_in", t("tournament.buy_in", { amount: money(report.buy_in), fee: money(fee) })), fact("prizes", prizes.map(money).join(" / "))),
      report.phase === "running" && h("p", { class: "row", key: "tables" },
        h("a", { href: `#tables/${encodeURIComponent(report.tournament)}` }, t("tournament.table")),
        h("a", { href: `#tables/${encodeURIComponent(`tournament:${report.tournament}`)}` }, t("tournament.actor"))),
      orderButtons({ group: "sng", folder: "sit_and_gos", subject: report.tournament, name: report.tournament, orders: fittingTournamentOrders(report), then: () => this.poll.refresh() }),
      h("section", { key: "entries" },
        h("h2", {}, t("column.entries")),
        records({
          caption: t("column.entries"), empty: t("tournament.no_entries"), columns: ["name", "account", ...(field ? ["table"] : []), "seat", "chips", "returned"],
          rows: entries.map((entry) => ({
            key: entry.account,
            cells: { name: entry.name, account: String(entry.account), table: entry.table === null ? "–" : number(entry.table), seat: entry.seat === null ? "–" : number(entry.seat), chips: entry.chips === null ? "–" : wholeChips(entry.chips), returned: t(entry.returned ? "yes" : "no") },
          })),
        })),
      places.length > 0 && h("section", { key: "places" },
        h("h2", {}, t("tournament.places")),
        records({
          caption: t("tournament.places"), empty: "", columns: ["name", "place", "account", "prize", "paid"],
          rows: places.map((place) => ({
            key: place.number,
            cells: { name: place.name, place: number(place.place), account: String(place.account), prize: money(place.prize), paid: place.prize === 0 ? "–" : t(place.paid ? "yes" : "no") },
          })),
        })),
    ];
  }
}

customElements.define("pr-one-tournament", OneTournament);
