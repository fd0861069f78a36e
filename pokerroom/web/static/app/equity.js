/** Each hand's share of the pot, over all boards that may still come: exact, not sampled. Knows no page.
 *
 * A set of cards is four masks, one for each suit, of 13 bits: the deuce is bit 0. Values of hands are compared only with
 * each other; the room alone decides who wins. */

const RANKS = "23456789TJQKA";
const SUITS = "cdhs";
/** How many boards are counted between two looks at the clock: at most some milliseconds of work. */
const AT_ONCE = 400;

/** For each mask of ranks: their number, the highest rank, the highest card of a straight (0: none), its five highest ranks. */
const COUNT = new Uint8Array(8192);
const TOP = new Uint8Array(8192);
const STRAIGHT = new Uint8Array(8192);
const TOP_FIVE = new Uint16Array(8192);
for (let mask = 1; mask < 8192; mask += 1) {
  COUNT[mask] = COUNT[mask >> 1] + (mask & 1);
  TOP[mask] = 31 - Math.clz32(mask);
  for (let high = 12; high >= 3 && !STRAIGHT[mask]; high -= 1) {
    const five = high === 3 ? 0b1000000001111 : 0b11111 << (high - 4);
    if ((mask & five) === five) STRAIGHT[mask] = high;
  }
  let five = mask;
  while (COUNT[five] > 5) five &= five - 1;
  TOP_FIVE[mask] = five;
}

const PART = 2 ** 13;
const VALUE = (category, first, second = 0) => (category * PART + first) * PART + second;
const without = (mask, rank) => mask & ~(1 << rank);
const topOf = (mask, count) => {
  let kept = mask;
  while (COUNT[kept] > count) kept &= kept - 1;
  return kept;
};

/** The value of the best five of at least five cards; the higher one wins. */
export function valueOf(c, d, h, s) {
  const all = c | d | h | s;
  const suit = COUNT[c] > 4 ? c : COUNT[d] > 4 ? d : COUNT[h] > 4 ? h : COUNT[s] > 4 ? s : 0;
  if (suit && STRAIGHT[suit]) return VALUE(8, STRAIGHT[suit]);
  const four = c & d & h & s;
  if (four) return VALUE(7, TOP[four], topOf(without(all, TOP[four]), 1));
  const three = (c & d & (h | s)) | (h & s & (c | d));
  const pairs = (c & d) | (c & h) | (c & s) | (d & h) | (d & s) | (h & s);
  if (three && COUNT[pairs] > 1) return VALUE(6, TOP[three], TOP[without(pairs, TOP[three])]);
  if (suit) return VALUE(5, TOP_FIVE[suit]);
  if (STRAIGHT[all]) return VALUE(4, STRAIGHT[all]);
  if (three) return VALUE(3, TOP[three], topOf(without(all, TOP[three]), 2));
  if (COUNT[pairs] > 1) {
    const two = topOf(pairs, 2);
    return VALUE(2, two, topOf(all & ~two, 1));
  }
  return pairs ? VALUE(1, pairs, topOf(all & ~pairs, 3)) : VALUE(0, TOP_FIVE[all]);
}

const place = (card) => [SUITS.indexOf(card[1]), 1 << RANKS.indexOf(card[0])];

/** The masks of cards, by suit. */
export function masksOf(cards) {
  const masks = [0, 0, 0, 0];
  for (const card of cards) {
    const [suit, bit] = place(card);
    masks[suit] |= bit;
  }
  return masks;
}

function choices(items, size) {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => choices(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]));
}

/** How a game values a hand of hole cards on a board of five: Omaha takes two of the hand and three of the board. */
const VALUERS = {
  holdem(hole) {
    const [c, d, h, s] = masksOf(hole);
    return (board) => {
      let [bc, bd, bh, bs] = [c, d, h, s];
      for (const { suit, bit } of board) {
        if (suit === 0) bc |= bit;
        else if (suit === 1) bd |= bit;
        else if (suit === 2) bh |= bit;
        else bs |= bit;
      }
      return valueOf(bc, bd, bh, bs);
    };
  },
  omaha(hole) {
    const pairs = choices(hole, 2).map(masksOf);
    const threes = choices([0, 1, 2, 3, 4], 3);
    return (board) => {
      let best = 0;
      for (const [i, j, k] of threes) {
        const masks = [0, 0, 0, 0];
        masks[board[i].suit] |= board[i].bit;
        masks[board[j].suit] |= board[j].bit;
        masks[board[k].suit] |= board[k].bit;
        for (const [c, d, h, s] of pairs) best = Math.max(best, valueOf(c | masks[0], d | masks[1], h | masks[2], s | masks[3]));
      }
      return best;
    };
  },
};

/** The shares of `hands`, in their order, from 0 to 1; they sum to 1. `board` has 0 to 5 cards, `dead` are other known
 * cards. A generator: it yields from time to time, and returns the shares. */
export function* shares(hands, board, { game = "holdem", dead = [] } = {}) {
  const known = new Set([...hands.flat(), ...board, ...dead]);
  const rest = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => rank + suit)).filter((card) => !known.has(card));
  const deck = rest.map((card) => toCard(card));
  const dealt = board.map(toCard);
  const valuers = hands.map(VALUERS[game]);
  const won = hands.map(() => 0);
  const values = hands.map(() => 0);
  const chosen = Array.from({ length: 5 - board.length }, (_, index) => index);
  const cards = [...dealt, ...chosen.map((index) => deck[index])];
  let boards = 0;
  do {
    for (let index = 0; index < chosen.length; index += 1) cards[dealt.length + index] = deck[chosen[index]];
    let best = -1;
    let ties = 0;
    for (let index = 0; index < hands.length; index += 1) {
      values[index] = valuers[index](cards);
      if (values[index] > best) [best, ties] = [values[index], 1];
      else if (values[index] === best) ties += 1;
    }
    for (let index = 0; index < hands.length; index += 1) if (values[index] === best) won[index] += 1 / ties;
    boards += 1;
    if (boards % AT_ONCE === 0) yield;
  } while (advance(chosen, deck.length));
  return won.map((each) => each / boards);
}

function toCard(card) {
  const [suit, bit] = place(card);
  return { suit, bit };
}

/** The next choice of indices in order; false after the last. */
function advance(chosen, count) {
  let at = chosen.length - 1;
  while (at >= 0 && chosen[at] === count - chosen.length + at) at -= 1;
  if (at < 0) return false;
  chosen[at] += 1;
  for (let index = at + 1; index < chosen.length; index += 1) chosen[index] = chosen[index - 1] + 1;
  return true;
}
