/** The page *Cashier*: requests that wait, with approve and refuse, adjustments that wait, what the sources hold, and what waits for the operator's wallet. */

import { money, t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { waitingAdjustments } from "./adjustments.js";
import { orderButtons } from "./orders.js";
import { Page, desk, linked, moment, records } from "./parts.js";

const timeOf = (ms) => h("time", { datetime: new Date(ms).toISOString() }, moment(ms));

class Cashier extends Page {
  everyMs = 5_000;
  #all = false;

  async ask() {
    const [requests, sources, transfers, adjustments] = await Promise.all([
      desk.get("/cash_requests", { all: this.#all ? "1" : "" }),
      desk.may("cashier.sources") ? desk.get("/cash_sources") : [],
      desk.may("wallet.list") ? desk.get("/wallet_transfers", { waiting: "1" }) : [],
      desk.may("cashier.adjustments") ? desk.get("/adjustments") : [],
    ]);
    return { requests, sources, transfers, adjustments };
  }

  head() {
    return [
      h("h1", {}, t("page.cashier")),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: this.#all, onchange: (event) => ((this.#all = event.target.checked), this.poll.refresh()) }), t("cashier.all")),
    ];
  }

  content({ requests, sources, transfers, adjustments }) {
    return [
      records({
        caption: t("page.cashier"), empty: t(this.#all ? "cashier.none" : "cashier.empty"),
        columns: ["number", "name", "kind", "amount", "source", "state", "time", "note", "orders"],
        rows: requests.map((row) => this.#row(row)),
      }),
      waitingAdjustments(adjustments, () => this.poll.refresh()),
      sources.length > 0 && h("section", { key: "sources" },
        h("h2", {}, t("cashier.sources")),
        records({
          caption: t("cashier.sources"), empty: "", columns: ["source", "open", "amount"],
          rows: sources.map((source) => ({ key: source.source, cells: { source: source.source, open: t(source.is_open ? "yes" : "no"), amount: money(source.balance) } })),
        })),
      transfers.length > 0 && h("section", { key: "wallet" },
        h("h2", {}, t("cashier.wallet")),
        records({
          caption: t("cashier.wallet"), empty: "", columns: ["number", "name", "kind", "amount", "time", "tries", "failure", "orders"],
          rows: transfers.map((row) => this.#transfer(row)),
        })),
    ];
  }

  #transfer({ number, name, kind, amount, asked_ms, tries, failure }) {
    const told = t("cashier.request", { kind: t(`wallet.${kind}`), number, amount: money(amount), name });
    return {
      key: number,
      cells: {
        number: String(number), name: linked(name), kind: t(`wallet.${kind}`), amount: money(amount), time: timeOf(asked_ms), tries: String(tries), failure: failure || "–",
        orders: kind !== "debit" && orderButtons({ group: "wallet", folder: "wallet_transfers", subject: number, name: told, orders: ["retry"], then: () => this.poll.refresh() }),
      },
    };
  }

  #row({ number, name, request, state, asked_ms, note }) {
    const told = t("cashier.request", { kind: t(`cash.${request.kind}`), number, amount: money(request.amount), name });
    return {
      key: number,
      cells: {
        number: String(number), name: linked(name),
        kind: t(`cash.${request.kind}`), amount: money(request.amount), source: request.source, state: h("span", { class: "state" }, t(`cash.${state}`)),
        time: timeOf(asked_ms), note: note || "–",
        orders: state === "waiting" && orderButtons({ group: "cashier", folder: "cash_requests", subject: number, name: told, orders: ["approve", "refuse"], fields: { approve: ["note"], refuse: ["note"] }, then: () => this.poll.refresh() }),
      },
    };
  }
}

customElements.define("pr-cashier", Cashier);
