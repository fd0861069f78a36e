/** The controls of a table: decide, decide in advance, sit down, sit in. One row at a time. */

import { tableNumber, tournamentOf } from "/client/pokerroom.js";
import "./until.js";
import { Range, parseAmount, potShareRaise, pressedPreset, priceFor } from "./amounts.js";
import { hostedAt } from "./hosting.js";
import { amountsOf, money, t } from "./i18n.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { saleButtons } from "./sit_and_go.js";
import { h } from "./view.js";
import { buyInWindow, topUpWindow } from "./windows.js";

/** The local state of a dock: the size of a bet, for one decision. */
export class BetSize {
  #decision = null;

  constructor() {
    this.amount = 0;
    this.text = null;
    /** The preset that set the amount last. */
    this.preset = null;
  }

  /** The range of the turn's bets; null without legal bets. A new decision begins at the smallest. */
  rangeOf(model) {
    const turn = model.ownTurn;
    if (!turn || turn.max_raise_to === null) return null;
    const range = new Range(turn.min_raise_to, turn.max_raise_to, model.info.small_blind);
    if (this.#decision !== model.decision) {
      this.#decision = model.decision;
      this.set(range.min);
    }
    this.amount = range.clamp(this.amount);
    return range;
  }

  /** Move the size by steps of the slider. */
  step(model, by) {
    const range = this.rangeOf(model);
    if (range) this.set(range.at(Math.min(range.last, Math.max(0, range.positionOf(this.amount) + by))));
  }

  set(amount, preset = null) {
    this.amount = amount;
    this.text = null;
    this.preset = preset;
  }
}

/** The dock of a table. */
export function dock(model, size, update) {
  const { snapshot, own, hand } = model;
  const table = model.name;
  if (!room.online || room.client.state !== "open") return lineLost(model);
  if (model.notice === "frozen") return note(t("table.frozen_hint"));
  if (!own) return sitting(model);
  if (model.ownTurn) return decision(model, size, update);
  if (own.status === "leaving") return note(t("status.leaving_hint"));
  if (own.status === "away") return note(t("sng.you_play_on"), h("button", { class: "primary", onclick: () => room.ask({ type: "sit_in", table }) }, t("menu.sit_in")));
  if (own.stack === 0 && !own.in_hand && !hand?.turn) {
    if (snapshot.tournament) return note(t("sng.no_chips"), saleButtons(room.tournaments.get(tournamentOf(table)) ?? {}));
    return note(t("status.no_chips"), h("button", { class: "primary", onclick: () => topUpWindow(model) }, t("menu.top_up")));
  }
  if (own.status === "sitting_out") {
    return note(t("status.sitting_out_hint"), h("button", { id: `sit-in-${table}`, class: "primary", disabled: room.isBusy("sit_in", table), onclick: () => room.ask({ type: "sit_in", table, post: true }) }, t("menu.sit_in")));
  }
  if (snapshot.paused && !hand) return note(t("table.paused_hint"));
  if (own.in_hand && hand && !own.all_in) return advance(model);
  if (own.in_hand && own.all_in) return note(t("status.all_in"));
  if (hand && model.actions.get(own.seat)?.action === "fold") return note(t("status.folded"));
  if (own.status === "waiting") return note(t(snapshot.seats.length > 1 ? "status.waiting_hint" : "status.alone"));
  return note(snapshot.seats.filter((seat) => seat.status !== "sitting_out").length < 2 ? t("status.alone") : t("status.next_hand"));
}

/** While the line is lost: the time that the room still gives you, and what it does at its end. */
export function lineLost(model) {
  const turn = model.ownTurn;
  const deadline = turn && turn.deadline_ms + (turn.in_time_bank ? 0 : (turn.time_bank_ms ?? 0));
  const sent = room.isUnanswered(model.name) && t("connection.repeats");
  return h("div", { class: "dock", key: "dock" }, h("p", { class: "status" }, t("connection.lost"), turn && [" ", sent || t("connection.turn"), " ", h("pr-until", { ".until": deadline })]));
}

const note = (text, ...more) => h("div", { class: "dock", key: "dock" }, h("p", { class: "status" }, text), more);

