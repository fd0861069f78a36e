// Amounts as people write them, sizes of bets, prices, chips.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Range, chipsOf, formatAmount, parseAmount, potOf, potShareRaise, pressedPreset, priceFor, stakesOf, topPrizes } from "../../../pokerroom/web/static/app/amounts.js";

const seat = (number, fields) => ({ seat: number, stack: 10_000, bet: 0, ...fields });
const table = (seats, pots = [], street = "flop") => ({ info: { big_blind: 100 }, seats, hand: { street, pots } });

test("amounts are written in the language of the reader", () => {
  assert.equal(formatAmount(20_000, "en"), "200");
  assert.equal(formatAmount(150, "en"), "1.50");
  assert.equal(formatAmount(-150, "pl"), "−1,50");
  assert.equal(formatAmount(123_456_750, "de"), "1.234.567,50");
});

test("amounts are read with point or comma, and nothing else is an amount", () => {
  assert.deepEqual(["2", "2.5", "2,50", " 0.05 ", "1\u00a0234,5", "", "-1", "1.234", "x", "1e3"].map(parseAmount), [200, 250, 250, 5, 123_450, null, null, null, null, null]);
});

test("of many prizes the best are told", () => {
  assert.equal(topPrizes([], String), "");
  assert.equal(topPrizes([3, 2], String), "3 / 2");
  assert.equal(topPrizes([6, 5, 4, 3, 2, 1], String), "6 / 5 / 4 / 3 / 2 / …");
});

test("a slider reaches its most, whatever the step", () => {
  const range = new Range(200, 1_030, 100);
  assert.equal(range.at(0), 200);
  assert.equal(range.at(range.last), 1_030);
  assert.equal(range.at(range.last - 1), 1_000);
  assert.equal(range.positionOf(1_030), range.last);
  assert.deepEqual([range.clamp(5), range.clamp(9_999)], [200, 1_030]);
  assert.equal(new Range(500, 500, 100).last, 0);
});

test("a raise by the pot counts the call: 100 in the middle, a bet of 100 to call, makes 400", () => {
  const snapshot = table([seat(1, { bet: 100 }), seat(2)], [{ amount: 100 }]);
  const turn = { seat: 2, call_amount: 100, min_raise_to: 200, max_raise_to: 10_000 };
  assert.equal(potOf(snapshot), 200);
  assert.equal(potShareRaise(snapshot, turn, 1), 400);
  assert.equal(potShareRaise(snapshot, turn, 0.5), 250);
  assert.equal(potShareRaise(snapshot, { ...turn, max_raise_to: 300 }, 1), 300);
});

test("the price of a pre-action is the bet to match less our own, at most our stack", () => {
  assert.equal(priceFor(table([seat(1, { bet: 400 }), seat(2, { bet: 100 })]), 2), 300);
  assert.equal(priceFor(table([seat(1, { bet: 400 }), seat(2, { bet: 100, stack: 50 })]), 2), 50);
  assert.equal(priceFor(table([seat(1), seat(2)]), 2), 0);
  assert.equal(priceFor(table([seat(1, { bet: 30, stack: 0 }), seat(2)], [], "preflop"), 2), 100);
});

test("chips add up, largest first, and no pile is higher than asked", () => {
  assert.deepEqual(chipsOf(13_175).map(({ value }) => value), [10_000, 2_500, 500, 100, 25, 25, 25]);
  assert.equal(chipsOf(99_999_999, 7).length, 7);
  assert.equal(chipsOf(0).length, 1);
});

test("the six chips of a table of Ultimate differ by colour", () => {
  const chips = [100, 500, 1_000, 2_500, 10_000, 50_000].map((value) => chipsOf(value));
  assert.ok(chips.every((pile) => pile.length === 1));
  assert.equal(new Set(chips.map(([{ colour }]) => colour)).size, 6);
});

test("of presets of one amount only the chosen one looks pressed, else the first", () => {
  const presets = [["min", 200], ["half_pot", 200], ["pot", 400]];
  assert.equal(pressedPreset(presets, { amount: 200, preset: null }), "min");
  assert.equal(pressedPreset(presets, { amount: 200, preset: "half_pot" }), "half_pot");
  assert.equal(pressedPreset(presets, { amount: 400, preset: "half_pot" }), "pot");
  assert.equal(pressedPreset(presets, { amount: 300, preset: "pot" }), null);
});

test("a fixed limit is named by its bets, all else by its blinds", () => {
  const none = { small_blind: 50, big_blind: 100, small_bet: null, big_bet: null };
  assert.equal(stakesOf(none, String), "50 / 100");
  assert.equal(stakesOf({ ...none, small_bet: 100, big_bet: 200 }, String), "100 / 200");
});
