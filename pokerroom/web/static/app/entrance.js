/** The start page: play as a guest, register, or log in. */

import { refusal, t } from "./i18n.js";
import { isInvited, isOfClub } from "./invitation.js";
import { guestName, room } from "./room.js";
import { View, h } from "./view.js";

const NAME = { required: true, minlength: 2, maxlength: 20, pattern: "[A-Za-z0-9][A-Za-z0-9_.\\-]*", autocapitalize: "none", spellcheck: "false" };

/** Browsers show the title beside a name with other letters. */
const nameField = (more) => h("input", { ...NAME, title: t("entrance.name_letters"), ...more });

class Entrance extends View {
  #problem = null;
  /** Whether the problem is one of the name under which a guest joins a table. */
  #joins = false;
  #busy = false;
  #known = false;
  /** Whether the player has forgotten the password and has a recovery code. */
  #recovers = false;
  /** Whether the room has asked for a code. */
  #needsCode = false;

  connectedCallback() {
    super.connectedCallback();
    room.addEventListener("change", () => this.update());
    addEventListener("hashchange", () => this.update());
  }

  async #enter(how, joins = false) {
    this.#busy = true;
    this.#joins = joins;
    this.#problem = null;
    this.update();
    try {
      await how();
    } catch (failure) {
      if (failure.code === undefined) throw failure;
      this.#problem = refusal(failure);
      this.#needsCode ||= failure.code === "code_needed";
    }
    this.#busy = false;
    this.update();
  }

  #submit = (event) => {
    event.preventDefault();
    const fields = new FormData(event.target);
    const [name, password] = [fields.get("name").trim(), fields.get("password")];
    const stay = fields.has("stay");
    const second = fields.get("second")?.trim() || null;
    if (this.#isRecovering()) this.#enter(() => room.recover(name, fields.get("code").trim(), password, stay, second));
    else this.#enter(() => (this.#known ? room.logIn(name, password, stay, second) : room.register(name, password, stay)));
  };

  /** Show another form. What was refused in this one says nothing about it. */
  #turn(known, recovers) {
    this.#known = known;
    this.#recovers = recovers;
    this.#needsCode = false;
    this.#problem = null;
    this.update();
  }

  #isRecovering() {
    return this.#known && this.#recovers && room.has("recovery_codes");
  }

  /** The form of a guest that has opened the link of a private table. */
  #join(ready) {
    const join = (event) => {
      event.preventDefault();
      const name = new FormData(event.target).get("guest").trim();
      this.#enter(() => room.guest(name), true);
    };
    return h("form", { key: "join", id: "join", class: "join", onsubmit: join },
      h("label", {}, t(isOfClub() ? "entrance.name" : "entrance.your_name"), nameField({ name: "guest", autocomplete: "nickname", made: (input) => (input.value = guestName()), onfocus: (event) => event.target.select() })),
      h("button", { class: "primary big", disabled: !ready }, t(isOfClub() ? "entrance.guest" : "entrance.join")),
      h("p", { class: "problem", role: "alert" }, this.#joins && this.#problem));
  }

  render() {
    const recovers = this.#isRecovering();
    const title = t(recovers ? "entrance.recover" : this.#known ? "entrance.log_in" : "entrance.register");
    const ready = room.client.state === "greeted" && !this.#busy;
    const invited = isInvited();
    const link = invited && isOfClub() ? "club" : "invited";
    const asGuest = [
      invited ? this.#join(ready) : h("button", { key: "guest", id: "guest", class: "primary big", disabled: !ready, onclick: () => this.#enter(() => room.guest()) }, t("entrance.guest")),
      h("p", { class: "hint" }, t("entrance.guest_hint")),
    ];
    const mode = (known, code) =>
      h("button", { type: "button", class: "tab", "aria-pressed": String(this.#known === known), onclick: () => this.#turn(known, false) }, t(code));
    return [
      h("section", { class: "hero" },
        h("h1", {}, t(invited ? `entrance.${link}` : "entrance.title")),
        h("p", {}, invited ? t(`entrance.${link}_about`, { room: room.server.replace(/ \(.*/, ""), host: location.host }) : t("entrance.about")),
        link !== "club" && asGuest),
      h("form", { class: "panel", onsubmit: this.#submit, "aria-label": title },
        h("div", { class: "tabs" }, mode(false, "entrance.register"), mode(true, "entrance.log_in")),
        h("label", {}, t("entrance.name"),
          nameField({ key: "name", name: "name", autocomplete: "username" })),
        recovers && h("label", { key: "code" }, t("entrance.code"), h("input", { key: "code", name: "code", required: true, minlength: 16, maxlength: 40, autocomplete: "off", autocapitalize: "characters", spellcheck: "false" })),
        h("label", {}, t(recovers ? "entrance.new_password" : "entrance.password"),
          h("input", { key: recovers ? "new" : "password", name: "password", type: "password", required: true, minlength: 8, maxlength: 128, autocomplete: this.#known && !recovers ? "current-password" : "new-password" })),
        this.#known && this.#needsCode && h("label", { key: "second" }, t("entrance.second_code"), h("input", { key: "second", name: "second", required: true, minlength: 6, maxlength: 40, autocomplete: "one-time-code", spellcheck: "false" })),
        h("label", { class: "check" }, h("input", { key: "stay", name: "stay", type: "checkbox" }), t("entrance.stay")),
        h("p", { class: "problem", role: "alert" }, !this.#joins && this.#problem),
        h("button", { class: "primary", disabled: !ready }, title),
        this.#known && !recovers && room.has("recovery_codes") && h("button", { key: "forgotten", type: "button", id: "forgotten", onclick: () => this.#turn(true, true) }, t("entrance.forgotten"))),
      link === "club" && h("section", { class: "hero", key: "as-guest" }, asGuest), // the chips of a member should outlast the tab
    ];
  }
}

customElements.define("pr-entrance", Entrance);