function sitting(model) {
  const { info, snapshot } = model;
  if (snapshot.tournament) return finished(model);
  if (model.notice === "closing") return note(t("table.closing"));
  if (model.notice === "closed") return note(t("table.closed"), h("button", { class: "primary", onclick: () => (room.hide(model.name), location.assign("#lobby")) }, t("bar.lobby")));
  const held = room.held.get(model.name);
  const full = snapshot.seats.length + (snapshot.reserved ?? []).length >= info.seats;
  const waits = [...room.waits.values()].find((wait) => wait.table === model.name);
  if (held) {
    return note(t(held.offered ? "seat.offered" : "seat.held", { seat: held.seat }),
      h("button", { class: "primary", onclick: () => buyInWindow(info, held.seat) }, t("lobby.sit")),
      h("button", { onclick: () => room.release(model.name) }, t("seat.release")));
  }
  if (waits) return note(t("lobby.place", { position: waits.position }), h("button", { onclick: () => room.waitNoMore(waits.table, waits.any) }, t("lobby.wait_no_more")));
  const delayed = info.observer_delay_s > 0 && h("p", { key: "delay", class: "hint" }, t("table.delayed", { seconds: info.observer_delay_s }));
  if (full) return note(t("seat.full"), !hostedAt(model.name) && h("button", { class: "primary", onclick: () => room.wait(model.name, false) }, t("lobby.wait")), delayed);
  const { your_seat: standing = "open" } = hostedAt(model.name) ?? {};
  if (standing === "asked" || standing === "refused") return note(t(`hosted.seat_${standing}`), delayed);
  return note(standing === "ask" ? t("hosted.seat_ask", { name: hostedAt(model.name).host }) : t("seat.watching"), h("button", { class: "primary", onclick: () => buyInWindow(info, null) }, t(standing === "ask" ? "hosted.ask_seat" : "lobby.sit")), delayed);
}

/** Decide as the button of this name; keys use it too. */
export function decide(model, what, size) {
  const turn = model.ownTurn;
  if (!turn || room.isBusy("act", model.name)) return;
  if (what === "fold") room.act(model.name, turn.check ? "check" : "fold");
  else if (what === "call") room.act(model.name, turn.check ? "check" : "call");
  else if (size.rangeOf(model)) room.act(model.name, turn.check && highest(model) === 0 ? "bet" : "raise", size.amount);
}

const highest = (model) => Math.max(0, ...model.snapshot.seats.map((seat) => seat.bet));

const shareOfPot = (share) => (model, turn) => potShareRaise(model.snapshot, turn, share);

/** The named sizes. */
const PRESETS = {
  min: (model, turn) => turn.min_raise_to,
  third_pot: shareOfPot(1 / 3),
  half_pot: shareOfPot(1 / 2),
  two_thirds_pot: shareOfPot(2 / 3),
  pot: shareOfPot(1),
  all_in: (model, turn) => turn.max_raise_to,
};

/** The sizes with a button, before those of the player's own. */
const SHOWN = ["third_pot", "half_pot", "two_thirds_pot", "pot"];
const OWN_MAX = 3;

/** The player's own sizes from the settings, by name (`own1` …): percentages of the pot. */
const ownSizes = () =>
  new Map(settings.get("own_sizes").split(/[^0-9]+/).map(Number).filter((percent) => percent > 0 && percent < 1_000).slice(0, OWN_MAX).map((percent, index) => [`own${index + 1}`, percent]));

/** The amount of a named size; null where the player has no such size of their own. */
export function presetAmount(name, model, turn) {
  if (name in PRESETS) return PRESETS[name](model, turn);
  const percent = ownSizes().get(name);
  return percent === undefined ? null : shareOfPot(percent / 100)(model, turn);
}

