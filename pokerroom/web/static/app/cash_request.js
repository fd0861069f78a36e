/** A request to the cashier and its idempotency key: a repetition after a lost answer moves the money once. */

const LENGTH = 20;

export class CashRequest {
  #asked = null;

  /** Return the message; with the earlier key if the same request has no answer yet. */
  message(kind, amount, source) {
    const same = this.#asked?.kind === kind && this.#asked.amount === amount && this.#asked.source === source;
    if (!same) this.#asked = { kind, amount, source, key: newKey() };
    const type = kind === "deposit" ? "request_deposit" : "request_withdrawal";
    return { type, key: this.#asked.key, amount, source };
  }

  /** Return the message of a refill; with the earlier key if the last one has no answer yet. */
  refill() {
    if (this.#asked?.kind !== "refill") this.#asked = { kind: "refill", key: newKey() };
    return { type: "refill", key: this.#asked.key };
  }

  /** Take note of the answer: the next message is another request. */
  answered() {
    this.#asked = null;
  }
}

/** Return a random key, which the room takes for a request of its own. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH / 2));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the requests of `after` that have another state in `before`. */
export function decided(before, after) {
  const name = ({ kind, key }) => `${kind} ${key}`;
  const states = new Map(before.map((request) => [name(request), request.state]));
  return after.filter((request) => states.has(name(request)) && states.get(name(request)) !== request.state);
}
