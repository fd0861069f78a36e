/** `ClientSession` joined to a WebSocket that comes back by itself.
 *
 * It says hello, resumes with the token it was given, observes the tables it was following, keeps an idle connection
 * open, and reads the room's clock. Lost, it reconnects with growing pauses; told `taken_over`, it does not, since two
 * clients would fight for ever. What it hears goes to listeners as `CustomEvent`s, each with its `detail`:
 *
 * - `state`: `{ state, code }`; `connecting`, `greeted`, `open` (logged in), `waiting` (will try again) or `ended`;
 * - `event`, `snapshot`, `told`: the session's happenings (see `session.js`);
 * - `authenticated`: the answer; `account` has changed, or is back;
 * - `forgotten`: the token is no good any more.
 *
 * The WebSocket class, timers and the wall clock are handed in, so that tests need none of them.
 */

import { CodecError } from "./codec.js";
import { ClientSession, PROTOCOL_VERSION } from "./session.js";

export const SUBPROTOCOL = "pokerroom.v1.json";

const PAUSE_MIN_MS = 300;
const PAUSE_MAX_MS = 8_000;
const ANSWER_MS = 20_000;
const FINAL_CODES = new Set(["taken_over", "unsupported_version"]);

/** The room answered a request with `error`: nothing has changed there. `code` may be unknown here. */
export class Refused extends Error {
  constructor(error) {
    super(`${error.code}: ${error.message}`);
    this.code = error.code;
    this.error = error;
  }
}

/** The connection ended before the answer came: whether the request was heard is not known. */
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
  #goodbye = null;
  #sync = { offset: 0, roundTrip: Infinity };
  #wanted = false;

  constructor({ url, client = "pokerroom-js", pause = true, token = null, ...around }) {
    super();
    this.url = url;
    this.hello = { type: "hello", version: PROTOCOL_VERSION, client, pause };
    /** Secret: resumes the account over a new connection; null when nobody is logged in. */
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

  /** The followed tables by name, as they are now. */
  get tables() {
    return this.#session.tables;
  }

  /** The room's clock, in milliseconds since the Unix epoch, as far as it is known. */
  serverNow() {
    return this.#now() + this.#sync.offset;
  }

  /** Connects, and stays connected until `close`. */
  open() {
    this.#wanted = true;
    if (this.#socket === null) this.#connect();
  }

  /** Ends the connection for good; seats are kept as for a lost line. */
  close() {
    this.#wanted = false;
    this.#timers.clear(this.#timer);
    this.#socket?.close(1000);
    if (this.#socket === null) this.#setState("ended");
  }

  /** Sends a request and waits for its answer. Throws `Refused` or `ConnectionEnded`. */
  request(message) {
    if (this.#socket === null || this.#socket.readyState !== 1) return Promise.reject(new ConnectionEnded());
    return new Promise((resolve, reject) => {
      const id = this.#session.request(message);
      const late = this.#timers.set(() => this.#socket?.close(4000), ANSWER_MS);
      this.#waiting.set(id, { resolve, reject, late });
      this.#flush();
    });
  }

  /** Logs in over the open connection: `register`, `log_in` or `resume`, as a message without `id`. */
  async authenticate(message) {
    const answer = await this.request(message);
    this.token = answer.token;
    this.account = answer;
    for (const table of new Set([...answer.tables, ...this.#following])) {
      // what goes wrong with the line is told by the line
      this.observe(table).catch((failure) => {
        if (failure instanceof Refused) this.#following.delete(table);
      });
    }
    this.#setState("open");
    this.#tell("authenticated", answer);
    return answer;
  }

  /** Follows a table, also over later connections. */
  observe(table) {
    this.#following.add(table);
    return this.request({ type: "observe", table });
  }

  /** Whether a table is followed, now or as soon as there is a connection. */
  follows(table) {
    return this.#following.has(table);
  }

  /** Follows it no more. */
  unobserve(table) {
    this.#following.delete(table);
    return this.request({ type: "unobserve", table });
  }

  /** Ends the session: the token is void from then on. */
  async logOut() {
    await this.request({ type: "log_out" });
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
    socket.onopen = () => this.#greet(socket);
    socket.onmessage = ({ data }) => socket === this.#socket && this.#received(data);
    socket.onclose = () => socket === this.#socket && this.#closed();
  }

  async #greet(socket) {
    try {
      const asked = this.#now();
      this.welcome = await this.request(this.hello);
      this.#read(this.welcome, asked);
      this.#beat((this.welcome.idle_s * 1000) / 3);
      this.#pauseMs = PAUSE_MIN_MS;
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
      await this.request({ type: "ping" }).then(
        (pong) => this.#read(pong, asked),
        () => {}, // the connection's end is told elsewhere
      );
    }, everyMs);
  }

  /** Of several readings of the room's clock the one with the shortest way is believed. */
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
      else if (happening.kind !== "error") this.#tell(happening.kind, happening);
    }
  }

  #answered({ request, answer }) {
    const waiting = this.#waiting.get(request.id);
    this.#waiting.delete(request.id);
    if (!waiting) return;
    this.#timers.clear(waiting.late);
    if (answer.type === "error") waiting.reject(new Refused(answer));
    else waiting.resolve(answer);
  }

  #closed() {
    this.#socket = null;
    this.#timers.clear(this.#heartbeat);
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
