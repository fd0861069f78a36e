/** The state of one table of Ultimate Texas Hold'em: the room's snapshot, your bets, and the last result.
 *
 * As `model.js`, it takes happenings, and knows no page and no socket.
 */

const LINES_MAX = 200;
const ROUNDS_MAX = 50;
const NOTHING = Object.freeze({ bets: [], total: 0, balance: 0, can_double: false, can_repeat: false, can_undo: false });

export class UltimateModel {
  #key = 0;
  #board = [];
  #recording = null;

  constructor(name) {
    this.name = name;
    this.snapshot = null;
    /** Your bets of the next round, by the latest answer. */
    this.slip = NOTHING;
    /** The last round's end, until the next begins: the `round_ended` event with its `board`; else null. */
    this.result = null;
    this.lines = [];
    /** Rounds seen from start to end, newest first: `{ id, at, start, yours, steps: [{ event, after }] }`. */
    this.rounds = [];
    /** Box → the clock's decision for it: "check" (on this street) or "fold". */
    this.automatic = new Map();
    this.notice = "running";
    this.unread = 0;
    /** Whether this table is silent until it is closed. */
    this.muted = false;
    this.hadBets = false;
    /** Whether you have asked to deal at once in this betting time. */
    this.dealing = false;
  }

  get info() {
    return this.snapshot?.info ?? null;
  }

  get round() {
    return this.snapshot?.round ?? null;
  }

  get yourBox() {
    return this.snapshot?.your_box ?? null;
  }

  /** The id of the round in progress, else of the last one: players quote it. */
  get shownRound() {
    return this.round?.round_id ?? this.result?.round_id ?? null;
  }

  /** Your player name; it marks your extra boxes too. */
  get yourName() {
    return this.snapshot?.places.find((place) => place.box === this.yourBox)?.name ?? null;
  }

  /** Your bets in the round in progress. */
  get ownBets() {
    return this.round?.boxes.find((each) => each.box === this.yourBox && !each.extra) ?? null;
  }

  /** Your pending decision; null without one. */
  get ownTurn() {
    const asked = this.round?.decisions ?? null;
    return asked && this.yourBox !== null && asked.boxes.includes(this.yourBox) ? asked : null;
  }

  /** What tells your pending decision from any other; null without one. */
  get decision() {
    return this.ownTurn && [this.round.round_id, this.round.street].join(" ");
  }

  get open() {
    return this.snapshot?.light.light !== "red";
  }

  /** Whether you may ask to deal at once: your Ante is large enough. */
  get canDeal() {
    return !this.dealing && this.slip.bets.some((bet) => bet.box === this.yourBox && bet.ante >= this.info.ante_min);
  }

  /** The visible cards of a box: its own, or the common hand. */
  cardsOf(box) {
    const hands = this.round?.hands ?? [];
    return (hands.find((hand) => hand.box === box) ?? hands.find((hand) => hand.box === null))?.cards ?? null;
  }

  reset(snapshot) {
    this.snapshot = snapshot;
    this.slip = snapshot.your_slip ?? { ...NOTHING, can_repeat: this.hadBets };
    this.#board = snapshot.round?.board ?? [];
    this.#recording = null;
    this.dealing = false;
    this.automatic.clear();
    if (snapshot.round) this.result = null;
    this.notice = snapshot.info.closing ? "closing" : "running";
  }

  /** Take the answer to a bet. */
  take_slip(slip) {
    this.slip = slip;
    if (slip.bets.length === 0) this.dealing = false;
  }

  take(event, after, at = 0) {
    const before = this.snapshot;
    this.snapshot = after;
    this.#record(event, before, after, at);
    switch (event.type) {
      case "round_started":
        this.result = null;
        this.#board = [];
        this.dealing = false;
        this.automatic.clear();
        this.hadBets = event.boxes.some((box) => box.box === this.yourBox);
        this.slip = { ...NOTHING, can_repeat: this.hadBets };
        break;
      case "board_dealt":
        this.#board = [...this.#board, ...event.cards];
        for (const [box, decision] of this.automatic) if (decision === "check") this.automatic.delete(box);
        break;
      case "decided":
        if (event.automatic) this.automatic.set(event.box, event.decision);
        break;
      case "light_changed":
        if (event.light === "red") this.dealing = false;
        break;
      case "round_ended":
        this.result = { ...event, board: this.#board };
        break;
      case "table_notice":
        this.notice = event.state;
        break;
      case "chat_said":
        this.unread += 1;
        break;
      default:
    }
    this.#key += 1;
    this.lines = [...this.lines, { key: this.#key, event, at }].slice(-LINES_MAX);
  }

  /** The net win of your boxes in the last round; null without any. */
  get won() {
    const own = this.result?.boxes.filter((box) => box.box === this.yourBox || box.name === this.yourName) ?? [];
    if (own.length === 0 || this.result.void) return null;
    return own.reduce((sum, box) => sum + box.envy + box.bets.reduce((each, bet) => each + bet.paid - bet.staked, 0), 0);
  }

  #record(event, before, after, at) {
    if (event.type === "round_started") this.#recording = { id: event.round_id, at, start: before, yours: before.your_box, steps: [] };
    if (this.#recording === null || event.round_id === undefined || event.type === "decisions") return;
    this.#recording.steps.push({ event, after });
    if (event.type === "round_ended") {
      this.rounds = [this.#recording, ...this.rounds].slice(0, ROUNDS_MAX);
      this.#recording = null;
    }
  }
}
