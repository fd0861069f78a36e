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
  // 40 players have the chips of 1,180 entries: the first 431,500, each next one 7,000 fewer
  const ladder = [123_456_700, 81_234_500, 53_210_000, 31_234_500, 20_000_000, 15_000_000, 12_000_000, 10_000_000, 8_000_000];
  const prizes = [...ladder, ...Array.from({ length: 168 }, (_, index) => Math.max(2_250, 700_000 - 40_000 * Math.floor(index / 9)))];
  const you = { rank: 3, name: room.account?.name ?? "Ada", stack: 417_500, table: "sunday.3-4", seat: 3, status: "playing", place: null, prize: 0 };
  const rankOf = (index) => (index < 40 ? { ...you, rank: index + 1, name: names[index % 6] + (index < 6 ? "" : index), stack: 431_500 - 7_000 * index, table: `sunday.3-${(index % 5) + 2}` } : { ...you, rank: index + 1, name: `Out.${index}`, stack: 0, table: null, seat: null, status: "out", place: index + 1, prize: prizes[index] });
  const ranks = [rankOf(0), rankOf(1), you, ...Array.from({ length: 47 }, (_, index) => rankOf(index + 3))];
  const sales = [["rebuy", 1_100, 1_000, 3], ["add_on", 1_100, 1_500, 1]].map(([kind, price, chips, most]) => ({ kind, price, fee: 100, chips, most, levels: 12, sold: 0, yours: 0, open_to_you: false, stack_max: kind === "rebuy" ? 2_000 : null }));
  const field = {
    sales, entries_max: 3, registration_open: true, late_levels: 12,
    tournament: "sunday.3", offer: "Six players", name: "Sunday afternoon 22.00 #3", seats: 2_000, table_seats: 9, entries: 1_180, left: 40, tables: 5, chips: 11_800_000, average: 295_000, largest: 431_500, smallest: 158_500,
    level: { ...examples.tournament.level, level: 12, small_blind: 1_500, big_blind: 3_000, ante: 0, big_blind_ante: 3_000, ends_ms: now + 437_000 }, next_level: { ...examples.tournament.level, level: 13, small_blind: 1_625, big_blind: 3_250, big_blind_ante: 3_250, ends_ms: null },
    pool: prizes.reduce((sum, prize) => sum + prize), prizes, next_payout: prizes[39], you: { ...you },
    levels: Array.from({ length: 16 }, (_, index) => ({ ...examples.tournament.levels[0], small_blind: 125 * (index + 1), big_blind: 250 * (index + 1), big_blind_ante: 250 * (index + 1), break_s: index % 4 === 3 ? 300 : 0 })),
  };
  // over: the ten paid most have the first places, `you` the third
  const ended = { phase: "finished", ended_ms: now - HOUR_MS, registration_open: false, left: 0, tables: 0, average: null, largest: null, smallest: null, level: null, next_level: null, next_payout: null };
  const placed = (place, name) => ({ ...you, rank: place, name, stack: 0, table: null, seat: null, status: "out", place, prize: prizes[place - 1] ?? 0 });
  const nets = [3_086_420, 1_851_852, 617_284, -617_284, -1_851_852, -3_086_420];
  const payments = [0, 1, 2].map((index) => ({ payer: names[5 - index], payee: names[index], amount: nets[index] }));
  const standing = (rank, name) => ({ rank, name, score: 123_456 - 1_357 * rank, played: 40 - (rank % 5), counted: 10, wins: rank < 9 ? 9 - rank : 0 });
  const [icm, byChips] = [[2_952_687, 4_197_623, 5_202_629, 6_029_657, 6_721_453, 7_309_347], [2_614_923, 3_729_847, 4_844_771, 5_959_695, 7_074_619, 8_189_542]];
  const shares = (room.model(room.open[0] ?? "")?.snapshot.seats ?? []).slice(0, 6).map(({ seat, name, stack }, index) => ({ seat, name, stack, icm: icm[index], chips: byChips[index], accepted: index > 2 }));
  const answers = {
    get_security: { ...examples.security, second_factor: false, sessions: [session(1, "pokerroom web", "192.0.2.*"), session(2, "pokerroom terminal", "2001:db8:85a3:*"), session(3, "a-client-with-a-long-name-of-its-own 1.2.3", "203.0.113.*")] },
    get_limits: { ...examples.limits, limits, excluded: name === "excluded", excluded_until_ms: now + 42 * 24 * HOUR_MS },
    get_settings: examples.settings,
    get_statistics: { ...examples.statistics, ...statistics },
    get_cashier: { ...examples.cashier, balance: 123_456_700, held: 1_234_567, sources: ["bank-transfer", "play-money"], requests: [request(1), request(2, { state: "refused", note: "the account of the bank has another name" }), request(3, { kind: "deposit", state: "approved" })], refill: { floor: 10_000, to: 100_000, owned: 500, wait_ms: HOUR_MS } },
    get_history: { ...examples.history, entries: [entry("holdem", 1), entry("ultimate", 2, { tip: 12_300, win: 0 }), entry("sit_and_go", 3, { place: 1 }), entry("omaha", 4, { chips: true, void: true, win: 1_234_567 })] },
    get_hand: { ...examples.hand_history, hand: { ...recorded, table: "With bots", seats: recorded.seats.map((seat, index) => ({ ...seat, name: names[index] })) } },
    share_hand: examples.hand_link,
    get_hand_links: { ...examples.hand_links, links: [["all", true, 3], ["none", false, 3], ["own", true, 1]].map(([shown, own_cards, number]) => ({ ...examples.hand_link.link, hand_id: examples.hand_link.link.hand_id.slice(0, -1) + number, code: `${number}${examples.hand_link.link.code.slice(1)}`.replace("V", shown[0]).slice(0, 21) + shown[0], names: shown, own_cards })) },
    get_player_notes: { ...examples.player_notes, notes: names.map((player, index) => ({ player, color: ["red", "orange", "yellow", "green", "blue", null][index], text: index === 3 ? null : "Calls with any pair, and raises the river only with the best hand or nothing. ".repeat(index === 0 ? 3 : 1) })) },
    get_round: examples.round_history,
    get_tournament: { ...examples.tournament, ...field },
    get_tournament_ranks: { ...examples.tournament_ranks, total: 1_180, ranks },
    get_tournament_tables: { ...examples.tournament_tables, total: 5, tables: Array.from({ length: 5 }, (_, index) => ({ table: `sunday.3-${index + 2}`, players: 8, smallest: 186_500 - 7_000 * index, largest: 431_500 - 7_000 * index, average: 309_000 - 7_000 * index })) },
    second_factor: examples.second_factor,
    get_table_results: { ...examples.table_results, players: names.map((each, index) => ({ name: each, bought_in: 123_456_700, taken_out: 12_345_650, on_table: 111_111_050 + nets[index], net: nets[index] })), payments },
    get_clubs: { ...examples.clubs, clubs: ["Friday club", "W".repeat(40)].map((each, index) => ({ ...examples.clubs.clubs[0], club: `club${index}`, name: each, your_balance: 123_456_700 + 12_345_600 * index, members: [7, 200][index], your_role: ["owner", "member"][index] })) },
    get_club: { ...examples.club, club: { ...examples.club.club, name: "Friday club", your_role: "owner", your_balance: 123_456_700, issued: 1_123_454_500, code: "q8Zl0c1yQm2rT5uVwX9aBd", members: [room.account?.name ?? "Ada", ...names].map((each, index) => ({ name: each, role: ["owner", "manager", "member"][Math.min(index, 2)], balance: 123_456_700 + 12_345_600 * index })), tables: ["Friday night", "W".repeat(40)].map((each, index) => ({ info: { ...room.model(room.open[0] ?? "")?.info, table: `host:${index}`, name: each, closing: index === 1 }, host: names[index] })) } },
    get_tickets: { ...examples.tickets, tickets: ["Sunday special", "W".repeat(40), "Turbo"].map((each, index) => ({ offer: each, name: each, value: [11_000, 123_456_700, 1_100][index], expires_ms: now + [9, 900, 2_000][index] * HOUR_MS, gift: index === 1 })) },
    get_league: { ...examples.league, league: { ...examples.league.league, offers: ["Sunday special", "Turbo", "Six players"] }, total: 73, ranks: Array.from({ length: 50 }, (_, index) => standing(index + 1, index === 6 ? you.name : names[index % 6] + (index < 6 ? "" : index))), you: standing(7, you.name) },
    get_leagues: { ...examples.leagues, leagues: [...examples.leagues.leagues, { ...examples.leagues.leagues[0], league: "net", name: "W".repeat(40), score: "net" }] },
    get_deal: { ...examples.deal_options, most: 4_222_200, shares },
    get_club_results: { ...examples.club_results, players: names.map((each, index) => ({ name: each, net: nets[index] })), payments },
  };
  room.client.request = async ({ type }) => answers[type] ?? new Promise(() => {});
  const model = room.model(room.open[0] ?? "");
  const { noted } = await load("hosting");
  const guests = ["asked", "ask", "refused", "open"].map((seat, index) => ({ name: `Wilhelmina.Harker.${index}`, seat, given: 0 }));
  const hosts = () => (noted({ info: model.info, host: room.account.name, paused: false, code: "q8Zl0c1yQm2rT5uVwX9aBd", approves: true, your_seat: "open", given: 0, guests }), true);
  const tournamentTab = async (index, table = null) => {
    (await load("tournament_window")).tournamentWindow("Six players", table);
    await shown(".tournament-page .tab");
    document.querySelectorAll(".tournament-page .tab")[index].click();
    await shown(`.tournament-page .tab[aria-pressed="true"]:nth-child(${index + 1})`);
    if (index === 1) await shown(".ranks tbody tr");
  };
  /** A window over the final table between two hands: the deal, if there is one, and what else has changed. */
  const atFinalTable = (deal, more = {}) => {
    const level = { ...field.level, ends_ms: deal?.deal ? null : field.level.ends_ms };
    Object.assign(model.snapshot, { hand: null, tournament: { phase: "running", seats: 6, prizes: ladder.slice(0, 6), level, paused: false, break_until_ms: null, places: [], deals: true, deal, ...more } });
    room.dispatchEvent(new CustomEvent("table", { detail: model.info.table }));
  };
  const dealWindow = async (deal) => {
    atFinalTable(deal && { deal: 2, proposer: names[4], kind: "icm", for_the_winner: 0, until_ms: now + 83_000, shares, ...deal });
    return (await load("deal_window")).dealWindow(model.info.table);
  };
  const saleWindow = async (kind, fields) => {
    atFinalTable(null, kind === "add_on" ? { break_until_ms: now + 83_000 } : {});
    if (kind === "rebuy") Object.assign(model.snapshot.seats[0], { stack: 0 });
    return (await load("chip_sale_window")).chipSaleWindow({ ...examples.chips_offered, tournament: model.info.table, until_ms: now + 13_000, ...fields });
  };
  const open = {
    deal: () => dealWindow({}),
    "deal-propose": () => dealWindow(null),
    "deal-agreed": () => dealWindow({ deal: null, until_ms: null, for_the_winner: 2_345_600, shares: shares.map((share) => ({ ...share, chips: null })) }),
    rebuy: () => saleWindow("rebuy", { kind: "rebuy", chips: 5_000, price: 1_100, left: 2 }),
    "rebuy-dear": () => ((room.balance = 1_099), saleWindow("rebuy", { kind: "rebuy", left: 1 })),
    "add-on": () => saleWindow("add_on", { kind: "add_on", chips: 7_500, left: 1, until_ms: now + 83_000 }),
    leagues: async () => (await load("leagues")).leaguesWindow(),
    "tournament-over": () => {
      Object.assign(answers.get_tournament, ended, { you: placed(3, you.name) });
      answers.get_tournament_ranks.ranks = ranks.map((each, index) => placed(index + 1, index === 2 ? you.name : each.name));
      return tournamentTab(0);
    },
    "tournament-again": () => {
      Object.assign(room.lobby.tournaments.at(-1), { tournament: "sunday.3", offer: "Sunday afternoon", your_status: "out", your_entries: 1 });
      Object.assign(answers.get_tournament, { bounty: 400, bounty_kind: "progressive", starts_ms: now - HOUR_MS, guarantee: 250_000_000, provisional: true, next_payout: null, you: { ...placed(1_121, you.name), head: 0, bounties: 1_200 } });
      for (const each of ranks) each.head = each.table ? 400 : 0;
      return tournamentTab(0, "sunday.3");
    },
    security: async () => (await load("security_window")).securityWindow(),
    limits: async () => (await load("limits_window")).limitsWindow(),
    excluded: async () => (await load("limits_window")).limitsWindow(),
    settings: async () => (await load("settings_window")).settingsWindow(),
    cashier: async () => (await load("cashier")).cashierWindow(),
    statistics: async () => (await load("statistics_window")).statisticsWindow(),
    history: async () => (await load("account")).accountHistoryWindow(),
    hand: async () => (await load("account")).openHand("x"),
    "hand-decision": async () => {
      (await load("account")).openHand("x");
      await shown(".replay");
      for (let step = 0; step < 3; step += 1) document.querySelector(".replay ~ .row .primary").click();
    },
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
    "tournament-tables": () => tournamentTab(1),
    "tournament-prizes": () => tournamentTab(2),
    "tournament-levels": () => tournamentTab(3),
    "rules-holdem": async () => (await load("rules")).rulesWindow("holdem"),
    "rules-sit-and-go": async () => (await load("rules")).rulesWindow("sit_and_go"),
    "rules-tournament": async () => (await load("rules")).rulesWindow("tournament"),
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
    tickets: async () => {
      room.lobby.tickets = answers.get_tickets.tickets;
      (await load("tickets")).ticketsWindow();
    },
    clubs: async () => (await load("clubs")).clubsWindow(),
    club: async () => {
      (await load("clubs")).clubWindow("club0");
      await shown(".link input");
      elsewhere();
    },
    "club-results": async () => {
      (await load("clubs"), await load("club_results")).clubResultsWindow({ club: "club0", name: "Friday club" });
      await shown("#nets");
    },
    "club-chips": async () => {
      (await load("clubs")).clubWindow("club0");
      await shown("#members button");
      document.querySelector("#members button").click();
    },
    "create-table": async () => (await load("hosting_windows")).createTableWindow(),
    share: async () => hosts() && (await load("hosting_windows")).shareWindow(model.info.table),
    host: async () => hosts() && (await load("hosting_windows")).hostWindow(model.info.table),
    "ask-seat": async () => (noted({ info: model.info, host: names[0], paused: false, code: null, approves: true, your_seat: "ask", given: 0, guests: null }), (await load("hosting_windows")).seatWindow(model.info.table)),
    results: async () => hosts() && (await load("results_window")).resultsWindow(model.info.table),
    reality: async () => room.dispatchEvent(new CustomEvent("reality", { detail: { played_s: 4_500, net: -1_250 } })),
  };
  const opened = open[name](); // it ends when the window is closed
  if (["share-hand", "links", "hand-decision"].includes(name) || name.startsWith("tournament-")) await opened;
  await shown("dialog[open]");
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
