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

  /** Take note of the answer: the next message is another request. */
  answered() {
    this.#asked = null;
  }
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH / 2));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the requests of `after` that have another state in `before`. */
export function decided(before, after) {
  const states = new Map(before.map((request) => [request.key, request.state]));
  return after.filter(({ key, state }) => states.has(key) && states.get(key) !== state);
}
