/** The time left until a moment of the room's clock; hidden from screen readers, because it ticks. */

import { days } from "./i18n.js";
import { room } from "./room.js";

const TICK_MS = 500;
const DAY_S = 86_400;

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
    this.textContent = timeLeft(left);
  }
}

/** Minutes and seconds, before them hours; from two days on whole days. */
function timeLeft(seconds) {
  if (seconds >= 2 * DAY_S) return days(Math.floor(seconds / DAY_S));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first, ...others] = parts[0] > 0 ? parts : parts.slice(1);
  return [first, ...others.map((part) => String(part).padStart(2, "0"))].join(":");
}

customElements.define("pr-until", Until);
