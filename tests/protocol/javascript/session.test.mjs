// The session without I/O: numbering, matching of answers, and tables that heal themselves after a gap.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientSession } from "../../../protocol/javascript/pokerroom.js";

const snapshot = (seq, fields = {}) => ({
  type: "snapshot", table: "t1", seq, info: {}, seats: [], hand: null, your_seat: null, re: null, reserved: [], ...fields,
});
const chat = (seq, table = "t1") => ({ type: "chat_said", table, seq, name: "bob", text: `${seq}` });
const sent = (session) => session.bodiesToSend().map((body) => JSON.parse(body));
const kinds = (happenings) => happenings.map(({ kind }) => kind);

function following(seq) {
  const session = new ClientSession();
  const re = session.request({ type: "observe", table: "t1" });
  sent(session);
  session.take(snapshot(seq, { re }));
  return session;
}

test("requests are numbered, and an answer finds its request in whatever order it comes", () => {
  const session = new ClientSession();
  session.request({ type: "ping" });
  session.request({ type: "list_tables" });
  const [ping, tables] = sent(session);
  assert.notEqual(ping.id, tables.id);
  const [second] = session.take({ type: "tables", re: tables.id, tables: [] });
  const [first] = session.take({ type: "error", re: ping.id, code: "internal", message: "x" });
  assert.deepEqual([second.request.type, first.request.type], ["list_tables", "ping"]);
  assert.equal(first.answer.code, "internal");
});

test("an event before any snapshot, or of another table, is dropped", () => {
  assert.deepEqual(new ClientSession().take(chat(1)), []);
  assert.deepEqual(following(5).take(chat(6, "t2")), []);
});

test("events come once and in order; those that the snapshot has already are dropped", () => {
  const session = following(5);
  assert.deepEqual(kinds(session.take(chat(5))), []);
  assert.deepEqual(kinds(session.take(chat(6))), ["event"]);
  assert.deepEqual(kinds(session.take(chat(6))), []);
  assert.equal(session.tables.get("t1").seq, 6);
});

test("a gap asks once for a snapshot, and events wait for it", () => {
  const session = following(5);
  assert.deepEqual(kinds(session.take(chat(8))), []);
  const [healing] = sent(session);
  assert.deepEqual([healing.type, healing.table], ["get_snapshot", "t1"]);
  assert.deepEqual(kinds(session.take(chat(9))), []);
  assert.deepEqual(sent(session), []);
  assert.deepEqual(kinds(session.take(snapshot(9, { re: healing.id }))), ["snapshot"]);
  assert.deepEqual(kinds(session.take(chat(10))), ["event"]);
});

test("a snapshot that is refused is asked for again at the next event", () => {
  const session = following(5);
  session.take(chat(8));
  const [healing] = sent(session);
  session.take({ type: "error", re: healing.id, code: "rate_limited", message: "x" });
  session.take(chat(9));
  assert.equal(sent(session)[0].type, "get_snapshot");
});

test("a kind of event that is not known heals by a snapshot", () => {
  const session = following(5);
  assert.deepEqual(kinds(session.take({ type: "rabbit_hunted", table: "t1", seq: 6 })), []);
  assert.equal(sent(session)[0].type, "get_snapshot");
});

test("an unasked snapshot sets the table anew, whatever numbers are missing", () => {
  const session = following(5);
  assert.deepEqual(kinds(session.take(snapshot(900))), ["snapshot"]);
  assert.deepEqual(kinds(session.take(chat(901))), ["event"]);
});

test("who observes no more, or logs out, follows nothing", () => {
  for (const type of ["unobserve", "log_out"]) {
    const session = following(5);
    const re = session.request({ type, table: "t1" });
    session.take({ type: "ok", re });
    assert.equal(session.tables.size, 0);
    assert.deepEqual(session.take(chat(6)), []);
  }
});

test("what the room says to us alone, and what nobody knows yet, is told", () => {
  const session = new ClientSession();
  assert.deepEqual(kinds(session.take({ type: "seat_offered", table: "t1", seat: 2, until_ms: 5 })), ["told"]);
  assert.deepEqual(kinds(session.take({ type: "jackpot", amount: 5 })), ["told"]);
  assert.deepEqual(kinds(session.take({ type: "goodbye", code: "idle", message: "x" })), ["goodbye"]);
  assert.deepEqual(kinds(session.take({ type: "error", re: null, code: "bad_encoding", message: "x" })), ["error"]);
});

const moved = (from_table, table = "six.1-2") => ({ type: "tournament_moved", tournament: "six.1", from_table, table, seat: 3, reason: from_table && "broken" });
const followed = (table) => {
  const session = new ClientSession();
  const re = session.request({ type: "observe", table });
  sent(session);
  session.take(snapshot(5, { re, table }));
  return session;
};

test("a moved player is followed to the new table", () => {
  const session = followed("six.1");
  assert.deepEqual(kinds(session.take(moved("six.1"))), ["told"]);
  const [leaves, observes] = sent(session);
  assert.deepEqual([leaves.type, leaves.table, observes.type, observes.table], ["unobserve", "six.1", "observe", "six.1-2"]);
  assert.deepEqual(session.take(chat(6, "six.1")), []);
  assert.deepEqual(session.take({ type: "ok", re: leaves.id }), []);
  assert.deepEqual(kinds(session.take(snapshot(9, { re: observes.id, table: "six.1-2" }))), ["snapshot"]);
  assert.deepEqual([...session.tables.keys()], ["six.1-2"]);
});

test("a move between other tables is only told, and one from a forgotten table is followed", () => {
  for (const from of ["six.1-7", "six.1-2"]) {
    const session = followed("six.1");
    assert.deepEqual(kinds(session.take(moved(from))), ["told"]);
    assert.deepEqual(sent(session), []);
  }
  const session = followed("six.1-4");
  session.take(moved(null));
  assert.deepEqual(sent(session).map(({ type, table }) => [type, table]), [["observe", "six.1-2"]]);
  assert.deepEqual([...session.tables.keys()], ["six.1-4"]);
});
