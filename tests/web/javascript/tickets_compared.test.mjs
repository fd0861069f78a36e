// A player is told of a ticket that is new, and once of one that ends soon.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newsOf } from "../../../pokerroom/web/static/app/tickets_compared.js";

const DAY_MS = 86_400_000;
const NOW = 1_767_225_600_000;
const ticket = (offer, days, value = 1_100) => ({ offer, value, expires_ms: NOW + days * DAY_MS });

test("at the first look only the first ticket that ends within three days is told", () => {
  const [soon, later] = [ticket("sunday", 2), ticket("monday", 30)];
  assert.deepEqual(newsOf(null, [soon, ticket("daily", 2.5), later], NOW), [["ticket_ends", soon]]);
  assert.deepEqual(newsOf(null, [later], NOW), []);
  assert.deepEqual(newsOf(null, [], NOW), []);
});

test("later each ticket that was not there is told, also the second of two that are alike", () => {
  const [old, fresh] = [ticket("sunday", 2), ticket("sunday", 2, 500)];
  assert.deepEqual(newsOf([old], [old], NOW), []);
  assert.deepEqual(newsOf([old], [old, fresh], NOW), [["ticket_new", fresh]]);
  assert.deepEqual(newsOf([old], [old, { ...old }], NOW), [["ticket_new", old]]);
  assert.deepEqual(newsOf([old, fresh], [fresh], NOW), []);
});
