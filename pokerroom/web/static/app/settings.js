/** What a player has chosen: language, colours, deck, chat, side bets, sounds. Kept in localStorage where there is one.
 *
 * Those of `KEPT` belong to the account and follow it from device to device; colours and deck are the device's own.
 */

const KEY = "pokerroom.settings";
const DEFAULTS = { language: null, theme: "auto", deck: "two", chat: true, side_bets: true, sounds: 100, muck_losing: true, straddle: false };
export const KEPT = ["language", "chat", "side_bets", "sounds", "muck_losing", "straddle"];

class Settings extends EventTarget {
  constructor() {
    super();
    this.values = { ...DEFAULTS, ...read() };
    // what an earlier version of this page has left there
    for (const name of Object.keys(DEFAULTS)) if (name !== "language" && typeof this.values[name] !== typeof DEFAULTS[name]) this.values[name] = DEFAULTS[name];
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.#change({ [name]: value });
  }

  /** What the account has kept comes before what this browser had. */
  apply(kept) {
    this.#change(Object.fromEntries(KEPT.filter((name) => name in kept).map((name) => [name, kept[name]])));
  }

  /** What the account is to keep, as it is now. */
  kept() {
    return Object.fromEntries(KEPT.map((name) => [name, this.values[name]]));
  }

  #change(values) {
    this.values = { ...this.values, ...values };
    try {
      localStorage.setItem(KEY, JSON.stringify(this.values));
    } catch {
      // a browser that keeps nothing plays all the same
    }
    this.dispatchEvent(new Event("change"));
  }
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

export const settings = new Settings();
