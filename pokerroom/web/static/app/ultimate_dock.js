/** The controls of a table of Ultimate Texas Hold'em: bet, decide, or wait; the total and the result. */

import "./until.js";
import { chips } from "./cards.js";
import { lineLost } from "./dock.js";
import { money, t } from "./i18n.js";
import { room } from "./room.js";
import { takePlace } from "./ultimate_lobby.js";
import { h } from "./view.js";

/** `doings`: `pick(chip)`, `change(action)`, `decide(decision, multiple)`, `tip(amount)`; `chip` is the chosen chip. */
export function ultimateDock(model, chip, doings) {
  const { info, ownTurn, round } = model;
  if (room.client.state !== "open") return lineLost(model);
  if (model.notice === "frozen") return status(t("table.frozen_hint"));
  if (model.yourBox === null) return status(t("uth.watching"), h("button", { class: "primary", disabled: info.closing, onclick: () => takePlace(model.name, null) }, t("uth.take")));
  if (ownTurn) return decision(model, ownTurn, doings);
  if (model.open) return betting(model, chip, doings);
  return status(t(round ? "uth.waiting" : "uth.next"), outcome(model),
    model.ownBets && h("button", { key: "tip", onclick: () => doings.tip(info.chips[0]) }, t("uth.tip", { amount: money(info.chips[0]) })));
}

const status = (text, ...more) => h("div", { class: "dock", key: "dock" }, h("p", { class: "status" }, text), more);

/** Tell whether a chip can still be put anywhere. */
export const affordable = (model, amount) => amount <= room.balance - model.slip.total;

/** Your result of the last round. */
function outcome({ won, round, result }) {
  if (round || !result) return null;
  if (result.void) return h("strong", { key: "outcome", role: "status" }, t("event.round_void"));
  if (won === null) return null;
  if (won > 0) return h("strong", { key: "outcome", class: "win", role: "status" }, t("uth.won", { amount: money(won) }));
  return h("span", { key: "outcome", role: "status" }, won < 0 ? t("uth.lost", { amount: money(-won) }) : t("uth.even"));
}

function betting(model, chip, { pick, change, dealNow }) {
  const { info, slip, snapshot } = model;
  const { light, closes_ms } = snapshot.light;
  const rack = (amount, index) =>
    h("button", { key: amount, class: "rack", "aria-pressed": String(chip === amount), disabled: !affordable(model, amount), "aria-label": t("uth.chip", { amount: money(amount) }), title: String(index + 1), onclick: () => pick(amount) }, chips(amount), h("b", {}, money(amount)));
  const button = (action, possible) => h("button", { key: action, disabled: !possible, onclick: () => change(action) }, t(`uth.${action}`));
  const lacking = slip.bets.filter((bet) => bet.box !== model.yourBox && bet.ante > 0 && !bet.play).map((bet) => bet.box);
  return h("div", { class: "dock betting", key: "dock", role: "group", "aria-label": t("uth.light.green") },
    h("div", { class: "said", key: "said" },
      h("p", { class: `light ${light}` }, t(`uth.light.${light}`), closes_ms !== null && [" ", h("pr-until", { ".until": closes_ms })]),
      outcome(model),
      lacking.length > 0 && h("p", { key: "lacking", class: "lacking" }, t("uth.choose_play", { box: lacking.join(", ") }))),
    h("div", { class: "racks", key: "racks" }, info.chips.map(rack)),
    h("div", { class: "row", key: "changes" },
      button("repeat", slip.can_repeat), button("double", slip.can_double), button("undo", slip.can_undo), button("undo_all", slip.can_undo),
      h("button", { key: "deal", class: "primary", disabled: !model.canDeal, onclick: dealNow }, t(model.dealing ? "uth.dealing" : "uth.deal_now"), h("kbd", { "aria-hidden": "true" }, "D")),
      h("span", { key: "total" }, t("uth.total"), " ", h("strong", {}, money(slip.total))),
      h("span", { key: "balance", class: "hint" }, t("uth.balance", { amount: money(room.balance) }))));
}

function decision(model, turn, { decide }) {
  const ante = model.ownBets?.ante ?? 0;
  return h("div", { class: "dock deciding", key: "dock", role: "group", "aria-label": t("uth.decide") },
    h("p", { class: "status" }, t("uth.decide"), " ", h("pr-until", { ".until": turn.deadline_ms }), " · ", t(turn.fold ? "uth.then_fold" : "uth.then_check")),
    h("div", { class: "deeds", key: "deeds" },
      turn.fold && h("button", { key: "fold", class: "deed-fold", onclick: () => decide("fold") }, t("uth.fold"), h("kbd", { "aria-hidden": "true" }, "F")),
      turn.check && h("button", { key: "check", class: "deed-call", onclick: () => decide("check") }, t("uth.check"), h("kbd", { "aria-hidden": "true" }, "C")),
      [...turn.multiples].sort().map((multiple) => h("button", { key: `x${multiple}`, class: "deed-raise", disabled: ante * multiple > room.balance, onclick: () => decide("play", multiple) }, t("uth.play", { multiple, amount: money(ante * multiple) }), h("kbd", { "aria-hidden": "true" }, multiple)))));
}
