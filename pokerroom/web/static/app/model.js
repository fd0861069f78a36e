/** The state of one poker table: the room's snapshot, and what the page remembers beside it.
 *
 * It takes the session's happenings, and knows no page and no socket. The room clears a hand at its end; the model keeps
 * the result until the next deal.
 */

const LINES_MAX = 200;
const HANDS_MAX = 50;

export class TableModel {
  constructor(name) {
    this.name = name;
    /** The latest snapshot; null before the first one. */
    this.snapshot = null;
    /** Seat → its last action of this street: `{ action, amount, byClock }`. */
    this.actions = new Map();
    /** The last hand's end, until the next deal: `{ board, cards, winners, ranks, mucked }`, else null. */
    this.result = null;
    /** The log, in order: `{ key, event | chat }`. */
    this.lines = [];
    /** Hands seen from their deal to their end, newest first: `{ id, at, start, steps: [{ event, after }] }`. */
    this.hands = [];
    /** Your pre-action: `{ action, call_amount }` or null. */
    this.preAct = null;
    /** The options of your seat. */
    this.options = null;
    /** The latest state of the table: running, closing, closed or frozen. */
    this.notice = "running";
    /** Where the players of a closed table of a tournament sit now: `{ name, table, seat }`. */
    this.moved = [];
    /** Number of unread chat lines. */
    this.unread = 0;
    /** Whether this table is silent until it is closed. */
    this.muted = false;
    /** Seat → its current or last holder; a new map at each change, so that log lines keep theirs. */
    this.names = new Map();
    this.ranks = new Map();
    this.mucked = new Set();
    this.#recording = null;
    this.#lastKey = 0;
  }

  #recording;
  #lastKey;

  get hand() {
    return this.snapshot?.hand ?? null;
  }

  get info() {
    return this.snapshot?.info ?? null;
  }

  /** Your seat; null without one. */
  get own() {
    return this.snapshot?.seats.find((seat) => seat.seat === this.snapshot.your_seat) ?? null;
  }

  /** Whether the table closes or is closed: it has no seats to offer. */
  get closes() {
    return this.notice === "closing" || this.notice === "closed";
  }

  /** The turn, if it is yours. */
  get ownTurn() {
    const turn = this.hand?.turn ?? null;
    return turn && turn.seat === this.snapshot.your_seat ? turn : null;
  }

  /** What tells your pending decision from any other, whatever the `seq` of its latest `turn`; null without one. */
  get decision() {
    const turn = this.ownTurn;
    return turn && [this.hand.hand_id, this.hand.street, turn.call_amount, turn.min_raise_to].join(" ");
  }

  seatName(number) {
    return this.names.get(number) ?? `#${number}`;
  }

  /** Take a snapshot. */
  reset(snapshot) {
    const sameHand = this.hand?.hand_id === snapshot.hand?.hand_id;
    this.snapshot = snapshot;
    this.#name(snapshot.seats);
    this.preAct = snapshot.your_pre_act ?? null; // "call any" is this page's own: a new snapshot ends it
    this.options = snapshot.your_options ?? null;
    this.#recording = null;
    if (!sameHand) this.actions.clear();
    if (snapshot.hand) this.result = null;
    if (this.notice !== "closing" || !snapshot.info.closing) this.notice = snapshot.info.closing ? "closing" : "running";
  }

  /** Take an event, and the table after it. */
  take(event, after, at = 0) {
    const before = this.snapshot;
    this.snapshot = after;
    this.#name(after.seats);
    REMEMBERED[event.type]?.call(this, event, before);
    this.#record(event, before, after, at);
    if (event.type !== "turn" && event.type !== "seat_changed") this.#line({ event, at, names: this.names });
    if (event.type === "chat_said") this.unread += 1;
  }

  #name(seats) {
    if (seats.every((seat) => this.names.get(seat.seat) === seat.name)) return;
    this.names = new Map([...this.names, ...seats.map((seat) => [seat.seat, seat.name])]);
  }

  #record(event, before, after, at) {
    if (event.type === "hand_started") {
      this.#recording = { id: event.hand_id, at, start: before, yours: before.your_seat, steps: [] };
    }
    if (this.#recording === null) return;
    if ((event.hand_id !== undefined && event.type !== "turn") || event.type === "posted") this.#recording.steps.push({ event, after });
    if (event.type === "hand_ended") {
      this.hands = [this.#recording, ...this.hands].slice(0, HANDS_MAX);
      this.#recording = null;
    }
  }

  #line(fields) {
    this.#lastKey += 1;
    this.lines = [...this.lines, { key: this.#lastKey, ...fields }].slice(-LINES_MAX);
  }
}

const REMEMBERED = {
  hand_started() {
    this.actions.clear();
    this.result = null;
    this.preAct = null;
    this.ranks = new Map();
    this.mucked = new Set();
  },

  acted(event) {
    this.actions.set(event.seat, { action: event.action, amount: event.bet, byClock: event.by_clock ?? false, allIn: event.all_in });
    if (event.seat === this.snapshot.your_seat) this.preAct = null;
  },

  posted(event) {
    this.actions.set(event.seat, { action: event.kind, amount: event.amount, byClock: false, allIn: event.all_in });
  },

  street_dealt() {
    for (const [seat, { action, allIn }] of this.actions) {
      if (action !== "fold" && !allIn) this.actions.delete(seat);
    }
    if (this.preAct?.action !== "fold_to_any_bet") this.preAct = null;
  },

  shown(event) {
    if (event.rank) this.ranks.set(event.seat, event.rank);
  },

  mucked(event) {
    this.mucked.add(event.seat);
  },

  pot_awarded(event) {
    const hand = this.snapshot.hand;
    this.result ??= { board: hand?.board ?? [], cards: new Map(), winners: new Map(), ranks: this.ranks, mucked: this.mucked, button: hand?.button };
    for (const { seat, amount } of event.shares) {
      this.result.winners.set(seat, (this.result.winners.get(seat) ?? 0) + amount);
    }
    for (const seat of this.snapshot.seats) if (seat.cards) this.result.cards.set(seat.seat, seat.cards);
  },

  hand_ended(event, before) {
    if (event.void) this.result = null;
    this.actions.clear();
    this.preAct = null;
    if (this.result) for (const seat of before.seats) if (seat.cards) this.result.cards.set(seat.seat, seat.cards);
  },

  seat_left(event) {
    this.actions.delete(event.seat);
  },

  table_notice(event) {
    this.notice = event.state;
    this.moved = event.moved ?? [];
  },
};
