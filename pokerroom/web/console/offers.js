/** Offers of tournaments: the list below the tournaments, and the window in which terms are made and changed. */

import { ask } from "../static/app/dialog.js";
import { money, refusal, t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { pathOf } from "./desk.js";
import { orderButtons } from "./orders.js";
import { desk, notify, records } from "./parts.js";

const KINDS = ["sit_and_go", "tournament"];
const REASON_MAX = 500;
const START = { seats: 6, buy_in: 500, fee: 50, payout: "standard", speed: "regular" };

/** The offers, with what the role may order. `then` is called after an order. */
export function offerSection(offers, then) {
  return h("section", { key: "offers" },
    h("div", { class: "row" },
      h("h2", {}, t("offers.title")),
      desk.may("offer.set") && h("button", { key: "new", onclick: () => offerWindow(null, then) }, t("offers.new"))),
    records({
      caption: t("offers.title"), empty: t("offers.empty"),
      columns: ["offer", "kind", "buy_in", "standing", "orders"],
      rows: offers.map((one) => ({
        key: one.offer,
        cells: {
          offer: one.terms.name ? `${one.terms.name} (${one.offer})` : one.offer, kind: t(`kind.${one.kind}`),
          buy_in: Number.isInteger(one.terms.buy_in) ? money(one.terms.buy_in) : "–", standing: t(`standing.${standingOf(one)}`),
          orders: h("div", { class: "row" },
            desk.may("offer.set") && h("button", { key: "set", onclick: () => offerWindow(one, then) }, t("order.offer.set")),
            orderButtons({ group: "offer", folder: "offers", subject: one.offer, name: one.offer, orders: fittingOfferOrders(one), then })),
        },
      })),
    }));
}

/** Where the terms of an offer come from; one that is not offered is `retired`. */
const standingOf = (one) => (one.ordered === null ? "settings" : one.is_offered ? "ordered" : "retired");

const fittingOfferOrders = (one) => [...(one.is_offered ? ["retire"] : []), ...(one.ordered === null ? [] : ["reset"])];

/** Ask for the terms of an offer, and why; order them. Null: a new one. The room checks the terms, as those of its settings. */
async function offerWindow(one, then) {
  let values = { offer: one?.offer ?? "", kind: one?.kind ?? KINDS[0], terms: JSON.stringify(one?.terms ?? START, null, 2), reason: "" };
  const order = t(one === null ? "offers.make" : "order.offer.set");
  let busy = false;
  let problem = "";
  const done = await ask(one === null ? t("offers.new") : t("order.title", { order, name: one.offer }), (close, refresh) => {
    const give = async (event) => {
      event.preventDefault();
      if (busy) return;
      values = { ...values, ...Object.fromEntries(new FormData(event.target)) };
      const { offer, ...sent } = values;
      busy = true;
      problem = "";
      refresh();
      try {
        close(await desk.order(pathOf("offers", offer, "set"), { ...sent, terms: oneLine(sent.terms) }));
      } catch (failure) {
        busy = false;
        // the room names each problem by the key of the settings
        problem = failure.code === "bad_offer" ? `${refusal(failure)} ${failure.error.message}` : refusal(failure);
        refresh();
      }
    };
    return [
      h("p", {}, t("order.offer.set.about")),
      h("form", { onsubmit: give, autocomplete: "off" },
        one === null && h("label", { key: "offer", class: "field" }, t("offers.id"), h("input", { name: "offer", maxlength: 24, required: true, spellcheck: "false", autofocus: true, value: values.offer })),
        one === null && h("label", { key: "kind", class: "field" }, t("column.kind"), h("select", { name: "kind" }, KINDS.map((kind) => h("option", { key: kind, value: kind, selected: kind === values.kind }, t(`kind.${kind}`))))),
        h("label", { key: "terms", class: "field" }, t("offers.terms"), h("textarea", { name: "terms", rows: 12, required: true, spellcheck: "false", autofocus: one !== null, value: values.terms })),
        h("label", { key: "reason", class: "field" }, t("order.reason"), h("input", { name: "reason", maxlength: REASON_MAX, value: values.reason })),
        h("p", { class: "problem", role: "alert" }, problem),
        h("div", { class: "row end" },
          h("button", { type: "button", onclick: () => close() }, t("cancel")),
          h("button", { class: "primary", disabled: busy }, order))),
    ];
  }, { wide: true });
  if (!done) return;
  notify(t("order.done", { order, name: done.offer }));
  then?.();
}

/** Terms without line breaks; what is no JSON is for the room to refuse. */
function oneLine(terms) {
  try {
    return JSON.stringify(JSON.parse(terms));
  } catch {
    return terms.replace(/\s+/g, " ");
  }
}
