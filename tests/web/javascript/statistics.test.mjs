// Statistics of counted hands: sums over stakes, rates, results in big blinds, and the graph.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggression, firstMonth, grouped, lines, rate, summed, winRate } from "../../../pokerroom/web/static/app/statistics.js";

const NONE = Object.fromEntries(["hands", "vpip_chances", "vpip", "pfr", "three_bet_chances", "three_bets", "fold_to_three_bet_chances", "folds_to_three_bet", "c_bet_chances", "c_bets", "fold_to_c_bet_chances", "folds_to_c_bet", "bets", "calls", "flops", "showdowns", "showdowns_won", "won"].map((name) => [name, 0]));
const stake = (fields) => ({ ...NONE, position: "button", big_blind: 100, won_squared: "0", ...fields });

test("rates are of sums, not means of rates", () => {
  const row = summed([stake({ hands: 10, vpip_chances: 10, vpip: 9 }), stake({ hands: 90, vpip_chances: 90, vpip: 1 })]);
  assert.equal(rate(row, "vpip"), 0.1);
  assert.equal(rate(row, "three_bet"), null);
  assert.equal(aggression(row), null);
  assert.equal(aggression(summed([stake({ bets: 3, calls: 2 })])), 1.5);
});

test("groups keep their order", () => {
  const rows = grouped([stake({ hands: 1 }), stake({ position: "early", hands: 2 }), stake({ hands: 4 })], ({ position }) => position);
  assert.deepEqual(rows.map(({ key, hands }) => [key, hands]), [["button", 5], ["early", 2]]);
});

test("the win rate of several stakes is in big blinds, with its interval", () => {
  // two hands at 100: +300 and -100; two at 200: +200 and 0; in big blinds +3, -1, +1, 0: mean 0.75, variance 35/12
  const row = summed([stake({ hands: 2, won: 200, won_squared: "100000" }), stake({ hands: 2, won: 200, won_squared: "40000", big_blind: 200 })]);
  const { value, margin } = winRate(row);
  assert.equal(value, 75);
  assert.ok(Math.abs(margin - (196 * Math.sqrt(35 / 12)) / 2) < 1e-9);
  assert.deepEqual(winRate(summed([stake({ hands: 1, won: 100, won_squared: "10000" })])), { value: 100, margin: null });
});

test("hands of tournaments have no result", () => {
  assert.equal(winRate(summed([stake({ hands: 9, big_blind: 0 })])), null);
});

test("the graph begins at nothing and adds up", () => {
  assert.deepEqual(lines([{ hands: 2, won: 100, expected: 50_000 }, { hands: 3, won: -300, expected: -100_000 }]), [
    { hands: 0, won: 0, expected: 0 }, { hands: 2, won: 100, expected: 50 }, { hands: 5, won: -200, expected: -50 },
  ]);
});

test("a period begins with a month", () => {
  const january = new Date(Date.UTC(2026, 0, 15));
  assert.deepEqual(["all", "month", "quarter", "year"].map((period) => firstMonth(period, january)), [null, 202601, 202511, 202502]);
});
