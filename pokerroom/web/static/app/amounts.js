/** Amounts: integers of 1/100 credit. Format and parse them, and compute bet sizes. Knows no page. */

/** Format in the reader's language: 150 is "1.50", -20000 is "−200". */
export function formatAmount(amount, language) {
  const digits = amount % 100 === 0 ? 0 : 2;
  return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount / 100).replace("-", "−");
}

/** The best prizes of a tournament, and whether there are more: a field pays hundreds of places. */
export const topPrizes = (prizes, written, most = 5) =>
  [...prizes.slice(0, most).map(written), ...(prizes.length > most ? ["…"] : [])].join(" / ");

/** Parse typed text, with a point or a comma before the fraction, and spaces anywhere; null if it is no amount. */
export function parseAmount(text) {
  const match = /^(\d{1,10})(?:[.,](\d{1,2}))?$/.exec(text.replace(/\s/g, ""));
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : null;
}

/** The bets of a slider: from the smallest to the largest in steps, and the largest itself. */
export class Range {
  constructor(min, max, step) {
    Object.assign(this, { min, max, step: Math.max(1, step) });
  }

  /** The number of the last position; the first is 0. */
  get last() {
    return Math.ceil((this.max - this.min) / this.step);
  }

  at(position) {
    return Math.min(this.max, this.min + position * this.step);
  }

  /** The position nearest to an amount. */
  positionOf(amount) {
    if (amount >= this.max) return this.last;
    return Math.min(this.last, Math.max(0, Math.round((amount - this.min) / this.step)));
  }

  clamp(amount) {
    return Math.min(this.max, Math.max(this.min, amount));
  }
}

/** The pots and the bets in front of seats. */
export function potOf(snapshot) {
  const pots = (snapshot.hand?.pots ?? []).reduce((sum, pot) => sum + pot.amount, 0);
  return snapshot.seats.reduce((sum, seat) => sum + seat.bet, pots);
}

/** The total of a raise by `share` of the pot after a call, within the legal range. */
export function potShareRaise(snapshot, turn, share) {
  const own = snapshot.seats.find((seat) => seat.seat === turn.seat)?.bet ?? 0;
  const called = own + turn.call_amount;
  const wanted = called + Math.round((potOf(snapshot) + turn.call_amount) * share);
  return Math.min(turn.max_raise_to, Math.max(turn.min_raise_to, wanted));
}

/** The name of the preset that looks pressed: of several of the same amount the chosen one, else the first. `presets` are
 * pairs of name and amount. */
export function pressedPreset(presets, { amount, preset }) {
  const same = presets.filter(([, each]) => each === amount).map(([name]) => name);
  return same.includes(preset) ? preset : (same[0] ?? null);
}

/** The price of a call for a seat on any turn: the price of a pre-action. */
export function priceFor(snapshot, number) {
  const seat = snapshot.seats.find((each) => each.seat === number);
  if (!seat || !snapshot.hand) return 0;
  let highest = Math.max(0, ...snapshot.seats.map((each) => each.bet));
  // a short blind does not lower the price
  if (snapshot.hand.street === "preflop") highest = Math.max(highest, snapshot.info.big_blind);
  return Math.min(Math.max(0, highest - seat.bet), seat.stack);
}

/** The chips that make an amount, largest first, at most `most` of them: `{ value, colour }`. */
export function chipsOf(amount, most = 9) {
  const chips = [];
  for (const [value, colour] of CHIPS) {
    while (amount >= value && chips.length < most) {
      chips.push({ value, colour });
      amount -= value;
    }
  }
  return chips.length ? chips : [{ value: 1, colour: "white" }];
}

const CHIPS = [
  [10_000_000, "gold"], [2_500_000, "plum"], [500_000, "sky"], [100_000, "gold"], [50_000, "plum"], [10_000, "black"],
  [2_500, "green"], [1_000, "orange"], [500, "red"], [100, "blue"], [25, "white"], [5, "white"], [1, "white"],
];

/** The blinds, or the bets of a fixed limit: of a table's `info` or of a level. `written` writes an amount. */
export const stakesOf = (each, written) =>
  [each.small_bet ?? each.small_blind, each.big_bet ?? each.big_blind].map((amount) => written(amount)).join(" / ");
