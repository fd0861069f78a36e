/** A wish to the cashier and its key: asked again after a lost answer it is the same wish, and money moves once. Knows no page. */

const LENGTH = 20;

export class Wish {
  #asked = null;

  /** The message that asks for it: under the key of before where what became of the same wish is not known. */
  message(kind, amount, source) {
    const same = this.#asked?.kind === kind && this.#asked.amount === amount && this.#asked.source === source;
    if (!same) this.#asked = { kind, amount, source, key: newKey() };
    const type = kind === "deposit" ? "request_deposit" : "request_withdrawal";
    return { type, key: this.#asked.key, amount, source };
  }

  /** The room has answered: whatever is asked next is another wish. */
  answered() {
    this.#asked = null;
  }
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH / 2));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Requests whose state is not what it was: those of `after` that `before` knows otherwise. */
export function decided(before, after) {
  const states = new Map(before.map((request) => [request.key, request.state]));
  return after.filter(({ key, state }) => states.has(key) && states.get(key) !== state);
}
