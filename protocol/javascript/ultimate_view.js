/** The visible state of a table of Ultimate Texas Hold'em: a snapshot and the next event give the next one.
 *
 * As `table_view`, it applies the events and no rule.
 */

/** The table after `event`, which must be the next by `seq`; null for an unknown type of event. */
export function afterUltimateEvent(table, event) {
  const change = CHANGES[event.type];
  return change ? { ...change(table, event), seq: event.seq } : null;
}

const STATUS = { check: "checked", play: "played", fold: "folded" };
const same = (table) => table;

const CHANGES = {
  place_taken(table, { box, name }) {
    const places = [...table.places.filter((place) => place.box !== box), { box, name, connected: true }];
    return { ...table, places: places.sort((one, other) => one.box - other.box) };
  },
  place_changed: (table, { box, connected }) => ({
    ...table,
    places: table.places.map((place) => (place.box === box ? { ...place, connected } : place)),
  }),
  place_left(table, { box }) {
    const yours = table.your_box === box ? null : table.your_box;
    const slip = yours === null ? null : table.your_slip;
    return { ...table, places: table.places.filter((place) => place.box !== box), your_box: yours, your_slip: slip };
  },
  light_changed: (table, { light, closes_ms }) => ({ ...table, light: { light, closes_ms } }),
  bets_refused: same,
  tip_given: same,
  chat_said: same,
  table_notice: same,
  round_started: (table, { round_id, boxes }) => ({
    ...table,
    round: { round_id, street: "preflop", boxes, board: [], hands: [], decisions: null },
    your_slip: null,
  }),
  hands_dealt: (table, { hands = [] }) => withRound(table, { hands }),
  decisions: (table, { seq, boxes, check, fold, multiples, deadline_ms }) =>
    withRound(table, { decisions: { seq, boxes, check, fold, multiples, deadline_ms } }),
  decided(table, event) {
    if (!table.round) return table;
    const changed = { status: STATUS[event.decision], play: event.amount ?? 0 };
    const boxes = table.round.boxes.map((box) => (box.box === event.box ? { ...box, ...changed } : box));
    const asked = table.round.decisions;
    const decisions = asked && { ...asked, boxes: asked.boxes.filter((box) => box !== event.box) };
    return withRound(table, { boxes, decisions });
  },
  board_dealt(table, { street, cards }) {
    const board = [...(table.round?.board ?? []), ...cards];
    const boxes = (table.round?.boxes ?? []).map((box) => (box.status === "checked" ? { ...box, status: "waiting" } : box));
    return withRound(table, { street, board, boxes, decisions: null });
  },
  round_ended: (table, { meter = null }) => ({ ...table, round: null, meter: meter ?? table.meter }),
};

function withRound(table, changes) {
  return table.round ? { ...table, round: { ...table.round, ...changes } } : table;
}
