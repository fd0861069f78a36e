/** `ClientSession` joined to a WebSocket that reconnects.
 *
 * It sends hello, resumes with its token, observes the tables that it follows, keeps an idle connection open, and reads
 * the room's clock. After a lost connection it reconnects with growing pauses; after `taken_over` it does not, because two
 * clients would replace each other without end. Clients of one account that differ in their `instance` stay side by side;
 * each table is open at one of them (`table_taken`). It emits `CustomEvent`s with a `detail`:
 *
 * - `state`: `{ state, code }`; `connecting`, `greeted`, `open` (logged in), `waiting` (for the next attempt) or `ended`;
 * - `event`, `snapshot`, `told`: the session's happenings (see `session.js`);
 * - `authenticated`: the answer, after a login or a resumption;
 * - `forgotten`: the token is no longer valid.
 *
 * The WebSocket class, timers and the wall clock are parameters, so that tests can replace them.
 */

import { CodecError } from "./codec.js";
import { ClientSession, PROTOCOL_VERSION } from "./session.js";
import { tournamentOf } from "./table_view.js";

export const SUBPROTOCOL = "pokerroom.v1.json";

const PAUSE_MIN_MS = 300;
const PAUSE_MAX_MS = 8_000;
const ANSWER_MS = 20_000;
/** A line that dies silently is noticed within these two together. */
const BEAT_MS = 2_000;
const PONG_MS = 2_500;
/** A connection that is not greeted in this time is given up: a dead network would hold it for minutes. */
const GREET_MS = 5_000;
/** How often `enter` sends its message: one that ends each connection is not sent for ever. */
const ENTER_TRIES = 5;
const FINAL_CODES = new Set(["taken_over", "unsupported_version"]);

/** The room answered a request with `error`: nothing has changed, unless `code` is `unavailable`. A code may be new. */
export class Refused extends Error {
  constructor(error) {
    super(`${error.code}: ${error.message}`);
    this.code = error.code;
    this.error = error;
  }
}

/** The connection ended before the answer: the request may have taken effect. */
export class ConnectionEnded extends Error {
  constructor() {
    super("the connection ended");
    this.code = "connection_ended";
  }
}

/** See the module. */
export class PokerClient extends EventTarget {
  #WebSocket;
  #timers;
  #now;
  #socket = null;
  #session = new ClientSession();
  #waiting = new Map(); // number -> { resolve, reject }
  #following = new Set();
  #pauseMs = PAUSE_MIN_MS;
  #timer = null;
  #heartbeat = null;
  #greeting = null;
  #goodbye = null;
  #sync = { offset: 0, roundTrip: Infinity };
  #wanted = false;

