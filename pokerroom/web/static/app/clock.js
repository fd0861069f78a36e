/** The time left for a decision: nothing at first, then a ring that empties and a number of seconds.
 *
 * It ticks by itself and is hidden from screen readers; `speak.js` announces once that the time runs short.
 */

import { room } from "./room.js";

const TICK_MS = 200;

class Clock extends HTMLElement {
  #timer = null;

  connectedCallback() {
    this.setAttribute("aria-hidden", "true");
    if (!this.firstChild) {
      this.bar = this.appendChild(document.createElement("i"));
      this.number = this.appendChild(document.createElement("b"));
    }
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  /** The turn's times, by the room's clock. */
  set turn(turn) {
    this.times = turn;
    if (this.isConnected) this.#tick();
  }

  #tick() {
    if (!this.times || !this.bar) return;
    const left = this.times.deadline_ms - room.client.serverNow();
    const length = this.times.deadline_ms - this.times.countdown_ms;
    const running = left <= length;
    this.classList.toggle("running", running);
    this.classList.toggle("bank", this.times.in_time_bank);
    this.classList.toggle("short", running && left < 6_000);
    const share = running && length > 0 ? Math.max(0, left / length) : 1;
    this.bar.style.setProperty("--left", share.toFixed(3));
    this.number.textContent = running ? String(Math.max(0, Math.ceil(left / 1000))) : "";
  }
}

customElements.define("pr-clock", Clock);
