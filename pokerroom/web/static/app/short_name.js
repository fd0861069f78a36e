/** The names of tables for narrow heads. Knows no page. */

/** Return the name without stakes such as 0.50/1.00, which the head shows beside it. */
export function shortName(name) {
  return name.replace(/\s*\d[\d.,]*\s*\/\s*\d[\d.,]*/, "").trim() || name;
}
