/** Recorded rounds of Ultimate Texas Hold'em, turned back into events for the replay.
 *
 * As in `past.js`, `afterUltimateEvent` is passed in, so that this module knows neither page nor socket.
 */

/** A round of `get_round` as a recording like those of `ultimate_model.js`; `info` is its table, if known. */
export function roundRecordingOf(view, afterUltimateEvent, info = {}) {
  const named = { table: view.table, round_id: view.round_id };
  const common = view.boxes.length > 1 && new Set(view.boxes.map((box) => box.cards?.join(""))).size === 1;
  // among several boxes, your own is the one with decisions; the others were played blind
  const own = view.your_boxes.find((box) => view.decisions.some((each) => each.box === box)) ?? view.your_boxes[0] ?? null;
  const extra = view.your_boxes.filter((box) => box !== own);
  const start = {
    type: "ultimate_snapshot",
    table: view.table,
    seq: 0,
    info: {
      table: view.table,
      name: view.table,
      progressive: staked(view, "progressive") ? {} : null,
      trips_max: staked(view, "trips") ? 1 : null,
      ...info,
      // as many boxes as there were; boxes of other players are hidden
      boxes: null,
    },
    places: view.boxes.filter((box) => !extra.includes(box.box)).map(({ box, name }) => ({ box, name, connected: true })),
    light: { light: "red", closes_ms: null },
    round: null,
    your_box: own,
    meter: null,
    your_slip: null,
  };
  const told = [{ type: "round_started", ...named, boxes: view.boxes.map((box) => laid(box, view)) }];
  const hands = view.boxes.filter((box) => box.cards && (common || view.your_boxes.includes(box.box))).map(({ box, cards }) => ({ box, cards }));
  if (hands.length > 0) told.push({ type: "hands_dealt", ...named, hands });
  const decide = (street) => {
    for (const { box, decision, amount, automatic } of view.decisions.filter((each) => each.street === street)) {
      told.push({ type: "decided", ...named, box, decision, amount, automatic });
    }
  };
  decide("preflop");
  if (view.board.length >= 3) told.push({ type: "board_dealt", ...named, street: "flop", cards: view.board.slice(0, 3) });
  decide("flop");
  if (view.board.length > 3) told.push({ type: "board_dealt", ...named, street: "river", cards: view.board.slice(3) });
  decide("river");
  told.push({ type: "round_ended", ...named, boxes: view.boxes, bank: view.bank, meter: null, void: view.void });
  let after = start;
  const steps = told.map((event, index) => {
    const numbered = { ...event, seq: index + 1 };
    after = afterUltimateEvent(after, numbered) ?? after;
    return { event: numbered, after };
  });
  return { id: view.round_id, at: view.ended_ms, start, yours: own, steps };
}

const staked = (view, name) => view.boxes.some((box) => box.bets.some(({ bet, staked: amount }) => bet === name && amount > 0));

/** A box when betting closed. The Play of an extra box is placed already. */
function laid({ box, name, bets }, { decisions }) {
  const of = (wanted) => bets.find(({ bet }) => bet === wanted)?.staked ?? 0;
  const blind = !decisions.some((each) => each.box === box && each.decision === "play") && of("play") > 0;
  return { box, name, ante: of("ante"), trips: of("trips"), progressive: of("progressive"), play: blind ? of("play") : 0, extra: blind, status: blind ? "played" : "waiting" };
}
