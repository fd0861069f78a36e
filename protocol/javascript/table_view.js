/** The visible state of a poker table: a snapshot and the next event give the next snapshot.
 *
 * It applies the events and no rule of poker. Nothing is changed in place, so that earlier states can be kept, for
 * example for a replay.
 */

/** The table after `event`, which must be the next by `seq`; null for an unknown type of event. */
export function afterEvent(table, event) {
  const change = CHANGES[event.type];
  return change ? { ...change(table, event), seq: event.seq } : null;
}

/** The tournament of a table of a tournament, by the table's id; the id of any other table as it is. */
export const tournamentOf = (table) => /^(.*\.\d+)-\d+$/.exec(table)?.[1] ?? table;

const same = (table) => table;

const CHANGES = {
  seat_taken(table, event) {
    const seat = {
      seat: event.seat,
      name: event.name,
      stack: event.stack,
      status: event.status,
      connected: true,
      gone_since_ms: null,
      in_hand: false,
      bet: 0,
      all_in: false,
      cards: null,
      bot: event.bot ?? false,
    };
    const others = table.seats.filter((other) => other.seat !== event.seat);
    return {
      ...table,
      seats: [...others, seat].sort((one, other) => one.seat - other.seat),
      reserved: without(table.reserved, event.seat),
    };
  },

  seat_changed: (table, { seat, stack, status, connected, gone_since_ms = null, waiting_top_up = 0 }) =>
    withSeat(table, seat, { stack, status, connected, gone_since_ms, waiting_top_up }),

  seat_left: (table, { seat }) => withoutSeat(table, seat),

  seat_reserved: (table, event) => ({
    ...table,
    reserved: [...new Set([...(table.reserved ?? []), event.seat])].sort((one, other) => one - other),
  }),

  seat_released: (table, event) => ({ ...table, reserved: without(table.reserved, event.seat) }),

  hand_started(table, event) {
    const dealtIn = new Map(event.seats.map((seat) => [seat.seat, seat.stack]));
    return {
      ...table,
      seats: table.seats.map((seat) => ({
        ...seat,
        stack: dealtIn.get(seat.seat) ?? seat.stack,
        status: dealtIn.has(seat.seat) && seat.status !== "away" ? "playing" : seat.status,
        in_hand: dealtIn.has(seat.seat),
        ...CLEARED,
      })),
      hand: {
        hand_id: event.hand_id,
        street: "preflop",
        board: [],
        pots: [],
        button: event.button,
        small_blind: event.small_blind,
        big_blind: event.big_blind,
        turn: null,
      },
    };
  },

  posted(table, event) {
    let bet = betOf(table, event.seat);
    if (!DEAD_POSTS.has(event.kind)) {
      bet += event.amount;
    } else if (table.hand) {
      const dead = table.hand.pots.reduce((sum, pot) => sum + pot.amount, 0) + event.amount;
      const players = table.seats.filter((seat) => seat.in_hand).map((seat) => seat.seat);
      table = withHand(table, { pots: [{ amount: dead, seats: players }] });
    }
    return withSeat(table, event.seat, { bet, stack: event.stack, all_in: event.all_in });
  },

  hole_cards: (table, { cards = null }) =>
    cards === null ? table : withSeat(table, table.your_seat, { cards }),

  turn: (table, event) =>
    withHand(table, {
      turn: {
        seat: event.seat,
        seq: event.seq,
        check: event.check,
        call_amount: event.call_amount,
        min_raise_to: event.min_raise_to,
        max_raise_to: event.max_raise_to,
        countdown_ms: event.countdown_ms,
        deadline_ms: event.deadline_ms,
        time_bank_ms: event.time_bank_ms ?? 0,
        in_time_bank: event.in_time_bank ?? false,
        on_timeout: event.on_timeout ?? null,
      },
    }),

  acted(table, event) {
    const changes = { bet: event.bet, stack: event.stack, all_in: event.all_in };
    table = withHand(table, { turn: null });
    if (event.action === "fold") {
      changes.in_hand = false;
      const pots = (table.hand?.pots ?? []).map((pot) => ({ ...pot, seats: without(pot.seats, event.seat) }));
      table = withHand(table, { pots });
    }
    return withSeat(table, event.seat, changes);
  },

  street_dealt(table, event) {
    const board = [...(table.hand?.board ?? []), ...event.cards];
    table = withHand(table, { street: event.street, board, pots: event.pots, turn: null });
    return { ...table, seats: table.seats.map((seat) => ({ ...seat, bet: 0 })) };
  },

  uncalled_bet: (table, event) =>
    withSeat(table, event.seat, {
      bet: Math.max(0, betOf(table, event.seat) - event.amount),
      stack: event.stack,
    }),

  shown: (table, event) => withSeat(table, event.seat, { cards: event.cards }),

  pot_awarded(table, event) {
    // The awarded pots include the bets of the last street, for which there is no event.
    const shares = new Map(event.shares.map((share) => [share.seat, share.amount]));
    const seats = table.seats.map((seat) => ({ ...seat, bet: 0, stack: seat.stack + (shares.get(seat.seat) ?? 0) }));
    const pots = (table.hand?.pots ?? []).map((pot, index) => (index === event.pot ? { ...pot, amount: 0 } : pot));
    return withHand({ ...table, seats }, { pots, turn: null });
  },

  hand_ended(table, event) {
    const stacks = new Map(event.stacks.map((seat) => [seat.seat, seat.stack]));
    const seats = table.seats.map((seat) => ({
      ...seat,
      stack: stacks.get(seat.seat) ?? seat.stack,
      in_hand: false,
      ...CLEARED,
    }));
    const level = table.tournament?.level;
    const left = level?.hands_left ?? null;
    table = { ...table, seats, hand: null, your_pre_act: null };
    if (left === null || event.void) return table;
    return withTournament(table, { level: { ...level, hands_left: Math.max(0, left - 1) } });
  },

  // --- at a tournament's table

  level_started: (table, { level }) => withLevel(table, level),
  break_started: (table, { until_ms }) => withTournament(table, { break_until_ms: until_ms }),
  break_ended: (table, { level }) => withLevel(table, level, { break_until_ms: null }),
  tournament_paused: (table) =>
    table.tournament
      ? withTournament(table, { paused: true, break_until_ms: null, level: { ...table.tournament.level, ends_ms: null } })
      : table,
  tournament_resumed: (table, { level, break_until_ms = null }) => withLevel(table, level, { paused: false, break_until_ms }),
  tournament_ended: (table, { phase }) => withTournament(table, { phase }),

  deal_offered: (table, { deal }) =>
    table.tournament ? withTournament(table, { deal, level: { ...table.tournament.level, ends_ms: null } }) : table,
  deal_accepted(table, { seat }) {
    const deal = table.tournament?.deal;
    if (!deal) return table;
    const shares = deal.shares.map((share) => (share.seat === seat ? { ...share, accepted: true } : share));
    return withTournament(table, { deal: { ...deal, shares } });
  },
  deal_ended: (table, { agreed = null, level }) => withLevel(table, level, { deal: agreed }),

  /** Empty the seat of the player, and add the place. */
  player_placed(table, { seat, number, place, name, prize }) {
    if (seat !== null) table = withoutSeat(table, seat);
    const others = (table.tournament?.places ?? []).filter((other) => other.number !== number);
    const places = [...others, { number, place, name, prize }].sort((one, other) => one.number - other.number);
    return withTournament(table, { places });
  },

  bounty_won: same,
  mucked: same,
  chat_said: same,
  table_notice: same,
  table_paused: (table, { paused }) => ({ ...table, paused }),
  stakes_changed: (table, { type, table: _, seq, ...stakes }) => ({ ...table, info: { ...table.info, ...stakes } }),
};

