/** The player's settings: language, colours, deck, chat, side bets, sounds, sizes of bets, statistics at tables, whether hands are saved. Stored in localStorage if available.
 *
 * Those of `KEPT` belong to the account and follow it to each device; the others belong to the device.
 */

const KEY = "pokerroom.settings";
const DEFAULTS = { language: null, theme: "auto", deck: "two", chat: true, side_bets: true, sounds: 100, announcements: 100, muck_losing: true, straddle: false, own_sizes: "", notifications: false, chat_place: "", table_statistics: false, saves_hands: false };
export const KEPT = ["language", "chat", "side_bets", "sounds", "announcements", "muck_losing", "straddle"];

class Settings extends EventTarget {
  constructor() {
    super();
    this.values = { ...DEFAULTS, ...read() };
    // values of an earlier version of this page
    for (const name of Object.keys(DEFAULTS)) if (name !== "language" && typeof this.values[name] !== typeof DEFAULTS[name]) this.values[name] = DEFAULTS[name];
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.#change({ [name]: value });
  }

  /** Take the account's settings in place of this browser's. */
  apply(kept) {
    this.#change(Object.fromEntries(KEPT.filter((name) => name in kept).map((name) => [name, kept[name]])));
  }

  /** The settings to store with the account. */
  kept() {
    return Object.fromEntries(KEPT.map((name) => [name, this.values[name]]));
  }

  #change(values) {
    this.values = { ...this.values, ...values };
    try {
      localStorage.setItem(KEY, JSON.stringify(this.values));
    } catch {
      // a browser without storage works too
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
