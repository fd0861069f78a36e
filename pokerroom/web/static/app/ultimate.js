/** The table of Ultimate Texas Hold'em.
 *
 * Chips are put on spots; the room answers with the resulting bets. Keys: 1 to 6 choose a chip, space repeats the last
 * bets and then doubles, Delete or Ctrl+Z undoes, Delete held undoes all.
 */

import { newKey } from "./cash_request.js";
import { houseFelt } from "./house_felt.js";
import { money, t } from "./i18n.js";
import { icon } from "./icons.js";
import { notes } from "./notes.js";
import { historyWindow, rulesWindow } from "./on_demand.js";
import { OpenTable } from "./open_table.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { shortName } from "./short_name.js";
import { affordable, ultimateDock } from "./ultimate_dock.js";
import { limits, takePlace } from "./ultimate_lobby.js";
import { h } from "./view.js";
import { sentence } from "./words.js";

/** How long Delete is held to undo all bets. */
const HOLD_MS = 3_000;
/** A betting time without an end is taken for the same for so long: its round could not have been played meanwhile. */
const SAME_BETTING_MS = 8_000;

class UltimateTable extends OpenTable {
  #chip = null;
  #held = null;
  /** Whether the mouse has set the focus, not Tab: then space does not press the focused button. */
  #pointed = false;
  #released = ({ key }) => key === "Delete" && this.#release();
  #tabbed = ({ key }) => key === "Tab" && (this.#pointed = false);

  #doings = {
    put: (bet, box) => this.#put(bet, box),
    take: (box) => takePlace(this.table, box),
    choose: (box, multiple) => this.#slip({ type: "choose_play", box, multiple }),
    pick: (chip) => ((this.#chip = chip), this.update()),
    change: (action) => this.#change(action),
    dealNow: () => this.#dealNow(),
    decide: (decision, multiple) => this.#decide(decision, multiple),
    tip: (amount) => this.#tip(amount),
  };

  connectedCallback() {
    super.connectedCallback();
    this.onpointerdown = () => (this.#pointed = true);
    document.addEventListener("keyup", this.#released);
    document.addEventListener("keydown", this.#tabbed);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#release();
    document.removeEventListener("keyup", this.#released);
    document.removeEventListener("keydown", this.#tabbed);
  }

  // --- actions

  /** Change your bets. A change on its way when the line dies is sent again with its key, while betting is still open. */
  #slip(message) {
    const { closes_ms: closes } = this.model.snapshot.light;
    const sent = Date.now();
    const holds = () => {
      const { open, snapshot } = this.model;
      return open && (closes === null ? Date.now() - sent < SAME_BETTING_MS : snapshot.light.closes_ms === closes);
    };
    const key = message.type === "choose_play" ? {} : { key: newKey() };
    return room.surely({ table: this.table, ...key, ...message }, holds, ({ slip }) => {
      this.model.take_slip(slip);
      room.hold(slip.balance);
      this.update();
    });
  }

  #put(bet, box = null) {
    this.#slip({ type: "place_bet", bet, box, amount: bet === "progressive" ? this.model.info.progressive.stake : this.#chip });
  }

  #change(action) {
    this.#slip({ type: "change_bets", action });
  }

  async #dealNow() {
    if (!this.model.canDeal || !(await room.ask({ type: "deal_now", table: this.table }))) return;
    this.model.dealing = true;
    this.update();
  }

  #decide(decision, multiple = null) {
    const { round, ownTurn, yourBox } = this.model;
    if (ownTurn) room.decide({ type: "decide", table: this.table, round_id: round.round_id, seq: ownTurn.seq, box: yourBox, decision, multiple });
  }

  #tip(amount) {
    const { round_id } = this.model.round;
    room.surely({ type: "give_tip", table: this.table, amount, key: newKey() }, () => this.model.round?.round_id === round_id);
  }

  /** Handle a key; tell whether it had a meaning. */
  pressed(key, event) {
    const model = this.model;
    if (key === "m") return this.toggleChat(), true;
    if (!model?.snapshot || model.yourBox === null) return false;
    if (model.ownTurn) return this.#deciding(key, model.ownTurn);
    return model.open && this.#betting(key, event, model);
  }

