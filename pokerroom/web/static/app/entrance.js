/** The start page: play as a guest, register, or log in. */

import { refusal, t } from "./i18n.js";
import { room } from "./room.js";
import { View, h } from "./view.js";

class Entrance extends View {
  #problem = null;
  #busy = false;
  #known = false;

  connectedCallback() {
    super.connectedCallback();
    room.addEventListener("change", () => this.update());
  }

  async #enter(how) {
    this.#busy = true;
    this.#problem = null;
    this.update();
    try {
      await how();
    } catch (failure) {
      if (failure.code === undefined) throw failure;
      this.#problem = refusal(failure);
    }
    this.#busy = false;
    this.update();
  }

  #submit = (event) => {
    event.preventDefault();
    const fields = new FormData(event.target);
    const [name, password] = [fields.get("name").trim(), fields.get("password")];
    const stay = fields.has("stay");
    this.#enter(() => (this.#known ? room.logIn(name, password, stay) : room.register(name, password, stay)));
  };

  render() {
    const ready = room.client.state === "greeted" && !this.#busy;
    const mode = (known, code) =>
      h("button", { type: "button", class: "tab", "aria-pressed": String(this.#known === known), onclick: () => ((this.#known = known), this.update()) }, t(code));
    return [
      h("section", { class: "hero" },
        h("h1", {}, t("entrance.title")),
        h("p", {}, t("entrance.about")),
        h("button", { id: "guest", class: "primary big", disabled: !ready, onclick: () => this.#enter(() => room.guest()) }, t("entrance.guest")),
        h("p", { class: "hint" }, t("entrance.guest_hint"))),
      h("form", { class: "panel", onsubmit: this.#submit, "aria-label": t(this.#known ? "entrance.log_in" : "entrance.register") },
        h("div", { class: "tabs" }, mode(false, "entrance.register"), mode(true, "entrance.log_in")),
        h("label", {}, t("entrance.name"),
          h("input", { key: "name", name: "name", required: true, minlength: 2, maxlength: 20, pattern: "[A-Za-z0-9][A-Za-z0-9_.\\-]*", autocomplete: "username", autocapitalize: "none", spellcheck: "false" })),
        h("label", {}, t("entrance.password"),
          h("input", { key: "password", name: "password", type: "password", required: true, minlength: 8, maxlength: 128, autocomplete: this.#known ? "current-password" : "new-password" })),
        h("label", { class: "check" }, h("input", { key: "stay", name: "stay", type: "checkbox" }), t("entrance.stay")),
        h("p", { class: "problem", role: "alert" }, this.#problem),
        h("button", { class: "primary", disabled: !ready }, t(this.#known ? "entrance.log_in" : "entrance.register"))),
    ];
  }
}

customElements.define("pr-entrance", Entrance);
