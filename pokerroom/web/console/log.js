/** The page *Log*: what operators did, and what players did for their accounts; newest first. */

import { t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { argumentsText } from "./facts.js";
import { Page, desk, moment, records } from "./parts.js";

const LINES = 50;
const GROUPS = ["", "table", "sng", "cashier", "account", "operator", "retention"];

class Log extends Page {
  everyMs = 5_000;
  #before = null;
  #group = "";
  #who = "";

  async ask() {
    const wanted = { before: this.#before, limit: LINES + 1, verb: this.#group, who: this.#who.trim() };
    return desk.get("/operator_log", wanted);
  }

  head() {
    return [
      h("h1", {}, t("page.log")),
      h("form", { class: "row filters", onsubmit: (event) => (event.preventDefault(), this.#turn(null)) },
        h("label", { class: "field" }, t("filter.group"), h("select", { onchange: (event) => ((this.#group = event.target.value), this.#turn(null)) },
          GROUPS.map((group) => h("option", { key: group, value: group, selected: this.#group === group }, group === "" ? t("filter.all") : group)))),
        h("label", { class: "field" }, t("filter.who"), h("input", { type: "search", value: this.#who, onchange: (event) => ((this.#who = event.target.value), this.#turn(null)) }))),
    ];
  }

  content(found) {
    const lines = found.slice(0, LINES);
    return [
      records({
        caption: t("page.log"), empty: t("log.empty"),
        columns: ["n", "time", "who", "verb", "subject", "arguments", "result", "reason"],
        rows: lines.map((line) => ({
          key: line.n,
          cells: {
            n: String(line.n), time: h("time", { datetime: new Date(line.at_ms).toISOString() }, moment(line.at_ms)),
            who: [line.who, line.role !== "" && h("small", {}, line.role)], verb: line.verb, subject: line.subject || "–",
            arguments: argumentsText(line) || "–", result: line.result, reason: line.reason || "–",
          },
        })),
      }),
      h("div", { class: "row end", key: "pages" },
        this.#before !== null && h("button", { key: "newest", onclick: () => this.#turn(null) }, t("log.newest")),
        found.length > LINES && h("button", { key: "older", onclick: () => this.#turn(lines.at(-1).n) }, t("log.older"))),
    ];
  }

  #turn(before) {
    this.#before = before;
    this.poll.refresh();
    scrollTo({ top: 0 });
  }
}

customElements.define("pr-log", Log);
