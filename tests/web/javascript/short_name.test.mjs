// In a narrow head a table's name leaves out the stakes that stand beside it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shortName } from "../../../pokerroom/web/static/app/short_name.js";

test("stakes are left out, a number of the table stays", () => {
  assert.equal(shortName("With bots 0.50/1.00"), "With bots");
  assert.equal(shortName("Six-max 0,50 / 1,00 12"), "Six-max 12");
  assert.equal(shortName("Limit 5/10 2"), "Limit 2");
});

test("a name without stakes, or of stakes alone, is as it is", () => {
  assert.equal(shortName("Six players 3.00"), "Six players 3.00");
  assert.equal(shortName("0.50/1.00"), "0.50/1.00");
});
