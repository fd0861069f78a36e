/** The table for who wants to play now, and what he brings. Knows the lobby's lines and no page. */

/** Where a newcomer is dealt in soonest. First where a bot of the house waits for somebody: a hand begins as soon as he
 * sits, while at a table in play he would look on until its hand is over. Then where others play; among equals no-limit,
 * small stakes, and a table for about six. `seated` says whether he has a seat there already. */
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

/** As much as the table takes and the wallet has. */
export const buyInFor = (info, balance) => Math.max(info.min_buy_in, Math.min(balance, info.max_buy_in));
