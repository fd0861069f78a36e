/** The time left until a moment of the room's clock; hidden from screen readers, because it ticks. */

import { room } from "./room.js";

const TICK_MS = 500;

class Until extends HTMLElement {
  #until = null;
  #timer = null;

  connectedCallback() {
    this.setAttribute("aria-hidden", "true");
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  get until() {
    return this.#until;
  }

  /** Milliseconds since the epoch, by the room's clock. */
  set until(until) {
    this.#until = until;
    this.#tick();
  }

  #tick() {
    if (this.#until === null) return;
    const left = Math.max(0, Math.ceil((this.#until - room.client.serverNow()) / 1000));
    this.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }
}

customElements.define("pr-until", Until);
