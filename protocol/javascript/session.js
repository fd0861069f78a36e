/** The client's side of one connection, without I/O: bodies in, happenings out.
 *
 * The session numbers requests and returns the bodies to send (`bodiesToSend`). Each body of the room goes into
 * `receive`, which returns what happened, in order, as objects with a `kind`:
 *
 * - `answered`: `answer` to `request`, matched by `re` (an `error` for a refusal);
 * - `event`: an event of a table, each exactly once and in the order of its `seq`; `before` and `after` are the table;
 * - `snapshot`: a table's state is replaced, requested or not;
 * - `told`: `seat_offered`, `wait_ended`, `table_taken`, `removed_from_table`, `pre_act_cancelled`, and other messages to this client alone;
 * - `goodbye`, and `error` for one without `re`.
 *
 * Per table it is in one of three states: not followed (no snapshot yet: events are dropped), followed, or lost. Lost is
 * entered by an event whose `seq` is not the next one; the session then requests a snapshot by itself and drops that
 * table's events until it comes. An event of an unknown type is ignored; the next one causes a snapshot. After
 * `tournament_moved` the session observes the new table by itself, and the old one no more, if it followed that one.
 *
 * This module knows no sockets, no clock and no poker.
 */

import { decode, encode } from "./codec.js";
import { afterEvent, tournamentOf } from "./table_view.js";
import { afterUltimateEvent } from "./ultimate_view.js";

export const PROTOCOL_VERSION = 1;
const ID_MAX = 2 ** 31 - 1;

/** For each game the type of its snapshot, and the function that applies an event. */
const GAMES = { snapshot: afterEvent, ultimate_snapshot: afterUltimateEvent };

/** The requests and tables of one connection; a new connection needs a new session (and `resume`). */
export class ClientSession {
  #lost = new Map(); // table -> id of the pending get_snapshot, or null
  #pending = new Map();
  #own = new Map(); // the session's own requests: id -> table
  #outgoing = [];
  #lastId = 0;

  constructor() {
    /** The last `authenticated`, until `log_out`. */
    this.authenticated = null;
    /** The followed tables by id; a lost one as it was before the gap. */
    this.tables = new Map();
  }

  /** Queue a request (`type` and its fields) with the next free id; return that id. */
  request(message) {
    const id = this.#nextId();
    const numbered = { ...message, id };
    this.#pending.set(id, numbered);
    this.#outgoing.push(encode(numbered));
    return id;
  }

  /** Return the bodies to send, in order; each is returned once. */
  bodiesToSend() {
    const bodies = this.#outgoing;
    this.#outgoing = [];
    return bodies;
  }

  /** Take one body of the room; throws `CodecError`, without a change, if it is no message. */
  receive(body) {
    return this.take(decode(body));
  }

  /** As `receive`, for a decoded message. */
  take(message) {
    if (typeof message.seq === "number" && typeof message.table === "string" && !(message.type in GAMES)) {
      return this.#follow(message);
    }
    if (message.type === "goodbye") return [{ kind: "goodbye", message }];
    const happenings = [];
    if (typeof message.re === "number") {
      const request = this.#pending.get(message.re);
      this.#pending.delete(message.re);
      const ownTable = this.#own.get(message.re);
      this.#own.delete(message.re);
      // Refused: the table stays lost; its next event causes another request.
      if (this.#lost.has(ownTable)) this.#lost.set(ownTable, null);
      if (request) {
        this.#note(request, message);
        happenings.push({ kind: "answered", request, answer: message });
      }
    } else if (message.type === "error") {
      happenings.push({ kind: "error", message });
    } else if (!(message.type in GAMES)) {
      if (message.type === "tournament_moved") this.#move(message);
      if (message.type === "table_taken" || message.type === "removed_from_table") this.#forget(message.table);
      happenings.push({ kind: "told", message });
    }
    if (message.type in GAMES) {
      this.#lost.delete(message.table);
      this.tables.set(message.table, message);
      happenings.push({ kind: "snapshot", message });
    }
    return happenings;
  }

  #nextId() {
    let id = this.#lastId;
    do {
      id = (id % ID_MAX) + 1;
    } while (this.#pending.has(id) || this.#own.has(id));
    this.#lastId = id;
    return id;
  }

  #note(request, answer) {
    if (answer.type === "authenticated") {
      this.authenticated = answer;
    } else if (request.type === "unobserve" && answer.type === "ok") {
      this.#forget(request.table);
    } else if (["log_out", "delete_account"].includes(request.type) && answer.type === "ok") {
      this.authenticated = null;
      this.tables.clear();
      this.#lost.clear();
    }
  }

  #forget(table) {
    this.tables.delete(table);
    this.#lost.delete(table);
  }

  /** Follow the player to the new table, if the one before is followed here. */
  #move({ tournament, from_table: old, table }) {
    const knows = [...this.tables.keys()].some((each) => tournamentOf(each) === tournament);
    if (table === old || !(old === null ? knows : this.tables.has(old))) return;
    if (old !== null) {
      this.#forget(old);
      this.#ask({ type: "unobserve", table: old });
    }
    if (!this.tables.has(table)) this.#ask({ type: "observe", table });
  }

  /** Queue a request of the session's own; return its id. */
  #ask(message) {
    const id = this.#nextId();
    this.#own.set(id, message.table);
    this.#outgoing.push(encode({ ...message, id }));
    return id;
  }

  #follow(event) {
    const before = this.tables.get(event.table);
    if (!before || event.seq <= before.seq) return [];
    if (!this.#lost.has(event.table)) {
      const after = event.seq === before.seq + 1 ? GAMES[before.type](before, event) : null;
      if (after) {
        this.tables.set(event.table, after);
        return [{ kind: "event", message: event, before, after }];
      }
      this.#lost.set(event.table, null);
    }
    if (this.#lost.get(event.table) === null) {
      this.#lost.set(event.table, this.#ask({ type: "get_snapshot", table: event.table }));
    }
    return [];
  }
}
