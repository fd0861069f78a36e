/** What counted hands say of a player: sums over stakes, rates, results in big blinds. Knows no page.
 *
 * `protocol/account.md` has the formulas. */

/** Each rate with its act and its chances. */
export const RATES = {
  vpip: ["vpip", "vpip_chances"],
  pfr: ["pfr", "vpip_chances"],
  three_bet: ["three_bets", "three_bet_chances"],
  fold_to_three_bet: ["folds_to_three_bet", "fold_to_three_bet_chances"],
  c_bet: ["c_bets", "c_bet_chances"],
  fold_to_c_bet: ["folds_to_c_bet", "fold_to_c_bet_chances"],
  wtsd: ["showdowns", "flops"],
  wsd: ["showdowns_won", "showdowns"],
};
const COUNTED = ["hands", "bets", "calls", "flops", ...new Set(Object.values(RATES).flat())];

/** One row for each group, in the order in which they come; `keyOf` names the group of a stake. */
export function grouped(stakes, keyOf) {
  const groups = new Map();
  for (const stake of stakes) {
    const key = keyOf(stake);
    groups.set(key, [...(groups.get(key) ?? []), stake]);
  }
  return [...groups].map(([key, parts]) => ({ key, ...summed(parts) }));
}

/** The sums of some stakes. `results` are those of cash hands, in big blinds. */
export function summed(parts) {
  const sums = Object.fromEntries(COUNTED.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)]));
  const cash = parts.filter(({ big_blind }) => big_blind > 0);
  const total = (of) => cash.reduce((sum, part) => sum + of(part), 0);
  const results = {
    hands: total(({ hands }) => hands),
    won: total(({ won, big_blind }) => won / big_blind),
    squared: total(({ won_squared, big_blind }) => Number(won_squared) / big_blind ** 2),
  };
  return { parts, ...sums, results };
}

/** A rate of a row, from 0 to 1; null if there was no chance. */
export function rate(row, name) {
  const [act, chances] = RATES[name];
  return row[chances] > 0 ? row[act] / row[chances] : null;
}

/** Bets and raises for each call from the flop on; null without a call. */
export const aggression = ({ bets, calls }) => (calls > 0 ? bets / calls : null);

/** Big blinds won for 100 hands, and half of the 95 % confidence interval, null below two hands; null without cash hands. */
export function winRate({ results: { hands, won, squared } }) {
  if (hands === 0) return null;
  const variance = hands > 1 ? Math.max(0, (squared - won ** 2 / hands) / (hands - 1)) : null;
  return { value: (100 * won) / hands, margin: variance === null ? null : (196 * Math.sqrt(variance)) / Math.sqrt(hands) };
}

/** The lines of a graph: what was won and what was to be expected, added up, from 0. Amounts are in 1/100 credit. */
export function lines(points) {
  let [hands, won, expected] = [0, 0, 0];
  return [{ hands, won, expected }, ...points.map((point) => {
    hands += point.hands;
    won += point.won;
    expected += point.expected / 1000;
    return { hands, won, expected };
  })];
}

/** The first month of a period, as the room counts months; null: all. `now` is a Date. */
export function firstMonth(period, now) {
  const back = { all: null, month: 0, quarter: 2, year: 11 }[period];
  if (back === null) return null;
  const months = now.getUTCFullYear() * 12 + now.getUTCMonth() - back;
  return Math.floor(months / 12) * 100 + (months % 12) + 1;
}
