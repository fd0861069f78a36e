// What a page remembers beside the room's snapshot, and what it says of events, along the contract's transcripts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ClientSession } from "../../../protocol/javascript/pokerroom.js";
import { places, rotated } from "../../../pokerroom/web/static/app/geometry.js";
import { preferred, t, use } from "../../../pokerroom/web/static/app/i18n.js";
import { TableModel } from "../../../pokerroom/web/static/app/model.js";
import { narrated } from "../../../pokerroom/web/static/app/narrate.js";
import { transcripts } from "../../protocol/javascript/support.mjs";

const english = JSON.parse(readFileSync(new URL("../../../pokerroom/web/static/locales/en.json", import.meta.url), "utf8"));
const plain = { money: String, names: (cards) => cards.join(" ") };

function played(entries, heard = () => {}) {
  const models = new Map();
  let session = new ClientSession();
  for (const { from, message } of entries) {
    if (from === "note") continue;
    if (from === "client") {
      if (message.type === "hello") session = new ClientSession();
      session.request(message);
      continue;
    }
    for (const happening of session.take(message)) {
      if (happening.kind === "snapshot" && message.type === "snapshot") {
        if (!models.has(message.table)) models.set(message.table, new TableModel(message.table));
        models.get(message.table).reset(message);
      } else if (happening.kind === "event" && models.has(message.table)) { // a table against the house has another model
        const model = models.get(message.table);
        model.take(message, happening.after, 1);
        heard(message, model);
      }
    }
  }
  return models;
}

test("every event of the transcripts is told in words, or is known to need none", () => {
  const silent = new Set(["turn", "seat_changed", "seat_reserved", "seat_released", "hole_cards", "hand_ended", "chat_said"]);
  for (const { entries } of transcripts()) {
    played(entries, (event, model) => {
      const told = narrated(event, model, plain);
      if (told === null) assert.ok(silent.has(event.type), event.type);
      else assert.ok(told.code in english, told.code);
    });
  }
});

test("the result of a hand is remembered until the next deal, and the hand can be stepped through", () => {
  const { entries } = transcripts().find(({ name }) => name === "one_hand.jsonl");
  const seen = [];
  const models = played(entries, (event, model) => {
    if (event.type === "hand_ended") seen.push({ result: model.result, board: model.result.board.length, hands: model.hands.length });
  });
  assert.equal(seen.length, 1);
  assert.equal(seen[0].board, 5);
  assert.deepEqual([...seen[0].result.winners.values()], [8800]);
  assert.equal(seen[0].hands, 1);
  const [hand] = [...models.values()][0].hands;
  assert.equal(hand.steps[0].event.type, "hand_started");
  assert.equal(hand.steps.at(-1).event.type, "hand_ended");
  assert.ok(hand.steps.every(({ event }) => event.type !== "turn"), "a turn is no step of a replay");
});

test("seats are turned so that ours is the first, at the bottom", () => {
  assert.deepEqual(rotated(6, 4), [4, 5, 6, 1, 2, 3]);
  assert.deepEqual(rotated(2, null), [1, 2]);
  for (const count of [2, 3, 6, 9, 10]) {
    for (const portrait of [true, false]) {
      const spots = places(count, portrait);
      assert.ok(Math.abs(spots[0].x - 50) < 0.01 && spots[0].y > 80);
      for (const { x, y } of spots) assert.ok(x > 3 && x < 97 && y > 3 && y < 97);
    }
  }
});

test("the button is nearest to the plate of its seat", () => {
  for (const [portrait, width, height] of [[true, 350, 470], [false, 700, 400]]) {
    for (let count = 2; count <= 10; count += 1) {
      const spots = places(count, portrait);
      for (const [own, { markX, markY }] of spots.entries()) {
        // a plate is 80 by 36 pixels
        const gaps = spots.map(({ x, y }) => Math.hypot(Math.max(0, (Math.abs(x - markX) * width) / 100 - 40), Math.max(0, (Math.abs(y - markY) * height) / 100 - 18)));
        for (const [seat, gap] of gaps.entries()) if (seat !== own) assert.ok(gap > 1.25 * gaps[own], `${count} seats, button ${own}, seat ${seat}`);
      }
    }
  }
});

test("texts have their values, and an unknown code stays", () => {
  use("de", { "dock.call": "Mitgehen: {amount}" });
  assert.equal(t("dock.call", { amount: 5 }), "Mitgehen: 5");
  assert.equal(t("no.such"), "no.such");
  assert.equal(preferred(["fr-FR", "pl-PL", "en"]), "pl");
  assert.equal(preferred(["fr"]), "en");
});
