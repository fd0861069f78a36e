/** The page *Cashier*: requests that wait, with approve and refuse, and what the sources hold. */

import { money, t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { orderButtons } from "./orders.js";
import { Page, desk, moment, records } from "./parts.js";

class Cashier extends Page {
  everyMs = 5_000;
  #all = false;

  async ask() {
    const [requests, sources] = await Promise.all([desk.get("/cash_requests", { all: this.#all ? "1" : "" }), desk.may("cashier.sources") ? desk.get("/cash_sources") : []]);
    return { requests, sources };
  }

  head() {
    return [
      h("h1", {}, t("page.cashier")),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: this.#all, onchange: (event) => ((this.#all = event.target.checked), this.poll.refresh()) }), t("cashier.all")),
    ];
  }

  content({ requests, sources }) {
    return [
      records({
        caption: t("page.cashier"), empty: t(this.#all ? "cashier.none" : "cashier.empty"),
        columns: ["number", "name", "kind", "amount", "source", "state", "time", "note", "orders"],
        rows: requests.map((row) => this.#row(row)),
      }),
      sources.length > 0 && h("section", { key: "sources" },
        h("h2", {}, t("cashier.sources")),
        records({
          caption: t("cashier.sources"), empty: "", columns: ["source", "open", "amount"],
          rows: sources.map((source) => ({ key: source.source, cells: { source: source.source, open: t(source.is_open ? "yes" : "no"), amount: money(source.balance) } })),
        })),
    ];
  }

  #row({ number, name, request, state, asked_ms, note }) {
    const told = t("cashier.request", { kind: t(`cash.${request.kind}`), number, amount: money(request.amount), name });
    return {
      key: number,
      cells: {
        number: String(number), name: desk.may("account.show") ? h("a", { href: `#players/${encodeURIComponent(name)}` }, name) : name,
        kind: t(`cash.${request.kind}`), amount: money(request.amount), source: request.source, state: h("span", { class: "state" }, t(`cash.${state}`)),
        time: h("time", { datetime: new Date(asked_ms).toISOString() }, moment(asked_ms)), note: note || "–",
        orders: state === "waiting" && orderButtons({ group: "cashier", folder: "cash_requests", subject: number, name: told, orders: ["approve", "refuse"], fields: { approve: ["note"], refuse: ["note"] }, then: () => this.poll.refresh() }),
      },
    };
  }
}

customElements.define("pr-cashier", Cashier);
