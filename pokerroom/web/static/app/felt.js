/** The felt: seats, board, pots and bets of one table, from a snapshot. Used for play and for replays. */

import { potOf } from "./amounts.js";
import { cardGroup, cardNames, chips } from "./cards.js";
import { places, rotated } from "./geometry.js";
import { amountsOf, t } from "./i18n.js";
import { noteButton } from "./note_mark.js";
import { bestCategory } from "./ranking.js";
import { h } from "./view.js";

/** `view`: `{ snapshot, actions, result, yours, told, portrait, onSeat, clock, closes, notes, opponents }`; `yours` is the
 * seat at the bottom. A hand that is `told` to anyone names it as the others. `notes` are the viewer's own, as `notes()`
 * returns them; `opponents` tells the statistics of a player, as `opponents()` returns it. */
export function felt(view) {
  const { snapshot, result, yours, portrait } = view;
  const order = rotated(snapshot.info.seats, yours);
  const spots = places(order.length, portrait);
  const money = amountsOf(snapshot);
  const hand = snapshot.hand;
  const button = hand?.button ?? result?.button ?? null;
  const board = hand?.board ?? result?.board ?? [];
  const total = hand ? potOf(snapshot) : 0;
  const pots = (hand?.pots ?? []).filter((pot) => pot.amount > 0);
  const several = pots.length > 1;
  return h("div", { class: `felt seats-${order.length}`, "data-portrait": portrait },
    h("div", { class: "rail", "aria-hidden": "true" }, h("div", { class: "cloth" })),
    h("div", { class: "middle" },
      h("p", { class: "pot" }, total > 0 ? [t("table.pot"), " ", h("strong", {}, money(total))] : snapshot.paused && h("strong", {}, t("table.paused"))),
      board.length > 0
        ? cardGroup([...board], t("table.board", { cards: cardNames(board) }), { class: "board", key: "board" })
        : h("div", { class: "cards board", key: "no-board" }),
      h("div", { class: several ? "pots several" : "pots" }, pots.map((pot, index) =>
        h("span", { key: index, class: "heap" }, !several && chips(pot.amount), h("span", {}, several && h("span", { class: "pot-name" }, t(index ? "table.side_pot" : "table.main_pot", { number: index }), ": "), money(pot.amount)))))),
    h("ol", { class: "seats", "aria-label": t("table.seats") }, order.map((number, index) => seat(view, number, spots[index], index))),
    h("div", { class: "bets", "aria-hidden": "true" }, order.map((number, index) => bet(view, number, spots[index], index))),
    button !== null && mark(spots[order.indexOf(button)]));
}

const at = (x, y) => ({ left: `${x.toFixed(2)}%`, top: `${y.toFixed(2)}%` });

/** Whether it is the seat opposite to the first one, alone at the upper end. */
const isTop = (index, { info }) => 2 * index === info.seats;

function mark(spot) {
  return spot && h("span", { class: "button-mark", style: at(spot.markX, spot.markY), title: t("table.button"), "aria-hidden": "true" }, "D");
}

function bet({ snapshot, result }, number, spot, index) {
  const classes = index === 0 ? "heap bet near" : isTop(index, snapshot) ? "heap bet top" : "heap bet";
  const money = amountsOf(snapshot);
  const amount = snapshot.seats.find((seat) => seat.seat === number)?.bet ?? 0;
  const won = result?.winners.get(number);
  if (won) return h("span", { key: number, class: `${classes} won`, style: at(spot.betX, spot.betY) }, chips(won), h("span", {}, `+${money(won)}`));
  return amount > 0 && h("span", { key: number, class: classes, style: at(spot.betX, spot.betY) }, chips(amount), h("span", {}, money(amount)));
}

function seat(view, number, spot, index) {
  const { snapshot, yours, onSeat, closes } = view;
  const money = amountsOf(snapshot);
  const holder = snapshot.seats.find((each) => each.seat === number);
  const style = at(spot.x, spot.y);
  if (!holder) {
    if (closes) return null;
    const reserved = (snapshot.reserved ?? []).includes(number);
    const free = onSeat && !reserved;
    return h("li", { key: number, class: isTop(index, snapshot) ? "place top" : "place", style },
      free
        ? h("button", { class: "free", "aria-label": t("table.take_seat", { seat: number }), onclick: () => onSeat(number) }, t("table.free"))
        : h("span", { class: "free idle" }, t(reserved ? "table.held" : "table.free")));
  }
  const { own, hand, turn, classes, action, cards } = seatFacts(view, holder, yours, index);
  return h("li", { key: number, class: classes, style },
    cards,
    h("div", { class: "plate" },
      h("span", { class: `face tint-${tint(holder.name)}`, "aria-hidden": "true" }, initials(holder.name)),
      holder.bot && h("span", { class: "bot", title: t("table.bot_title") }, t("table.bot")),
      h("span", { class: "who" },
        h("span", { class: "name" }, own && !view.told ? t("table.you") : holder.bot ? holder.name.replace(/^Bot\./i, "") : holder.name),
        h("span", { class: "stack" }, holder.all_in && hand ? t("table.all_in") : money(holder.stack),
          own && holder.waiting_top_up > 0 && h("small", { class: "coming", title: t("table.top_up_waits", { amount: money(holder.waiting_top_up) }) }, ` +${money(holder.waiting_top_up)}`))),
      !own && view.notes && noteButton(view.notes, holder.name),
      !own && view.opponents?.(holder.name),
      turn && view.clock && h("pr-clock", { ".turn": turn, ".then": own ? afterwards(turn) : null })),
    h("span", { class: "deed" }, action),
    turn && h("span", { class: "unseen" }, t("table.to_act")));
}

