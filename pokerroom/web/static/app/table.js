/** One table of hold'em: its head, the felt, the dock, the log with the chat. */

import "./clock.js";
import { BetSize, dock } from "./dock.js";
import { felt } from "./felt.js";
import { historyWindow } from "./history.js";
import { t, time } from "./i18n.js";
import { icon } from "./icons.js";
import { stakes } from "./lobby.js";
import { room } from "./room.js";
import { endOf, tournamentBar } from "./sit_and_go.js";
import { settings } from "./settings.js";
import { View, h } from "./view.js";
import { sentence } from "./words.js";
import { buyInWindow, leaveWindow, optionsWindow, topUpWindow } from "./windows.js";

class Table extends View {
  #size = new BetSize();
  /** Whether the chat is shown, once somebody has said so; else it is where there is room for it. */
  #chat = null;
  #watch = null;
  #portrait = false;
  #menu = false;

  connectedCallback() {
    super.connectedCallback();
    this.again = ({ detail }) => detail === this.table && this.update();
    this.always = () => this.update();
    room.addEventListener("table", this.again);
    room.addEventListener("change", this.always);
    settings.addEventListener("change", this.always);
    this.#watch = new ResizeObserver(() => {
      const { clientWidth, clientHeight } = this;
      const portrait = clientWidth < 0.95 * (clientHeight - 140);
      if (portrait !== this.#portrait) {
        this.#portrait = portrait;
        this.update();
      }
    });
    this.#watch.observe(this);
  }

  disconnectedCallback() {
    room.removeEventListener("table", this.again);
    room.removeEventListener("change", this.always);
    settings.removeEventListener("change", this.always);
    this.#watch?.disconnect();
  }

  get model() {
    return room.model(this.table);
  }

  get size() {
    return this.#size;
  }

  get #talks() {
    return this.#chat ?? (settings.get("chat") && innerWidth >= 1100 && room.open.length === 1);
  }

  toggleChat() {
    this.#chat = !this.#talks;
    if (room.open.length === 1 && innerWidth >= 1100) settings.set("chat", this.#chat);
    this.update();
  }

  toggleSitOut() {
    const { own, name } = this.model ?? {};
    if (!own) return;
    const back = own.status === "sitting_out" || own.status === "away";
    room.ask({ type: back ? "sit_in" : "sit_out", table: name });
  }

  showHistory() {
    if (this.model) historyWindow(this.model);
  }

  render() {
    const model = this.model;
    if (!model?.snapshot) return h("p", { class: "hint" }, t("lobby.loading"));
    const { info } = model;
    this.toggleAttribute("data-asks", model.ownTurn !== null);
    this.toggleAttribute("data-portrait", this.#portrait);
    this.toggleAttribute("data-talks", this.#talks);
    this.setAttribute("aria-label", info.name);
    if (this.#talks) model.unread = 0;
    return [
      this.#head(model),
      model.snapshot.tournament && tournamentBar(model.snapshot),
      h("div", { class: "stage", key: "stage" },
        felt({ snapshot: model.snapshot, actions: model.actions, result: model.result, yours: model.snapshot.your_seat, portrait: this.#portrait, clock: true, onSeat: model.own || model.snapshot.tournament ? null : (seat) => buyInWindow(info, seat) }),
        model.snapshot.tournament && endOf(model.snapshot),
        info.observer_delay_s > 0 && !model.own && h("p", { class: "delay" }, t("table.delayed", { seconds: info.observer_delay_s }))),
      dock(model, this.#size, () => this.update()),
      this.#talks && h("aside", { class: "talk", key: "talk", "aria-label": t("chat.title") },
        h("ul", { class: "lines", made: (list) => (list.scrollTop = list.scrollHeight), tabindex: 0, "aria-label": t("chat.lines") }, this.#lines(model)),
        h("form", { onsubmit: (event) => this.#say(event) },
          h("input", { name: "text", maxlength: 200, autocomplete: "off", "aria-label": t("chat.say"), placeholder: t("chat.say") }),
          h("button", {}, t("chat.send")))),
    ];
  }

  update() {
    super.update();
    // what is new in the log is at its end
    queueMicrotask(() => {
      const list = this.querySelector(".lines");
      if (list && !list.matches(":hover, :focus-within")) list.scrollTop = list.scrollHeight;
    });
  }

  #lines(model) {
    return model.lines.slice(-80).map(({ key, event, at, names }) => {
      if (event.type === "chat_said") return h("li", { key, class: "said" }, h("time", {}, time(at)), " ", h("b", {}, event.name), ": ", event.text);
      const text = sentence(event, model, names);
      return text && h("li", { key, class: `happened ${event.type}` }, text);
    });
  }

  #say(event) {
    event.preventDefault();
    const field = event.target.elements.text;
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    room.ask({ type: "chat", table: this.table, text });
  }

  #head(model) {
    const { info, own } = model;
    const item = (code, onclick, more = {}) => h("button", { key: code, onclick: () => ((this.#menu = false), onclick(), this.update()), ...more }, t(`menu.${code}`));
    return h("header", { class: "table-head", key: "head" },
      h("h2", {}, info.name),
      h("p", {}, stakes(info), " ", t(`structure.${info.structure}`), model.notice !== "running" && h("span", { class: "tag on" }, t(`table.${model.notice}`))),
      h("div", { class: "tools" },
        h("button", { class: "icon", key: "chat", "aria-pressed": String(this.#talks), "aria-label": t("menu.chat"), title: t("menu.chat"), onclick: () => this.toggleChat() }, icon("chat"), !this.#talks && model.unread > 0 && h("span", { class: "badge" }, model.unread)),
        h("button", { class: "icon", key: "history", "aria-label": t("menu.history"), title: t("menu.history"), onclick: () => this.showHistory() }, icon("history")),
        own
          ? h("div", { class: "menu", key: "menu", onfocusout: (event) => !event.currentTarget.contains(event.relatedTarget) && ((this.#menu = false), this.update()) },
            h("button", { class: "icon", "aria-expanded": String(this.#menu), "aria-haspopup": "true", "aria-label": t("menu.more"), title: t("menu.more"), onclick: () => ((this.#menu = !this.#menu), this.update()) }, icon("menu")),
            this.#menu && h("div", { class: "items" },
              item(["sitting_out", "away"].includes(own.status) ? "sit_in" : "sit_out", () => this.toggleSitOut()),
              !model.snapshot.tournament && item("sit_out_blind", () => room.ask({ type: "sit_out", table: model.name, when: "next_big_blind" })),
              !model.snapshot.tournament && item("top_up", () => topUpWindow(model)),
              !model.snapshot.tournament && item("options", () => optionsWindow(model)),
              item("leave", () => leaveWindow(model))))
          : h("button", { class: "icon", key: "close", "aria-label": t("menu.close"), title: t("menu.close"), onclick: () => room.hide(model.name) }, icon("close"))));
  }
}

customElements.define("pr-table", Table);
