// The operator's token and requests: where the token is kept, what is sent, what a refusal ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, Refused, newKey, pathOf, tokenOf, withQuery } from "../../../pokerroom/web/console/desk.js";

const ANN = { operator: "ann", role: "floor", verbs: ["table.freeze"] };

const storage = (held = new Map()) => ({ held, getItem: (key) => held.get(key) ?? null, setItem: (key, value) => held.set(key, value), removeItem: (key) => held.delete(key) });

/** A desk at a room that gives these answers, one after the other; `sent` is what it was asked. */
function deskAt(answers, store = storage()) {
  const sent = [];
  const ask = async (path, options) => {
    sent.push({ path, ...options });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    const [status, body] = answer;
    return { ok: status < 400, status, text: async () => body, json: async () => JSON.parse(typeof body === "string" ? body : JSON.stringify(body)) };
  };
  return { desk: new Desk({ store, ask }), sent, store };
}

test("a token is kept in the tab once the room knows it, and sent as a bearer", async () => {
  const { desk, sent, store } = deskAt([[200, ANN], [202, {}]]);
  assert.equal(desk.hasToken, false);
  await desk.enter("pko_x");
  assert.deepEqual([...store.held.values()], ["pko_x"]);
  assert.ok(desk.may("table.freeze") && !desk.may("cashier.approve"));
  await desk.order("/tables/home/freeze", { reason: "a ä&b", note: "" });
  assert.equal(sent[1].path, "/v1/tables/home/freeze?reason=a+%C3%A4%26b");
  assert.equal(sent[1].method, "POST");
  assert.deepEqual(sent.map(({ headers }) => headers.Authorization), ["Bearer pko_x", "Bearer pko_x"]);
  assert.deepEqual(sent.map(({ credentials, redirect }) => [credentials, redirect]), [["omit", "error"], ["omit", "error"]]);
});

test("an order with a key has it as a header, and no other request has one", async () => {
  const { desk, sent } = deskAt([[200, ANN], [200, {}], [200, {}]]);
  await desk.enter("pko_x");
  const key = newKey();
  assert.match(key, /^[a-z0-9-]{4,64}$/);
  assert.notEqual(key, newKey());
  await desk.order("/players/ann/give_ticket", { offer: "sunday" }, key);
  await desk.order("/tickets/1/end_ticket");
  assert.deepEqual(sent.map(({ headers }) => headers["Idempotency-Key"]), [undefined, key, undefined]);
});

test("a refused token is forgotten, and why is told", async () => {
  const { desk, store } = deskAt([[401, { code: "token_refused", message: "No." }]]);
  await assert.rejects(desk.enter("pko_old"), (failure) => failure instanceof Refused && failure.code === "token_refused");
  assert.deepEqual([desk.hasToken, desk.ended, desk.identity, store.held.size], [false, "token_refused", null, 0]);
});

test("a token that is revoked while it is used signs out; a refusal of the role does not", async () => {
  const { desk, store } = deskAt([[200, ANN], [403, { code: "not_permitted", message: "No." }], [401, { code: "token_refused", message: "No." }]]);
  await desk.enter("pko_x");
  await assert.rejects(desk.order("/tables/home/void"), { code: "not_permitted", error: { message: "No." } });
  assert.equal(desk.identity, ANN && desk.identity);
  assert.equal(desk.hasToken, true);
  await assert.rejects(desk.get("/tables"), { code: "token_refused" });
  assert.deepEqual([desk.hasToken, desk.ended, store.held.size], [false, "token_refused", 0]);
});

test("an answer for an earlier token does not end the present one", async () => {
  const { desk } = deskAt([[200, ANN], [401, { code: "token_refused", message: "" }], [200, ANN]]);
  await desk.enter("pko_old");
  const late = desk.get("/tables");
  const again = desk.enter("pko_new");
  await assert.rejects(late);
  await again;
  assert.equal(desk.hasToken, true);
});

test("a room that does not answer ends nothing, and what is no JSON is a fault", async () => {
  const { desk, store } = deskAt([new TypeError("failed"), [200, "<p>"]], storage(new Map([["pokerroom.operator", "pko_x"]])));
  await assert.rejects(desk.enter(), { code: "unreachable" });
  assert.deepEqual([desk.hasToken, store.held.size], [true, 1]);
  await assert.rejects(desk.get("/tables"), { code: "internal" });
});

test("signing out leaves nothing in the tab", async () => {
  const { desk, store } = deskAt([[200, ANN]]);
  let told = 0;
  await desk.enter("pko_x");
  desk.addEventListener("change", () => (told += 1));
  desk.leave();
  assert.deepEqual([told, desk.hasToken, desk.identity, desk.ended, store.held.size], [1, false, null, null, 0]);
});

test("a pasted token loses the space around it; what no header can have is none", () => {
  assert.equal(tokenOf("  pko_a-b_9\n"), "pko_a-b_9");
  for (const text of ["", "  ", "two words", "zażółć", "a\nb"]) assert.equal(tokenOf(text), null);
});

test("paths and queries are encoded, empty values left out", () => {
  assert.equal(pathOf("tables", "tournament:six.1", "freeze"), "/tables/tournament%3Asix.1/freeze");
  assert.equal(withQuery("/operator_log", { before: null, limit: 51, who: "" }), "/operator_log?limit=51");
  assert.equal(withQuery("/tables", {}), "/tables");
});

test("an answer may be text, and its refusal is one as any other", async () => {
  const { desk, sent } = deskAt([[200, ANN], [200, "day,hands\n"], [400, { code: "bad_period", message: "No." }]]);
  await desk.enter("pko_x");
  assert.equal(await desk.text("/reports/activity", { csv: "1", skip: null }), "day,hands\n");
  assert.equal(sent[1].path, "/v1/reports/activity?csv=1");
  await assert.rejects(desk.text("/reports/activity"), { code: "bad_period" });
});
