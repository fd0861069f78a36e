/** Adjustments of balances: the order at a player, and those that wait for another operator. */

import { money, t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { orderButtons } from "./orders.js";
import { desk, linked, moment, openSources, records } from "./parts.js";

/** The order to put the balance of a player right. */
export const adjustButton = (name, then) =>
  desk.may("cashier.adjust") && h("div", { key: "adjust" }, orderButtons({
    group: "cashier", folder: "players", subject: name, name, orders: ["adjust"],
    fields: { adjust: ["amount", "take", "source"] }, lists: async () => ({ source: await openSources() }), then,
  }));

/** The adjustments that wait. The room refuses the approval of the operator that proposed it. */
export const waitingAdjustments = (rows, then) =>
  rows.length > 0 && h("section", { key: "adjustments" },
    h("h2", {}, t("adjustments")),
    records({
      caption: t("adjustments"), empty: "", columns: ["number", "name", "amount", "source", "who", "time", "reason", "orders"],
      rows: rows.map((row) => ({ key: row.number, cells: cellsOf(row, then) })),
    }));

function cellsOf({ number, name, adjustment, proposed_by, proposed_ms, reason }, then) {
  const own = proposed_by === desk.identity.operator;
  return {
    number: String(number), name: linked(name), amount: money(adjustment.amount), source: adjustment.source, who: proposed_by,
    time: h("time", { datetime: new Date(proposed_ms).toISOString() }, moment(proposed_ms)), reason,
    orders: orderButtons({
      group: "cashier", folder: "adjustments", subject: number, then,
      name: t("adjustment", { number, amount: money(adjustment.amount), name }),
      orders: own ? ["refuse_adjustment"] : ["approve_adjustment", "refuse_adjustment"],
    }),
  };
}
