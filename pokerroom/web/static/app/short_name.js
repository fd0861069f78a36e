/** The names of tables for narrow heads, and their numbers in a tournament. Knows no page. */

import { tournamentOf } from "/client/pokerroom.js";

/** Return the name without stakes such as 0.50/1.00, which the head shows beside it. */
export function shortName(name) {
  return name.replace(/\s*\d[\d.,]*\s*\/\s*\d[\d.,]*/, "").trim() || name;
}

/** The number of a table in its tournament. */
export const tableNumber = (table) => (tournamentOf(table) === table ? 1 : Number(table.slice(tournamentOf(table).length + 1)));
