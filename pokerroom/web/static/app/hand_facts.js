/** What a replay tells of a recorded hand beside its steps: who holds which cards, pot odds, the parts of the hand. Knows
 * no page. A recording is `{ id, at, start, yours, steps: [{ event, after }] }`. */

import { potOf, priceFor } from "./amounts.js";

/** The hole cards that the recording tells sooner or later: seat → cards. */
export function knownCards(hand) {
  const known = new Map();
  for (const { event } of hand.steps) {
    if (event.type === "hole_cards" && event.cards?.length && hand.yours !== null) known.set(hand.yours, event.cards);
    if (event.type === "shown" && event.cards.length) known.set(event.seat, event.cards);
  }
  return known;
}

/** Whether the hole cards are dealt at a step. */
const isDealt = (hand, step) => step >= hand.steps.findIndex(({ event }) => event.type === "hole_cards");

/** The table after a step, with each known hand of those that may still win face up from the deal on. */
export function opened(hand, step, known = knownCards(hand)) {
  const { after } = hand.steps[step];
  if (!after.hand || !isDealt(hand, step)) return after;
  return { ...after, seats: after.seats.map((seat) => (seat.in_hand && known.has(seat.seat) ? { ...seat, cards: known.get(seat.seat) } : seat)) };
}

/** What the decision after a step is about: `{ seat, call, pot, share }`, where `pot` is what lies in the middle before the
 * call, and `share` the equity that makes a call pay; null if no decision follows, or if there is nothing to call. */
export function potOdds(hand, step) {
  const event = hand.steps[step + 1]?.event;
  if (event?.type !== "acted" || event.action === "clock_all_in") return null;
  const table = hand.steps[step].after;
  const call = priceFor(table, event.seat);
  if (call === 0) return null;
  const pot = potOf(table);
  return { seat: event.seat, call, pot, share: call / (pot + call) };
}

/** The hands to compare at a step: `{ hands: [{ seat, cards }], board, dead }`; null where fewer than two hands are known
 * of those that may still win, and before the deal and after the hand. */
export function contest(hand, step, known = knownCards(hand)) {
  const { after } = hand.steps[step];
  if (!after.hand || !isDealt(hand, step)) return null;
  const hands = [];
  const dead = [];
  for (const [seat, cards] of known) {
    if (after.seats.find((each) => each.seat === seat)?.in_hand) hands.push({ seat, cards });
    else dead.push(...cards);
  }
  if (hands.length < 2 || hand.steps.slice(0, step + 1).some(({ event }) => event.type === "pot_awarded")) return null;
  return { hands, board: after.hand.board, dead };
}

/** The steps by street: `[{ street, cards, first }]`, each with the number of its first step. */
export function streetsOf(hand) {
  const streets = [{ street: "preflop", cards: [], first: 0 }];
  hand.steps.forEach(({ event }, index) => {
    if (event.type === "street_dealt") streets.push({ street: event.street, cards: event.cards, first: index });
  });
  return streets;
}
