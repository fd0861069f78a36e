// The driver: greets, resumes, follows its tables again after a lost line, and gives way when taken over.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { ConnectionEnded, PokerClient, Refused, SUBPROTOCOL } from "../../../protocol/javascript/pokerroom.js";
import { FakeSocket, FakeTimers, settled } from "./support.mjs";

const WELCOME = { type: "welcome", version: 1, server: "x", frame_bytes_max: 16384, idle_s: 120 };
const AUTHENTICATED = { type: "authenticated", account: 1, name: "ada", token: "t".repeat(32), balance: 5, tables: [] };
const SNAPSHOT = { type: "snapshot", table: "t1", seq: 1, info: {}, seats: [], hand: null, your_seat: null, reserved: [] };

let timers;
let states;

beforeEach(() => {
  FakeSocket.opened = [];
  timers = new FakeTimers();
  states = [];
});

function made(options = {}) {
  const client = new PokerClient({
    url: "ws://room/ws", client: "test", WebSocket: FakeSocket, timers, now: () => timers.now, ...options,
  });
  client.addEventListener("state", ({ detail }) => states.push(detail.code ? `${detail.state} ${detail.code}` : detail.state));
  client.open();
  return client;
}

const last = () => FakeSocket.opened.at(-1);

async function greeted() {
  last().accept();
  last().says({ ...WELCOME, re: last().sent[0].id, server_time_ms: timers.now + 5_000 });
  await settled();
}

async function answered(fields) {
  last().says({ ...fields, re: last().sent.at(-1).id });
  await settled();
}

test("it speaks JSON, says hello first, and reads the room's clock", async () => {
  const client = made();
  assert.deepEqual(last().subprotocols, [SUBPROTOCOL]);
  await greeted();
  assert.equal(last().sent[0].type, "hello");
  assert.equal(client.serverNow(), timers.now + 5_000);
  assert.deepEqual(states, ["connecting", "greeted"]);
});

test("an answer resolves its request, an error rejects it with its code", async () => {
  const client = made();
  await greeted();
  const good = client.authenticate({ type: "register", name: "ada", password: "correct horse" });
  await answered(AUTHENTICATED);
  assert.equal((await good).name, "ada");
  assert.equal(client.token, AUTHENTICATED.token);
  const bad = client.request({ type: "sit_in", table: "t1" });
  const refused = assert.rejects(bad, (failure) => failure instanceof Refused && failure.code === "not_seated");
  await answered({ type: "error", code: "not_seated", message: "x" });
  await refused;
});

test("statistics come as the room tells them: sums of squares are texts, since no number of the language holds them", async () => {
  const vectors = JSON.parse(readFileSync(new URL("../../../protocol/vectors/server.json", import.meta.url)));
  const told = vectors.find(({ type, json }) => type === "statistics" && json.stakes.length > 0).json;
  const squares = "90071992547409930000001"; // beyond 2 to the power of 53, and odd
  const client = made();
  await greeted();
  client.authenticate({ type: "log_in", name: "ada", password: "correct horse" });
  await answered(AUTHENTICATED);
  const asked = client.request({ type: "get_statistics", player: "bob", first_month: 202601 });
  assert.deepEqual(last().sent.at(-1), { type: "get_statistics", player: "bob", first_month: 202601, id: last().sent.at(-1).id });
  await answered({ ...told, stakes: [{ ...told.stakes[0], won_squared: squares }] });
  const { stakes, points, tournaments } = await asked;
  assert.deepEqual(stakes, [{ ...told.stakes[0], won_squared: squares }]);
  assert.deepEqual([points, tournaments], [told.points, told.tournaments]);
  const opponents = client.request({ type: "get_opponents", players: ["bob"], game: "holdem" });
  const refused = assert.rejects(opponents, (failure) => failure instanceof Refused && failure.code === "statistics_off");
  await answered({ type: "error", code: "statistics_off", message: "x" });
  await refused;
});

