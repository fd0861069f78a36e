/** The base of every open table, of any game: it follows the room, and has a chat that can be hidden. */

import { dragged, floatChat, placeOfChat, pushed } from "./chat_window.js";
import { t, time } from "./i18n.js";
import { icon } from "./icons.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { View, h } from "./view.js";
import { illustrated } from "./words.js";

const LINES_SHOWN = 80;
/** From this width on, the chat is beside the table. */
const WIDE = 1100;

export class OpenTable extends View {
  /** The player's choice to show the chat; null: it is shown if there is room. */
  #chat = null;

  connectedCallback() {
    super.connectedCallback();
    this.again = ({ detail }) => detail === this.table && this.update();
    this.always = () => this.update();
    room.addEventListener("table", this.again);
    room.addEventListener("change", this.always);
    settings.addEventListener("change", this.always);
  }

  disconnectedCallback() {
    room.removeEventListener("table", this.again);
    room.removeEventListener("change", this.always);
    settings.removeEventListener("change", this.always);
  }

  get model() {
    return room.model(this.table);
  }

  get talks() {
    return this.#chat ?? (settings.get("chat") && innerWidth >= WIDE && room.open.length === 1);
  }

  /** With one table on a wide page the choice is stored with the account, for all tables. */
  toggleChat() {
    this.#chat = !this.talks;
    if (room.open.length === 1 && innerWidth >= WIDE) room.choose("chat", this.#chat);
    this.update();
  }

  update() {
    super.update();
    // scroll the log to its end
    queueMicrotask(() => {
      const list = this.querySelector(".lines");
      if (list && !list.matches(":hover, :focus-within")) list.scrollTop = list.scrollHeight;
    });
  }

  /** Set the attributes that the style sheets use. */
  marked(model) {
    this.toggleAttribute("data-asks", model.ownTurn !== null);
    this.toggleAttribute("data-talks", this.talks && this.#floating() === null);
    this.setAttribute("aria-label", model.info.name);
    if (this.talks) model.unread = 0;
  }

  chatButton(model) {
    return h("button", { class: "icon", key: "chat", "aria-pressed": String(this.talks), "aria-label": t("menu.chat"), title: t("menu.chat"), onclick: () => this.toggleChat() },
      icon("chat"), !this.talks && model.unread > 0 && h("span", { class: "badge" }, model.unread));
  }

  soundButton(model) {
    const silent = model.muted;
    return h("button", { class: "icon", key: "sound", "aria-pressed": String(silent), "aria-label": t("menu.mute"), title: t("menu.mute"), onclick: () => ((model.muted = !silent), this.update()) }, icon(silent ? "mute" : "sound"));
  }

  talk(model) {
    if (!this.talks) return null;
    const place = this.#floating();
    const floats = place !== null;
    const style = floats ? { left: `${place.x}px`, top: `${place.y}px`, width: `${place.width}px`, height: `${place.height}px` } : null;
    return h("aside", { class: floats ? "talk floating" : "talk", key: floats ? "talk-window" : "talk", "aria-label": t("chat.title"), popover: floats ? "manual" : null, style, made: (aside) => floats && aside.showPopover() },
      innerWidth >= WIDE && h("header", { class: "talk-head", key: "head" },
        floats ? h("button", { class: "handle", key: "handle", "aria-label": t("chat.move"), title: t("chat.move"), onpointerdown: (event) => dragged(event), onkeydown: pushed }, t("chat.title")) : h("span", { class: "hint" }, t("chat.title")),
        h("button", { class: "icon", key: "float", "aria-label": t(floats ? "chat.dock" : "chat.float"), title: t(floats ? "chat.dock" : "chat.float"), onclick: () => floatChat(!floats) }, icon("window"))),
      h("ul", { class: "lines", made: (list) => (list.scrollTop = list.scrollHeight), tabindex: 0, "aria-label": t("chat.lines") }, this.#lines(model)),
      h("form", { onsubmit: (event) => this.#say(event) },
        h("input", { name: "text", maxlength: 200, autocomplete: "off", "aria-label": t("chat.say"), placeholder: t("chat.say") }),
        h("button", {}, t("chat.send"))),
      floats && h("span", { class: "corner", key: "corner", "aria-hidden": "true", onpointerdown: (event) => dragged(event, true) }));
  }

  /** The place of the chat's window; null where the chat is beside the table, as on small pages and with several tables. */
  #floating() {
    return innerWidth >= WIDE && room.open.length === 1 ? placeOfChat() : null;
  }

  #lines(model) {
    return model.lines.slice(-LINES_SHOWN).map(({ key, event, at, names }) => {
      if (event.type === "chat_said") return h("li", { key, class: "said" }, h("time", {}, time(at)), " ", h("b", {}, event.name), ": ", event.text);
      const text = illustrated(event, model, names);
      const link = event.type === "hand_started" ? `hand/${event.hand_id}` : event.type === "round_started" ? `round/${event.round_id}` : null;
      return text && h("li", { key, class: `happened ${event.type}` }, text, link && [" ", h("a", { class: "link", href: `#${link}` }, t("history.link"))]);
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
}