function decision(model, size, update) {
  const text = amountsOf(model.snapshot);
  const turn = model.ownTurn;
  const range = size.rangeOf(model);
  const busy = room.isBusy("act", model.name);
  const allIn = turn.call_amount >= model.own.stack;
  const everything = range && size.amount === model.own.stack + model.own.bet;
  const raising = highest(model) > 0;
  const own = ownSizes();
  const shown = [...SHOWN, ...own.keys()];
  const pressed = range && pressedPreset([...shown, "all_in"].map((name) => [name, presetAmount(name, model, turn)]), size);
  const preset = (name) => {
    const isOwn = own.has(name);
    const label = isOwn ? t("size.own", { percent: own.get(name) }) : t(name === "all_in" && range.max < model.own.stack + model.own.bet ? "size.max" : `size.${name}`);
    const spoken = name === "all_in" || isOwn ? null : t(`keys.${name}`);
    return h("button", { key: name, type: "button", class: `preset ${isOwn ? "own" : name}`, "aria-label": spoken, title: spoken, "aria-pressed": String(name === pressed), onclick: () => (size.set(presetAmount(name, model, turn), name), update()) }, label);
  };
  return h("div", { class: "dock deciding", key: "dock", role: "group", "aria-label": t("dock.your_turn") },
    range && h("div", { class: "sizes", key: "sizes" },
      shown.map(preset),
      h("input", { key: "range", type: "range", min: 0, max: range.last, value: String(range.positionOf(size.amount)), "aria-label": t("dock.size"), "aria-valuetext": text(size.amount), oninput: (event) => (size.set(range.at(Number(event.target.value))), update()) }),
      h("input", {
        key: "text", class: "amount", inputmode: "decimal", autocomplete: "off", "aria-label": t("dock.size"), value: size.text ?? text(size.amount),
        oninput: (event) => {
          size.text = event.target.value;
          const typed = parseAmount(size.text);
          if (typed !== null) size.amount = range.clamp(model.snapshot.tournament ? Math.round(typed / 100) : typed);
          update();
        },
        onchange: () => ((size.text = null), update()),
        onkeydown: (event) => event.key === "Enter" && (event.preventDefault(), decide(model, "raise", size)),
      }),
      preset("all_in")),
    h("div", { class: "deeds", key: "deeds" },
      !turn.check && h("button", { key: "fold", class: "deed-fold", disabled: busy, onclick: () => decide(model, "fold", size) }, t("dock.fold"), key("F")),
      h("button", { key: "call", class: "deed-call", disabled: busy, onclick: () => decide(model, "call", size) },
        turn.check ? t("dock.check") : t(allIn ? "dock.call_all_in" : "dock.call", { amount: text(turn.call_amount) }), key("C")),
      range && h("button", { key: "raise", class: "deed-raise", disabled: busy, onclick: () => decide(model, "raise", size) },
        everything ? t("dock.all_in", { amount: text(size.amount) }) : t(raising ? "dock.raise" : "dock.bet", { amount: text(size.amount) }), key("R"))));
}

const key = (letter) => h("kbd", { "aria-hidden": "true" }, letter);

/** The possible pre-actions at this price: name → price. */
export function preActions(model) {
  const price = priceFor(model.snapshot, model.own.seat);
  return [["fold_to_any_bet", null], [price > 0 ? "call" : "check_fold", price], ["call_any", null]];
}

function advance(model) {
  const text = amountsOf(model.snapshot);
  const actions = preActions(model);
  const [, [second, price]] = actions;
  const label = (action) => t(action === "fold_to_any_bet" && second === "call" ? "pre.fold" : `pre.${action}`, { amount: text(price) });
  return h("div", { class: "dock waiting", key: "dock", role: "group", "aria-label": t("dock.in_advance") },
    h("div", { class: "deeds", key: "pre" }, actions.map(([action, price]) =>
      h("button", { key: action, class: "pre", "aria-pressed": String(model.preAct?.action === action), onclick: () => room.preAct(model.name, action, price) }, h("span", { class: "pre-tick", "aria-hidden": "true" }), label(action)))));
}

/** Watch a table to which players of a closed one have moved. */
async function follow(closed, table) {
  await room.hide(closed);
  await room.show(table);
}

/** An observer of a tournament: a visitor, or a player without chips. */
function finished(model) {
  const own = model.snapshot.tournament.places.find((place) => place.name === room.account?.name);
  if (model.notice === "closed" && model.moved.length > 0) {
    const tables = [...new Set(model.moved.map((player) => player.table))];
    return note(t("mtt.closed"), tables.slice(0, 4).map((table) => h("button", { key: table, onclick: () => follow(model.name, table) }, t("mtt.watch", { number: tableNumber(table) }))));
  }
  if (!own) return note(t("uth.watching"));
  return note([t("sng.finished", { place: own.place }), own.prize > 0 && ` ${t("sng.won_prize", { prize: money(own.prize) })}`].filter(Boolean).join(""));
}
