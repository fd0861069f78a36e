/** The operator's desk: the token of this tab, and requests to the operations port. Knows no page. */

const KEY = "pokerroom.operator";

/** The prefix of every path of the operator API. */
const API = "/v1";

/** The room did not do what was asked. `code` is stable, `error.message` the room's own text. */
export class Refused extends Error {
  constructor(code, message = "", status = 0) {
    super(message || code);
    Object.assign(this, { code, status, error: { message } });
  }
}

/** The refusals after which the token is of no use. */
const ENDED = new Set(["token_refused", "token_missing"]);

export class Desk extends EventTarget {
  /** `identity` is who the room takes us for: `operator`, `role`, `verbs`; null before that. */
  identity = null;
  /** Why the last token was given up, a code; null if the operator did it. */
  ended = null;
  #token;
  #store;
  #fetch;

  constructor({ store = globalThis.sessionStorage, ask = (...request) => fetch(...request) } = {}) {
    super();
    this.#store = store;
    this.#fetch = ask;
    this.#token = read(store);
  }

  /** Whether there is a token, known to the room or not. */
  get hasToken() {
    return this.#token !== null;
  }

  /** Whether the role has a verb. */
  may(verb) {
    return this.identity?.verbs.includes(verb) ?? false;
  }

  /** Ask who we are, with this token or with that of the tab. Throws `Refused`; a refused token is forgotten. */
  async enter(token = this.#token) {
    this.#token = token;
    const identity = await this.get("/whoami");
    this.#save(token);
    Object.assign(this, { identity, ended: null });
    this.dispatchEvent(new Event("change"));
  }

  /** Forget the token. */
  leave(why = null) {
    this.#save(null);
    Object.assign(this, { identity: null, ended: why });
    this.#token = null;
    this.dispatchEvent(new Event("change"));
  }

  /** The answer to a question. Throws `Refused`. */
  get(path, values = {}) {
    return this.#asked("GET", path, values);
  }

  /** An answer that is text, such as CSV. Throws `Refused`. */
  text(path, values = {}) {
    return this.#asked("GET", path, values, null, (answer) => answer.text());
  }

  /** Give an order; with a key the room carries it out once. Throws `Refused`. */
  order(path, values = {}, key = null) {
    return this.#asked("POST", path, values, key);
  }

  async #asked(method, path, values, key = null, read = (answer) => answer.json()) {
    const token = this.#token;
    const answer = await this.#sent(method, withQuery(path, values), token, key);
    const body = await (answer.ok ? read(answer) : answer.json()).catch(() => null);
    if (answer.ok && body !== null) return body;
    const refused = new Refused(body?.code ?? "internal", body?.message ?? "", answer.status);
    if (ENDED.has(refused.code) && token === this.#token) this.leave(refused.code);
    throw refused;
  }

  async #sent(method, path, token, key) {
    const headers = { ...(token !== null && { Authorization: `Bearer ${token}` }), ...(key !== null && { "Idempotency-Key": key }) };
    try {
      return await this.#fetch(API + path, { method, headers, cache: "no-store", credentials: "omit", redirect: "error", signal: AbortSignal.timeout(12_000) });
    } catch {
      throw new Refused("unreachable");
    }
  }

  #save(token) {
    try {
      if (token === null) this.#store.removeItem(KEY);
      else this.#store.setItem(KEY, token);
    } catch {
      // a browser without storage forgets the token at a reload
    }
  }
}

/** A path with those values that are not empty. */
export function withQuery(path, values) {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** A path below one of the room's pages. */
export const pathOf = (...parts) => parts.map((part) => `/${encodeURIComponent(part)}`).join("");

/** A new key of an order. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (each) => each.toString(36)).join("-");

/** A pasted token as a header can have it: without space around it. Null if it is no token. */
export function tokenOf(text) {
  const token = text.trim();
  return /^[\x21-\x7e]+$/.test(token) ? token : null;
}

function read(store) {
  try {
    return store.getItem(KEY);
  } catch {
    return null;
  }
}
