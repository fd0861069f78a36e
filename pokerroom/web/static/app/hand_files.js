/** Hands from files that the player opens: PHH (one hand, or many) and Open Hand History. Each becomes a hand as `get_hand`
 * tells it. A file is read, never run, and goes to no server. Knows no page. */

/** No hand could be read from the file. */
export class UnreadableFile extends Error {}

const HANDS_MAX = 1_000;
/** More than a hand of ten players has. Each step is a row of the page. */
const STEPS_MAX = 500;
const SEATS_MAX = 10;
/** More fields, or values of a list, than a hand has. What exceeds a bound is read no further: the page stays quick. */
const VALUES_MAX = 2_000;

/** The hands of a file's text, in their order: objects like `hand` of `hand_history`. Throws `UnreadableFile`. */
export function handsOf(text) {
  try {
    const hands = /^\s*\{/.test(text) ? ohhHands(text) : phhHands(text);
    if (hands.length === 0) throw new UnreadableFile("the file has no hand");
    return hands.map(checked);
  } catch (failure) {
    throw new UnreadableFile(failure.message);
  }
}

const CARD = /^[2-9TJQKA][cdhs]$/;
/** A text of the file for one line of the page, without marks that break it or turn it around. A value that is none, such
 * as a list, becomes one. */
const textOf = (value) => String(value ?? "").slice(0, 100).replace(/\p{Cf}+/gu, "").replace(/[\s\p{Cc}]+/gu, " ");
const isAmount = (value) => Number.isSafeInteger(value) && value >= 0;

/** A hand whose seats, cards and amounts are such as a table has. */
function checked(hand) {
  const { seats, steps } = hand;
  const numbers = new Set(seats.map(({ seat }) => seat));
  const isSeat = (seat) => Number.isInteger(seat) && seat > 0 && seat <= SEATS_MAX;
  const board = steps.flatMap((step) => step.cards ?? []);
  const cards = [...board, ...seats.flatMap((seat) => seat.cards ?? [])];
  const amounts = [hand.small_blind, hand.big_blind, ...seats.flatMap(({ stack, end }) => [stack, end]), ...steps.map(({ amount = 0 }) => amount)];
  const isSmall = board.length <= 5 && seats.every((seat) => (seat.cards ?? []).length <= 4) && isSeat(hand.table_seats ?? 2);
  const isSound = isSmall && seats.length > 1 && numbers.size === seats.length && [...numbers, hand.button].every(isSeat) && cards.every((card) => CARD.test(card)) && new Set(cards).size === cards.length && amounts.every(isAmount);
  if (!isSound) throw new UnreadableFile("the hand is none of a table");
  return hand;
}

// --- Open Hand History: one JSON object for each hand, with blank lines between them

const POSTS = { __proto__: null, "Post Ante": "ante", "Post SB": "small_blind", "Post BB": "big_blind", Straddle: "straddle", "Post Extra Blind": "live_post", "Post Dead": "dead_post" };
const ACTED = { __proto__: null, Fold: "fold", Check: "check", Call: "call", Bet: "bet", Raise: "raise" };

function ohhHands(text) {
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim());
  return parts.slice(0, HANDS_MAX).map((part) => ohhHand(JSON.parse(part).ohh));
}

function ohhHand(hand) {
  const unit = hand.tournament ? 1 : 100;
  const amount = (value) => Math.round(value * unit);
  const seats = hand.players.map(({ id, seat, name, starting_stack }) => ({ id, seat, name: textOf(name) || null, stack: amount(starting_stack), end: amount(starting_stack), cards: null }));
  const of = new Map(seats.map((seat) => [seat.id, seat]));
  const told = new Telling(seats);
  for (const round of hand.rounds) {
    if (round.cards?.length && round.street !== "Showdown") told.street(round.cards.map(cardOf));
    for (const { action, player_id: player, amount: value, cards } of round.actions) {
      const seat = of.get(player);
      if (cards?.length) seat.cards = cards.map(cardOf);
      if (action in POSTS) told.post(seat, POSTS[action], amount(value));
      else if (action in ACTED) told.act(seat, ACTED[action], amount(value));
      else if (action === "Shows Cards") told.show(seat);
      else if (action === "Mucks Cards") told.muck(seat);
    }
  }
  told.uncalled();
  told.leave(hand.pots.reduce((sum, pot) => sum + amount(pot.amount), 0));
  hand.pots.forEach((pot, index) => told.award(index, amount(pot.amount), pot.player_wins.map((win) => [of.get(win.player_id), amount(win.win_amount)]), amount(pot.rake ?? 0)));
  return told.hand({
    hand_id: textOf(hand.game_number),
    table: hand.tournament ? `${textOf(hand.table_name)}.0` : textOf(hand.table_name),
    game: hand.game_type === "Omaha" ? "omaha" : "holdem",
    structure: { __proto__: null, NL: "no_limit", PL: "pot_limit", FL: "fixed_limit" }[hand.bet_limit.bet_type] ?? "no_limit",
    small_blind: amount(hand.small_blind_amount),
    big_blind: amount(hand.big_blind_amount),
    ended_ms: Date.parse(hand.start_date_utc) || 0,
    button: hand.dealer_seat,
    your_seat: of.get(hand.hero_player_id)?.seat ?? null,
    table_seats: hand.table_size,
  });
}

