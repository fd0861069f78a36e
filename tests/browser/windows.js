// Opens one window over the made-up lobby or table of `scenes.js` or `states.js`, with long made-up answers of the room.
// `({ name, examples })`: `examples` are the protocol's own, by type. An expression, for the driver to evaluate.
async ({ name, examples }) => {
  const load = (module) => import(`/app/${module}.js`);
  const { room } = await load("room");
  const shown = async (selector) => {
    for (let tries = 0; tries < 200 && !document.querySelector(selector); tries += 1) await new Promise((done) => setTimeout(done, 10));
  };
  /** Shows links of one address: the room of a test has another port each time. */
  const elsewhere = () => {
    for (const field of document.querySelectorAll(".link input")) field.value = field.value.replace(location.origin, "https://poker.example");
  };
  const HOUR_MS = 3_600_000;
  const now = room.client.serverNow();
  const session = (number, client, address) => ({ session: number, opened_ms: now - 9 * HOUR_MS, seen_ms: now - number * HOUR_MS, client, address, current: number === 1 });
  const limit = (limit, fields) => ({ limit, value: 1_000_000, cap: 5_000_000, used: 123_456, ends_ms: now + 9 * HOUR_MS, wanted: null, wanted_from_ms: null, ...fields });
  const limits = [
    limit("deposit_day", {}), limit("deposit_week", { wanted: 2_000_000, wanted_from_ms: now + HOUR_MS }), limit("deposit_month", { wanted: 90_000_000, wanted_from_ms: now - HOUR_MS }),
    limit("loss_day", { value: null, cap: null }), limit("loss_week", {}), limit("loss_month", { wanted: null, wanted_from_ms: now - HOUR_MS }), limit("session_day", { value: 7_200, cap: 86_400, used: 3_600 }),
  ];
  const entry = (game, number, fields) => ({ game, id: `${game}-${number}`, table: "Full ring", at_ms: now - number * HOUR_MS, stake: 1_234_567, win: 7_654_321, tip: 0, void: false, place: null, chips: false, ...fields });
  const request = (number, fields) => ({ key: `${number}`, kind: "withdrawal", amount: 1_234_567, source: "bank-transfer", state: "waiting", asked_ms: now, decided_ms: null, note: "", ...fields });
  const names = ["Ada.Lovelace.1815", "Bot.Player2", "Grace.Hopper.1906", "Bot.Player4", "Hedy.Lamarr.1914", "Emmy.Noether.1882"];
  const recorded = examples.hand_history.hand;
  const [counted] = examples.statistics.stakes;
  const positions = ["early", "middle", "cutoff", "button", "small_blind", "big_blind"];
  const statistics = {
    stakes: positions.flatMap((position, index) => [{ ...counted, position, hands: 12_345 * (index + 1) }, { ...counted, position, structure: "fixed_limit", small_blind: 1_000_000, big_blind: 2_000_000, won_squared: "980125000000000000" }]),
    points: Array.from({ length: 60 }, (_, index) => ({ day: 20_000 + index, hands: 100 + index, won: 50_000 * ((index * 7) % 11) - 230_000, expected: 1000 * (40_000 * ((index * 5) % 13) - 220_000) })),
  };
  const answers = {
    get_security: { ...examples.security, second_factor: false, sessions: [session(1, "pokerroom web", "192.0.2.*"), session(2, "pokerroom terminal", "2001:db8:85a3:*"), session(3, "a-client-with-a-long-name-of-its-own 1.2.3", "203.0.113.*")] },
    get_limits: { ...examples.limits, limits, excluded: name === "excluded", excluded_until_ms: now + 42 * 24 * HOUR_MS },
    get_settings: examples.settings,
    get_statistics: { ...examples.statistics, ...statistics },
    get_cashier: { ...examples.cashier, balance: 123_456_700, held: 1_234_567, sources: ["bank-transfer", "play-money"], requests: [request(1), request(2, { state: "refused", note: "the account of the bank has another name" }), request(3, { kind: "deposit", state: "approved" })], refill: { floor: 10_000, to: 100_000, owned: 500, wait_ms: HOUR_MS } },
    get_history: { ...examples.history, entries: [entry("holdem", 1), entry("ultimate", 2, { tip: 12_300, win: 0 }), entry("sit_and_go", 3, { place: 1 }), entry("omaha", 4, { chips: true, void: true })] },
    get_hand: { ...examples.hand_history, hand: { ...recorded, table: "With bots", seats: recorded.seats.map((seat, index) => ({ ...seat, name: names[index] })) } },
    share_hand: examples.hand_link,
    get_hand_links: { ...examples.hand_links, links: [["all", true, 3], ["none", false, 3], ["own", true, 1]].map(([shown, own_cards, number]) => ({ ...examples.hand_link.link, hand_id: examples.hand_link.link.hand_id.slice(0, -1) + number, code: `${number}${examples.hand_link.link.code.slice(1)}`.replace("V", shown[0]).slice(0, 21) + shown[0], names: shown, own_cards })) },
    get_player_notes: { ...examples.player_notes, notes: names.map((player, index) => ({ player, color: ["red", "orange", "yellow", "green", "blue", null][index], text: index === 3 ? null : "Calls with any pair, and raises the river only with the best hand or nothing. ".repeat(index === 0 ? 3 : 1) })) },
    get_round: examples.round_history,
    get_standings: { ...examples.standings, players: names.map((each, index) => ({ name: each, seat: index + 1, stack: 12_345 })), places: [] },
    second_factor: examples.second_factor,
    get_table_results: { ...examples.table_results, players: names.map((each, index) => ({ name: each, bought_in: 123_456_700, taken_out: 12_345_650, on_table: 111_111_050 + 1_234_567 * (index - 2), net: 1_234_567 * (index - 2) })), payments: [{ payer: names[0], payee: names[4], amount: 2_469_134 }] },
  };
  room.client.request = async ({ type }) => answers[type] ?? new Promise(() => {});
  const model = room.model(room.open[0] ?? "");
  const { noted } = await load("hosting");
  const guests = ["asked", "ask", "refused", "open"].map((seat, index) => ({ name: `Wilhelmina.Harker.${index}`, seat, given: 0 }));
  const hosts = () => (noted({ info: model.info, host: room.account.name, paused: false, code: "q8Zl0c1yQm2rT5uVwX9aBd", approves: true, your_seat: "open", given: 0, guests }), true);
  const open = {
    security: async () => (await load("security_window")).securityWindow(),
    limits: async () => (await load("limits_window")).limitsWindow(),
    excluded: async () => (await load("limits_window")).limitsWindow(),
    settings: async () => (await load("settings_window")).settingsWindow(),
    cashier: async () => (await load("cashier")).cashierWindow(),
    statistics: async () => (await load("statistics_window")).statisticsWindow(),
    history: async () => (await load("account")).accountHistoryWindow(),
    hand: async () => (await load("account")).openHand("x"),
    links: async () => {
      (await load("hand_links")).handLinksWindow();
      await shown(".link input");
      elsewhere();
    },
    "share-hand": async () => {
      (await load("hand_share")).handShareWindow("x");
      await shown("#share-hand");
      document.querySelector("#share-hand").click();
      await shown(".link input");
      elsewhere();
    },
    note: async () => (await load("note_window")).noteWindow(names[0]),
    download: async () => (await load("download")).downloadHands(),
    notes: async () => (await load("note_window")).notesWindow(),
    "statistics-of": async () => (await load("statistics_window")).statisticsWindow(names[0]),
    round: async () => (await load("account")).openRound("x"),
    tournament: async () => (await load("tournament_window")).tournamentWindow("Six players"),
    "rules-holdem": async () => (await load("rules")).rulesWindow("holdem"),
    "rules-sit-and-go": async () => (await load("rules")).rulesWindow("sit_and_go"),
    "rules-ultimate": async () => (await load("rules")).rulesWindow("ultimate"),
    keys: async () => (await load("windows")).helpWindow(),
    "buy-in": async () => {
      room.held.set(model.info.table, { seat: 3, until: now + HOUR_MS, offered: false });
      (await load("windows")).buyInWindow(model.info, 3);
    },
    "top-up": async () => {
      model.snapshot.seats[0].stack = 500;
      (await load("windows")).topUpWindow(model);
    },
    options: async () => (await load("windows")).optionsWindow(model),
    leave: async () => (await load("windows")).leaveWindow(model),
    "create-table": async () => (await load("hosting_windows")).createTableWindow(),
    share: async () => hosts() && (await load("hosting_windows")).shareWindow(model.info.table),
    host: async () => hosts() && (await load("hosting_windows")).hostWindow(model.info.table),
    "ask-seat": async () => (noted({ info: model.info, host: names[0], paused: false, code: null, approves: true, your_seat: "ask", given: 0, guests: null }), (await load("hosting_windows")).seatWindow(model.info.table)),
    results: async () => hosts() && (await load("results_window")).resultsWindow(model.info.table),
    reality: async () => room.dispatchEvent(new CustomEvent("reality", { detail: { played_s: 4_500, net: -1_250 } })),
  };
  const opened = open[name](); // it ends when the window is closed
  if (name === "share-hand" || name === "links") await opened;
  await shown("dialog[open]");
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
