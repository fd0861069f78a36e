-- Tournaments: entries, start, places, payouts, each exactly once.
--
-- A sit-and-go starts when it is full. A tournament with `starts_ms` starts at a time; entries may come after that, until
-- they are closed: then its prizes are fixed.
--
-- Each tournament has an escrow. Entries go into it. At the start the fees leave it for the account `fees`; that of a late
-- entry goes there at once. What the house adds for a guarantee comes from the bank when entries close. Each prize leaves
-- the escrow for a wallet. A bounty is not in the escrow but in the account `bounties`, see `bounties.sql`. The phase, the entries and the places determine at any moment what it must hold, and no
-- transaction can end with another balance (`escrow_is_what_is_owed` in `tournament_rules.sql`). At the end the escrow is empty.
--
-- Functions that take an epoch are for the owner of the tournament (`tournament:<id>`), not of its tables. Any node may
-- enter an account, return an entry, cancel, or pay a place.

-- Opens a tournament with an empty escrow. A second call on the same terms changes nothing. The prizes of one that starts
-- at a time are fixed later.
CREATE OR REPLACE FUNCTION open_tournament(
    new_id text, of_offer text, new_number integer, new_seats smallint, new_buy_in bigint, new_fee bigint,
    new_prizes bigint[], new_terms json, new_starts_ms bigint, new_players_min integer, new_entries_max integer,
    new_guarantee bigint, new_bounty bigint, new_bounty_cash_bps integer, new_ticket_offer text, new_ticket_value bigint,
    new_ticket_days integer, new_sales jsonb
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tournaments (id, offer, number, seats, buy_in, fee, prizes, terms, starts_ms, players_min, entries_max, guarantee,
                             bounty, bounty_cash_bps, ticket_offer, ticket_value, ticket_days)
        VALUES (new_id, of_offer, new_number, new_seats, new_buy_in, new_fee, new_prizes, new_terms, new_starts_ms,
                new_players_min, new_entries_max, new_guarantee, new_bounty, new_bounty_cash_bps, new_ticket_offer,
                new_ticket_value, new_ticket_days)
        ON CONFLICT DO NOTHING;  -- on the id, on the number or on the start: any may be found first
    IF FOUND THEN
        INSERT INTO ledger_accounts (kind, table_id)
            SELECT kind, new_id FROM unnest(ARRAY['escrow', 'bounties']) AS kind WHERE kind = 'escrow' OR new_bounty > 0;
        INSERT INTO tournament_sales (tournament, kind, prize, fee, chips, most)
            SELECT new_id, sale ->> 0, (sale ->> 1)::bigint, (sale ->> 2)::bigint, (sale ->> 3)::bigint, (sale ->> 4)::integer
            FROM jsonb_array_elements(new_sales) AS sale;
    ELSIF NOT EXISTS (
        SELECT FROM tournaments
        WHERE id = new_id
          AND (offer, number, seats, buy_in, fee, terms::text, starts_ms, players_min, entries_max, guarantee, bounty,
               bounty_cash_bps, ticket_offer, ticket_value, ticket_days)
              IS NOT DISTINCT FROM
              (of_offer, new_number, new_seats, new_buy_in, new_fee, new_terms::text, new_starts_ms, new_players_min,
               new_entries_max, new_guarantee, new_bounty, new_bounty_cash_bps, new_ticket_offer, new_ticket_value,
               new_ticket_days)
          AND (starts_ms IS NOT NULL OR prizes = new_prizes) AND sales_of(id) = new_sales)
    THEN
        PERFORM refuse('key_has_other_legs', format('tournament %s was opened on other terms', new_id));
    END IF;
END $$;

-- The tournament, locked until the transaction ends.
CREATE OR REPLACE FUNCTION tournament_of(of_tournament text) RETURNS tournaments LANGUAGE plpgsql AS $$
DECLARE
    found_one tournaments;
BEGIN
    SELECT * INTO found_one FROM tournaments WHERE id = of_tournament FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('tournament_exists', format('there is no tournament %s', of_tournament));
    END IF;
    RETURN found_one;
END $$;

CREATE OR REPLACE FUNCTION check_registering(tournament tournaments) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF tournament.phase <> 'registering' THEN
        PERFORM refuse('tournament_takes_entries', format('tournament %s is %s', tournament.id, tournament.phase));
    END IF;
END $$;

-- Refuses what is for the owner of a tournament that runs.
CREATE OR REPLACE FUNCTION check_running(tournament tournaments, of_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF tournament.phase <> 'running' THEN
        PERFORM refuse('tournament_is_running', format('tournament %s is %s', tournament.id, tournament.phase));
    END IF;
    PERFORM check_owner('tournament:' || tournament.id, of_epoch);
END $$;

-- Once its time has come and enough players have entered, the players stay as they are until the owner has started the
-- tournament: players who come and go cannot hold the start off.
CREATE OR REPLACE FUNCTION check_not_starting(tournament tournaments) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF tournament.phase = 'registering' AND tournament.starts_ms <= extract(epoch FROM clock_timestamp()) * 1000
       AND players_of(tournament.id) >= tournament.players_min
    THEN
        PERFORM refuse('tournament_takes_entries', format('tournament %s starts', tournament.id));
    END IF;
END $$;

-- Wallet, or balance in the chips of a club, to escrow, and the bounty to the heads; a ticket of the account pays by itself. Returns
-- whether one has. The numbers of an account's entries grow: an entry that its sender gave up cannot come after the next one. The
-- fee of an entry after the start goes to the house at once.
CREATE OR REPLACE FUNCTION enter_tournament(in_tournament text, player bigint, new_number integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    wallet       bigint := ledger_account_of('wallet:' || player);
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    late         boolean := tournament.phase = 'running' AND tournament.starts_ms IS NOT NULL AND tournament.closed IS NULL
                             AND tournament.late_open AND NOT is_private(in_tournament);
    last         tournament_entries;
    ticket       bigint;
    new_transfer bigint;
BEGIN
    IF wallet IS NULL THEN
        PERFORM refuse('account_exists', format('there is no account %s', player));
    END IF;
    IF EXISTS (SELECT FROM tournament_entries AS entry
               WHERE entry.tournament = in_tournament AND account = player AND number = new_number) THEN
        RETURN starts_with(payer_of(in_tournament, player, new_number), 'tickets:');
    END IF;
    IF NOT late THEN
        PERFORM check_registering(tournament);
    END IF;
    PERFORM FROM accounts WHERE id = player FOR NO KEY UPDATE;
    PERFORM check_invited(in_tournament, player);
    SELECT * INTO last FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND account = player AND NOT returned AND NOT replaced;
    -- An account enters one filling sit-and-go of an offer. The lock puts its entries one after the other.
    IF last.account IS NOT NULL AND last.chips IS DISTINCT FROM 0 OR tournament.starts_ms IS NULL AND EXISTS (
        SELECT FROM tournament_entries AS entry JOIN tournaments AS other ON other.id = entry.tournament
        WHERE account = player AND NOT returned AND offer = tournament.offer AND phase = 'registering')
    THEN
        PERFORM refuse('account_is_entered_once', format('account %s has entered %s', player, tournament.offer));
    END IF;
    IF EXISTS (SELECT FROM tournament_entries AS entry
               WHERE entry.tournament = in_tournament AND account = player AND number > new_number) THEN
        PERFORM refuse('entry_is_the_last', format('account %s has entered again since', player));
    END IF;
    PERFORM check_not_starting(tournament);
    IF EXISTS (SELECT FROM tournament_purchases AS p
               WHERE p.tournament = in_tournament AND p.account = player AND table_number IS NULL) THEN
        PERFORM refuse('account_is_entered_once', format('account %s has bought a rebuy of %s', player, in_tournament));
    END IF;
    IF last.account IS NULL AND players_of(in_tournament) >= tournament.seats THEN
        PERFORM refuse('tournament_has_seats', format('tournament %s is full', in_tournament));
    END IF;
    IF tournament.entries_max > 0 AND tournament.entries_max <= (
        SELECT count(*) FROM tournament_entries AS entry
        WHERE entry.tournament = in_tournament AND account = player AND NOT returned)
    THEN
        PERFORM refuse('entries_are_left', format('account %s has used up its entries to %s', player, in_tournament));
    END IF;
    -- each returned entry stays, and is read with the tournament (RETURNED_MAX)
    IF 20 <= (SELECT count(*) FROM tournament_entries AS entry
              WHERE entry.tournament = in_tournament AND account = player AND returned)
    THEN
        PERFORM refuse('entries_are_left', format('account %s has left %s too often', player, in_tournament));
    END IF;
    PERFORM check_play(player, tournament.buy_in);
    IF last.account IS NOT NULL THEN
        UPDATE tournament_entries AS entry SET replaced = true
        WHERE entry.tournament = in_tournament AND account = player AND number = last.number;
    END IF;
    INSERT INTO tournament_entries (tournament, account, number, head)
        VALUES (in_tournament, player, new_number, tournament.bounty);
    ticket := ticket_for(tournament, player);
    UPDATE tickets AS t SET tournament = in_tournament, entry = new_number WHERE number = ticket;
    INSERT INTO transfers (key, kind) VALUES (
        format('sng:%s:entry:%s:%s', in_tournament, player, new_number), CASE WHEN late THEN 'late_entry' ELSE 'entry' END)
        RETURNING id INTO new_transfer;
    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfer, ledger_account, amount FROM (VALUES
            (ledger_account_of(payer_of(in_tournament, player, new_number)), -tournament.buy_in),
            (escrow, tournament.buy_in - tournament.bounty - CASE WHEN late THEN tournament.fee ELSE 0 END),
            (ledger_account_of('bounties:' || in_tournament), tournament.bounty),
            (ledger_account_of('fees'), CASE WHEN late THEN tournament.fee ELSE 0 END)) AS leg (ledger_account, amount)
        WHERE amount <> 0;
    IF is_private(in_tournament) AND players_of(in_tournament) = tournament.seats THEN
        PERFORM begin_private(in_tournament);
    END IF;
    RETURN ticket IS NOT NULL;
END $$;

-- Escrow and head to wallet, before the start; what a ticket has paid is a ticket again.
CREATE OR REPLACE FUNCTION return_entry(in_tournament text, player bigint, of_number integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    payer        bigint := ledger_account_of(payer_of(in_tournament, player, of_number));
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    new_transfer bigint;
BEGIN
    INSERT INTO transfers (key, kind)
        VALUES (format('sng:%s:return:%s:%s', in_tournament, player, of_number), 'entry_return')
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    PERFORM check_not_starting(tournament);
    UPDATE tournament_entries AS entry SET returned = true, head = 0
        WHERE entry.tournament = in_tournament AND account = player AND number = of_number AND NOT returned;
    IF NOT FOUND THEN
        PERFORM refuse('account_is_entered', format('account %s has no such entry in tournament %s', player, in_tournament));
    END IF;
    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfer, ledger_account, amount FROM (VALUES
            (escrow, tournament.bounty - tournament.buy_in),
            (ledger_account_of('bounties:' || in_tournament), -tournament.bounty),
            (payer, tournament.buy_in)) AS leg (ledger_account, amount)
        WHERE amount <> 0;
    UPDATE tickets SET tournament = NULL, entry = NULL
        WHERE (tickets.tournament, account, entry) = (in_tournament, player, of_number);
END $$;

-- Pays all players what they have paid, from the sources (escrow, fees, heads, and what goes to the bank) in one transfer.
-- All at once: by `paid_into` each player could cost a look at all entries. What tickets have paid goes back to the accounts
-- of tickets; the caller sets them free once the entries are returned.
CREATE OR REPLACE FUNCTION refund(of_tournament tournaments, new_key text, new_kind text, sources text[], amounts bigint[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    purse        text := entry_purse(of_tournament.id);
    new_transfer bigint;
BEGIN
    INSERT INTO transfers (key, kind) VALUES (new_key, new_kind) RETURNING id INTO new_transfer;
    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfer, ledger_account_of(source), -amount
        FROM unnest(sources, amounts) AS taken (source, amount) WHERE amount <> 0
        UNION ALL
        SELECT new_transfer, ledger_account_of(code), amount
        FROM (SELECT entry.account, of_tournament.buy_in * count(*) AS entries, coalesce(sum(value), 0) AS by_ticket
              FROM tournament_entries AS entry LEFT JOIN tickets
                  ON (tickets.tournament, tickets.account, tickets.entry) = (entry.tournament, entry.account, entry.number)
              WHERE entry.tournament = of_tournament.id AND NOT returned GROUP BY entry.account) AS player
        LEFT JOIN (SELECT account, sum(sale.prize + sale.fee) AS more
                   FROM tournament_purchases AS bought JOIN tournament_sales AS sale USING (tournament, kind)
                   WHERE tournament = of_tournament.id GROUP BY account) AS bought USING (account),
            LATERAL (VALUES (purse || account, entries + coalesce(more, 0) - by_ticket),
                            ('tickets:' || account, by_ticket)) AS gets (code, amount)
        WHERE amount <> 0;
END $$;

-- The tickets that have paid entries which were returned are unused again.
CREATE OR REPLACE FUNCTION free_tickets(of_tournament text) RETURNS void LANGUAGE sql AS $$
    UPDATE tickets SET tournament = NULL, entry = NULL WHERE tournament = of_tournament
$$;

-- Returns all entries, before the start.
CREATE OR REPLACE FUNCTION cancel_tournament(in_tournament text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    players    bigint := players_of(in_tournament);
BEGIN
    IF tournament.phase = 'cancelled' THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    PERFORM refund(
        tournament, format('sng:%s:cancel', in_tournament), 'cancellation',
        ARRAY['escrow:' || in_tournament, 'bounties:' || in_tournament],
        ARRAY[players * (tournament.buy_in - tournament.bounty), players * tournament.bounty]);
    UPDATE tournament_entries AS entry SET returned = true, head = 0
        WHERE entry.tournament = in_tournament AND NOT returned;
    PERFORM free_tickets(in_tournament);
    UPDATE tournaments SET phase = 'cancelled', ended = now() WHERE id = in_tournament;
END $$;

-- The n-th of the players gets the seat with number n and `new_stack` chips; 0 is an empty seat. The fees leave the escrow.
-- A second call with the same draw changes nothing.
CREATE OR REPLACE FUNCTION start_tournament(in_tournament text, of_epoch bigint, players bigint[], new_stack bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    drawn        bigint[];
    seated       bigint;
    taken        bigint := players_of(in_tournament);
    fees         bigint := taken * tournament.fee;
    new_transfer bigint;
BEGIN
    IF tournament.started IS NOT NULL THEN
        -- players may have moved since: the accounts are compared, and their seats while no table has played
        IF EXISTS (SELECT FROM tournament_tables AS t WHERE t.tournament = in_tournament AND (t.hands > 0 OR t.closed)) THEN
            SELECT array_agg(account ORDER BY account) INTO drawn FROM (
                SELECT account FROM unnest(players) AS account WHERE account <> 0) AS named
            WHERE EXISTS (SELECT FROM tournament_entries AS entry
                          WHERE entry.tournament = in_tournament AND entry.account = named.account AND seat IS NOT NULL);
            players := ARRAY(SELECT account FROM unnest(players) AS account WHERE account <> 0 ORDER BY account);
            -- players may have come since, but only to a tournament that takes late entries
            IF tournament.starts_ms IS NULL AND cardinality(players) <> tournament.seats THEN
                drawn := NULL;
            END IF;
        ELSE
            SELECT array_agg(coalesce(account, 0) ORDER BY n) INTO drawn
            FROM generate_subscripts(players, 1) AS n
            LEFT JOIN tournament_entries AS entry ON entry.tournament = in_tournament AND seat = n;
        END IF;
        IF drawn IS DISTINCT FROM players OR tournament.stack <> new_stack THEN
            PERFORM check_owner('tournament:' || in_tournament, of_epoch);
            PERFORM refuse('key_has_other_legs', format('%s was started with another draw', in_tournament));
        END IF;
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    PERFORM check_owner('tournament:' || in_tournament, of_epoch);
    IF taken < coalesce(tournament.players_min, tournament.seats) THEN
        PERFORM refuse('tournament_is_full', format('tournament %s has %s of %s players', in_tournament, taken, tournament.seats));
    END IF;
    UPDATE tournament_entries AS entry SET seat = n, chips = new_stack, chips_before = new_stack
        FROM unnest(players) WITH ORDINALITY AS player (drawn_account, n)
        WHERE entry.tournament = in_tournament AND account = drawn_account AND NOT returned;
    GET DIAGNOSTICS seated = ROW_COUNT;
    IF seated <> taken OR cardinality(array_remove(players, 0)) <> taken THEN
        PERFORM refuse('draw_is_of_the_entries', format('the draw of %s does not name its players', in_tournament));
    END IF;
    INSERT INTO tournament_tables (tournament, number)
        SELECT DISTINCT in_tournament, table_of_seat(n::integer)
        FROM unnest(players) WITH ORDINALITY AS player (drawn_account, n) WHERE drawn_account <> 0;
    INSERT INTO transfers (key, kind) VALUES (format('sng:%s:start', in_tournament), 'fees')
        RETURNING id INTO new_transfer;
    IF fees > 0 THEN
        INSERT INTO legs VALUES
            (new_transfer, ledger_account_of('escrow:' || in_tournament), -fees),
            (new_transfer, ledger_account_of('fees'), fees);
    END IF;
    UPDATE tournaments SET phase = 'running', started = now(), stack = new_stack WHERE id = in_tournament;
END $$;

-- The number of the moves that are made next.
CREATE OR REPLACE FUNCTION next_move(of_tournament text) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(number), 0) + 1 FROM tournament_moves AS m WHERE m.tournament = of_tournament
$$;

-- Seats players with chips elsewhere, between two hands of their tables, and writes down the moves. A table without players
-- with chips is closed. A second call with the same moves changes nothing.
CREATE OR REPLACE FUNCTION move_players(
    in_tournament text, of_epoch bigint, players bigint[], old_seats integer[], new_seats integer[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    moved      bigint;
BEGIN
    SELECT count(*) INTO moved FROM unnest(players, new_seats) AS mover (account, seat)
        JOIN tournament_entries AS entry USING (account, seat)
        WHERE entry.tournament = in_tournament AND NOT returned AND NOT replaced;
    IF moved = cardinality(players) THEN
        RETURN;
    END IF;
    PERFORM check_running(tournament, of_epoch);
    UPDATE tournament_entries AS entry SET seat = new_seat
        FROM unnest(players, old_seats, new_seats) AS mover (mover_account, old_seat, new_seat)
        WHERE entry.tournament = in_tournament AND account = mover_account AND seat = old_seat AND chips > 0
          AND EXISTS (SELECT FROM tournament_tables AS t WHERE t.tournament = in_tournament
                      AND t.number = table_of_seat(new_seat) AND NOT t.closed);
    GET DIAGNOSTICS moved = ROW_COUNT;
    IF moved <> cardinality(players) OR EXISTS (
        SELECT FROM tournament_entries AS entry WHERE entry.tournament = in_tournament AND chips > 0
        GROUP BY seat HAVING count(*) > 1)
    THEN
        PERFORM refuse('players_move_to_free_seats', format('a move of %s is of another seat, or to one that is taken', in_tournament));
    END IF;
    INSERT INTO tournament_moves (tournament, number, account, from_seat, to_seat, from_hands, to_hands, epoch)
        SELECT in_tournament, next_move(in_tournament), mover_account, old_seat, new_seat, old_table.hands, new_table.hands,
            of_epoch
        FROM unnest(players, old_seats, new_seats) AS mover (mover_account, old_seat, new_seat)
        JOIN tournament_tables AS old_table
            ON old_table.tournament = in_tournament AND old_table.number = table_of_seat(old_seat)
        JOIN tournament_tables AS new_table
            ON new_table.tournament = in_tournament AND new_table.number = table_of_seat(new_seat);
    UPDATE tournament_tables AS t SET closed = true WHERE t.tournament = in_tournament AND NOT closed AND NOT EXISTS (
        SELECT FROM tournament_entries AS entry
        WHERE entry.tournament = in_tournament AND chips > 0 AND table_of_seat(seat) = t.number);
END $$;

-- Seats entries that came after the start, with a full stack, and opens the tables that are new. Each is written down as a
-- move from no seat. A second call for seated entries changes nothing.
CREATE OR REPLACE FUNCTION seat_entries(
    in_tournament text, of_epoch bigint, players bigint[], numbers integer[], seats integer[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    seated     bigint;
BEGIN
    SELECT count(*) INTO seated FROM unnest(players, numbers) AS newcomer (account, number)
        JOIN tournament_entries AS entry USING (account, number)
        WHERE entry.tournament = in_tournament AND entry.seat IS NOT NULL;
    IF seated = cardinality(players) THEN
        RETURN;
    END IF;
    PERFORM check_running(tournament, of_epoch);
    INSERT INTO tournament_tables (tournament, number)
        SELECT DISTINCT in_tournament, table_of_seat(seat) FROM unnest(seats) AS seat ON CONFLICT DO NOTHING;
    UPDATE tournament_entries AS entry
        SET seat = newcomer.seat, chips = tournament.stack, chips_before = tournament.stack
        FROM unnest(players, numbers, seats) AS newcomer (account, number, seat)
        WHERE entry.tournament = in_tournament AND entry.account = newcomer.account AND entry.number = newcomer.number
          AND entry.seat IS NULL AND NOT returned
          AND EXISTS (SELECT FROM tournament_tables AS t WHERE t.tournament = in_tournament
                      AND t.number = table_of_seat(newcomer.seat) AND NOT t.closed);
    GET DIAGNOSTICS seated = ROW_COUNT;
    IF seated <> cardinality(players) OR EXISTS (
        SELECT FROM tournament_entries AS entry WHERE entry.tournament = in_tournament AND chips > 0
        GROUP BY seat HAVING count(*) > 1)
    THEN
        PERFORM refuse('players_move_to_free_seats', format('a late seat of %s is taken, or of no late entry', in_tournament));
    END IF;
    INSERT INTO tournament_moves (tournament, number, account, to_seat, to_hands, epoch)
        SELECT in_tournament, next_move(in_tournament), newcomer.account, newcomer.seat, t.hands, of_epoch
        FROM unnest(players, seats) AS newcomer (account, seat)
        JOIN tournament_tables AS t ON t.tournament = in_tournament AND t.number = table_of_seat(newcomer.seat);
END $$;

-- What the house adds to a pool, up to the guarantee. A satellite may give fewer seats than are guaranteed: no more than it
-- has players left, which only its owner knows; then all of them share the rest. Null for prizes that are not its seats and
-- what is left over.
CREATE OR REPLACE FUNCTION overlay_of(tournament tournaments, pool bigint, prizes bigint[]) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    seats bigint := (SELECT count(*) FROM unnest(prizes) AS prize WHERE prize >= tournament.ticket_value);
BEGIN
    IF tournament.ticket_value = 0 THEN
        RETURN greatest(0, tournament.guarantee - pool);
    ELSIF seats > greatest(pool / tournament.ticket_value, tournament.guarantee / tournament.ticket_value)
       OR cardinality(prizes) > seats + 1
       OR cardinality(prizes) > seats AND seats > 0 AND prizes[1] <> tournament.ticket_value
       OR seats > 0 AND (prizes[1] < prizes[seats] OR prizes[1] > prizes[seats] + 1)
    THEN
        RETURN NULL;
    END IF;
    RETURN greatest(0, seats * tournament.ticket_value - pool);
END $$;

-- Closes the entries, which were `entries` in number and have all got seats, and fixes the prizes. What they are more than
-- the entries bring comes from the bank. A second call with the same prizes changes nothing.
CREATE OR REPLACE FUNCTION close_entries(in_tournament text, of_epoch bigint, entries bigint, new_prizes bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    parts        bigint := brought_to(tournament);
    overlay      bigint := overlay_of(tournament, parts, new_prizes);
    new_transfer bigint;
BEGIN
    IF tournament.closed IS NOT NULL AND tournament.prizes = new_prizes THEN
        RETURN;
    END IF;
    PERFORM check_running(tournament, of_epoch);
    IF tournament.starts_ms IS NULL OR tournament.closed IS NOT NULL THEN
        PERFORM refuse('key_has_other_legs', format('the entries of %s were closed with other prizes', in_tournament));
    END IF;
    IF entries <> entries_of(in_tournament) OR EXISTS (
        SELECT FROM tournament_entries AS entry WHERE entry.tournament = in_tournament AND seat IS NULL AND NOT returned)
       OR EXISTS (SELECT FROM tournament_purchases AS p WHERE p.tournament = in_tournament AND table_number IS NULL)
    THEN
        PERFORM refuse('entries_are_as_before', format('%s has other entries than %s with seats and chips', in_tournament, entries));
    END IF;
    IF sum_of(new_prizes) IS DISTINCT FROM parts + overlay OR cardinality(new_prizes) > players_of(in_tournament) THEN
        PERFORM refuse('prizes_are_the_pool', format('the prizes of %s are not its pool', in_tournament));
    END IF;
    IF overlay > 0 THEN
        PERFORM check_bank(overlay);
        INSERT INTO transfers (key, kind) VALUES (format('sng:%s:overlay', in_tournament), 'overlay')
            RETURNING id INTO new_transfer;
        INSERT INTO legs VALUES
            (new_transfer, ledger_account_of('bank'), -overlay),
            (new_transfer, ledger_account_of('escrow:' || in_tournament), overlay);
    END IF;
    UPDATE tournaments SET prizes = new_prizes, closed = now() WHERE id = in_tournament;
END $$;

-- Fixes what each player left gets with the place, in place of the prizes of the places; no money moves. A second call with
-- the same deal changes nothing.
CREATE OR REPLACE FUNCTION agree_deal(
    in_tournament text, of_epoch bigint, by_proposer bigint, of_kind text, aside bigint, after_hands integer,
    players bigint[], new_stacks bigint[], new_amounts bigint[], times bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    known      tournament_deals;
    still_in   bigint;
    placed     bigint;
BEGIN
    SELECT * INTO known FROM tournament_deals AS deal WHERE deal.tournament = in_tournament;
    IF (known.proposer, known.kind, known.for_the_winner, known.hands, known.accounts, known.stacks, known.amounts,
        known.accepted_ms)
       IS NOT DISTINCT FROM (by_proposer, of_kind, aside, after_hands, players, new_stacks, new_amounts, times) THEN
        RETURN;
    END IF;
    PERFORM check_running(tournament, of_epoch);
    IF known.tournament IS NOT NULL THEN
        PERFORM refuse('key_has_other_legs', format('another deal of %s was made', in_tournament));
    END IF;
    SELECT count(*) INTO still_in FROM tournament_entries AS entry WHERE entry.tournament = in_tournament AND chips > 0;
    SELECT count(*) INTO placed FROM tournament_places AS given WHERE given.tournament = in_tournament;
    IF still_in <> cardinality(players) OR still_in <> (
            SELECT count(DISTINCT entry.account) FROM unnest(players, new_stacks) AS part (account, stack)
            JOIN tournament_entries AS entry ON entry.tournament = in_tournament AND entry.account = part.account AND chips = stack
            WHERE chips > 0)
       OR placed + still_in <> players_of(in_tournament)
       OR ARRAY[after_hands] IS DISTINCT FROM (
            SELECT array_agg(hands) FROM tournament_tables AS t WHERE t.tournament = in_tournament AND NOT closed)
    THEN
        PERFORM refuse('deal_is_of_its_players', format('a deal of %s is not of its players left', in_tournament));
    END IF;
    IF sum_of(new_amounts) + aside <> sum_of(tournament.prizes[1:still_in::integer])
       OR aside > coalesce(tournament.prizes[1], 0) - coalesce(tournament.prizes[2], 0)
    THEN
        PERFORM refuse('deal_is_the_unpaid_prizes', format('a deal of %s is not its unpaid prizes', in_tournament));
    END IF;
    INSERT INTO tournament_deals (tournament, proposer, kind, for_the_winner, hands, accounts, stacks, amounts, accepted_ms)
        VALUES (in_tournament, by_proposer, of_kind, aside, after_hands, players, new_stacks, new_amounts, times);
    UPDATE tournaments SET has_deal = true WHERE id = in_tournament;
END $$;

CREATE OR REPLACE FUNCTION pause_tournament(in_tournament text, of_epoch bigint, is_paused boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
BEGIN
    PERFORM check_running(tournament, of_epoch);
    UPDATE tournaments SET paused = is_paused WHERE id = in_tournament;
END $$;

-- Whether places from number `best` on have their prizes. Together they are those of the numbers, however the players share
-- them. After a deal each player of it gets the own amount, and number 1 what was left for the winner as well. Who shares that
-- where an operator ends the tournament is the rules' to say.
CREATE OR REPLACE FUNCTION pays_what_is_due(
    tournament tournaments, best smallint, players bigint[], new_prizes bigint[], ending text
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
    deal tournament_deals;
    due  bigint[];
BEGIN
    SELECT * INTO deal FROM tournament_deals AS d WHERE d.tournament = tournament.id;
    IF NOT FOUND THEN
        RETURN sum_of(new_prizes) = sum_of(tournament.prizes[best:best + cardinality(players) - 1]);
    END IF;
    SELECT array_agg(part.amount + CASE WHEN best + n = 2 THEN deal.for_the_winner ELSE 0 END ORDER BY n) INTO due
    FROM unnest(players) WITH ORDINALITY AS placed (account, n)
    LEFT JOIN unnest(deal.accounts, deal.amounts) AS part (account, amount) USING (account);
    RETURN CASE ending WHEN 'rolled_forward' THEN sum_of(new_prizes) = sum_of(due) ELSE new_prizes IS NOT DISTINCT FROM due END;
END $$;

-- Gives places to players who finish together, from number `best` on. Number 1 ends the tournament in phase `ending`.
-- A second call with the same places changes nothing.
CREATE OR REPLACE FUNCTION give_places(
    in_tournament text, of_epoch bigint, best smallint, new_places smallint[], players bigint[], new_prizes bigint[],
    ending text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    worst      smallint := best + cardinality(players) - 1;
    given      bigint;
    same       bigint;
BEGIN
    SELECT count(*) INTO given FROM tournament_places AS p WHERE p.tournament = in_tournament;
    IF EXISTS (SELECT FROM tournament_places AS p WHERE p.tournament = in_tournament AND number = best) THEN
        SELECT count(*) INTO same
        FROM unnest(new_places, players, new_prizes) WITH ORDINALITY AS new (place, account, prize, n)
        JOIN tournament_places AS p USING (place, account, prize)
        WHERE p.tournament = in_tournament AND number = best + n - 1;
        IF same <> cardinality(players) OR (best = 1 AND tournament.phase <> ending) THEN
            PERFORM check_owner('tournament:' || in_tournament, of_epoch);
            PERFORM refuse('key_has_other_legs', format('place %s of %s was given differently', best, in_tournament));
        END IF;
        RETURN;
    END IF;
    PERFORM check_running(tournament, of_epoch);
    IF tournament.starts_ms IS NOT NULL AND tournament.closed IS NULL THEN
        PERFORM refuse('places_come_after_entries', format('entries to %s are open', in_tournament));
    END IF;
    IF best < 1 OR worst <> players_of(in_tournament) - given OR worst < best OR (ending = 'rolled_forward' AND best <> 1)
       OR cardinality(new_places) <> cardinality(players) OR cardinality(new_prizes) <> cardinality(players) THEN
        PERFORM refuse('places_come_in_order', format('places %s to %s of %s are not the next ones', best, worst, in_tournament));
    END IF;
    IF NOT pays_what_is_due(tournament, best, players, new_prizes, ending) THEN
        PERFORM refuse('places_have_their_prizes', format('places %s to %s of %s have other prizes', best, worst, in_tournament));
    END IF;
    IF best = 1 THEN
        PERFORM pay_own_heads(tournament);
    END IF;
    INSERT INTO tournament_places (tournament, number, place, account, prize)
        SELECT in_tournament, best + n - 1, new.place, new.account, new.prize
        FROM unnest(new_places, players, new_prizes) WITH ORDINALITY AS new (place, account, prize, n)
        JOIN tournament_entries AS entry
            ON entry.tournament = in_tournament AND entry.account = new.account AND seat IS NOT NULL AND NOT replaced;
    GET DIAGNOSTICS same = ROW_COUNT;
    IF same <> cardinality(players) THEN
        PERFORM refuse('place_has_player', format('a place of %s is for an account that does not play', in_tournament));
    END IF;
    IF best = 1 THEN
        UPDATE tournaments SET phase = ending, ended = now() WHERE id = in_tournament;
    END IF;
END $$;

-- Returns every buy-in with its fee, and to the bank what the house added, while no prize and no bounty is won.
CREATE OR REPLACE FUNCTION roll_back_tournament(in_tournament text, of_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    entries    bigint := entries_of(in_tournament);
    parts      bigint := brought_to(tournament);
    overlay    bigint := 0;
BEGIN
    IF tournament.phase = 'rolled_back' THEN
        RETURN;
    END IF;
    PERFORM check_running(tournament, of_epoch);
    IF EXISTS (SELECT FROM tournament_places AS p WHERE p.tournament = in_tournament AND prize > 0)
       OR EXISTS (SELECT FROM tournament_deals AS deal WHERE deal.tournament = in_tournament)
    THEN
        PERFORM refuse('no_prize_is_won', format('a prize of %s is won already', in_tournament));
    END IF;
    IF EXISTS (SELECT FROM tournament_bounties AS won WHERE won.tournament = in_tournament) THEN
        PERFORM refuse('no_prize_is_won', format('a bounty of %s is won already', in_tournament));
    END IF;
    IF tournament.closed IS NOT NULL THEN
        overlay := sum_of(tournament.prizes) - parts;
    END IF;
    PERFORM refund(
        tournament, format('sng:%s:roll_back', in_tournament), 'roll_back',
        ARRAY['escrow:' || in_tournament, 'fees', 'bounties:' || in_tournament, 'bank'],
        ARRAY[parts + overlay, entries * tournament.fee + sold_fees_of(in_tournament), entries * tournament.bounty, -overlay]);
    UPDATE tournament_entries AS entry SET head = 0 WHERE entry.tournament = in_tournament AND head > 0;
    UPDATE tournaments SET phase = 'rolled_back', ended = now() WHERE id = in_tournament;
    PERFORM free_tickets(in_tournament);
END $$;

-- Pays the prize of a place, once. Returns the prize, and the part of it that is a ticket. A seat of a satellite that was played to its end is a ticket; a player
-- that has an unused one already gets its value as money.
CREATE OR REPLACE FUNCTION pay_place(in_tournament text, of_number smallint, OUT prize bigint, OUT ticket bigint)
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    given        tournament_places;
    seat         bigint := 0;
    new_transfer bigint;
BEGIN
    SELECT * INTO given FROM tournament_places AS p WHERE p.tournament = in_tournament AND number = of_number;
    IF NOT FOUND THEN
        PERFORM refuse('place_is_given', format('place %s of %s is not given', of_number, in_tournament));
    END IF;
    IF given.prize > 0 AND given.paid IS NULL THEN
        INSERT INTO transfers (key, kind) VALUES (format('sng:%s:place:%s', in_tournament, of_number), 'prize')
            RETURNING id INTO new_transfer;
        IF tournament.ticket_value > 0 AND tournament.phase = 'finished' AND given.prize >= tournament.ticket_value THEN
            PERFORM lock_account(given.account);
            IF NOT EXISTS (SELECT FROM tickets AS t WHERE account = given.account AND offer = tournament.ticket_offer
                           AND t.tournament IS NULL AND ended IS NULL) THEN
                seat := tournament.ticket_value;
                PERFORM ticket_account_of(given.account);
                INSERT INTO tickets (account, offer, value, given, expires) VALUES (
                    given.account, tournament.ticket_offer, seat, new_transfer,
                    now() + make_interval(days => tournament.ticket_days));
            END IF;
        END IF;
        INSERT INTO legs (transfer, ledger_account, amount)
            SELECT new_transfer, ledger_account_of(code), amount FROM (VALUES
                ('escrow:' || in_tournament, -given.prize),
                (entry_purse(in_tournament) || given.account, given.prize - seat),
                ('tickets:' || given.account, seat)) AS leg (code, amount)
            WHERE amount <> 0;
        UPDATE tournament_places AS p SET paid = new_transfer
            WHERE p.tournament = in_tournament AND number = of_number;
    ELSE
        SELECT coalesce(sum(value), 0) INTO seat FROM tickets AS t WHERE t.given = given.paid;
    END IF;
    prize := given.prize;
    ticket := seat;
END $$;
