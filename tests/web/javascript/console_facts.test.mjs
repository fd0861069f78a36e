// What the operators' console makes of the room's answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsText, byState, connections, dayBefore, drainOf, entriesOf, fits, fittingClubOrders, fittingNodeOrders, fittingTableOrders, fittingTournamentOrders, rate, standingOf, stateOf, uptime, withSample } from "../../../pokerroom/web/console/facts.js";

const node = (name, at_ms, hands, fields = {}) => ({ node: name, at_ms, hands, connections: {}, ...fields });
const table = (fields = {}) => ({ table: "home", name: "Home", node: "n1", state: "playing", closing: false, occupied: 3, host: null, ...fields });

test("a rate is that of all nodes, from their oldest samples to the newest", () => {
  assert.equal(rate([], "hands"), null);
  assert.equal(rate([[node("a", 0, 5)]], "hands"), null);
  assert.equal(rate([[node("a", 0, 5), node("b", 0, 1)], [node("a", 2_000, 9), node("b", 4_000, 3)]], "hands"), 2.5);
});

test("a node that has started again counts from its start, one that is gone counts no more", () => {
  assert.equal(rate([[node("a", 0, 500)], [node("a", 2_000, 2)], [node("a", 4_000, 6)]], "hands"), 2);
  assert.equal(rate([[node("a", 0, 500), node("b", 0, 0)], [node("b", 2_000, 2)]], "hands"), 1);
});

test("samples are kept for twenty seconds", () => {
  let samples = [];
  for (let second = 0; second <= 60; second += 2) samples = withSample(samples, [node("a", second * 1_000, second)]);
  assert.equal(samples.length, 11);
  assert.equal(rate(samples, "hands"), 1);
});

test("a node with a clock far ahead leaves no old samples of the others behind", () => {
  let samples = withSample([], [node("ahead", 9_000_000_000, 0), node("b", 0, 1_000)]);
  for (let second = 2; second <= 60; second += 2) samples = withSample(samples, [node("b", second * 1_000, 1_000 + 3 * second)]);
  assert.equal(samples.length, 11);
  assert.equal(rate(samples, "hands"), 3);
});

test("connections are added up over nodes and transports", () => {
  assert.equal(connections([node("a", 0, 0, { connections: { tcp: 2, websocket: 5 } }), node("b", 0, 0)]), 7);
});

test("a table is closed when its last player has left", () => {
  assert.equal(stateOf(table({ closing: true, state: "waiting" })), "waiting");
  assert.equal(stateOf(table({ closing: true, state: "waiting", occupied: 0 })), "closed");
  assert.equal(stateOf(table({ closing: true, state: "frozen", occupied: 0 })), "frozen");
  assert.deepEqual(byState([table(), table({ state: "frozen" }), table()]), [["playing", 2], ["frozen", 1]]);
});

test("the filter looks at name, id, host and node, and at what needs attention", () => {
  const frozen = table({ state: "frozen", host: "Ottilie" });
  assert.ok(fits(frozen, { text: "  OTTI", kind: "any" }));
  assert.ok(fits(frozen, { text: "", kind: "stopped" }));
  assert.ok(fits(frozen, { text: "", kind: "hosted" }));
  assert.ok(fits(table({ state: "unowned", node: null }), { text: "home", kind: "stopped" }));
  assert.ok(!fits(table(), { text: "", kind: "hosted" }));
  assert.ok(!fits(table(), { text: "elsewhere", kind: "any" }));
  assert.ok(fits(table(), { text: "", kind: "playing" }));
});