  constructor({ url, client = "pokerroom-js", pause = true, instance = "", token = null, ...around }) {
    super();
    this.url = url;
    this.hello = { type: "hello", version: PROTOCOL_VERSION, client, pause, instance };
    /** Secret token that resumes the session; null without a login. */
    this.token = token;
    this.state = "ended";
    this.welcome = null;
    this.account = null;
    this.#WebSocket = around.WebSocket ?? globalThis.WebSocket;
    this.#timers = around.timers ?? {
      set: (work, ms) => globalThis.setTimeout(work, ms),
      clear: (timer) => globalThis.clearTimeout(timer),
    };
    this.#now = around.now ?? (() => Date.now());
  }

  /** The followed tables by id. */
  get tables() {
    return this.#session.tables;
  }

  /** The estimated clock of the room, in milliseconds since the Unix epoch. */
  serverNow() {
    return this.#now() + this.#sync.offset;
  }

  /** Connect, and stay connected until `close`. */
  open() {
    this.#wanted = true;
    if (this.#socket === null) this.#connect();
  }

  /** End the connection for good; seats are kept as after a lost connection. */
  close() {
    this.#wanted = false;
    this.#timers.clear(this.#timer);
    this.#socket?.close(1000);
    if (this.#socket === null) this.#setState("ended");
  }

  /** Send a request and await its answer. Throws `Refused` or `ConnectionEnded`. */
  request(message) {
    return this.#ask(message, ANSWER_MS);
  }

  /** As `request`; without an answer in `patienceMs` the line is dead, and given up at once. */
  #ask(message, patienceMs) {
    if (this.#socket === null || this.#socket.readyState !== 1) return Promise.reject(new ConnectionEnded());
    return new Promise((resolve, reject) => {
      const id = this.#session.request(message);
      const late = this.#timers.set(() => this.#giveUp(), patienceMs);
      this.#waiting.set(id, { resolve, reject, late });
      this.#flush();
    });
  }

  /** Log in over the open connection: `register`, `log_in` or `resume`, as a message without `id`. */
  async authenticate(message) {
    const answer = await this.request(message);
    this.token = answer.token;
    this.account = answer;
    for (const table of new Set([...answer.tables, ...this.#following])) {
      // the `state` event reports connection failures
      this.observe(table, false).catch((failure) => {
        if (!(failure instanceof Refused)) return;
        this.#following.delete(table);
        if (failure.code === "table_taken") this.#tell("told", { kind: "told", message: { type: "table_taken", table } });
      });
    }
    this.#setState("open");
    this.#tell("authenticated", answer);
    return answer;
  }

  /** As `authenticate`, for `register` and `log_in`: where the connection ends before the answer, send the message again over
   * the next one. A `register` that has taken effect meanwhile goes on as `log_in`. */
  async enter(message) {
    let sent = message;
    let taken = null;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.authenticate(sent);
      } catch (failure) {
        if (tries > 1 && sent.type === "register" && failure.code === "name_taken") {
          [taken, sent] = [failure, { type: "log_in", name: message.name, password: message.password }];
        } else if (failure instanceof Refused) {
          throw taken ?? failure;
        } else if (!(failure instanceof ConnectionEnded) || tries === ENTER_TRIES || !(await this.#greetedAgain())) {
          throw failure;
        }
      }
    }
  }

  /** Wait for the next connection; false if there is none to come. */
  #greetedAgain() {
    return new Promise((resolve) => {
      const heard = ({ detail: { state } }) => {
        if (state !== "greeted" && state !== "ended") return;
        this.removeEventListener("state", heard);
        resolve(state === "greeted");
      };
      this.addEventListener("state", heard);
    });
  }

  /** Follow a table, also over later connections. Without `takeOver` it is refused while another client has it open. */
  observe(table, takeOver = true) {
    this.#following.add(table);
    return this.request({ type: "observe", table, take_over: takeOver });
  }

  /** Tell whether a table is followed, now or after the next connection. */
  follows(table) {
    return this.#following.has(table);
  }

  /** Stop following a table. */
  unobserve(table) {
    this.#following.delete(table);
    return this.request({ type: "unobserve", table });
  }

  /** End the session: the token becomes invalid. `delete_account` does so, too. */
  async logOut(request = { type: "log_out" }) {
    await this.request(request);
    this.#forget();
    this.#setState("greeted");
  }

  // --- the connection

  #connect() {
    this.#goodbye = null;
    this.#session = new ClientSession();
    this.#setState("connecting");
    const socket = new this.#WebSocket(this.url, [SUBPROTOCOL]);
    this.#socket = socket;
    this.#greeting = this.#timers.set(() => this.#giveUp(), GREET_MS);
    socket.onopen = () => this.#greet(socket);
    socket.onmessage = ({ data }) => socket === this.#socket && this.#received(data);
    socket.onclose = () => socket === this.#socket && this.#closed();
  }

  async #greet(socket) {
    try {
      const asked = this.#now();
      this.welcome = await this.request(this.hello);
      this.#read(this.welcome, asked);
      this.#beat(Math.min(BEAT_MS, (this.welcome.idle_s * 1000) / 3));
      this.#pauseMs = PAUSE_MIN_MS;
      this.#timers.clear(this.#greeting);
      this.#setState("greeted");
      if (this.token !== null) await this.#resume();
    } catch (failure) {
      if (failure instanceof Refused) {
        this.#goodbye ??= failure.error;
        socket.close(4000);
      } else if (!(failure instanceof ConnectionEnded)) {
        throw failure;
      }
    }
  }

  async #resume() {
    try {
      await this.authenticate({ type: "resume", token: this.token });
    } catch (failure) {
      if (!(failure instanceof Refused) || failure.code !== "session_unknown") throw failure;
      this.#forget();
      this.#tell("forgotten", failure.error);
    }
  }

  #forget() {
    this.token = null;
    this.account = null;
    this.#following.clear();
  }

  #beat(everyMs) {
    this.#heartbeat = this.#timers.set(async () => {
      const asked = this.#now();
      this.#beat(everyMs);
      await this.#ask({ type: "ping" }, PONG_MS).then(
        (pong) => this.#read(pong, asked),
        () => {}, // the `state` event reports the end
      );
    }, everyMs);
  }

  /** Use the reading of the room's clock with the shortest round trip. */
  #read(answer, asked) {
    const now = this.#now();
    const roundTrip = now - asked;
    if (roundTrip <= this.#sync.roundTrip * 1.5) {
      this.#sync = { offset: answer.server_time_ms - (asked + roundTrip / 2), roundTrip };
    }
  }

  #received(data) {
    let happenings;
    try {
      happenings = this.#session.receive(data);
    } catch (failure) {
      if (!(failure instanceof CodecError)) throw failure;
      this.#socket.close(4000);
      return;
    }
    this.#flush();
    for (const happening of happenings) {
      if (happening.kind === "answered") this.#answered(happening);
      else if (happening.kind === "goodbye") this.#goodbye = happening.message;
      else if (happening.kind !== "error") {
        if (happening.message?.type === "tournament_moved") this.#move(happening.message);
        if (["table_taken", "removed_from_table"].includes(happening.message?.type)) this.#following.delete(happening.message.table);
        this.#tell(happening.kind, happening);
      }
    }
  }

  /** Note the tables that the session follows after a move, for later connections. */
  #move({ tournament, from_table: old, table }) {
    const follows = old === null ? [...this.#following].some((each) => tournamentOf(each) === tournament) : this.#following.delete(old);
    if (follows) this.#following.add(table);
  }

  #answered({ request, answer }) {
    const waiting = this.#waiting.get(request.id);
    this.#waiting.delete(request.id);
    if (!waiting) return;
    this.#timers.clear(waiting.late);
    if (answer.type === "error") waiting.reject(new Refused(answer));
    else waiting.resolve(answer);
  }

  /** Treat the connection as closed. A dead line would not answer the closing handshake for a long time. */
  #giveUp() {
    const socket = this.#socket;
    if (socket === null) return;
    this.#closed();
    socket.close(4000);
  }

  #closed() {
    this.#socket = null;
    this.#timers.clear(this.#heartbeat);
    this.#timers.clear(this.#greeting);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, late } of waiting) {
      this.#timers.clear(late);
      reject(new ConnectionEnded());
    }
    const code = this.#goodbye?.code ?? null;
    if (!this.#wanted || FINAL_CODES.has(code)) {
      this.#wanted = false;
      this.#setState("ended", code);
      return;
    }
    this.#setState("waiting", code);
    this.#timer = this.#timers.set(() => this.#connect(), this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MAX_MS);
  }

  #flush() {
    for (const body of this.#session.bodiesToSend()) {
      if (this.#socket?.readyState === 1) this.#socket.send(body);
    }
  }

  #setState(state, code = null) {
    this.state = state;
    this.#tell("state", { state, code });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
