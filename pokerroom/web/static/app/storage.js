/** What this tab of the browser keeps over a reload: another tab is another player. */

/** What is kept under a key; null for nothing. */
export function stored(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text under a key; null forgets it. */
export function store(key, value) {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // a browser that keeps nothing forgets us at a reload; our seat is kept by the room for a while
  }
}
