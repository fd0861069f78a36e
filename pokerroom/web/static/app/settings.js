/** What a player has chosen for this browser: language, colours, deck, chat. Kept in localStorage where there is one. */

const KEY = "pokerroom.settings";
const DEFAULTS = { language: null, theme: "auto", deck: "two", chat: true, sounds: false };

class Settings extends EventTarget {
  constructor() {
    super();
    this.values = { ...DEFAULTS, ...read() };
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values = { ...this.values, [name]: value };
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