// --- PHH: TOML; in a file of many hands each is a table `[n]`

const VARIANTS = { __proto__: null, NT: ["holdem", "no_limit"], FT: ["holdem", "fixed_limit"], PO: ["omaha", "pot_limit"] };

/** The patterns match within a line, and a list without its end goes to the end of the text: so each character is read once. */
const HEAD = /^[ \t]*\[\d+\][ \t]*$/m;
const FIELD = /^[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*(\[[^\]]*\]?|'[^'\n]*'|"[^"\n]*"|[^\s#]+)/gm;

function phhHands(text) {
  const parts = HEAD.test(text) ? text.split(HEAD, HANDS_MAX + 1).slice(1) : [text];
  return parts.slice(0, HANDS_MAX).map((part) => phhHand(fieldsOf(part)));
}

/** The fields of a hand: strings, numbers, flags, and lists of these. */
function fieldsOf(text) {
  const fields = { __proto__: null };
  for (const [, name, value] of bounded(text.matchAll(FIELD))) {
    const values = bounded(value.matchAll(/'([^']*)'|"([^"]*)"|([^\s,[\]'"#]+)/g)).map(([, one, two, plain]) => one ?? two ?? plainOf(plain));
    fields[name] = value.startsWith("[") ? values : values[0];
  }
  return fields;
}

function bounded(found) {
  const values = [];
  for (const each of found) if (values.push(each) > VALUES_MAX) throw new UnreadableFile("the file has more than a hand");
  return values;
}

function plainOf(text) {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text.replaceAll("_", ""));
  return Number.isNaN(number) ? text : number;
}

function phhHand(fields) {
  const [game, structure] = VARIANTS[fields.variant] ?? [];
  const { starting_stacks: stacks, actions, blinds_or_straddles: blinds, antes = [] } = fields;
  if (!game || !stacks || !actions || !blinds) throw new UnreadableFile("the file has no hand of hold'em or Omaha");
  const unit = fields.event === undefined ? 100 : 1;
  const amount = (value) => Math.round(value * unit);
  const kept = fields._kept_back ?? [];
  const numbers = fields.seats ?? stacks.map((_, index) => index + 1);
  const seats = stacks.map((stack, index) => ({
    seat: numbers[index], name: textOf(fields.players?.[index] ?? `p${index + 1}`), stack: amount(stack + (kept[index] ?? 0)), kept: amount(kept[index] ?? 0), end: null, cards: null,
  }));
  const least = amount(fields.min_bet ?? fields.small_bet ?? 0);
  const told = new Telling(seats, Math.max(least, ...blinds.map(amount)));
  const headsUp = seats.length === 2;
  const owed = (list) => (headsUp ? [...list].reverse() : list);
  owed(antes).forEach((value, index) => value > 0 && told.post(seats[index], fields.ante_trimming_status === false && value > Math.min(...antes) ? "big_blind_ante" : "ante", amount(value)));
  owed(blinds).forEach((value, index) => value !== 0 && told.post(seats[index], blindOf(amount(value), least), amount(Math.abs(value))));
  for (const line of actions) phhAction(told, seats, line.split("#")[0].trim().split(/\s+/), amount);
  told.uncalled();
  const ends = fields.finishing_stacks;
  if (ends) {
    const won = seats.map((seat, index) => [seat, amount(ends[index] + (kept[index] ?? 0)) - told.behind.get(seat)]).filter(([, share]) => share > 0);
    told.award(0, won.reduce((sum, [, share]) => sum + share, 0), won, amount(fields._rake ?? 0));
  }
  const unseen = seats.filter((seat) => seat.cards && !told.shown.has(seat));
  return told.hand({
    hand_id: textOf(fields.hand ?? "1"),
    table: fields.event === undefined ? textOf(fields.table ?? "PHH") : `${textOf(fields.table ?? fields.event)}.0`,
    game,
    structure: fields._bet_limit === "PL" ? "pot_limit" : structure,
    small_blind: Math.floor(least / 2),
    big_blind: least,
    ended_ms: Date.UTC(fields.year ?? 1970, (fields.month ?? 1) - 1, fields.day ?? 1, ...String(fields.time ?? "0:0:0").split(":").map(Number)) || 0,
    button: headsUp ? numbers[1] : numbers.at(-1),
    your_seat: unseen.length === 1 ? unseen[0].seat : null,
    table_seats: fields.seat_count ?? null,
  });
}

const blindOf = (value, least) => (value < 0 ? "live_post" : value < least ? "small_blind" : value === least ? "big_blind" : "straddle");

