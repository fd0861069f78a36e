// What a page remembers of a table against the house, along the contract's transcript; and a round told again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientSession, afterUltimateEvent } from "../../../protocol/javascript/pokerroom.js";
import { roundRecordingOf } from "../../../pokerroom/web/static/app/past_round.js";
import { UltimateModel } from "../../../pokerroom/web/static/app/ultimate_model.js";
import { transcripts, vectors } from "../../protocol/javascript/support.mjs";

const BOX = { name: "ann", ante: 200, trips: 0, progressive: 0, play: 0, extra: false, status: "waiting" };
const SNAPSHOT = {
  type: "ultimate_snapshot", table: "uth", seq: 1, places: [{ box: 2, name: "ann", connected: true }, { box: 4, name: "bob", connected: true }],
  info: { table: "uth", name: "Uth", boxes: 6, closing: false }, light: { light: "red", closes_ms: null }, round: null, your_box: 2, meter: null, your_slip: null,
};

function atTable(events, snapshot = SNAPSHOT) {
  const model = new UltimateModel("uth");
  model.reset(snapshot);
  events.forEach((event, index) => {
    const numbered = { table: "uth", round_id: "r1", ...event, seq: index + 2 };
    model.take(numbered, afterUltimateEvent(model.snapshot, numbered));
  });
  return model;
}

const result = (box, name, staked, paid) => ({ box, name, outcome: "won", envy: 0, cards: ["As", "Ad"], hand: "pair", bets: [{ bet: "ante", staked, paid }] });

test("what all our boxes won is told, and nobody else's", () => {
  const boxes = [{ ...BOX, box: 2 }, { ...BOX, box: 3, extra: true }, { ...BOX, box: 4, name: "bob" }];
  const ended = { type: "round_ended", void: false, bank: null, boxes: [result(2, "ann", 200, 400), result(3, "ann", 200, 0), result(4, "bob", 200, 9_000)] };
  assert.equal(atTable([{ type: "round_started", boxes }, ended]).won, 0);
  assert.equal(atTable([{ type: "round_started", boxes }, { ...ended, boxes: [result(2, "ann", 200, 700)] }]).won, 500);
  assert.equal(atTable([{ type: "round_started", boxes }, { ...ended, boxes: [result(4, "bob", 200, 400)] }]).won, null);
});

test("what the clock decided is known: a check for its street, a fold to the end", () => {
  const start = [{ type: "round_started", boxes: [{ ...BOX, box: 2 }, { ...BOX, box: 4, name: "bob" }] }];
  const check = { type: "decided", box: 2, decision: "check", amount: 0, automatic: true };
  const flop = { type: "board_dealt", street: "flop", cards: ["2c", "3d", "4h"] };
  assert.deepEqual([...atTable([...start, check, { ...check, box: 4, automatic: false }]).automatic], [[2, "check"]]);
  assert.deepEqual([...atTable([...start, check, flop]).automatic], []);
  const fold = { ...check, decision: "fold" };
  assert.deepEqual([...atTable([...start, check, flop, fold, { type: "board_dealt", street: "river", cards: ["5c", "6d"] }]).automatic], [[2, "fold"]]);
});

test("a round of the contract's transcript is kept from its start to its end", () => {
  const { entries } = transcripts().find(({ name }) => name.startsWith("one_round"));
  const session = new ClientSession();
  const model = new UltimateModel("uth-1");
  const won = [];
  for (const { from, message } of entries) {
    if (from === "client") session.request(message);
    if (from !== "room" && from !== "server") continue;
    for (const happening of session.take(message)) {
      if (happening.kind === "snapshot") model.reset(message);
      else if (happening.kind === "event") model.take(message, happening.after, 7);
      if (message.type === "round_ended") won.push(model.won);
    }
  }
  assert.equal(model.rounds.length, 2);
  assert.equal(new Set(model.rounds.map(({ id }) => id)).size, 2);
  for (const round of model.rounds) {
    assert.equal(round.at, 7);
    assert.deepEqual([round.steps[0].event.type, round.steps.at(-1).event.type], ["round_started", "round_ended"]);
  }
  assert.ok(won[0] > 0 && won[1] < 0, won.join()); // one is won, the other one folded
  assert.ok(model.rounds.some(({ id }) => id === model.shownRound));
});

const ROUND = {
  round_id: "r1", table: "uth", started_ms: 1, ended_ms: 2, your_boxes: [2, 3], board: ["2c", "3d", "4h", "9s", "Td"], stake: 1_800, win: 0, tip: 0, void: false,
  bank: { cards: ["Kc", "Kd"], hand: "pair", qualifies: true },
  boxes: [
    { box: 2, name: "ann", outcome: "lost", envy: 0, cards: ["As", "Qd"], hand: "high_card", bets: [{ bet: "ante", staked: 200, paid: 0 }, { bet: "blind", staked: 200, paid: 0 }, { bet: "play", staked: 400, paid: 0 }] },
    { box: 3, name: "ann", outcome: "lost", envy: 0, cards: ["7s", "6d"], hand: "high_card", bets: [{ bet: "ante", staked: 100, paid: 0 }, { bet: "blind", staked: 100, paid: 0 }, { bet: "play", staked: 400, paid: 0 }] },
    { box: 5, name: "bob", outcome: "folded", envy: 0, cards: ["8s", "6h"], hand: "high_card", bets: [{ bet: "ante", staked: 100, paid: 0 }, { bet: "blind", staked: 100, paid: 0 }] },
  ],
  decisions: [
    { box: 2, street: "preflop", decision: "check", amount: 0, automatic: false }, { box: 5, street: "preflop", decision: "check", amount: 0, automatic: true },
    { box: 2, street: "flop", decision: "play", amount: 400, automatic: false }, { box: 5, street: "flop", decision: "check", amount: 0, automatic: true },
    { box: 5, street: "river", decision: "fold", amount: 0, automatic: true },
  ],
};

test("a round that the room has kept is told street by street, the bank's hand at its end alone", () => {
  const { steps, start, yours } = roundRecordingOf(ROUND, afterUltimateEvent);
  assert.deepEqual(steps.map(({ event }) => event.type), ["round_started", "hands_dealt", "decided", "decided", "board_dealt", "decided", "decided", "board_dealt", "decided", "round_ended"]);
  assert.equal(yours, 2);
  const model = new UltimateModel("uth");
  model.reset(start);
  for (const { event, after } of steps.slice(0, -1)) model.take(event, after);
  assert.equal(model.result, null);
  assert.deepEqual(model.cardsOf(2), ["As", "Qd"]);
  assert.equal(model.cardsOf(5), null, "others' cards are turned up at the end");
  assert.deepEqual(model.round.board, ROUND.board);
  assert.deepEqual(model.round.boxes.map(({ play, status }) => [play, status]), [[400, "played"], [400, "played"], [0, "folded"]]);
  model.take(steps.at(-1).event, steps.at(-1).after);
  assert.deepEqual([model.result.bank.cards, model.won], [["Kc", "Kd"], -1_400]);
});

test("an extra box, played blind, has its Play before the deal", () => {
  const [{ event }] = roundRecordingOf(ROUND, afterUltimateEvent).steps;
  assert.deepEqual(event.boxes.map(({ box, extra, play }) => [box, extra, play]), [[2, false, 0], [3, true, 400], [5, false, 0]]);
});

test("the example of the contract can be told again", () => {
  for (const { json } of vectors("server").filter(({ type }) => type === "round_history")) {
    assert.equal(roundRecordingOf(json.round, afterUltimateEvent).steps.at(-1).event.type, "round_ended");
  }
});
