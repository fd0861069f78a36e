// A wish to the cashier keeps its key until it is answered, so that money never moves twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Wish, decided } from "../../../pokerroom/web/static/app/wish.js";

test("the same wish, asked again before it was answered, has the same key", () => {
  const wish = new Wish();
  const first = wish.message("deposit", 500, "cash");
  assert.deepEqual(wish.message("deposit", 500, "cash"), first);
  assert.match(first.key, /^[A-Za-z0-9_.-]{8,40}$/);
  assert.deepEqual([first.type, first.amount, first.source], ["request_deposit", 500, "cash"]);
});

test("after the answer the same wish is another one", () => {
  const wish = new Wish();
  const { key } = wish.message("withdrawal", 500, "cash");
  wish.answered();
  const next = wish.message("withdrawal", 500, "cash");
  assert.notEqual(next.key, key);
  assert.equal(next.type, "request_withdrawal");
});

test("another amount, source or direction is another wish", () => {
  const wish = new Wish();
  const asked = [["deposit", 500, "cash"], ["deposit", 501, "cash"], ["deposit", 501, "bank"], ["withdrawal", 501, "bank"]];
  const keys = asked.map((each) => wish.message(...each).key);
  assert.equal(new Set(keys).size, keys.length);
});

test("news are requests that have another state than before, not new ones", () => {
  const before = [{ key: "one", state: "waiting" }, { key: "two", state: "waiting" }];
  const after = [{ key: "three", state: "waiting" }, { key: "one", state: "approved" }, { key: "two", state: "waiting" }];
  assert.deepEqual(decided(before, after), [{ key: "one", state: "approved" }]);
  assert.deepEqual(decided(after, after), []);
});
