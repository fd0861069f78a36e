/** Parts that the pages of the console share. */

import { currentLanguage, refusal, t } from "../static/app/i18n.js";
import { View, h } from "../static/app/view.js";
import { Desk } from "./desk.js";
import { Poll } from "./poll.js";

export const desk = new Desk();

/** What is told for a few seconds. */
export const notices = Object.assign(new EventTarget(), { shown: [] });

const NOTICE_MS = 6_000;

export function notify(text) {
  const notice = { key: crypto.getRandomValues(new Uint32Array(1))[0], text };
  notices.shown = [...notices.shown, notice];
  notices.dispatchEvent(new Event("change"));
  setTimeout(() => {
    notices.shown = notices.shown.filter((each) => each !== notice);
    notices.dispatchEvent(new Event("change"));
  }, NOTICE_MS);
}

/** A page that shows what it asks the room for, again and again. Override `ask` and `content`. */
export class Page extends View {
  everyMs = 2_000;

  connectedCallback() {
    this.poll = new Poll(() => this.ask(), this.everyMs);
    this.poll.addEventListener("change", () => this.update());
    queueMicrotask(() => this.isConnected && this.poll.start()); // the properties of the element are set by then
    super.connectedCallback();
  }

  disconnectedCallback() {
    this.poll.stop();
  }

  render() {
    const { data, failure, at } = this.poll;
    return [
      h("header", { class: "page-head", key: "head" }, this.head(data)),
      failure && h("div", { class: "failure", key: "failure", role: "alert" },
        h("p", {}, refusal(failure), data !== null && ` ${t("shown_from", { time: clock(at) })}`),
        h("button", { onclick: () => this.poll.refresh() }, t("again"))),
      data !== null ? this.content(data) : failure === null && h("p", { class: "hint wait", key: "wait", role: "status" }, t("loading")),
    ];
  }

  /** The head of the page. */
  head() {
    return [];
  }
}

/** A list. `columns` are the codes of their heads; each row has a key and cells by column, of which the first is its head. An
 * empty list says so. */
export function records({ caption, columns, rows, empty }) {
  if (rows.length === 0) return h("p", { class: "hint empty", key: "empty" }, empty);
  return h("div", { class: "records", key: "records" },
    h("table", {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { key: column, scope: "col", class: NUMBERS.has(column) ? "sum" : null }, t(`column.${column}`))))),
      h("tbody", {}, rows.map(({ key, cells, mark }) => h("tr", { key, class: mark ?? null }, columns.map((column, place) => {
        const props = { key: column, class: NUMBERS.has(column) ? "sum" : column === "orders" ? "do" : null };
        return place === 0 ? h("th", { ...props, scope: "row" }, cells[column]) : h("td", { ...props, "data-label": column === "orders" ? null : t(`column.${column}`) }, cells[column]);
      }))))));
}

const NUMBERS = new Set(["players", "connected", "waiting", "crashes", "tables", "seats", "connections", "rate", "processor", "stack", "bet", "buy_in", "left", "chips", "prize", "amount", "delivered", "waits", "dead", "tries", "active", "new_accounts", "hands", "tournament_hands", "rounds", "entered", "rake", "fees", "sum", "wallet_change", "tickets_change", "own_limit", "cap", "used_of_it", "members", "issued", "balance"]);

/** The name of a player, which leads to the player's page where the role has it. */
export const linked = (name) => (desk.may("account.show") ? h("a", { href: `#players/${encodeURIComponent(name)}` }, name) : name);

/** The sources of the cashier that are open, by their names. */
export const openSources = async () => (await desk.get("/cash_sources")).filter(({ is_open }) => is_open).map(({ source }) => source);

/** A figure with its name. */
export const figure = (name, value, more = null) =>
  h("div", { key: name, class: "figure" }, h("dt", {}, t(name)), h("dd", {}, value, more !== null && h("small", {}, more)));

/** The state of a table, marked where the operator has to look. */
export const stateTag = (state) => h("span", { class: `state ${LOUD.has(state) ? "loud" : ""}` }, t(`state.${state}`));

const LOUD = new Set(["frozen", "unreachable", "unowned"]);

/** The time of day with seconds. */
export const clock = (ms) => new Intl.DateTimeFormat(region(), { timeStyle: "medium" }).format(ms);

/** Date and time, with the time zone on the line of the seconds. */
export const moment = (ms) => new Intl.DateTimeFormat(region(), { dateStyle: "medium", timeStyle: "long" }).format(ms).replace(/ (?=\S+$)/, "\u00a0");

/** Day and time to the minute, with the time zone. */
export const minuteOf = (ms) => new Intl.DateTimeFormat(region(), { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" }).format(ms);

/** The time of day to the minute. */
export const hourOf = (ms) => new Intl.DateTimeFormat(region(), { timeStyle: "short" }).format(ms);

/** The language as the browser's owner writes dates in it: of two that speak the same, `en-GB` before `en`. */
const region = () => navigator.languages.find((each) => each.split("-")[0] === currentLanguage()) ?? currentLanguage();

/** A number in the reader's language. */
export const number = (value, digits = 0) => new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(value).replace("-", "−");

/** A share, in the reader's language. */
export const percent = (share) => new Intl.NumberFormat(currentLanguage(), { style: "percent" }).format(share);
