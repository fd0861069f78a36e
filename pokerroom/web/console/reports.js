/** The page *Reports*: a report of a period of days, in parts, and the same as CSV. */

import { money, refusal, t } from "../static/app/i18n.js";
import { saveFile } from "../static/app/save_file.js";
import { h } from "../static/app/view.js";
import { argumentsText, dayBefore } from "./facts.js";
import { Page, desk, linked, moment, number, records } from "./parts.js";

const LINES = 50;
/** Lines of a part of the CSV: the most that the room tells at once. */
const PART = 1_000;
const DAYS = 30;

/** The reports in their order, with their columns. A key is what no other line of the report has. */
const REPORTS = {
  activity: {
    columns: ["day", "active", "new_accounts", "hands", "tournament_hands", "rounds", "entered"],
    key: ({ day }) => day,
    cells: ({ day, players, entries, ...counts }) => ({ day, active: number(players), entered: number(entries), ...numbers(counts) }),
  },
  rake: {
    columns: ["table", "day", "hands", "rake"],
    key: ({ day, table }) => `${day} ${table}`,
    cells: ({ day, table, hands, rake }) => ({ table, day: day || t("report.all_days"), hands: number(hands), rake: money(rake) }),
  },
  players: {
    columns: ["name", "account", "hands", "rake", "entered", "fees", "sum"],
    key: ({ account }) => account,
    cells: ({ account, name, hands, rake, entries, fees }) => ({
      name: linked(name), account: String(account), hands: number(hands), rake: money(rake), entered: number(entries), fees: money(fees), sum: money(rake + fees),
    }),
  },
  tournaments: {
    columns: ["tournament", "entered", "fees"],
    key: ({ tournament }) => tournament,
    cells: ({ tournament, entries, fees }) => ({ tournament: h("a", { href: `#tournaments/${encodeURIComponent(tournament)}` }, tournament), entered: number(entries), fees: money(fees) }),
  },
  events: {
    columns: ["n", "time", "who", "verb", "subject", "arguments", "reason"],
    key: ({ n }) => n,
    cells: (line) => ({
      n: String(line.n), time: h("time", { datetime: new Date(line.at_ms).toISOString() }, moment(line.at_ms)), who: line.who, verb: line.verb,
      subject: line.subject || "–", arguments: argumentsText(line) || "–", reason: line.reason || "–",
    }),
  },
};

const numbers = (counts) => Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, number(count)]));

/** What is asked of every report. */
const wanted = { since: dayBefore(Date.now(), DAYS), until: dayBefore(Date.now(), 0), table: "", whole: "" };

class Reports extends Page {
  everyMs = 600_000; // a report is asked for by its form
  #skip = 0;
  #saving = false;
  #problem = "";

  get #name() {
    const offered = Object.keys(REPORTS).filter((name) => desk.may(`report.${name}`));
    return offered.includes(this.subject) ? this.subject : offered[0];
  }

  get #values() {
    const { since, until, table, whole } = wanted;
    return { since, until, ...(this.#name === "rake" && { table: table.trim(), whole }) };
  }

  async ask() {
    const name = this.#name;
    return { name, rows: await desk.get(`/reports/${name}`, { ...this.#values, skip: this.#skip || null, limit: LINES + 1 }) };
  }

  head() {
    const day = (field) => h("label", { class: "field" }, t(`report.${field}`), h("input", { name: field, type: "date", required: true, value: wanted[field] }));
    return [
      h("h1", {}, t("page.reports")),
      h("form", { class: "row filters", onsubmit: (event) => (event.preventDefault(), this.#given(new FormData(event.target))) },
        h("label", { class: "field wide" }, t("report.kind"), h("select", { onchange: (event) => (location.hash = `#reports/${event.target.value}`) },
          Object.keys(REPORTS).filter((name) => desk.may(`report.${name}`)).map((name) => h("option", { key: name, value: name, selected: name === this.#name }, t(`report.${name}`))))),
        day("since"), day("until"),
        this.#name === "rake" && h("label", { class: "field", key: "table" }, t("report.table"), h("input", { name: "table", type: "search", spellcheck: "false", maxlength: 200, value: wanted.table })),
        this.#name === "rake" && h("label", { class: "check", key: "whole" }, h("input", { name: "whole", type: "checkbox", value: "1", checked: wanted.whole !== "" }), t("report.whole")),
        h("button", { class: "primary" }, t("report.show")),
        h("button", { type: "button", disabled: this.#saving, onclick: () => this.#save() }, t("report.csv"))),
      h("p", { class: "problem", key: "problem", role: "alert" }, this.#problem),
    ];
  }

  content({ name, rows }) {
    const { columns, key, cells } = REPORTS[name];
    return [
      h("p", { class: "hint", key: "about" }, t(`report.${name}.about`)),
      records({
        caption: t(`report.${name}`), empty: t("report.empty"), columns,
        rows: rows.slice(0, LINES).map((row) => ({ key: key(row), cells: cells(row) })),
      }),
      h("div", { class: "row end", key: "pages" },
        this.#skip > 0 && h("button", { key: "back", onclick: () => this.#turn(Math.max(0, this.#skip - LINES)) }, t("report.back")),
        rows.length > LINES && h("button", { key: "on", onclick: () => this.#turn(this.#skip + LINES) }, t("report.on"))),
    ];
  }

  #given(form) {
    Object.assign(wanted, { whole: "" }, Object.fromEntries(form));
    this.#turn(0);
  }

  #turn(skip) {
    this.#skip = skip;
    this.poll.refresh();
    scrollTo({ top: 0 });
  }

  /** All lines of the period, which the room tells in parts. */
  async #save() {
    this.#saving = true;
    this.#problem = "";
    this.update();
    try {
      const [name, values] = [this.#name, this.#values];
      const parts = [];
      let text;
      do {
        text = await desk.text(`/reports/${name}`, { ...values, csv: "1", limit: PART, skip: parts.length * PART || null });
        parts.push(parts.length === 0 ? text : text.slice(text.indexOf("\n") + 1));
      } while (text.split("\n").length > PART + 1); // the names of the columns, and a whole part
      saveFile(parts, `${name}-${values.since}-${values.until}.csv`, "text/csv");
    } catch (failure) {
      this.#problem = refusal(failure);
    }
    this.#saving = false;
    this.update();
  }
}

customElements.define("pr-reports", Reports);
