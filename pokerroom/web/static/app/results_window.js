/** The window with the results of a private table: what each player has won or lost, and who pays whom. */

import { copied } from "./copy.js";
import { ask } from "./dialog.js";
import { hostedAt } from "./hosting.js";
import { money, speakMore, t } from "./i18n.js";
import { payment, resultsText, signed } from "./results.js";
import { room } from "./room.js";
import { h } from "./view.js";

await speakMore("/locales/results");

const COLUMNS = ["name", "in", "out", "on_table", "net"];

export async function resultsWindow(table) {
  const results = await room.ask({ type: "get_table_results", table });
  if (!results) return;
  const { players, payments } = results;
  const text = resultsText(`${hostedAt(table)?.info.name ?? t("hosted.one")}: ${t("menu.results")}`, results);
  let told = null;
  let isShown = false;
  await ask(t("menu.results"), (close, refresh) => {
    const copy = async (event) => {
      const body = event.target.closest(".window-body");
      const isCopied = await copied(text, () => {
        isShown = true;
        refresh();
        return body.querySelector(".results-text");
      });
      told = t(isCopied ? "results.copied" : "results.copy_yourself");
      refresh();
    };
    if (players.length === 0) return h("p", { key: "none" }, t("results.none"));
    return [
      playersPart(players),
      paymentsPart(payments),
      h("p", { key: "about", class: "hint" }, t("results.about")),
      isShown && h("textarea", { key: "text", class: "results-text", readonly: true, rows: 5, "aria-label": t("menu.results"), made: (field) => (field.value = text) }),
      h("p", { key: "told", class: "status", role: "status" }, told),
      h("div", { key: "do", class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("close")), h("button", { id: "copy-results", class: "primary", onclick: copy }, t("results.copy"))),
    ];
  }, { wide: true });
}

/** Who pays whom. */
export const paymentsPart = (payments) =>
  h("section", { key: "payments" }, h("h3", {}, t("results.payments")),
    payments.length > 0 ? h("ul", { class: "payments" }, payments.map((each) => h("li", { key: `${each.payer} ${each.payee}` }, payment(each)))) : h("p", { key: "square" }, t("results.square")));

function playersPart(players) {
  const sum = (name, text, net = 0) => h("td", { key: name, class: net > 0 ? "sum gain" : "sum", "data-label": t(`results.${name}`) }, text);
  return h("div", { class: "records", key: "players" },
    h("table", { class: "results" },
      h("caption", { class: "unseen" }, t("menu.results")),
      h("thead", {}, h("tr", {}, COLUMNS.map((name, index) => h("th", { key: name, scope: "col", class: index > 0 ? "sum" : null }, t(`results.${name}`))))),
      h("tbody", {}, players.map((one) =>
        h("tr", { key: one.name },
          h("th", { scope: "row" }, one.name),
          sum("in", money(one.bought_in)),
          sum("out", money(one.taken_out)),
          sum("on_table", money(one.on_table)),
          sum("net", signed(one.net), one.net))))));
}
