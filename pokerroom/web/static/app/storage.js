/** Storage of this browser tab over a reload: another tab is another player. What lasts is also stored for the device. */

/** Read the text of a key, of this tab or else of the device; null without one. */
export function stored(key) {
  try {
    return sessionStorage.getItem(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Tell whether a key is stored for the device. */
export function isLasting(key) {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

/** Store a text under a key, with `lasting` for the device too; null removes it from both. */
export function store(key, value, lasting = false) {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
    if (value !== null && lasting) localStorage.setItem(key, value);
    else if (value === null) localStorage.removeItem(key);
  } catch {
    // a browser without storage forgets the session at a reload; the room keeps the seat for a while
  }
}
