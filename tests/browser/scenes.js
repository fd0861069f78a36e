// Puts one made-up scene into the page, the same at each run: the lobby, or a table of Ultimate Texas Hold'em. Nothing of
// the room changes it any more. `({ scene })`; an expression, for the driver to evaluate with that argument.
async ({ scene }) => {
  const { room } = await import("/app/room.js");
  const NOW = Date.now();
  room.client.request = () => new Promise(() => {}); // no answer of the room comes into the picture
  room.client.serverNow = () => NOW;
  if (scene === "invited") {
    const told = document.querySelector(".hero p").firstChild;
    told.data = told.data.replace(location.host, "poker.example"); // the port is another one at each run
  }
  if (scene === "entrance" || scene === "invited") return;
  room.client.account = { ...room.client.account, name: "Ada" };
  room.balance = 1_000_000;
  room.notices = [];
  const cash = (name, fields) => ({ table: name, name, game: "holdem", structure: "no_limit", small_blind: 50, big_blind: 100, small_bet: null, big_bet: null, min_buy_in: 4_000, max_buy_in: 10_000, seats: 6, occupied: 0, players: 0, waiting: 0, closing: false, house_bots: 0, offer: "", hole_cards: 2, observer_delay_s: 0, straddle: 0, ...fields });
  const levels = [[10, 20], [15, 30], [25, 50]].map(([small_blind, big_blind]) => ({ small_blind, big_blind, small_bet: null, big_bet: null, length: 300, ante: 0, big_blind_ante: 0, break_s: 0 }));
  const offer = (name, fields) => ({ offer: name, name, game: "holdem", structure: "no_limit", seats: 6, buy_in: 300, fee: 60, prizes: [1_000, 440], starting_stack: 1_500, level_unit: "seconds", levels, filling: [{ tournament: `${name}.2`, taken: 4 }], running: [{ tournament: `${name}.1`, left: 3 }], running_count: 1, your_tournament: null, house_bots: 0, ...fields });
  const start = (name, hours, fields) => ({
    tournament: `${name}.1`, offer: name, name: `${name} #1`, game: "holdem", structure: "no_limit", phase: "registering", starts_ms: NOW + 3_600_000 * hours, ended_ms: null, registration_open: hours > 0, late_levels: 6,
    seats_per_table: 9, players_min: 2, players_max: 10_000, entries_max: 3, buy_in: 1_100, fee: 100, guarantee: 0, starting_stack: 5_000, level_unit: "seconds", level_length: 600, entries: 0, players: 0, left: 0, pool: 0, house_bots: 0, your_entries: 0, your_status: null, ...fields,
  });
  const pays = (rows) => rows.map(([hand, times]) => ({ hand, pays: times, to: 1 }));
  const house = (name, fields) => ({
    table: name, name, seating: "boxes", qualification: "any_pair", boxes: 6, ante_min: 100, ante_max: 10_000, trips_min: 100, trips_max: 5_000,
    blind_pays: pays([["royal_flush", 500], ["straight_flush", 50]]), trips_pays: pays([["straight_flush", 40], ["three_of_a_kind", 3]]), progressive: { stake: 100, prizes: [], envy_prize: 0 },
    chips: [100, 500, 1_000, 2_500, 10_000, 50_000], betting_ms: 20_000, decision_ms: 15_000, presence: false, occupied: 2, players: 2, closing: false, ...fields,
  });
  const lobby = {
    tables: [
      cash("With bots", { occupied: 5, players: 5, house_bots: 5 }), cash("Heads-up", { seats: 2, occupied: 1, players: 1, house_bots: 1 }), cash("Full ring", { seats: 9, occupied: 9, players: 8, waiting: 2 }),
      cash("Pot-limit Omaha", { game: "omaha", structure: "pot_limit", hole_cards: 4 }), cash("Fixed limit", { structure: "fixed_limit", small_bet: 100, big_bet: 200 }),
    ],
    sit_and_gos: [offer("Six players"), offer("Heads-up", { seats: 2, filling: [{ tournament: "h.2", taken: 1 }], prizes: [480], your_tournament: "h.2" })],
    tournaments: [
      start("Yesterday's main event", -20, { phase: "cancelled", entries: 1, guarantee: 1_000_000 }), start("Turbo", 1, { entries: 17, your_status: "registered", your_entries: 1 }),
      start("Early bird", -8, { phase: "finished", entries: 24 }), start("Sunday special", 49, { buy_in: 11_000, fee: 1_000, guarantee: 5_000_000, game: "omaha", structure: "pot_limit" }),
      start("Bounty hunters", 5, { rebuys_max: 2, bounty: 400, bounty_kind: "progressive", entries: 112, guarantee: 2_500_000 }), start("Late night", -3, { phase: "rolled_back", entries: 24, guarantee: 1_000_000 }),
      start("Afternoon", -0.4, { phase: "running", registration_open: true, entries: 1_180, guarantee: 250_000 }),
    ],
    ultimate: [house("Against the house", {}), house("One hand for all", { seating: "common_hand", boxes: null })],
  };
  // an answer that was on its way changes nothing either
  Object.defineProperty(room, "lobby", { get: () => lobby, set: () => {} });
  room.open = [];
  room.models.clear();
  if (scene === "lobby-private") {
    const { noted } = await import("/app/hosting.js");
    noted({ info: cash("Friday night", { game: "omaha", structure: "pot_limit", hole_cards: 4, occupied: 3, players: 3 }), host: "Grace", paused: true, code: null });
    noted({ info: cash("Ada's table", { occupied: 1, players: 1 }), host: "Ada", paused: false, code: "q8Zl0c1yQm2rT5uVwX9aBd" });
  }
  if (scene.startsWith("lobby")) location.hash = "#lobby";
  else {
    const { UltimateModel } = await import("/app/ultimate_model.js");
    const table = "uth";
    const model = new UltimateModel(table);
    const box = (number, name, fields = {}) => ({ box: number, name, ante: 1_000, trips: 500, progressive: 0, play: 0, extra: false, status: "waiting", ...fields });
    const round = {
      round_id: "20260102-20:30:00-7", boxes: [box(2, "Ada", { progressive: 100 }), box(4, "Berta", { play: 3_000, status: "played" })], board: [], hands: [{ box: 2, cards: ["Ah", "Kd"] }],
      decisions: { boxes: [2], seq: 5, street: "preflop", check: true, fold: false, multiples: [3, 4], deadline_ms: NOW + 12_000 },
    };
    model.reset({
      type: "ultimate_snapshot", table, seq: 5, info: house("Against the house", { table }), places: [{ box: 2, name: "Ada", connected: true }, { box: 4, name: "Berta", connected: true }],
      light: { light: "red", closes_ms: null }, round, your_box: 2, meter: 1_234_500, your_slip: null,
    });
    room.models.set(table, model);
    room.open = [table];
    location.hash = "#tables";
  }
  room.dispatchEvent(new Event("change"));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