/** What follows your time: the time bank, or what the room will decide. */
function afterwards(turn) {
  if (turn.time_bank_ms > 0 && !turn.in_time_bank) return `+${Math.round(turn.time_bank_ms / 1000)}`;
  return turn.on_timeout ? t(turn.on_timeout === "all_in" ? "did.stay_in" : `did.${turn.on_timeout}`) : null;
}

function seatFacts(view, holder, yours, index) {
  const { snapshot, actions, result } = view;
  const hand = snapshot.hand;
  const own = holder.seat === yours && snapshot.your_seat === yours;
  const turn = hand?.turn?.seat === holder.seat ? hand.turn : null;
  const won = result?.winners.has(holder.seat) ?? false;
  const last = actions?.get(holder.seat);
  const folded = hand !== null && !holder.in_hand && last?.action === "fold";
  const classes = ["place", "taken"];
  if (own) classes.push("own");
  if (index === 0) classes.push("near");
  if (isTop(index, snapshot)) classes.push("top");
  if (turn) classes.push("turn");
  if (won) classes.push("winner");
  if (folded || (result && !won && !hand)) classes.push("dim");
  if (holder.status === "sitting_out" || holder.status === "away" || holder.status === "leaving") classes.push("away");
  if (!holder.connected) classes.push("gone");
  const known = hand ? holder.cards : (result?.cards.get(holder.seat) ?? null);
  let cards = null;
  if (known && (!folded || own)) {
    const label = t(own && !view.told ? "table.your_cards" : "table.their_cards", { name: holder.name, cards: cardNames(known) });
    cards = cardGroup(known, label, { class: "hole open", key: "open" });
  } else if (hand && holder.in_hand) {
    cards = cardGroup(Array(snapshot.info.hole_cards ?? 2).fill(null), null, { class: "hole", key: "closed" });
  }
  return { own, hand, turn, classes: classes.join(" "), cards, action: deed(view, holder, last, won, own) };
}

function deed({ snapshot, result }, holder, last, won, own) {
  if (won && result.ranks.has(holder.seat)) return h("b", {}, handRank(result.ranks.get(holder.seat)));
  if (!snapshot.hand && result?.ranks.has(holder.seat)) return handRank(result.ranks.get(holder.seat));
  if (holder.status === "leaving") return t("status.leaving");
  if (!holder.connected) return t("status.gone");
  if (holder.status === "sitting_out" || holder.status === "away") return t(`status.${holder.status}`);
  if (holder.status === "waiting" && !holder.in_hand) return t("status.waiting");
  if (own && snapshot.hand && holder.in_hand && holder.cards) {
    const rank = bestCategory(holder.cards, snapshot.hand.board, snapshot.info.game);
    if (snapshot.hand.board.length > 0 || rank === "pair") return [h("span", { class: "unseen" }, t("table.you_have"), " "), h("span", { class: "rank-now" }, handRank(rank))];
  }
  return last ? did(last) : null;
}

/** A narrow plate shows the short form. */
const long = (text, short) => h("span", { class: "long", "data-short": t(short) }, t(text));

const handRank = (rank) => long(`rank.${rank}`, `rank_short.${rank}`);

/** Actions with a long name that have a short one. */
const SHORTENED = new Set(["small_blind", "big_blind", "clock_all_in"]);

function did({ action, byClock }) {
  if (SHORTENED.has(action)) return long(`did.${action}`, `did_short.${action}`);
  return byClock ? long(`did.${action}_by_clock`, `did.${action}`) : t(`did.${action}`);
}

function initials(name) {
  const words = name.replace(/^Bot[._-]/i, "").split(/[-_.]/).filter(Boolean);
  // a number at the end tells guests and bots apart
  return ((words[0]?.[0] ?? "?") + (/\d$/.exec(name)?.[0] ?? words[1]?.[0] ?? words[0]?.[1] ?? "")).toUpperCase();
}

function tint(name) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)) % 997;
  return hash % 8;
}
