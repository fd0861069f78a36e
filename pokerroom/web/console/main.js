/** The operators' console: signing in, the bar, and the page of the address. */

import "./cashier.js";
import "./charts.js";
import "./clubs.js";
import "./log.js";
import "./now.js";
import "./players.js";
import "./reports.js";
import "./tables.js";
import "./tournaments.js";
import "./webhooks.js";
import { ask } from "../static/app/dialog.js";
import { LANGUAGES, preferred, refusal, speak, t } from "../static/app/i18n.js";
import { icon } from "../static/app/icons.js";
import { settings } from "../static/app/settings.js";
import { View, h } from "../static/app/view.js";
import { tokenOf } from "./desk.js";
import { desk, notices } from "./parts.js";

/** The pages in their order: a page is offered if the role has its verb. */
const PAGES = [
  { name: "now", verb: "now", list: "pr-now", one: "pr-charts" },
  { name: "tables", verb: "table.list", list: "pr-tables", one: "pr-one-table" },
  { name: "tournaments", verb: "sng.list", list: "pr-tournaments", one: "pr-one-tournament" },
  { name: "cashier", verb: "cashier.list", list: "pr-cashier" },
  { name: "players", verb: "account.show", list: "pr-players", one: "pr-one-player" },
  { name: "clubs", verb: "club.list", list: "pr-clubs", one: "pr-one-club" },
  { name: "reports", verb: "report.activity", list: "pr-reports", one: "pr-reports" },
  { name: "log", verb: "operator.log", list: "pr-log" },
  { name: "webhooks", verb: "webhook.list", list: "pr-webhooks", one: "pr-one-webhook" },
];

class Console extends View {
  #problem = "";
  #busy = false;

  connectedCallback() {
    super.connectedCallback();
    for (const source of [desk, notices, settings]) source.addEventListener("change", () => this.update());
    addEventListener("hashchange", () => this.update());
    if (desk.hasToken) this.#enter();
  }

  get #place() {
    const [, name, subject = null] = /^#(\w+)(?:\/(.+))?$/.exec(location.hash) ?? [null, "now"];
    const offered = PAGES.filter(({ verb }) => desk.may(verb));
    return { offered, page: offered.find((page) => page.name === name) ?? offered[0], subject: subject === null ? null : decoded(subject) };
  }

  render() {
    const { offered, page, subject } = desk.identity === null ? { offered: [] } : this.#place;
    document.title = page ? `${t(`page.${page.name}`)} – ${t("title")}` : t("title");
    return [
      h("header", { class: "bar", key: "bar" },
        h("a", { class: "brand", href: "#now", "aria-label": t("title") }, h("img", { src: "/operator/static/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, t("title"))),
        offered.length > 0 && h("nav", { "aria-label": t("pages") }, offered.map(({ name }) => h("a", { key: name, href: `#${name}`, "aria-current": name === page.name ? "page" : null }, t(`page.${name}`)))),
        h("div", { class: "right" },
          desk.identity && h("span", { class: "me" }, h("strong", {}, desk.identity.operator), h("span", { class: "name" }, t(`role.${desk.identity.role}`))),
          h("button", { class: "icon", id: "settings", "aria-label": t("settings"), title: t("settings"), onclick: settingsWindow }, icon("settings")),
          desk.identity && h("button", { id: "sign-out", onclick: () => desk.leave() }, t("sign_out")))),
      h("main", { key: "main", id: "main" }, this.#inside(page, subject)),
      h("div", { class: "notices", key: "notices", role: "status" }, notices.shown.map(({ key, text }) => h("p", { key }, text))),
    ];
  }

  #inside(page, subject) {
    if (desk.identity !== null) {
      const element = subject !== null && page.one ? page.one : page.list;
      return h(element, { key: `${element} ${subject}`, class: "page", ".subject": subject });
    }
    if (this.#busy && desk.hasToken && this.#problem === "") return h("p", { class: "hint wait", role: "status" }, t("loading"));
    return this.#entrance();
  }

  #entrance() {
    const problem = this.#problem || (desk.ended === null ? "" : t(`error.${desk.ended}`));
    return h("form", { class: "sign-in", onsubmit: (event) => (event.preventDefault(), this.#given(event.target)) },
      h("h1", {}, t("sign_in.title")),
      h("p", {}, t("sign_in.about")),
      h("label", { class: "field" }, t("sign_in.token"), h("input", { name: "token", type: "password", autocomplete: "off", spellcheck: "false", autocapitalize: "off", required: true, "aria-describedby": "sign-in-problem" })),
      h("p", { class: "problem", id: "sign-in-problem", role: "alert" }, problem),
      h("button", { class: "primary", disabled: this.#busy }, t("sign_in")),
      desk.hasToken && h("button", { type: "button", key: "again", disabled: this.#busy, onclick: () => this.#enter() }, t("again")),
      h("p", { class: "hint" }, t("sign_in.hint")));
  }

  #given(form) {
    const token = tokenOf(form.elements.token.value);
    form.reset();
    if (token !== null) return this.#enter(token);
    this.#problem = t("error.token_refused");
    return this.update();
  }

  async #enter(...token) {
    this.#busy = true;
    this.#problem = "";
    this.update();
    try {
      await desk.enter(...token);
    } catch (failure) {
      this.#problem = refusal(failure);
    }
    this.#busy = false;
    this.update();
  }
}

/** Language and colours. */
function settingsWindow() {
  return ask(() => t("settings"), (_, refresh) => {
    const choose = (name, value) => async () => {
      settings.set(name, value);
      await dress();
      refresh();
    };
    const choices = (name, values, chosen) => h("fieldset", {}, h("legend", {}, t(`settings.${name}`)), h("div", { class: "choices" }, Object.entries(values).map(([value, text]) =>
      h("label", { key: value, class: "choice" }, h("input", { type: "radio", name, value, checked: value === chosen, onchange: choose(name, value) }), text))));
    return [
      choices("language", LANGUAGES, document.documentElement.lang),
      choices("theme", Object.fromEntries(["auto", "dark", "light"].map((theme) => [theme, t(`settings.theme.${theme}`)])), settings.get("theme")),
    ];
  });
}

/** Use the chosen colours and language. */
async function dress() {
  document.documentElement.dataset.theme = settings.get("theme");
  const wanted = settings.get("language") in LANGUAGES ? settings.get("language") : preferred(navigator.languages);
  if (wanted === spoken) return;
  await speak(wanted, "/operator/console/locales");
  spoken = wanted;
  for (const element of document.querySelectorAll("pr-console, .page")) element.update?.();
}

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

let spoken = null;
await dress();
customElements.define("pr-console", Console);
