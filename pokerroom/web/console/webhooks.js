/** The pages *Webhooks*: whom the room tells what happens, with the orders, and one with its dead messages. */

import { parseAmount } from "../static/app/amounts.js";
import { ask } from "../static/app/dialog.js";
import { money, refusal, t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { pathOf } from "./desk.js";
import { orderButtons } from "./orders.js";
import { Page, desk, moment, notify, number, records } from "./parts.js";

const KINDS = ["account.made", "hand.ended", "tournament.ended", "cash.requested", "significant"];
const URL_MAX = 500;
const NOTE_MAX = 200;
const REASON_MAX = 500;

class Webhooks extends Page {
  everyMs = 5_000;

  ask() {
    return desk.get("/webhooks");
  }

  head() {
    return [h("h1", {}, t("page.webhooks")), desk.may("webhook.add") && h("button", { key: "new", onclick: () => addWindow(() => this.poll.refresh()) }, t("webhooks.new"))];
  }

  content(found) {
    return records({
      caption: t("page.webhooks"), empty: t("webhooks.empty"),
      columns: ["webhook", "kinds", "standing", "delivered", "waits", "dead", "note", "orders"],
      rows: found.map((one) => ({ key: one.number, cells: { ...cellsOf(one), webhook: h("a", { href: `#webhooks/${one.number}` }, hostOf(one)), orders: ordersOf(one, [], () => this.poll.refresh()) } })),
    });
  }
}

customElements.define("pr-webhooks", Webhooks);

class OneWebhook extends Page {
  everyMs = 5_000;

  async ask() {
    const path = pathOf("webhooks", this.subject);
    const [one, dead] = await Promise.all([desk.get(path), desk.get(`${path}/dead`)]);
    return { one, dead };
  }

  head(data) {
    return [h("a", { class: "back", href: "#webhooks" }, t("back.webhooks")), h("h1", {}, data ? hostOf(data.one) : t("page.webhooks"))];
  }

  content({ one, dead }) {
    const fact = (name, value) => [h("dt", { key: `${name}-name` }, t(`column.${name}`)), h("dd", { key: name }, value)];
    const { kinds, standing, delivered, waits, note } = cellsOf(one);
    return [
      h("dl", { key: "facts", class: "facts" },
        fact("url", one.url),
        fact("kinds", kinds),
        fact("big_win", one.big_win === null ? "–" : money(one.big_win)),
        fact("standing", standing),
        fact("delivered", delivered),
        fact("last", timeOf(one.delivered_ms)),
        fact("waits", waits),
        fact("failure", one.failure ? h("span", {}, timeOf(one.failed_ms), ` ${one.failure}`) : "–"),
        fact("note", note)),
      ordersOf(one, one.dead > 0 ? ["retry", "drop"] : [], (_, order) => (order === "remove" ? (location.hash = "#webhooks") : this.poll.refresh())),
      h("section", { key: "dead" },
        h("h2", {}, t("webhooks.dead")),
        records({
          caption: t("webhooks.dead"), empty: t("webhooks.dead.empty"), columns: ["number", "time", "kind", "subject", "tries", "failure"],
          rows: dead.map((message) => ({ key: message.number, cells: { number: String(message.number), time: timeOf(message.at_ms), kind: kindOf(message.kind), subject: message.reference, tries: number(message.tries), failure: message.failure } })),
        })),
    ];
  }
}

customElements.define("pr-one-webhook", OneWebhook);

const kindOf = (kind) => t(`webhook.${kind}`);

/** The host of a URL; its path and query may be a password. */
const hostOf = (one) => new URL(one.url).host;

const timeOf = (ms) => (ms === null ? "–" : h("time", { datetime: new Date(ms).toISOString() }, moment(ms)));

const cellsOf = (one) => ({
  kinds: one.kinds.map(kindOf).join(", "), standing: h("span", { class: `state ${one.is_on ? "" : "loud"}` }, one.is_on ? t("webhooks.on") : t("webhooks.off", { why: one.why_off })),
  delivered: number(one.delivered), waits: number(one.waiting), dead: number(one.dead), note: one.note || "–",
});

const ordersOf = (one, forDead, then) => orderButtons({
  group: "webhook", folder: "webhooks", subject: one.number, name: hostOf(one), then: told(then),
  orders: ["test", one.is_on ? "disable" : "enable", ...forDead, "remove"],
});

/** After a test its result is told, too. */
const told = (then) => (answer, order) => {
  if (order === "test") notify(t(answer.is_delivered ? "webhooks.taken" : "webhooks.not_taken", { result: answer.result }));
  then?.(answer, order);
};

/** Ask for a new webhook; show its secret. */
async function addWindow(then) {
  let values = { kinds: [] };
  let busy = false;
  let problem = "";
  const made = await ask(t("webhooks.new"), (close, refresh) => {
    const give = async (event) => {
      event.preventDefault();
      if (busy) return;
      const given = new FormData(event.target);
      values = { ...Object.fromEntries(given), kinds: given.getAll("kinds") };
      busy = true;
      problem = "";
      refresh();
      try {
        close(await desk.order("/webhooks/add", { ...values, kinds: values.kinds.join(","), big_win: parseAmount(values.big_win) }));
      } catch (failure) {
        busy = false;
        // the room says what is wrong with the URL
        problem = failure.code === "bad_webhook" ? `${refusal(failure)} ${failure.error.message}` : refusal(failure);
        refresh();
      }
    };
    return [
      h("p", {}, t("webhooks.about")),
      h("form", { onsubmit: give, autocomplete: "off" },
        h("label", { class: "field" }, t("column.url"), h("input", { name: "url", type: "url", maxlength: URL_MAX, required: true, spellcheck: "false", autofocus: true, value: values.url ?? "" })),
        h("fieldset", {}, h("legend", {}, t("column.kinds")), KINDS.map((kind) =>
          h("label", { key: kind, class: "check" }, h("input", { type: "checkbox", name: "kinds", value: kind, checked: values.kinds.includes(kind) }), kindOf(kind)))),
        h("label", { class: "field" }, t("webhooks.big_win"), h("input", { name: "big_win", inputmode: "decimal", pattern: "\\d+([.,]\\d{1,2})?", value: values.big_win ?? "" })),
        h("label", { class: "field" }, t("column.note"), h("input", { name: "note", maxlength: NOTE_MAX, value: values.note ?? "" })),
        h("label", { class: "field" }, t("order.reason"), h("input", { name: "reason", maxlength: REASON_MAX, value: values.reason ?? "" })),
        h("p", { class: "problem", role: "alert" }, problem),
        h("div", { class: "row end" },
          h("button", { type: "button", onclick: () => close() }, t("cancel")),
          h("button", { class: "primary", disabled: busy }, t("webhooks.add")))),
    ];
  });
  if (!made) return;
  then();
  await ask(t("webhooks.secret"), (close) => [
    h("p", {}, t("webhooks.secret.about")),
    h("p", {}, h("output", { class: "secret" }, made.secret)),
    h("div", { class: "row end" }, h("button", { class: "primary", autofocus: true, onclick: () => close() }, t("close"))),
  ]);
}