test("only orders that fit the state of a table are offered", () => {
  assert.deepEqual(fittingTableOrders(table()), ["freeze", "close"]);
  assert.deepEqual(fittingTableOrders(table(), { nodes: 2 }), ["freeze", "move", "close"]);
  assert.deepEqual(fittingTableOrders(table({ state: "frozen", closing: true })), ["resume", "void", "void_complete", "open"]);
  assert.deepEqual(fittingTableOrders(table(), { inChips: true }), ["freeze"]);
  assert.deepEqual(fittingTableOrders(table({ table: "tournament:six.1", state: "frozen" })), ["resume"]);
  assert.deepEqual(fittingTableOrders(table({ state: "paused", host: "Ottilie" })), ["freeze", "resume", "close"]);
  assert.deepEqual(fittingTableOrders(table({ state: "paused" })), ["freeze", "close"]);
  assert.deepEqual(fittingTableOrders(table({ state: "unreachable" })), []);
  assert.deepEqual(fittingTableOrders(table({ state: "unowned", node: null })), []);
});

test("only orders that fit the phase of a tournament are offered", () => {
  assert.deepEqual(fittingTournamentOrders({ phase: "registering" }), ["cancel"]);
  assert.deepEqual(fittingTournamentOrders({ phase: "running", state: "playing" }), ["pause", "roll_forward", "roll_back"]);
  assert.deepEqual(fittingTournamentOrders({ phase: "running", state: "paused" }), ["resume", "roll_forward", "roll_back"]);
  assert.deepEqual(fittingTournamentOrders({ phase: "finished" }), []);
});

test("times of a node, and the arguments of a line", () => {
  assert.equal(uptime(59), "0:00:59");
  assert.equal(uptime(90_061), "1d 1:01:01");
  assert.equal(argumentsText({ arguments: '{"amount":5,"key":null,"node":"n2"}' }), "amount=5 node=n2");
  assert.equal(argumentsText({ arguments: "{}" }), "");
});

test("days are of UTC, and go back over months", () => {
  assert.equal(dayBefore(Date.UTC(2026, 2, 1, 23, 59), 0), "2026-03-01");
  assert.equal(dayBefore(Date.UTC(2026, 2, 1), 1), "2026-02-28");
  assert.equal(dayBefore(Date.UTC(2024, 2, 1), 30), "2024-01-31");
});

test("a node is drained while another one takes its tables, and is then empty", () => {
  const one = { node: "a", living: true, draining: false, tables: ["t1"], tournaments: [] };
  const other = { ...one, node: "b" };
  assert.deepEqual(fittingNodeOrders(one, [one, other]), ["drain"]);
  for (const none of [[], [{ ...other, draining: true }], [{ ...other, living: false }]]) assert.deepEqual(fittingNodeOrders(one, [one, ...none]), []);
  assert.deepEqual(fittingNodeOrders({ ...one, draining: true }, [one, other]), []);
  assert.deepEqual(fittingNodeOrders({ ...one, living: false }, [one, other]), []);
  assert.equal(drainOf({ ...one, draining: true }), "draining");
  assert.equal(drainOf({ ...one, draining: true, tables: [], tournaments: ["six.1"] }), "draining");
  assert.equal(drainOf({ ...one, draining: true, tables: [] }), "drained");
});

test("entries have the number that is allowed where there is a bound", () => {
  assert.equal(entriesOf({ taken: 3, seats: 6 }, String), "3/6");
  assert.equal(entriesOf({ taken: 3, seats: 10_000 }, String), "3");
});

test("an announcement waits, is told, and is over by time or by order", () => {
  const one = { begins_ms: 10, ends_ms: 20, withdrawn_ms: null };
  assert.deepEqual([9, 10, 19, 20].map((now) => standingOf(one, now)), ["waits", "told", "told", "over"]);
  assert.equal(standingOf({ ...one, withdrawn_ms: 12 }, 15), "over");
});

test("a club has the orders that fit it, and a closed one has none", () => {
  const club = { overview: { closed_ms: null, tables: 0 }, invites: true, members: [1, 2] };
  assert.deepEqual(fittingClubOrders(club), ["rename", "end_invitation", "set_owner", "close"]);
  assert.deepEqual(fittingClubOrders({ overview: { closed_ms: null, tables: 1 }, invites: false, members: [1] }), ["rename"]);
  assert.deepEqual(fittingClubOrders({ ...club, overview: { closed_ms: 5, tables: 0 } }), []);
});
