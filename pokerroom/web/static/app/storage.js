/** Storage of this browser tab over a reload: another tab is another player. */

/** Read the text of a key; null without one. */
export function stored(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Store a text under a key; null removes it. */
export function store(key, value) {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // a browser without storage forgets the session at a reload; the room keeps the seat for a while
  }
}