function phhAction(told, seats, [who, what, ...rest], amount) {
  if (who === "d" && what === "dh") {
    const seat = seats[Number(rest[0].slice(1)) - 1];
    seat.cards = cardsIn(rest[1]);
  } else if (who === "d" && what === "db") {
    told.street(cardsIn(rest[0]) ?? []);
  } else if (/^p\d+$/.test(who)) {
    const seat = seats[Number(who.slice(1)) - 1];
    if (!seat) throw new UnreadableFile(`the hand has no player ${who}`);
    if (what === "f") told.act(seat, "fold", 0);
    else if (what === "cc") told.call(seat);
    else if (what === "cbr") told.raise(seat, amount(Number(rest[0])));
    else if (what === "sm" && rest[0]) ((seat.cards = cardsIn(rest[0]) ?? seat.cards), told.show(seat));
    else if (what === "sm") told.muck(seat);
  }
}

const cardOf = (text) => text.replace(/^10/, "T").replace(/^(.)(.)$/, (_, rank, suit) => rank.toUpperCase() + suit.toLowerCase());
const cardsIn = (text) => (text && /^([2-9TJQKA][cdhs])+$/.test(text) ? text.match(/../g) : null);

// --- the steps of a hand

const STREETS = { 3: "flop", 4: "turn", 5: "river" };
const DEAD = new Set(["ante", "big_blind_ante", "dead_post"]);

/** Tells a hand step by step, and follows bets and stacks meanwhile. */
class Telling {
  constructor(seats, least = 0) {
    if (seats.length > SEATS_MAX) throw new UnreadableFile("the hand has too many players");
    this.seats = seats;
    this.least = least;
    this.steps = [];
    this.behind = new Map(seats.map((seat) => [seat, seat.stack]));
    this.bets = new Map();
    this.board = 0;
    this.shown = new Set();
  }

  get highest() {
    return Math.max(this.board === 0 ? this.least : 0, ...this.bets.values()); // a short blind or straddle does not lower the price
  }

  pay(seat, wanted, isBet = true) {
    const paid = Math.min(wanted, this.behind.get(seat) - (seat.kept ?? 0));
    this.behind.set(seat, this.behind.get(seat) - paid);
    if (isBet) this.bets.set(seat, (this.bets.get(seat) ?? 0) + paid);
    return paid;
  }

  tell(step) {
    if (this.steps.push(step) > STEPS_MAX) throw new UnreadableFile("the hand has too many steps");
  }

  post(seat, kind, wanted) {
    const amount = this.pay(seat, wanted, !DEAD.has(kind));
    if (amount > 0) this.tell({ what: "post", seat: seat.seat, amount, kind });
  }

  act(seat, what, wanted) {
    const amount = this.pay(seat, wanted);
    this.tell({ what, seat: seat.seat, amount, bet: this.bets.get(seat) ?? 0 });
  }

  call(seat) {
    const facing = this.highest - (this.bets.get(seat) ?? 0);
    this.act(seat, facing > 0 ? "call" : "check", facing);
  }

  raise(seat, to) {
    this.act(seat, this.highest > 0 ? "raise" : "bet", to - (this.bets.get(seat) ?? 0));
  }

  street(cards) {
    if (cards.length === 0) return;
    this.uncalled();
    this.board += cards.length;
    this.bets.clear();
    this.tell({ what: "street", street: STREETS[this.board] ?? "river", cards });
  }

  show(seat) {
    if (!seat.cards) return this.muck(seat);
    this.shown.add(seat);
    this.tell({ what: "shown", seat: seat.seat });
  }

  muck(seat) {
    this.tell({ what: "mucked", seat: seat.seat });
  }

  /** What only one player has bet comes back, once. */
  uncalled() {
    const [[seat, most] = [null, 0], [, next] = [null, 0]] = [...this.bets].sort(([, one], [, other]) => other - one);
    if (!seat || most === next) return;
    this.bets.set(seat, next);
    this.behind.set(seat, this.behind.get(seat) + most - next);
    this.tell({ what: "uncalled", seat: seat.seat, amount: most - next });
  }

  /** More than is in the pots came back to the player that put in most: a part of an ante. */
  leave(inPots) {
    const put = (seat) => seat.stack - this.behind.get(seat);
    const amount = this.seats.reduce((sum, seat) => sum + put(seat), 0) - inPots;
    if (amount <= 0) return;
    const seat = this.seats.reduce((most, each) => (put(each) > put(most) ? each : most));
    this.behind.set(seat, this.behind.get(seat) + amount);
    this.tell({ what: "uncalled", seat: seat.seat, amount });
  }

  award(pot, amount, won, rake) {
    for (const [seat, share] of won) this.behind.set(seat, this.behind.get(seat) + share);
    this.tell({ what: "award", pot, amount, shares: won.map(([seat, share]) => ({ seat: seat.seat, amount: share })), ...(rake > 0 && { rake }) });
  }

  hand(fields) {
    return { started_ms: fields.ended_ms, ...fields, seats: this.seats.map(({ seat, name, stack, cards, ...rest }) => ({ seat, name, stack, end: this.behind.get(this.seats.find((each) => each.seat === seat)) ?? rest.end, cards })), steps: this.steps };
  }
}
