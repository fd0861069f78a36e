// Who wants to play now is shown the table where he is dealt in soonest.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bestSeat, buyInFor, gamesFirst, nextFirst } from "../../../pokerroom/web/static/app/best_seat.js";

const LINE = { structure: "no_limit", big_blind: 100, seats: 6, occupied: 0, players: 0, waiting: 0, house_bots: 0, min_buy_in: 2_000, max_buy_in: 10_000, closing: false };
const WALLET = { balance: 1_000_000 };
const line = (table, more) => ({ ...LINE, table, ...more });
const best = (lines, around = WALLET) => bestSeat(lines, around)?.table;

test("a bot that waits for somebody comes before a hand that must be waited for, and that before an empty table", () => {
  const waiting = line("waiting", { seats: 2, occupied: 1, players: 1, house_bots: 1 });
  const running = line("running", { occupied: 4, players: 4, house_bots: 4 });
  assert.equal(best([line("empty"), running, waiting]), "waiting");
  assert.equal(best([line("empty"), running]), "running");
  assert.equal(best([line("empty"), line("one", { occupied: 1, players: 1 })]), "one");
});

test("among equals it is no-limit, small stakes, about six seats", () => {
  const tables = [line("limit", { structure: "fixed_limit" }), line("high", { big_blind: 1_000 }), line("ten", { seats: 10 }), line("six")];
  assert.equal(best(tables), "six");
});

test("where there is no seat for him nothing is offered", () => {
  assert.equal(best([line("full", { occupied: 6 }), line("waited", { waiting: 1 }), line("closing", { closing: true })]), undefined);
  assert.equal(best([line("dear")], { balance: 1_999 }), undefined);
  assert.equal(best([line("his")], { ...WALLET, seated: () => true }), undefined);
});

test("he brings as much as the table takes and the wallet has", () => {
  assert.deepEqual([buyInFor(LINE, 1_000_000), buyInFor(LINE, 5_000)], [10_000, 5_000]);
});

test("tables with players or bots stand before empty ones, each in the order of the room", () => {
  const lines = [line("empty"), line("bots", { occupied: 4, players: 4 }), line("away", { occupied: 1 }), line("one", { occupied: 1, players: 1 })];
  assert.deepEqual(gamesFirst(lines).map((info) => info.table), ["bots", "one", "empty", "away"]);
});

test("tournaments to enter come first by their start, then finished ones, and cancelled ones last", () => {
  const rows = [["cancelled", 9], ["finished", 1], ["registering", 8], ["rolled_back", 3], ["running", 4], ["cancelled", 10]].map(([phase, starts_ms]) => ({ phase, starts_ms }));
  assert.deepEqual(nextFirst(rows).map(({ phase, starts_ms }) => `${phase} ${starts_ms}`), ["running 4", "registering 8", "rolled_back 3", "finished 1", "cancelled 10", "cancelled 9"]);
});
