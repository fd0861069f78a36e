// Puts made-up tables into the page, so that a test can look at any state of a table at any size, at once.
// `({ count, seats, cards, state, button, name, ranks, tournament, deal, prizes, pots, acts })`; an expression, for the driver to evaluate with
// those arguments. `acts` is the seat that has the turn.
async ({ count, seats, cards, state, button = 2, name = "Layout", ranks = ["full_house"], tournament = false, deal = null, prizes = [1_000, 440], pots = [4_200], acts = state === "waiting" ? 2 : 1 }) => {
  const { room } = await import("/app/room.js");
  const { TableModel } = await import("/app/model.js");
  const HOLE = ["Ah", "Kd", "Qs", "Jc"].slice(0, cards);
  const playing = state !== "won";
  const seat = (number) => ({
    seat: number, name: number === 1 ? room.account.name : `Bot.Player${number}`, bot: number > 1, stack: 12_345 * number, status: "playing", connected: true, gone_since_ms: null,
    in_hand: playing, bet: playing ? 100 * number + 345 : 0, all_in: false, cards: number === 1 && playing ? HOLE : null,
  });
  const turn = (number) => ({ seat: number, seq: 9, check: false, call_amount: 800, min_raise_to: 2_000, max_raise_to: 12_445, countdown_ms: Date.now() + 60_000, deadline_ms: Date.now() + 80_000, time_bank_ms: 0, in_time_bank: false, ...(state === "countdown" && { countdown_ms: Date.now() - 9_000, deadline_ms: Date.now() + 11_000, on_timeout: "all_in" }) });
  const snapshotOf = (table) => ({
    type: "snapshot", table, seq: 1, your_seat: 1, reserved: [], your_options: null, your_pre_act: null,
    tournament: tournament ? { phase: "running", seats, prizes, level: { level: 2, small_blind: 15, big_blind: 30, small_bet: null, big_bet: null, ante: 5, big_blind_ante: 0, ends_ms: Date.now() + 300_000, hands_left: null }, paused: false, break_until_ms: null, places: [], deals: deal !== null, deal } : null,
    info: { table, name: `${name} ${table}`, game: cards === 4 ? "omaha" : "holdem", structure: "no_limit", small_blind: 50, big_blind: 100, small_bet: null, big_bet: null, ante: 0, big_blind_ante: 0, straddle: 0, min_buy_in: 2_000, max_buy_in: 10_000, seats, occupied: seats, players: seats, waiting: 0, observer_delay_s: 0, closing: false, house_bots: seats - 1, offer: "", hole_cards: cards },
    seats: Array.from({ length: seats }, (_, index) => seat(index + 1)),
    hand: playing ? { hand_id: "made-up", street: "river", board: ["2c", "7d", "9h", "Ts", "3s"], pots: pots.map((amount) => ({ amount, seats: [1, 2] })), button, small_blind: 1, big_blind: 2, turn: turn(acts) } : null,
  });
  room.open = [];
  for (let index = 1; index <= count; index += 1) {
    const table = `${index}`;
    const model = new TableModel(table);
    model.reset(snapshotOf(table));
    for (let number = 1; number <= seats; number += 1) model.actions.set(number, { action: number === 1 ? "big_blind" : "call", amount: 100, byClock: false });
    if (!playing) {
      const all = model.snapshot.seats.map((each) => each.seat);
      model.result = { board: ["2c", "7d", "9h", "Ts", "3s"], cards: new Map(all.map((each) => [each, HOLE])), winners: new Map([[1, 987_654], [Math.ceil(seats / 2) + 1, 4_950]]), ranks: new Map(all.map((each) => [each, ranks[each % ranks.length]])), mucked: new Set(), button };
    }
    room.models.set(table, model);
    room.open.push(table);
  }
  location.hash = "#tables";
  room.dispatchEvent(new Event("change"));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const animation of document.getAnimations()) animation.finish();
}