const CLEARED = { bet: 0, all_in: false, cards: null };
const DEAD_POSTS = new Set(["ante", "big_blind_ante", "dead_post"]);

const without = (numbers, number) => (numbers ?? []).filter((other) => other !== number);

const betOf = (table, number) =>
  table.seats.reduce((sum, seat) => (seat.seat === number ? sum + seat.bet : sum), 0);

function withoutSeat(table, number) {
  const seats = table.seats.filter(({ seat }) => seat !== number);
  if (table.your_seat !== number) return { ...table, seats };
  return { ...table, seats, your_seat: null, your_options: null, your_pre_act: null };
}

function withSeat(table, number, changes) {
  return { ...table, seats: table.seats.map((seat) => (seat.seat === number ? { ...seat, ...changes } : seat)) };
}

function withTournament(table, changes) {
  return table.tournament ? { ...table, tournament: { ...table.tournament, ...changes } } : table;
}

function withLevel(table, level, changes = {}) {
  const { small_blind, big_blind, small_bet = null, big_bet = null, ante = 0, big_blind_ante = 0 } = level;
  const info = { ...table.info, small_blind, big_blind, small_bet, big_bet, ante, big_blind_ante };
  return withTournament({ ...table, info }, { level, ...changes });
}

function withHand(table, changes) {
  return table.hand ? { ...table, hand: { ...table.hand, ...changes } } : table;
}

/** Return the number of a table in its tournament, from 1. */
export const tableNumber = (table) => (tournamentOf(table) === table ? 1 : Number(table.slice(tournamentOf(table).length + 1)));
