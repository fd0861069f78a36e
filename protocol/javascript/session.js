/** A client's side of one connection, without the connection: bodies in, happenings out.
 *
 * The session numbers requests and hands out the bodies to send (`bodiesToSend`). Each body from the room goes into
 * `receive`, which returns what happened, in order, as objects with a `kind`:
 *
 * - `answered`: `answer` to `request`, matched by `re` (an `error` where the room refused);
 * - `event`: an event of a table, each exactly once and in the order of its `seq`; `before` and `after` are the table;
 * - `snapshot`: a table's state set anew, asked for or not;
 * - `told`: `seat_offered`, `wait_ended`, `pre_act_cancelled`, and whatever else the room says to us alone;
 * - `goodbye`, and `error` for one without `re`.
 *
 * Per table it is in one of three states: not followed (no snapshot yet: events are dropped), followed, or lost. Lost is
 * entered by an event whose `seq` is not the next one; the session then asks for a snapshot by itself and drops that
 * table's events until it comes. An event of an unknown kind is ignored, and so heals by the next one.
 *
 * This module knows no sockets, no clock and no poker.
 */

import { decode, encode } from "./codec.js";
import { afterEvent } from "./table_view.js";
import { afterUltimateEvent } from "./ultimate_view.js";

export const PROTOCOL_VERSION = 1;
const ID_MAX = 2 ** 31 - 1;

/** How a table of each game is kept up to date: the type of its snapshot, and what an event makes of it. */
const GAMES = { snapshot: afterEvent, ultimate_snapshot: afterUltimateEvent };

/** One connection's worth of requests and tables; a new connection needs a new session (and `resume`). */
export class ClientSession {
  #lost = new Map(); // table -> number of our own get_snapshot under way, or null
  #pending = new Map();
  #own = new Map(); // our own get_snapshot requests: number -> table
  #outgoing = [];
  #lastId = 0;

  constructor() {
    /** The last `authenticated`, until `log_out`. */
    this.authenticated = null;
    /** The followed tables by name; a lost one stays as it was before the gap. */
    this.tables = new Map();
  }

  /** Queues a request (`type` and its fields) under the next free number, and returns that number. */
  request(message) {
    const id = this.#nextId();
    const numbered = { ...message, id };
    this.#pending.set(id, numbered);
    this.#outgoing.push(encode(numbered));
    return id;
  }

  /** What is to be sent now, in order; each body is handed out once. */
  bodiesToSend() {
    const bodies = this.#outgoing;
    this.#outgoing = [];
    return bodies;
  }

  /** Takes one body from the room; throws `CodecError` when it is no message: nothing has changed. */
  receive(body) {
    return this.take(decode(body));
  }

  /** As `receive`, of a message that was read already. */
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
      // Refused: the table stays lost, and its next event makes us ask again.
      if (ownTable !== undefined) this.#lost.set(ownTable, null);
      if (request) {
        this.#note(request, message);
        happenings.push({ kind: "answered", request, answer: message });
      }
    } else if (message.type === "error") {
      happenings.push({ kind: "error", message });
    } else if (!(message.type in GAMES)) {
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
      this.tables.delete(request.table);
      this.#lost.delete(request.table);
    } else if (request.type === "log_out" && answer.type === "ok") {
      this.authenticated = null;
      this.tables.clear();
      this.#lost.clear();
    }
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
      const id = this.#nextId();
      this.#own.set(id, event.table);
      this.#lost.set(event.table, id);
      this.#outgoing.push(encode({ type: "get_snapshot", id, table: event.table }));
    }
    return [];
  }
}
