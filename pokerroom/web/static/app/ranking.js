/** The category of a hand, for the line that tells a player what they have, and how often each category comes. The room
 * alone decides who wins. Knows no page. */

const RANKS = "23456789TJQKA";
const CATEGORIES = ["high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush"];

/** The name of the best category that `hole` and `board` make, as in the texts `rank.<name>`; null without hole cards.
 * Omaha takes exactly two cards of the hand, so before the flop only a pair among them counts. */
export function bestCategory(hole, board, game = "holdem") {
  if (!hole?.length) return null;
  if (board.length < 3) return new Set(hole.map((card) => card[0])).size < hole.length ? "pair" : "high_card";
  const hands = game === "omaha" ? combinations(hole, 2).flatMap((own) => combinations(board, 3).map((shared) => [...own, ...shared])) : combinations([...hole, ...board], 5);
  return CATEGORIES[Math.max(...hands.map(category))];
}

/** The index of a five-card hand's category. */
function category(cards) {
  const ranks = cards.map((card) => RANKS.indexOf(card[0])).sort((one, other) => one - other);
  const counts = [...new Set(ranks)].map((rank) => ranks.filter((each) => each === rank).length).sort((one, other) => other - one);
  const isFlush = cards.every((card) => card[1] === cards[0][1]);
  const isStraight = counts.length === 5 && (ranks[4] - ranks[0] === 4 || ranks.join() === "0,1,2,3,12");
  if (isStraight && isFlush) return ranks[0] === 8 ? 9 : 8;
  if (counts[0] === 4) return 7;
  if (counts[0] === 3 && counts[1] === 2) return 6;
  if (isFlush) return 5;
  if (isStraight) return 4;
  if (counts[0] === 3) return 3;
  if (counts[0] === 2) return counts[1] === 2 ? 2 : 1;
  return 0;
}

function combinations(items, size) {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => combinations(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]));
}

/** The number of seven-card hands of each kind, of all 133,784,560. */
const SEVEN_CARDS = { royal_flush: 4_324, straight_flush: 37_260, four_of_a_kind: 224_848, full_house: 3_473_184, flush: 4_047_644, straight: 6_180_020, three_of_a_kind: 6_461_620 };
const ALL_SEVEN_CARDS = 133_784_560;

/** What Ante, Blind and Play lose together, in Antes, by the hand that the bank needs; and their average total in Antes.
 * By enumeration of all deals, with the practical strategy and the usual pay table of the Blind. */
const MAIN_BETS_LOSE = { any_pair: 0.0245359643, pair_of_fours: 0.0578128412 };
const MAIN_BETS = 4.165468;
const BLIND_PAYS = { royal_flush: 500, straight_flush: 50, four_of_a_kind: 10, full_house: 3, flush: 1.5, straight: 1 };

/** What Ante, Blind and Play return in the long run: `{ share }` of all stakes, and `{ loss }` as a share of the Ante. Null
 * where the Blind has another pay table. */
export function returnOfMainBets({ qualification, blind_pays }) {
  const loss = MAIN_BETS_LOSE[qualification];
  const usual = blind_pays.length === Object.keys(BLIND_PAYS).length && blind_pays.every(({ hand, pays, to }) => pays / to === BLIND_PAYS[hand]);
  return usual && loss ? { share: 1 - loss / MAIN_BETS, loss } : null;
}

/** The share of the stakes that the progressive bet returns to a player who bets alone, with so much in the meter. */
export const returnOfProgressive = ({ stake, prizes }, meter) =>
  prizes.reduce((sum, { hand, amount, meter_bps }) => sum + (SEVEN_CARDS[hand] ?? 0) * (amount ?? (meter * meter_bps) / 10_000), 0) / ALL_SEVEN_CARDS / stake;

/** The share of the stakes that Trips returns in the long run, with this pay table. */
export const returnOfTrips = (pays) =>
  pays.reduce((sum, { hand, pays: times, to }) => sum + (SEVEN_CARDS[hand] ?? 0) * (1 + times / to), 0) / ALL_SEVEN_CARDS;