  #deciding(key, turn) {
    const multiple = key === "r" ? Math.max(...turn.multiples) : Number(key);
    if (key === "c" && turn.check) this.#decide("check");
    else if (key === "f" && turn.fold) this.#decide("fold");
    else if (turn.multiples.includes(multiple)) this.#decide("play", multiple);
    else return false;
    return true;
  }

  #betting(key, event, { slip, info }) {
    const onButton = event.target.matches("button, a, select") && !this.#pointed;
    const chip = info.chips[Number(key) - 1];
    if (key >= "1" && key <= "6" && chip && affordable(this.model, chip)) this.#doings.pick(chip);
    else if (key === " " && !onButton) this.#change(slip.bets.length > 0 ? "double" : "repeat");
    else if (key === "a") this.#put("ante");
    else if (key === "d") this.#dealNow();
    else if (key === "Delete" || (key === "z" && (event.ctrlKey || event.metaKey))) this.#undo(key, event);
    else return false;
    return true;
  }

  #undo(key, event) {
    if (event.repeat) return;
    this.#change("undo");
    if (key !== "Delete") return;
    this.#release();
    this.#held = setTimeout(() => this.model?.open && this.model.slip.can_undo && this.#change("undo_all"), HOLD_MS);
  }

  #release() {
    clearTimeout(this.#held);
    this.#held = null;
  }

  toggleSitOut() {}

  showHistory() {
    if (this.model?.snapshot) historyWindow(this.model);
  }

  async #leave() {
    if (this.model.yourBox !== null && !(await room.ask({ type: "stand_up", table: this.table }))) return;
    room.hide(this.table);
  }

  // --- display

  render() {
    const model = this.model;
    if (!model?.snapshot) return h("p", { class: "hint" }, t("lobby.loading"));
    const { info } = model;
    this.marked(model);
    this.#chip ??= info.chips.find((chip) => chip >= info.ante_min) ?? info.chips[0];
    const tool = (name, label, onclick) => h("button", { class: name === "close" ? "icon leave" : "icon", key: name, "aria-label": t(label), title: t(label), onclick }, icon(name));
    return [
      h("header", { class: "table-head", key: "head" },
        h("h2", { title: info.name, "data-short": shortName(info.name) }, info.name),
        h("p", {}, limits(info), model.shownRound && [" · ", h("span", { class: "round-id" }, t("uth.round", { round: model.shownRound }))], model.notice !== "running" && h("span", { class: "tag on" }, t(`table.${model.notice}`))),
        h("div", { class: "tools" },
          this.chatButton(model),
          this.soundButton(model),
          tool("rules", "rules.title", () => rulesWindow("ultimate", info)),
          tool("history", "menu.history", () => this.showHistory()),
          tool("close", model.yourBox === null ? "menu.close" : "menu.leave", () => this.#leave()))),
      houseFelt(model, { doings: this.#doings, sideBets: settings.get("side_bets"), notes: notes() }),
      ultimateDock(model, this.#chip, this.#doings),
      this.talk(model),
    ];
  }
}

/** Where bets need a present player, tell the table whether this page is seen. A snapshot counts as seen. */
function tellPresence(table) {
  const model = room.model(table);
  if (!model?.info?.presence || (model.yourBox ?? null) === null) return;
  room.client.request({ type: "set_presence", table, present: !document.hidden }).catch(() => {}); // told again with the next snapshot
}

document.addEventListener("visibilitychange", () => room.open.forEach(tellPresence));
room.client.addEventListener("snapshot", ({ detail: { message } }) => document.hidden && tellPresence(message.table));

/** Show the bets that were refused when betting closed. */
room.addEventListener("happened", ({ detail: { event, model } }) => {
  if (event.type === "bets_refused" && event.refused.length > 0) room.notify(null, sentence(event, model), "refused");
  if (event.type === "round_ended" || event.type === "round_started") room.refresh();
});

customElements.define("pr-ultimate", UltimateTable);
