/** Recorded hands of the account, turned back into events for the replay.
 *
 * `afterEvent` of the protocol client is passed in, so that this module knows neither page nor socket.
 */

const ACTIONS = new Set(["fold", "check", "call", "bet", "raise", "clock_all_in"]);

/** Names that the room gives to house bots alone. */
const BOT = /^Bot\./i;

/** The id of a tournament's table: its amounts are chips. No other table has such an id. */
const TOURNAMENT = /\.\d+$/;

/** The table at the start of a hand of `get_hand`. It may be gone: the hand itself tells all. */
export function startOf(view) {
  const { table } = view;
  return {
    type: "snapshot",
    table,
    seq: 0,
    info: {
      table,
      name: table,
      game: view.game,
      structure: view.structure,
      hole_cards: view.seats.find((seat) => seat.seat === view.your_seat)?.cards?.length ?? 2,
      small_blind: view.small_blind,
      big_blind: view.big_blind,
      seats: Math.max(view.table_seats ?? 2, ...view.seats.map((seat) => seat.seat)),
    },
    seats: view.seats.map(({ seat, name, stack }) => ({
      seat, name, stack, status: "playing", connected: true, gone_since_ms: null, in_hand: true, bet: 0, all_in: false, cards: null, bot: BOT.test(name ?? ""),
    })),
    hand: null,
    your_seat: view.your_seat,
    reserved: [],
    tournament: TOURNAMENT.test(table) ? { places: [], level: {} } : null,
  };
}

/** A hand of `get_hand` as a recording like those of `model.js`. */
export function recordingOf(view, afterEvent) {
  const { table } = view;
  const stacks = new Map(view.seats.map((seat) => [seat.seat, seat.stack]));
  const cards = new Map(view.seats.map((seat) => [seat.seat, seat.cards]));
  const start = startOf(view);
  const named = { table, hand_id: view.hand_id };
  let pot = 0;
  let bets = 0;
  const pay = (seat, amount) => {
    stacks.set(seat, stacks.get(seat) - amount);
    return { stack: stacks.get(seat), all_in: stacks.get(seat) === 0 };
  };
  const told = [
    { type: "hand_started", ...named, button: view.button, small_blind: null, big_blind: view.button, seats: view.seats.map(({ seat, name, stack }) => ({ seat, name, stack })) },
  ];
  const dealt = { type: "hole_cards", ...named, cards: cards.get(view.your_seat) ?? null };
  let isDealt = false;
  for (const step of view.steps) {
    if (!isDealt && step.what !== "post") {
      told.push(dealt);
      isDealt = true;
    }
    const { seat, amount } = step;
    if (step.what === "post") {
      bets += amount;
      told.push({ type: "posted", table, seat, kind: step.kind, amount, ...pay(seat, amount) });
    } else if (ACTIONS.has(step.what)) {
      bets += amount;
      told.push({ type: "acted", ...named, seat, action: step.what, added: amount, bet: step.bet, ...pay(seat, amount), by_clock: step.what === "clock_all_in" });
    } else if (step.what === "street") {
      pot += bets;
      bets = 0;
      told.push({ type: "street_dealt", ...named, street: step.street, cards: step.cards, pots: [{ amount: pot, seats: [] }] });
    } else if (step.what === "uncalled") {
      bets -= amount;
      told.push({ type: "uncalled_bet", ...named, seat, amount, ...pay(seat, -amount) });
    } else if (step.what === "shown") {
      told.push({ type: "shown", ...named, seat, cards: cards.get(seat) ?? [], rank: null });
    } else if (step.what === "mucked") {
      told.push({ type: "mucked", ...named, seat });
    } else if (step.what === "award") {
      told.push({ type: "pot_awarded", ...named, pot: step.pot, amount, shares: step.shares, ...(step.rake && { rake: step.rake }) });
    }
  }
  told.push({ type: "hand_ended", ...named, stacks: view.seats.map(({ seat, name, end }) => ({ seat, name, stack: end })), void: false });
  let after = start;
  const steps = told.map((event, index) => {
    after = afterEvent(after, { ...event, seq: index + 1 }) ?? after;
    return { event: { ...event, seq: index + 1 }, after };
  });
  return { id: view.hand_id, at: view.ended_ms, start, yours: view.your_seat, steps };
}