test("after a lost line it resumes, and observes what it followed and where it sits", async () => {
  const client = made();
  await greeted();
  client.authenticate({ type: "log_in", name: "ada", password: "correct horse" });
  await answered(AUTHENTICATED);
  client.observe("t1");
  await answered(SNAPSHOT);
  const dangling = assert.rejects(client.request({ type: "ping" }), ConnectionEnded);
  last().lost();
  await dangling;
  timers.pass(400);
  assert.equal(FakeSocket.opened.length, 2);
  await greeted();
  assert.deepEqual([last().sent[1].type, last().sent[1].token], ["resume", AUTHENTICATED.token]);
  await answered({ ...AUTHENTICATED, tables: ["t9"] });
  assert.deepEqual(last().sent.slice(2).map(({ type, table }) => [type, table]), [["observe", "t9"], ["observe", "t1"]]);
  assert.equal(states.at(-1), "open");
});

const REGISTER = { type: "register", name: "ada", password: "correct horse" };

/** Lose the connection, and be greeted over the next one. */
async function lostAndGreeted() {
  last().lost();
  await settled();
  timers.pass(10_000);
  await greeted();
}

test("a log-in without an answer is sent again over the next connection", async () => {
  const client = made();
  await greeted();
  const entered = client.enter({ ...REGISTER, type: "log_in" });
  await lostAndGreeted();
  assert.deepEqual(last().sent.slice(1).map(({ type, name, password }) => [type, name, password]), [["log_in", "ada", "correct horse"]]);
  await answered(AUTHENTICATED);
  assert.equal((await entered).name, "ada");
  assert.equal(states.at(-1), "open");
});

test("a registration that took effect before its answer was lost goes on as a log-in", async () => {
  const client = made();
  await greeted();
  const entered = client.enter(REGISTER);
  await lostAndGreeted();
  await answered({ type: "error", code: "name_taken", message: "x" });
  assert.deepEqual([last().sent.at(-1).type, last().sent.at(-1).password], ["log_in", "correct horse"]);
  await answered(AUTHENTICATED);
  assert.equal((await entered).name, "ada");
});

test("a name of another account is told as taken, at once and after a lost connection", async () => {
  const client = made();
  await greeted();
  const isTaken = (failure) => failure instanceof Refused && failure.code === "name_taken";
  const first = assert.rejects(client.enter(REGISTER), isTaken);
  await answered({ type: "error", code: "name_taken", message: "x" });
  await first;
  const second = assert.rejects(client.enter(REGISTER), isTaken);
  await lostAndGreeted();
  await answered({ type: "error", code: "name_taken", message: "x" });
  await answered({ type: "error", code: "bad_credentials", message: "x" });
  await second;
});

test("a message that ends each connection is not sent for ever, and none is sent after the last connection", async () => {
  const client = made();
  await greeted();
  const given = assert.rejects(client.enter(REGISTER), ConnectionEnded);
  for (let times = 1; times < 5; times += 1) await lostAndGreeted();
  last().lost();
  await given;
  timers.pass(10_000);
  await greeted();
  const stopped = assert.rejects(client.enter(REGISTER), ConnectionEnded);
  last().lost();
  await settled();
  client.close();
  await stopped;
});

test("a table that another client opens is followed no more, and not taken back by itself", async () => {
  const client = made({ instance: "tab 1" });
  assert.equal(client.hello.instance, "tab 1");
  await greeted();
  client.authenticate({ type: "log_in", name: "ada", password: "correct horse" });
  await answered(AUTHENTICATED);
  client.observe("t1");
  assert.equal(last().sent.at(-1).take_over, true);
  await answered(SNAPSHOT);
  const told = [];
  client.addEventListener("told", ({ detail }) => told.push(detail.message.type));
  last().says({ type: "table_taken", table: "t1" });
  await settled();
  assert.deepEqual([client.follows("t1"), client.tables.size], [false, 0]);
  last().lost();
  timers.pass(400);
  await greeted();
  await answered({ ...AUTHENTICATED, tables: ["t1"] });
  assert.deepEqual([last().sent.at(-1).type, last().sent.at(-1).take_over], ["observe", false]);
  await answered({ type: "error", code: "table_taken", message: "x" });
  assert.equal(client.follows("t1"), false);
  assert.deepEqual(told, ["table_taken", "table_taken"]);
});

