// The results of a private table in words: what the window shows and what is copied for friends.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { use, wholeChips } from "../../../pokerroom/web/static/app/i18n.js";
import { resultsText, signed } from "../../../pokerroom/web/static/app/results.js";

const speak = (language) => use(language, JSON.parse(readFileSync(new URL(`../../../pokerroom/web/static/locales/results/${language}.json`, import.meta.url), "utf8")));
const RESULTS = {
  players: [{ name: "anna", net: 1_250 }, { name: "carl", net: 0 }, { name: "bert", net: -1_250 }],
  payments: [{ payer: "bert", payee: "anna", amount: 1_250 }],
};

test("a net has its sign, without colour", () => {
  speak("en");
  assert.deepEqual([1_250, 0, -100].map((net) => signed(net)), ["+12.50", "0", "−1"]);
  assert.equal(signed(-1_250, wholeChips), "−1,250");
});

test("the text has a line for each player, then the payments", () => {
  speak("en");
  assert.equal(resultsText("Friday: Results", RESULTS), "Friday: Results\nanna +12.50\ncarl 0\nbert −12.50\n\nbert pays anna 12.50");
  speak("de");
  assert.match(resultsText("Freitag", RESULTS), /\n\nbert zahlt anna 12,50$/);
  speak("pl");
  assert.match(resultsText("Piątek", RESULTS), /\n\nbert płaci graczowi anna 12,50$/);
});

test("when all are square the text ends with the players", () => {
  speak("en");
  assert.equal(resultsText("Friday", { players: [{ name: "anna", net: 0 }], payments: [] }), "Friday\nanna 0");
});
