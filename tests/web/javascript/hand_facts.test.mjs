// What a replay tells beside the steps of a hand: pot odds, and the hands that may be compared.

import assert from "node:assert/strict";
import { test } from "node:test";
import { afterEvent } from "../../../protocol/javascript/pokerroom.js";
import { contest, knownCards, opened, potOdds, streetsOf } from "../../../pokerroom/web/static/app/hand_facts.js";
import { recordingOf } from "../../../pokerroom/web/static/app/past.js";

const HAND = {
  hand_id: "h1", table: "t", game: "holdem", structure: "no_limit", small_blind: 50, big_blind: 100, started_ms: 1, ended_ms: 2, button: 1, your_seat: 1, table_seats: 6,
  seats: [
    { seat: 1, name: "ann", stack: 1000, end: 0, cards: ["As", "Ad"] },
    { seat: 4, name: "bob", stack: 1000, end: 2000, cards: ["Kh", "Kd"] },
  ],
  steps: [
    { what: "post", seat: 1, amount: 50, kind: "small_blind" },
    { what: "post", seat: 4, amount: 100, kind: "big_blind" },
    { what: "call", seat: 1, amount: 50, bet: 100 },
    { what: "check", seat: 4, amount: 0, bet: 100 },
    { what: "street", street: "flop", cards: ["2c", "7d", "Kc"] },
    { what: "bet", seat: 1, amount: 100, bet: 100 },
    { what: "raise", seat: 4, amount: 900, bet: 900 },
    { what: "call", seat: 1, amount: 800, bet: 900 },
    { what: "street", street: "turn", cards: ["3h"] },
    { what: "street", street: "river", cards: ["4s"] },
    { what: "shown", seat: 4 },
    { what: "award", pot: 0, amount: 2000, shares: [{ seat: 4, amount: 2000 }] },
  ],
};
const told = recordingOf(HAND, afterEvent);
const at = (what) => told.steps.findIndex(({ event }) => what(event));

test("pot odds are told before the decision", () => {
  const call = at((event) => event.type === "acted" && event.added === 800);
  assert.deepEqual(potOdds(told, call - 1), { seat: 1, call: 800, pot: 1200, share: 0.4 });
  const first = at((event) => event.type === "acted");
  assert.deepEqual(potOdds(told, first - 1), { seat: 1, call: 50, pot: 150, share: 0.25 });
  const raise = at((event) => event.action === "raise");
  assert.deepEqual(potOdds(told, raise - 1), { seat: 4, call: 100, pot: 300, share: 0.25 });
});

test("a check, a street and the end have none", () => {
  assert.equal(potOdds(told, at((event) => event.action === "check") - 1), null);
  assert.equal(potOdds(told, at((event) => event.type === "street_dealt") - 1), null);
  assert.equal(potOdds(told, told.steps.length - 1), null);
});

test("own cards and shown ones are compared on each street, until the pot is given", () => {
  assert.deepEqual([...knownCards(told)], [[1, ["As", "Ad"]], [4, ["Kh", "Kd"]]]);
  const flop = at((event) => event.type === "street_dealt");
  assert.deepEqual(contest(told, flop), { hands: [{ seat: 1, cards: ["As", "Ad"] }, { seat: 4, cards: ["Kh", "Kd"] }], board: ["2c", "7d", "Kc"], dead: [] });
  assert.deepEqual(contest(told, flop - 1).board, []);
  assert.equal(contest(told, told.steps.length - 1), null);
  assert.equal(contest(told, at((event) => event.type === "pot_awarded")), null);
});

test("a hand that is not known is compared with none, and a folded one is out of the deck", () => {
  const hidden = recordingOf({ ...HAND, your_seat: null, seats: HAND.seats.map((seat) => ({ ...seat, cards: seat.seat === 4 ? seat.cards : null })) }, afterEvent);
  assert.equal(contest(hidden, 5), null);
  const seats = [...HAND.seats, { seat: 5, name: "eve", stack: 500, end: 500, cards: ["7c", "7h"] }];
  const folded = { ...HAND, your_seat: 5, seats, steps: [...HAND.steps.slice(0, 2), { what: "fold", seat: 5, amount: 0, bet: 0 }, ...HAND.steps.slice(2, -2), { what: "shown", seat: 1 }, ...HAND.steps.slice(-2)] };
  const three = recordingOf(folded, afterEvent);
  assert.deepEqual(contest(three, three.steps.findIndex(({ event }) => event.type === "street_dealt")).dead, ["7c", "7h"]);
});

test("the felt shows the hands that the equity counts, from the deal on", () => {
  const cardsAt = (step) => opened(told, step).seats.map(({ cards }) => cards);
  const deal = at((event) => event.type === "hole_cards");
  assert.deepEqual(cardsAt(deal), [["As", "Ad"], ["Kh", "Kd"]]);
  assert.deepEqual(cardsAt(deal - 1), [null, null]);
  assert.equal(contest(told, deal - 1), null);
  assert.notEqual(contest(told, deal), null);
  const seats = HAND.seats.map((seat) => ({ ...seat, cards: seat.seat === 4 ? null : seat.cards }));
  const redacted = recordingOf({ ...HAND, seats }, afterEvent);
  assert.deepEqual(opened(redacted, deal).seats.map(({ cards }) => cards), [["As", "Ad"], null]);
});

test("the streets of a hand begin where they are dealt", () => {
  assert.deepEqual(streetsOf(told).map(({ street }) => street), ["preflop", "flop", "turn", "river"]);
});
