// Equity in the replay: every board is counted, and hands are compared as the rules say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { masksOf, shares, valueOf } from "../../../pokerroom/web/static/app/equity.js";
import { bestCategory } from "../../../pokerroom/web/static/app/ranking.js";

const RANKS = "23456789TJQKA";
const DECK = [...RANKS].flatMap((rank) => [..."cdhs"].map((suit) => rank + suit));
const CATEGORIES = ["high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind", "straight_flush"];

function run(...of) {
  const counting = shares(...of);
  for (let next = counting.next(); ; next = counting.next()) if (next.done) return next.value;
}

/** Cards by a generator of its own, the same at each run. */
function* random(count) {
  let state = 7;
  for (;;) {
    const deck = [...DECK];
    yield Array.from({ length: count }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return deck.splice(state % deck.length, 1)[0];
    });
  }
}

/** The five cards' category, and their ranks by how often they come: written apart, to compare two hands. */
function plain(five) {
  const ranks = five.map((card) => RANKS.indexOf(card[0]));
  const times = (rank) => ranks.filter((each) => each === rank).length;
  const order = [...new Set(ranks)].sort((one, other) => times(other) - times(one) || other - one);
  const straight = order.length === 5 && (Math.max(...ranks) - Math.min(...ranks) === 4 ? Math.max(...ranks) : order.join() === "12,3,2,1,0" ? 3 : 0);
  const flush = new Set(five.map((card) => card[1])).size === 1;
  const counts = order.map(times).join("");
  const category = straight && flush ? 8 : counts === "41" ? 7 : counts === "32" ? 6 : flush ? 5 : straight ? 4 : counts === "311" ? 3 : counts === "221" ? 2 : counts === "2111" ? 1 : 0;
  return [category, ...(straight ? [straight] : order)];
}

const fives = (cards) => cards.flatMap((_, i) => cards.slice(i + 1).map((__, j) => cards.filter((___, at) => at !== i && at !== i + 1 + j)));
const later = (one, other) => one.map((each, at) => each - other[at]).find((each) => each !== 0) ?? 0;
const best = (seven) => fives(seven).map(plain).sort((one, other) => later(other, one))[0];

test("two hands of seven cards compare as their best fives do", () => {
  const cards = random(14);
  for (let tries = 0; tries < 1_500; tries += 1) {
    const both = cards.next().value;
    const [one, other] = [both.slice(0, 7), both.slice(7)];
    const wanted = Math.sign(later(best(one), best(other)));
    assert.equal(Math.sign(valueOf(...masksOf(one)) - valueOf(...masksOf(other))), wanted, both.join(" "));
  }
});

test("each category is the one that the table names", () => {
  const cards = random(7);
  const seen = new Set();
  for (let tries = 0; tries < 4_000; tries += 1) {
    const seven = cards.next().value;
    const category = Math.floor(valueOf(...masksOf(seven)) / 2 ** 26);
    assert.equal(CATEGORIES[category], bestCategory(seven.slice(0, 2), seven.slice(2)).replace("royal_flush", "straight_flush"));
    seen.add(category);
  }
  assert.ok(seen.size >= 7);
});

test("known shares: a pair against a higher one, a split, and a hand that is beaten", () => {
  const close = (found, wanted) => found.forEach((share, index) => assert.ok(Math.abs(share - wanted[index]) < 5e-5, String(found)));
  close(run([["As", "Ah"], ["Ks", "Kh"]], []), [0.82637, 0.17363]); // as published for two pairs of the same suits
  close(run([["As", "Ah"], ["Ks", "Kh"]], ["2c", "7d", "Kd"]), [85 / 990, 905 / 990]);
  close(run([["As", "2h"], ["Ac", "3d"]], ["Kd", "Kc", "Qs", "Qh", "Ah"]), [0.5, 0.5]);
  close(run([["7c", "2d"], ["As", "Kh"]], ["Ad", "Kc", "Ks", "Ah", "3c"]), [0, 1]);
});

test("cards that are known elsewhere come on no board", () => {
  const board = ["2c", "7d", "9h", "Jc"];
  const [free] = run([["As", "Ah"], ["Ks", "Kh"]], board);
  const [sure] = run([["As", "Ah"], ["Ks", "Kh"]], board, { dead: ["Kc", "Kd"] });
  assert.equal(free, 1 - 2 / 44);
  assert.equal(sure, 1);
});

test("Omaha takes two cards of the hand", () => {
  const found = run([["As", "Ks", "2d", "3c"], ["9c", "9d", "4h", "5h"]], ["Qs", "Js", "Ts", "9s", "9h"], { game: "omaha" });
  assert.deepEqual(found, [1, 0]);
  const oneSpade = run([["As", "Kd", "2d", "3c"], ["8c", "8d", "4h", "5h"]], ["Qs", "Js", "7s", "2s", "8h"], { game: "omaha" });
  assert.deepEqual(oneSpade, [0, 1]);
});

test("the shares of three hands sum to one", () => {
  const found = run([["As", "Ah"], ["Ks", "Kh"], ["7c", "2d"]], ["2c", "7d", "Kd"]);
  assert.ok(Math.abs(found.reduce((sum, share) => sum + share) - 1) < 1e-9);
});