test("after a move the new table is followed over later connections", async () => {
  const client = made();
  await greeted();
  client.authenticate({ type: "log_in", name: "ada", password: "correct horse" });
  await answered(AUTHENTICATED);
  client.observe("six.1");
  await answered({ ...SNAPSHOT, table: "six.1" });
  last().says({ type: "tournament_moved", tournament: "six.1", from_table: "six.1", table: "six.1-2", seat: 3, reason: "balance" });
  await settled();
  assert.deepEqual([client.follows("six.1"), client.follows("six.1-2")], [false, true]);
  last().lost();
  timers.pass(400);
  await greeted();
  await answered({ ...AUTHENTICATED, tables: ["six.1-2"] });
  assert.deepEqual(last().sent.slice(2).map(({ type, table }) => [type, table]), [["observe", "six.1-2"]]);
});

test("pauses between attempts grow, and end at eight seconds", async () => {
  made();
  const pauses = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const opened = FakeSocket.opened.length;
    last().lost();
    const began = timers.now;
    while (FakeSocket.opened.length === opened) timers.pass(50);
    pauses.push(timers.now - began);
  }
  assert.deepEqual(pauses, [300, 600, 1200, 2400, 4800, 8000, 8000, 8000]);
});

test("taken over, it does not come back", async () => {
  made({ token: "t".repeat(32) });
  await greeted();
  last().says({ type: "goodbye", code: "taken_over", message: "x" });
  last().lost();
  timers.pass(60_000);
  assert.equal(FakeSocket.opened.length, 1);
  assert.equal(states.at(-1), "ended taken_over");
});

test("a token that the room does not know is forgotten, and the connection stays", async () => {
  const client = made({ token: "t".repeat(32) });
  let forgotten = 0;
  client.addEventListener("forgotten", () => (forgotten += 1));
  await greeted();
  await answered({ type: "error", code: "session_unknown", message: "x" });
  assert.deepEqual([client.token, forgotten, client.state], [null, 1, "greeted"]);
});

test("it pings often enough, and stays where the room answers", async () => {
  made();
  await greeted();
  for (let pings = 0; pings < 5; pings += 1) {
    timers.pass(2_000);
    assert.equal(last().sent.at(-1).type, "ping");
    await answered({ type: "pong", server_time_ms: timers.now });
  }
  assert.deepEqual([FakeSocket.opened.length, states.at(-1)], [1, "greeted"]);
});

test("a line that dies silently is noticed within five seconds", async () => {
  made();
  await greeted();
  timers.pass(2_000);
  timers.pass(2_600);
  assert.equal(states.at(-1), "waiting");
  timers.pass(400);
  assert.equal(FakeSocket.opened.length, 2);
});

test("a connection that is not greeted in five seconds is tried again", async () => {
  made();
  timers.pass(5_000); // a dead network: it does not even open
  assert.deepEqual(states, ["connecting", "waiting"]);
  timers.pass(400);
  last().accept();
  timers.pass(5_000); // opened, and no answer to hello
  assert.deepEqual(states, ["connecting", "waiting", "connecting", "waiting"]);
  timers.pass(700);
  await greeted();
  timers.pass(1_000);
  assert.equal(states.at(-1), "greeted");
});

test("closed by its owner, it stays closed", async () => {
  const client = made();
  await greeted();
  client.close();
  timers.pass(60_000);
  assert.equal(FakeSocket.opened.length, 1);
  assert.equal(states.at(-1), "ended");
});
