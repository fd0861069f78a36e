/** One poker table: its head, the felt, the dock, the log with the chat. */

import "./clock.js";
import { BetSize, dock } from "./dock.js";
import { felt } from "./felt.js";
import { hostedAt, isHost } from "./hosting.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { stakes } from "./lobby.js";
import { dealWindow, historyWindow, hostWindow, resultsWindow, rulesWindow } from "./on_demand.js";
import { notes } from "./notes.js";
import { opponents } from "./opponents.js";
import { OpenTable } from "./open_table.js";
import { rake, rakeInFull } from "./rake.js";
import { room } from "./room.js";
import { shortName } from "./short_name.js";
import { endOf, tableTitle, tournamentBar } from "./sit_and_go.js";
import { h } from "./view.js";
import { buyInWindow, leaveWindow, optionsWindow, topUpWindow } from "./windows.js";
import { played } from "./words.js";

/** Which rules a table has. A tournament with a start is one of the lobby's tournaments. */
function rulesOf({ snapshot, info }) {
  if (!snapshot.tournament) return "holdem";
  return room.lobby?.tournaments.some(({ offer }) => offer === info.offer) ? "tournament" : "sit_and_go";
}

class Table extends OpenTable {
  #size = new BetSize();
  #watch = null;
  #portrait = false;
  #menu = false;

  connectedCallback() {
    super.connectedCallback();
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
    super.disconnectedCallback();
    this.#watch?.disconnect();
  }

  get size() {
    return this.#size;
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

  /** Close the menu; tell whether it was open. */
  closeMenu() {
    const wasOpen = this.#menu;
    this.#menu = false;
    this.update();
    return wasOpen;
  }

  render() {
    const model = this.model;
    if (!model?.snapshot) return h("p", { class: "hint" }, t("lobby.loading"));
    const { info } = model;
    this.toggleAttribute("data-portrait", this.#portrait);
    this.marked(model);
    return [
      this.#head(model),
      h("div", { class: "stage", key: "stage" },
        felt({ snapshot: model.snapshot, actions: model.actions, result: model.result, yours: model.snapshot.your_seat, portrait: this.#portrait, clock: true, notes: notes(), opponents: opponents(info.game), closes: model.closes, onSeat: model.own || model.snapshot.tournament ? null : (seat) => buyInWindow(info, seat) }),
        model.snapshot.tournament && endOf(model.snapshot)),
      dock(model, this.#size, () => this.update()),
      this.talk(model),
    ];
  }

  #head(model) {
    const { info, own } = model;
    const hosted = hostedAt(model.name);
    const item = (code, onclick, more = {}) => h("button", { key: code, onclick: () => ((this.#menu = false), onclick(), this.update()), ...more }, t(`menu.${code}`));
    return h("header", { class: "table-head", key: "head" },
      h("h2", { title: tableTitle(info), "data-short": shortName(tableTitle(info)) }, tableTitle(info)),
      h("p", {}, stakes(info), " ", played(info), info.rake && [" ", h("span", { key: "rake", class: "tag", title: rakeInFull(info) }, rake(info))], model.notice !== "running" && h("span", { key: "notice", class: "tag on" }, t(`table.${model.notice}`)), model.snapshot.paused && h("span", { key: "paused", class: "tag on" }, t("table.paused")), hosted && h("span", { key: "host", class: "tag" }, t("hosted.by", { name: hosted.host }))),
      model.snapshot.tournament && tournamentBar(model.snapshot),
      h("div", { class: "tools" },
        this.chatButton(model),
        this.soundButton(model),
        h("button", { class: "icon rules-button", key: "rules", "aria-label": t("rules.title"), title: t("rules.title"), onclick: () => rulesWindow(rulesOf(model)) }, icon("rules")),
        h("button", { class: "icon", key: "history", "aria-label": t("menu.history"), title: t("menu.history"), onclick: () => this.showHistory() }, icon("history")),
        own || hosted
          ? h("div", { class: "menu", key: "menu", onfocusout: (event) => !event.currentTarget.contains(event.relatedTarget) && ((this.#menu = false), this.update()) },
            h("button", { class: "icon", "aria-expanded": String(this.#menu), "aria-haspopup": "true", "aria-label": t("menu.more"), title: t("menu.more"), onclick: () => ((this.#menu = !this.#menu), this.update()) }, icon("menu")),
            this.#menu && h("div", { class: "items" },
              !model.snapshot.tournament && h("span", { key: "stakes", class: "hint" }, stakes(info), " ", played(info)),
              hosted && !isHost(model.name) && h("span", { key: "host-name", class: "hint" }, t("hosted.by", { name: hosted.host })),
              info.rake && h("span", { key: "rake", class: "hint" }, rakeInFull(info)),
              isHost(model.name) && item("host", () => hostWindow(model.name)),
              hosted && item("results", () => resultsWindow(model.name)),
              own && item(["sitting_out", "away"].includes(own.status) ? "sit_in" : "sit_out", () => this.toggleSitOut()),
              own && !model.snapshot.tournament && item("sit_out_blind", () => room.ask({ type: "sit_out", table: model.name, when: "next_big_blind" })),
              own && !model.snapshot.tournament && item("top_up", () => topUpWindow(model)),
              own && !model.snapshot.tournament && item("options", () => optionsWindow(model)),
              own && model.snapshot.tournament?.deals && item("deal", () => dealWindow(model.name)),
              own ? item("leave", () => leaveWindow(model)) : item("close", () => room.hide(model.name))))
          : h("button", { class: "icon", key: "close", "aria-label": t("menu.close"), title: t("menu.close"), onclick: () => room.hide(model.name) }, icon("close"))));
  }
}

customElements.define("pr-table", Table);
