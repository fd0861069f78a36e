/** Announcements at *Now*: what players are told and will be told, with the orders. */

import { t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { standingOf } from "./facts.js";
import { orderButtons } from "./orders.js";
import { moment, records } from "./parts.js";

/** Those that are not over, and the latest of the others. */
export const announcementSection = (rows, tables, then) =>
  h("section", { key: "announcements" },
    h("h2", {}, t("announcements")),
    records({
      caption: t("announcements"), empty: t("announcements.empty"), columns: ["announced", "for", "standing", "begins", "ends", "who", "orders"],
      rows: rows.map((row) => ({ key: row.number, cells: cellsOf(row, tables, then) })),
    }),
    orderButtons({
      group: "announcement", folder: "announcements", subject: null, name: t("announcements.new"), orders: ["add"],
      fields: { add: ["text", "table", "in_minutes", "minutes"] }, lists: async () => ({ table: ["", ...tables.map(({ table }) => table)] }), then,
    }));

function cellsOf(row, tables, then) {
  const standing = standingOf(row, Date.now());
  return {
    announced: row.text, for: row.table === null ? t("announcements.all") : (tables.find(({ table }) => table === row.table)?.name ?? row.table),
    standing: h("span", { class: `state ${standing === "told" ? "good" : ""}` }, t(`announcements.${standing}`)),
    begins: moment(row.begins_ms), ends: moment(row.withdrawn_ms ?? row.ends_ms), who: row.who,
    orders: standing !== "over" && orderButtons({ group: "announcement", folder: "announcements", subject: row.number, name: row.text, orders: ["withdraw"], then }),
  };
}
