// A hand that the room has kept is told again as it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { afterEvent } from "../../../protocol/javascript/pokerroom.js";
import { recordingOf } from "../../../pokerroom/web/static/app/past.js";
import { vectors } from "../../protocol/javascript/support.mjs";

const HAND = {
  hand_id: "h1", table: "t", structure: "no_limit", small_blind: 50, big_blind: 100, started_ms: 1, ended_ms: 2, button: 1, your_seat: 1, table_seats: 6,
  seats: [
    { seat: 1, name: "ann", stack: 1000, end: 1100, cards: ["As", "Ad"] },
    { seat: 4, name: "bob", stack: 500, end: 400, cards: null },
  ],
  steps: [
    { what: "post", seat: 1, amount: 50, kind: "small_blind" },
    { what: "post", seat: 4, amount: 100, kind: "big_blind" },
    { what: "call", seat: 1, amount: 50, bet: 100 },
    { what: "check", seat: 4, amount: 0, bet: 100 },
    { what: "street", street: "flop", cards: ["2c", "7d", "9h"] },
    { what: "bet", seat: 1, amount: 200, bet: 200 },
    { what: "fold", seat: 4, amount: 0, bet: 0 },
    { what: "uncalled", seat: 1, amount: 200 },
    { what: "award", pot: 0, amount: 200, shares: [{ seat: 1, amount: 200 }] },
  ],
};

test("stacks, bets and pots add up at every step, and the end is as it was", () => {
  const { steps, start, yours } = recordingOf(HAND, afterEvent);
  assert.equal(start.info.seats, 6);
  assert.equal(start.tournament, null);
  assert.equal(yours, 1);
  for (const { event, after } of steps.slice(0, -2)) {
    const chips = after.seats.reduce((sum, seat) => sum + seat.stack + seat.bet, 0) + (after.hand?.pots ?? []).reduce((sum, pot) => sum + pot.amount, 0);
    assert.equal(chips, 1500, event.type);
  }
  const last = steps.at(-1).after;
  assert.deepEqual(last.seats.map((seat) => seat.stack), [1100, 400]);
  const flop = steps.find(({ event }) => event.type === "street_dealt").after;
  assert.deepEqual(flop.hand.board, ["2c", "7d", "9h"]);
  assert.deepEqual(flop.seats[0].cards, ["As", "Ad"]);
});

test("the id of the table tells a tournament's chips from money", () => {
  const isChips = (table) => recordingOf({ ...HAND, table }, afterEvent).start.tournament !== null;
  assert.deepEqual(["six.17", "nl-6max-1", "host:48cea4cysf"].map(isChips), [true, false, false]);
});

test("house bots are told by their names", () => {
  const seats = HAND.seats.map((seat) => ({ ...seat, name: seat.seat === 4 ? "Bot.Rosa" : seat.name }));
  assert.deepEqual(recordingOf({ ...HAND, seats }, afterEvent).start.seats.map(({ bot }) => bot), [false, true]);
});

test("a record without the number of seats shows the seats that were dealt in", () => {
  const { start } = recordingOf({ ...HAND, table_seats: null }, afterEvent);
  assert.equal(start.info.seats, 4);
});

test("the example of the contract can be told again", () => {
  for (const { json } of vectors("server").filter(({ type }) => type === "hand_history")) {
    const { steps } = recordingOf(json.hand, afterEvent);
    assert.equal(steps.at(-1).event.type, "hand_ended");
  }
});
