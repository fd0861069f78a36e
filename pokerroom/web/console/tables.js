/** The pages *Tables*: all of them, and one with its seats and orders. No card is ever asked for. */

import { money, t, wholeChips } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { pathOf } from "./desk.js";
import { fits, fittingTableOrders, stateOf } from "./facts.js";
import { orderButtons } from "./orders.js";
import { Page, desk, number, records, stateTag } from "./parts.js";

const KINDS = ["any", "stopped", "hosted", "playing", "waiting", "taking_bets", "paused", "closed"];

/** The filter stays while the page is open. */
const filter = { text: "", kind: "any" };

class Tables extends Page {
  ask() {
    return desk.get("/tables");
  }

  head() {
    return [
      h("h1", {}, t("page.tables")),
      h("div", { class: "row filters" },
        h("label", { class: "field" }, t("filter.text"), h("input", { type: "search", value: filter.text, oninput: (event) => ((filter.text = event.target.value), this.update()) })),
        h("label", { class: "field" }, t("filter.kind"), h("select", { onchange: (event) => ((filter.kind = event.target.value), this.update()) },
          KINDS.map((kind) => h("option", { key: kind, value: kind, selected: filter.kind === kind }, t(`filter.kind.${kind}`)))))),
    ];
  }

  content(tables) {
    const shown = tables.filter((table) => fits(table, filter));
    return [
      h("p", { class: "hint", key: "count", role: "status" }, t("tables.count", { shown: number(shown.length), all: number(tables.length) })),
      records({
        caption: t("page.tables"), empty: t(tables.length === 0 ? "tables.empty" : "tables.none"),
        columns: ["table", "state", "waits_for", "players", "connected", "waiting", "node", "crashes"],
        rows: shown.map(row),
      }),
    ];
  }
}

function row(table) {
  return {
    key: table.table, mark: table.state === "frozen" ? "stopped" : null,
    cells: {
      table: [h("a", { href: `#tables/${encodeURIComponent(table.table)}` }, table.name), h("small", {}, table.table), table.host !== null && h("span", { class: "tag" }, t("tables.host", { host: table.host }))],
      state: [stateTag(stateOf(table)), table.closing && stateOf(table) !== "closed" && h("span", { class: "tag" }, t("state.closing"))],
      waits_for: waitsFor(table),
      players: table.seats === null ? number(table.occupied) : `${number(table.occupied)}/${number(table.seats)}`,
      connected: number(table.connected), waiting: number(table.waiting),
      node: table.node ?? "–", crashes: number(table.crashes),
    },
  };
}

/** What a table waits for, in words; of a frozen one why it is frozen. */
function waitsFor(table) {
  if (table.state !== "frozen") return t(`waits.${stateOf(table)}`);
  return table.frozen === "operator" ? t("waits.frozen") : t("waits.frozen_by_fault", { fault: table.frozen });
}

customElements.define("pr-tables", Tables);

class OneTable extends Page {
  async ask() {
    const table = this.subject;
    const [detail, nodes] = await Promise.all([desk.get(pathOf("tables", table)), desk.get("/nodes")]);
    return { detail, nodes: nodes.filter((node) => node.living && !node.draining) };
  }

  head(data) {
    return [h("a", { class: "back", href: "#tables" }, t("back.tables")), h("h1", {}, data?.detail.report.name ?? this.subject)];
  }

  content({ detail, nodes }) {
    const { report, seats, pot } = detail;
    const amount = detail.in_chips ? wholeChips : money;
    const fact = (name, value) => value !== null && [h("dt", { key: `${name}-name` }, t(`column.${name}`)), h("dd", { key: name }, value)];
    return [
      h("dl", { class: "facts", key: "facts" },
        fact("id", report.table),
        fact("state", [stateTag(stateOf(report)), report.closing && h("span", { class: "tag" }, t("state.closing"))]),
        fact("waits_for", waitsFor(report)),
        fact("hand", report.hand_id), fact("host", report.host), fact("node", report.node),
        fact("pot", pot === null ? null : amount(pot)), fact("waiting", number(report.waiting)), fact("crashes", number(report.crashes))),
      orderButtons({
        group: "table", folder: "tables", subject: report.table, name: report.name,
        orders: fittingTableOrders(report, { inChips: detail.in_chips, nodes: nodes.length }),
        choices: { move: [{ value: "", text: t("argument.move.any") }, ...nodes.filter((node) => node.node !== report.node).map((node) => ({ value: node.node, text: `${node.node} (${number(node.tables.length)})` }))] },
        then: () => this.poll.refresh(),
      }),
      h("section", { key: "seats" },
        h("h2", {}, t("table.seats")),
        records({
          caption: t("table.seats"), empty: t("table.no_seats"),
          columns: ["name", "seat", "stack", "bet", "status"],
          rows: seats.map((seat) => ({
            key: seat.seat, mark: seat.acts ? "acts" : null,
            cells: {
              name: [seat.name, seat.bot && h("span", { class: "tag" }, t("seat.bot"))],
              seat: number(seat.seat), stack: seat.stack === null ? "–" : amount(seat.stack), bet: seat.bet === 0 ? "–" : amount(seat.bet),
              status: [t(`seat.${seat.status}`), seat.acts && h("span", { class: "tag on" }, t("seat.acts")), !seat.connected && h("span", { class: "tag" }, t("seat.gone"))],
            },
          })),
        }),
        h("p", { class: "hint" }, t("table.no_cards"))),
    ];
  }
}

customElements.define("pr-one-table", OneTable);
