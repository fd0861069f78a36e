/** The best table for a player who wants to play now, and the buy-in. Knows the lobby and no page. */

/** The table that deals a new player in soonest. First a table where a house bot waits: its hand begins at once, while a
 * table in play finishes its hand first. Then a table with players; among equals no-limit, small stakes, and about six
 * seats. `seated` tells whether the player has a seat there already. */
export function bestSeat(lines, { balance, seated = () => false }) {
  const open = lines.filter((info) => !info.closing && info.occupied < info.seats && info.waiting === 0 && info.min_buy_in <= balance && !seated(info.table));
  const ranked = open.map((info) => ({ info, rank: [soon(info), info.structure === "no_limit" ? 0 : 1, info.big_blind, Math.abs(info.seats - 6), -info.players] }));
  return ranked.sort((one, other) => compare(one.rank, other.rank))[0]?.info ?? null;
}

function soon({ players, house_bots }) {
  if (house_bots > 0 && players === 1) return 0;
  if (players > 1) return 1;
  if (house_bots > 0) return 2;
  return players > 0 ? 3 : 4;
}

function compare(one, other) {
  const index = one.findIndex((value, each) => value !== other[each]);
  return index < 0 ? 0 : one[index] - other[index];
}

/** The largest buy-in that the table and the wallet allow. */
export const buyInFor = (info, balance) => Math.max(info.min_buy_in, Math.min(balance, info.max_buy_in));

/** The tables with players or bots first, each part in its order: a new player sees where something happens. */
export const gamesFirst = (lines) => [...lines.filter((info) => info.players > 0), ...lines.filter((info) => info.players === 0)];

/** Tournaments to enter or to watch first, by their start; then those that are over, the newest first, and cancelled ones last. */
export function nextFirst(rows) {
  const rank = ({ phase, starts_ms }) => (["registering", "running"].includes(phase) ? [0, starts_ms] : [phase === "cancelled" ? 2 : 1, -starts_ms]);
  return [...rows].sort((one, other) => compare(rank(one), rank(other)));
}
