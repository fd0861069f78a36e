/** The time left for a decision: a thin line that empties at first, then the countdown's line with a number of seconds.
 *
 * It ticks by itself, says what follows after an arrow, and is hidden from screen readers.
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
    if (turn?.seq !== this.times?.seq) this.since = room.client.serverNow();
    this.times = turn;
    if (this.isConnected) this.#tick();
  }

  /** What the room does when the time is up, in a word; null for other players. */
  set then(text) {
    this.after = text;
    if (this.isConnected) this.#tick();
  }

  #tick() {
    if (!this.times || !this.bar) return;
    const now = room.client.serverNow();
    const left = this.times.deadline_ms - now;
    const length = this.times.deadline_ms - this.times.countdown_ms;
    const running = left <= length;
    this.classList.toggle("running", running);
    this.classList.toggle("bank", this.times.in_time_bank);
    this.classList.toggle("short", running && left < 6_000);
    const [rest, whole] = running ? [left, length] : [this.times.countdown_ms - now, this.times.countdown_ms - this.since];
    this.bar.style.setProperty("--left", (whole > 0 ? Math.min(1, Math.max(0, rest / whole)) : 1).toFixed(3));
    const seconds = Math.max(0, Math.ceil(left / 1000));
    this.number.textContent = running ? [seconds, this.after].filter((each) => each !== null && each !== undefined).join(" → ") : "";
  }
}

customElements.define("pr-clock", Clock);
