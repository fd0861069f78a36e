// A cashier request keeps its key until it is answered, so that money never moves twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CashRequest, decided } from "../../../pokerroom/web/static/app/cash_request.js";

test("a repetition before the answer has the same key", () => {
  const pending = new CashRequest();
  const first = pending.message("deposit", 500, "cash");
  assert.deepEqual(pending.message("deposit", 500, "cash"), first);
  assert.match(first.key, /^[A-Za-z0-9_.-]{8,40}$/);
  assert.deepEqual([first.type, first.amount, first.source], ["request_deposit", 500, "cash"]);
});

test("after the answer the same request gets a new key", () => {
  const pending = new CashRequest();
  const { key } = pending.message("withdrawal", 500, "cash");
  pending.answered();
  const next = pending.message("withdrawal", 500, "cash");
  assert.notEqual(next.key, key);
  assert.equal(next.type, "request_withdrawal");
});

test("another amount, source or direction is another request", () => {
  const pending = new CashRequest();
  const asked = [["deposit", 500, "cash"], ["deposit", 501, "cash"], ["deposit", 501, "bank"], ["withdrawal", 501, "bank"]];
  const keys = asked.map((each) => pending.message(...each).key);
  assert.equal(new Set(keys).size, keys.length);
});

test("news are requests that have another state than before, not new ones", () => {
  const before = [{ key: "one", state: "waiting" }, { key: "two", state: "waiting" }];
  const after = [{ key: "three", state: "waiting" }, { key: "one", state: "approved" }, { key: "two", state: "waiting" }];
  assert.deepEqual(decided(before, after), [{ key: "one", state: "approved" }]);
  assert.deepEqual(decided(after, after), []);
});

test("a refill keeps its key until it is answered", () => {
  const refilling = new CashRequest();
  const first = refilling.refill();
  assert.equal(first.type, "refill");
  assert.match(first.key, /^[A-Za-z0-9_.-]{8,32}$/);
  assert.deepEqual(refilling.refill(), first);
  refilling.answered();
  assert.notEqual(refilling.refill().key, first.key);
});

test("a refill and a deposit of the same key are two requests", () => {
  const before = [{ key: "same-key", kind: "deposit", state: "waiting" }];
  const refill = { key: "same-key", kind: "refill", state: "approved" };
  assert.deepEqual(decided(before, [refill, ...before]), []);
});
