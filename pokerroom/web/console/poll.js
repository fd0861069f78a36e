/** Asks the room again and again while the page is visible. One question at a time. */

export class Poll extends EventTarget {
  /** The last answer, null before it; `at` is when it came. */
  data = null;
  at = null;
  /** Why the last question had no answer, null if it had one. */
  failure = null;
  #ask;
  #everyMs;
  #timer = null;
  #run = 0;
  #running = false;

  /** `ask` returns a promise of the data. */
  constructor(ask, everyMs = 2_000) {
    super();
    this.#ask = ask;
    this.#everyMs = everyMs;
  }

  start() {
    if (this.#running) return;
    this.#running = true;
    document.addEventListener("visibilitychange", this.#seen);
    this.refresh();
  }

  stop() {
    this.#running = false;
    this.#run += 1;
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#seen);
  }

  /** Ask now. What is on its way is not waited for any more. */
  async refresh() {
    const run = (this.#run += 1);
    clearTimeout(this.#timer);
    try {
      const data = await this.#ask();
      if (run !== this.#run) return;
      Object.assign(this, { data, at: Date.now(), failure: null });
    } catch (failure) {
      if (run !== this.#run) return;
      this.failure = failure;
    }
    this.dispatchEvent(new Event("change"));
    if (this.#running && document.visibilityState === "visible") this.#timer = setTimeout(() => this.refresh(), this.#everyMs);
  }

  #seen = () => {
    clearTimeout(this.#timer);
    if (document.visibilityState === "visible") this.refresh();
  };
}
