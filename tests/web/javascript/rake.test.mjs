// The rake of a table in words: in the lobby, at the table and before the buy-in.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { afterEvent } from "../../../protocol/javascript/pokerroom.js";
import { t, use } from "../../../pokerroom/web/static/app/i18n.js";
import { narrated } from "../../../pokerroom/web/static/app/narrate.js";
import { recordingOf } from "../../../pokerroom/web/static/app/past.js";
import { rake, rakeInFull } from "../../../pokerroom/web/static/app/rake.js";

const speak = (language) => use(language, JSON.parse(readFileSync(new URL(`../../../pokerroom/web/static/locales/${language}.json`, import.meta.url), "utf8")));
const plain = (text) => text.replaceAll("\u00a0", " ");
const TERMS = { bps: 500, caps: [{ players: 2, amount: 100 }, { players: 5, amount: 350 }], no_flop_no_drop: true, unit: 1, min_pot: 0 };

test("a table without a rake says nothing of it", () => {
  speak("en");
  assert.equal(rake({}), null);
});

test("the share and the most of one hand, in each language", () => {
  const told = (language, terms) => (speak(language), plain(rake({ rake: { ...TERMS, ...terms } })));
  assert.equal(told("en"), "Rake 5%, at most 3.50");
  assert.equal(told("en", { caps: [], bps: 250 }), "Rake 2.5%");
  assert.equal(told("de"), "Rake 5 %, höchstens 3,50");
  assert.equal(told("pl"), "Rake 5%, najwyżej 3,50");
});

test("in full: each cap, the flop, and the smallest pot", () => {
  speak("en");
  const told = (terms) => plain(rakeInFull({ rake: { ...TERMS, ...terms } }));
  assert.equal(told({}), "Rake 5%. At most 1 from 2 players, 3.50 from 5 players. No rake without a flop.");
  assert.equal(told({ caps: [{ players: 2, amount: 300 }], no_flop_no_drop: false, min_pot: 250 }), "Rake 5%, at most 3. No rake of pots below 2.50.");
});

test("an award is told with its rake", () => {
  speak("en");
  const names = new Map([[1, "ann"]]);
  const award = { type: "pot_awarded", pot: 0, amount: 200, shares: [{ seat: 1, amount: 190 }] };
  const told = (event) => {
    const { code, values } = narrated(event, { names }, { money: String, names: String });
    return t(code, values);
  };
  assert.equal(told({ ...award, rake: 10 }), "The pot goes to ann (190). Rake: 10.");
  assert.equal(told({ ...award, pot: 1, rake: 10 }), "A side pot goes to ann (190). Rake: 10.");
  assert.equal(told(award), "The pot goes to ann (190).");
});

test("a hand of the past keeps its rake", () => {
  const hand = {
    hand_id: "h1", table: "t", structure: "no_limit", small_blind: 50, big_blind: 100, started_ms: 1, ended_ms: 2, button: 1, your_seat: 1, table_seats: 6,
    seats: [{ seat: 1, name: "ann", stack: 1000, end: 1090, cards: null }, { seat: 4, name: "bob", stack: 500, end: 400, cards: null }],
    steps: [
      { what: "post", seat: 1, amount: 100, kind: "small_blind" },
      { what: "post", seat: 4, amount: 100, kind: "big_blind" },
      { what: "award", pot: 0, amount: 200, shares: [{ seat: 1, amount: 190 }], rake: 10 },
    ],
  };
  const { steps } = recordingOf(hand, afterEvent);
  assert.equal(steps.find(({ event }) => event.type === "pot_awarded").event.rake, 10);
  assert.deepEqual(steps.at(-2).after.seats.map((seat) => seat.stack), [1090, 400]);
});
