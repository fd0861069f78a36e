-- A database of schema version 9, with data: what a room of that version leaves behind. Made with
-- `pg_dump --inserts --no-owner --no-privileges`, without its comments. Never change it: `test_migrations.py` upgrades
-- it and compares the result with a new database.

SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;

CREATE FUNCTION public.add_stake(new_key text, of_round text, at_table text, of_epoch bigint, new_kind text, player bigint, moved bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    wallet       bigint := ledger_account_of('wallet:' || player);
    stakes       bigint := ledger_account_of('stakes:' || at_table);
    new_transfer bigint;
BEGIN
    IF wallet IS NULL THEN
        PERFORM refuse('account_exists', format('there is no account %s', player));
    END IF;
    new_transfer := begin_transfer(new_key, 'round_' || new_kind, wallet, stakes, moved);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    INSERT INTO round_stakes VALUES (check_round(of_round, at_table), new_transfer, player, new_kind, moved);
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stakes, moved);
END $$;

CREATE FUNCTION public.begin_end(of_round text, at_table text, of_epoch bigint, is_void boolean, players bigint[], deltas bigint[], house_has bigint, was_fed bigint, has_paid bigint, was_reseeded bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint;
BEGIN
    INSERT INTO transfers (key, kind)
        VALUES ('round:' || of_round, CASE WHEN is_void THEN 'round_void' ELSE 'round' END)
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    IF new_transfer IS NULL THEN
        PERFORM FROM rounds JOIN round_ends ON round = rounds.transfer
            WHERE round_id = of_round AND table_id = at_table AND void = is_void AND (is_void OR (
                (house, fed, paid, reseeded) = (house_has, was_fed, has_paid, was_reseeded) AND NOT EXISTS (
                    SELECT FROM (SELECT account, round_players.paid - staked - tipped AS delta
                                 FROM round_players WHERE round_players.round = rounds.transfer) AS w
                    FULL JOIN unnest(players, deltas) AS g (account, delta) USING (account)
                    WHERE w.delta IS DISTINCT FROM g.delta)));
        IF NOT FOUND THEN
            PERFORM check_owner(at_table, of_epoch);
            PERFORM refuse('key_has_other_legs', format('round %s has ended otherwise', of_round));
        END IF;
        RETURN NULL;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    RETURN new_transfer;
END $$;

CREATE FUNCTION public.begin_transfer(new_key text, new_kind text, debited bigint, credited bigint, moved bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint;
BEGIN
    INSERT INTO transfers (key, kind) VALUES (new_key, new_kind)
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    IF new_transfer IS NULL AND NOT EXISTS (
        SELECT FROM transfers
        JOIN legs AS debit ON debit.transfer = transfers.id AND debit.ledger_account = debited
        JOIN legs AS credit ON credit.transfer = transfers.id AND credit.ledger_account = credited
        WHERE transfers.key = new_key AND transfers.kind = new_kind AND debit.amount = -moved AND credit.amount = moved)
    THEN
        PERFORM refuse('key_has_other_legs', format('the key %s is used with other legs', new_key));
    END IF;
    RETURN new_transfer;
END $$;

CREATE FUNCTION public.buy_in(new_key text, at_table text, of_epoch bigint, new_seat smallint, player bigint, moved bigint, tables_max integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    wallet       bigint := ledger_account_of('wallet:' || player);
    stack        bigint;
    new_transfer bigint;
    held         bigint;
BEGIN
    IF wallet IS NULL THEN
        PERFORM refuse('account_exists', format('there is no account %s', player));
    END IF;
    INSERT INTO ledger_accounts (kind, owner, table_id) VALUES ('stack', player, at_table)
        ON CONFLICT (code) DO NOTHING;
    stack := ledger_account_of('stack:' || at_table || ':' || player);
    new_transfer := begin_transfer(new_key, 'buy_in', wallet, stack, moved);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    PERFORM FROM accounts WHERE id = player FOR NO KEY UPDATE;
    INSERT INTO seats (table_id, seat, account) VALUES (at_table, new_seat, player);
    SELECT count(*) INTO held FROM seats WHERE account = player;
    IF held > tables_max THEN
        PERFORM refuse('account_has_seats_left', format('account %s has %s seats already', player, held - 1));
    END IF;
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stack, moved);
END $$;

CREATE FUNCTION public.cancel_tournament(in_tournament text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    players    bigint[];
BEGIN
    IF tournament.phase = 'cancelled' THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    WITH given_back AS (
        UPDATE tournament_entries AS entry SET returned = true
        WHERE entry.tournament = in_tournament AND NOT returned RETURNING account)
    SELECT coalesce(array_agg(account), '{}') INTO players FROM given_back;
    PERFORM refund(
        format('sng:%s:cancel', in_tournament), 'cancellation', players, tournament.buy_in,
        ARRAY['escrow:' || in_tournament], ARRAY[cardinality(players) * tournament.buy_in]);
    UPDATE tournaments SET phase = 'cancelled', ended = now() WHERE id = in_tournament;
END $$;

CREATE FUNCTION public.cash_out(new_key text, at_table text, of_epoch bigint, player bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    wallet       bigint := ledger_account_of('wallet:' || player);
    stack        bigint := ledger_account_of('stack:' || at_table || ':' || player);
    new_transfer bigint;
    moved        bigint;
BEGIN
    INSERT INTO transfers (key, kind) VALUES (new_key, 'cash_out')
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    IF new_transfer IS NULL THEN
        SELECT coalesce(sum(amount) FILTER (WHERE ledger_account = wallet), 0) INTO moved
        FROM transfers LEFT JOIN legs ON transfer = id
        WHERE key = new_key
        HAVING bool_and(kind = 'cash_out' AND (ledger_account IS NULL OR ledger_account = wallet
                                                OR ledger_account IS NOT DISTINCT FROM stack));
        IF NOT FOUND THEN
            PERFORM refuse('key_has_other_legs', format('the key %s is used with other legs', new_key));
        END IF;
        RETURN moved;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    DELETE FROM seats WHERE table_id = at_table AND account = player;
    IF NOT FOUND THEN
        PERFORM refuse('account_has_seat', format('account %s has no seat at %s', player, at_table));
    END IF;
    stack := ledger_account_of('stack:' || at_table || ':' || player);
    -- The stack may be in a hand that is being settled on another connection: wait for that, then read.
    PERFORM FROM ledger_accounts WHERE id IN (wallet, stack) ORDER BY id FOR NO KEY UPDATE;
    SELECT coalesce(max(balance), 0) INTO moved FROM ledger_accounts WHERE id = stack;
    IF moved <> 0 THEN
        INSERT INTO legs VALUES (new_transfer, stack, -moved), (new_transfer, wallet, moved);
    END IF;
    INSERT INTO departures (table_id, account, amount) VALUES (at_table, player, moved)
        ON CONFLICT (table_id, account) DO UPDATE SET departed = excluded.departed, amount = excluded.amount;
    RETURN moved;
END $$;

CREATE FUNCTION public.cash_request_goes_on() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF OLD.state <> 'waiting' OR (NEW.number, NEW.account, NEW.key, NEW.kind, NEW.amount, NEW.source, NEW.asked)
            IS DISTINCT FROM (OLD.number, OLD.account, OLD.key, OLD.kind, OLD.amount, OLD.source, OLD.asked)
    THEN
        RAISE EXCEPTION 'request % is decided once, and stays what it was', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.change_settings(of_account bigint, changes jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$
DECLARE
    result jsonb;
BEGIN
    PERFORM FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('account_exists', format('there is no account %s', of_account));
    END IF;
    INSERT INTO account_settings SELECT of_account, change.key, change.value FROM jsonb_each(changes) AS change
        ON CONFLICT (account, key) DO UPDATE SET value = excluded.value;
    SELECT coalesce(jsonb_object_agg(key, value), '{}') INTO result FROM account_settings WHERE account = of_account;
    IF (SELECT count(*) FROM jsonb_object_keys(result)) > 64 THEN
        PERFORM refuse('settings_are_few', format('account %s has too many settings', of_account));
    END IF;
    RETURN result;
END $$;

CREATE FUNCTION public.check_bank(amount bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM ledger_accounts WHERE code = 'bank' AND balance >= amount FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('bank_holds_it', format('the bank does not hold %s', amount));
    END IF;
END $$;

CREATE FUNCTION public.check_escrow() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    of_tournament text := CASE TG_TABLE_NAME
        WHEN 'tournaments' THEN to_jsonb(NEW) ->> 'id'
        WHEN 'ledger_accounts' THEN to_jsonb(NEW) ->> 'table_id'
        ELSE to_jsonb(NEW) ->> 'tournament' END;
    held          bigint;
    ended         tournaments;
    placed        bigint;
    won           bigint;
BEGIN
    SELECT balance INTO held FROM ledger_accounts WHERE code = 'escrow:' || of_tournament;
    IF held IS DISTINCT FROM escrow_owed(of_tournament) THEN
        RAISE EXCEPTION 'the escrow of % holds %, and owes %', of_tournament, held, escrow_owed(of_tournament)
            USING ERRCODE = 'check_violation', CONSTRAINT = 'escrow_is_what_is_owed', TABLE = TG_TABLE_NAME;
    END IF;
    SELECT * INTO ended FROM tournaments WHERE id = of_tournament AND phase IN ('finished', 'rolled_forward');
    IF FOUND THEN
        SELECT count(*), coalesce(sum(prize), 0) INTO placed, won
        FROM tournament_places WHERE tournament = of_tournament;
        IF placed <> ended.seats OR won <> sum_of(ended.prizes) THEN
            RAISE EXCEPTION '% ended with % places and prizes of %', of_tournament, placed, won
                USING ERRCODE = 'check_violation', CONSTRAINT = 'all_places_are_given', TABLE = TG_TABLE_NAME;
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.check_owner(at_table text, of_epoch bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM table_owners WHERE table_id = at_table AND epoch = of_epoch AND node IS NOT NULL FOR SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('table_has_other_owner', format('epoch %s of %s is over', of_epoch, at_table));
    END IF;
END $$;

CREATE FUNCTION public.sum_of(amounts bigint[]) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT coalesce(sum(amount), 0)::bigint FROM unnest(amounts) AS amount $$;

CREATE TABLE public.tournaments (
    id text NOT NULL,
    offer text NOT NULL,
    number integer NOT NULL,
    seats smallint NOT NULL,
    buy_in bigint NOT NULL,
    fee bigint NOT NULL,
    prizes bigint[] NOT NULL,
    terms json NOT NULL,
    phase text DEFAULT 'registering'::text NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    started timestamp with time zone,
    ended timestamp with time zone,
    stack bigint,
    paused boolean DEFAULT false NOT NULL,
    CONSTRAINT prizes_are_the_pool CHECK (((public.sum_of(prizes) = (seats * (buy_in - fee))) AND ((cardinality(prizes) >= 1) AND (cardinality(prizes) <= seats)) AND (1 <= ALL (prizes)))),
    CONSTRAINT tournament_fee CHECK (((fee >= 0) AND (fee < buy_in))),
    CONSTRAINT tournament_stack CHECK (((stack IS NOT NULL) = (started IS NOT NULL))),
    CONSTRAINT tournament_times CHECK ((((started IS NOT NULL) = (phase <> ALL (ARRAY['registering'::text, 'cancelled'::text]))) AND ((ended IS NOT NULL) = (phase <> ALL (ARRAY['registering'::text, 'running'::text]))))),
    CONSTRAINT tournaments_buy_in_check CHECK ((buy_in > 0)),
    CONSTRAINT tournaments_number_check CHECK ((number > 0)),
    CONSTRAINT tournaments_phase_check CHECK ((phase = ANY (ARRAY['registering'::text, 'running'::text, 'finished'::text, 'cancelled'::text, 'rolled_back'::text, 'rolled_forward'::text]))),
    CONSTRAINT tournaments_seats_check CHECK (((seats >= 2) AND (seats <= 10))),
    CONSTRAINT tournaments_stack_check CHECK ((stack > 0))
);

CREATE FUNCTION public.check_registering(tournament public.tournaments) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF tournament.phase <> 'registering' THEN
        PERFORM refuse('tournament_takes_entries', format('%s is %s', tournament.id, tournament.phase));
    END IF;
END $$;

CREATE FUNCTION public.check_round(of_round text, at_table text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    found_round bigint;
BEGIN
    SELECT round INTO found_round FROM open_rounds JOIN rounds ON transfer = round
        WHERE open_rounds.table_id = at_table AND round_id = of_round FOR KEY SHARE OF open_rounds;
    IF NOT FOUND THEN
        PERFORM refuse('round_is_open', format('round %s is not in progress at %s', of_round, at_table));
    END IF;
    RETURN found_round;
END $$;

CREATE FUNCTION public.check_source(of_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM cash_sources WHERE name = of_name AND is_open FOR SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('source_is_open', format('there is no open source %s', of_name));
    END IF;
END $$;

CREATE FUNCTION public.close_bets(new_round text, at_table text, of_epoch bigint, started_ms bigint, exposure bigint, players bigint[], amounts bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint;
    lacking      bigint;
    short        text;
BEGIN
    INSERT INTO transfers (key, kind) VALUES ('round:' || new_round || ':bets', 'round_bets')
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    IF new_transfer IS NULL THEN
        PERFORM FROM rounds WHERE round_id = new_round AND table_id = at_table AND NOT EXISTS (
            SELECT FROM (SELECT account, amount FROM round_stakes WHERE round = rounds.transfer AND kind = 'bets') AS w
            FULL JOIN unnest(players, amounts) AS g (account, amount) USING (account)
            WHERE w.amount IS DISTINCT FROM g.amount);
        IF NOT FOUND THEN
            PERFORM check_owner(at_table, of_epoch);
            PERFORM refuse('key_has_other_legs', format('round %s was opened with other bets', new_round));
        END IF;
        RETURN;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    PERFORM make_round_accounts(at_table);
    INSERT INTO rounds VALUES (new_transfer, new_round, at_table, of_epoch,
                               timestamptz 'epoch' + started_ms * interval '1 millisecond');
    INSERT INTO open_rounds VALUES (at_table, new_transfer);

    SELECT greatest(0, exposure - balance) INTO lacking FROM ledger_accounts WHERE code = 'house:' || at_table;
    IF lacking > 0 THEN
        PERFORM check_bank(lacking);
    END IF;
    PERFORM FROM ledger_accounts JOIN unnest(players) AS player ON code = 'wallet:' || player
        ORDER BY id FOR NO KEY UPDATE OF ledger_accounts;
    SELECT jsonb_object_agg(player, balance)::text INTO short
    FROM unnest(players, amounts) AS bet (player, amount) JOIN ledger_accounts ON code = 'wallet:' || player
    WHERE balance < amount;
    IF short IS NOT NULL THEN
        RAISE EXCEPTION 'wallets do not hold the bets of round %', new_round
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bets_are_covered', DETAIL = short;
    END IF;

    INSERT INTO round_stakes SELECT new_transfer, new_transfer, player, 'bets', amount
        FROM unnest(players, amounts) AS bet (player, amount);
    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfer, id, -amount
        FROM unnest(players, amounts) AS bet (player, amount) JOIN ledger_accounts ON code = 'wallet:' || player
        UNION ALL SELECT new_transfer, ledger_account_of('stakes:' || at_table), sum(amount) FROM unnest(amounts) AS amount
        UNION ALL SELECT new_transfer, ledger_account_of('bank'), -lacking WHERE lacking > 0
        UNION ALL SELECT new_transfer, ledger_account_of('house:' || at_table), lacking WHERE lacking > 0;
END $$;

CREATE FUNCTION public.close_source(of_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE cash_sources SET is_open = false WHERE name = of_name;
    IF NOT FOUND THEN
        PERFORM refuse('source_is_open', format('there is no source %s', of_name));
    END IF;
END $$;

CREATE FUNCTION public.compare_settled(hand_ids text[], table_ids text[], epochs bigint[], new_transfers bigint[], in_hand integer[], players bigint[], deltas bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    other record;
BEGIN
    WITH settled AS (
        SELECT hand_id, n, transfers.id, transfers.kind
        FROM unnest(hand_ids, new_transfers) WITH ORDINALITY AS hand (hand_id, new_transfer, n)
        JOIN transfers ON key = 'hand:' || hand_id
        WHERE new_transfer IS NULL
    ), given AS (
        SELECT settled.n, 'stack:' || table_ids[settled.n] || ':' || account AS code, delta AS amount
        FROM unnest(in_hand, players, deltas) AS player (n, account, delta) JOIN settled USING (n)
        WHERE delta <> 0
    ), written AS (
        SELECT settled.n, code, amount
        FROM settled JOIN legs ON transfer = settled.id JOIN ledger_accounts ON ledger_account = ledger_accounts.id
        UNION ALL
        SELECT settled.n, 'stack:' || tournament || ':' || account, delta
        FROM settled
        JOIN (SELECT DISTINCT tournament, account FROM tournament_entries
              WHERE tournament = ANY (table_ids)) AS player ON tournament = table_ids[settled.n]
        JOIN hand_players USING (account)
        WHERE hand = settled.id AND delta <> 0
    )
    SELECT hand_id, n INTO other FROM settled
    WHERE kind <> 'hand' OR EXISTS (
        SELECT FROM (SELECT * FROM given WHERE given.n = settled.n) AS g
        FULL JOIN (SELECT * FROM written WHERE written.n = settled.n) AS w USING (code)
        WHERE g.amount IS DISTINCT FROM w.amount)
    ORDER BY n LIMIT 1;
    IF FOUND THEN
        PERFORM check_owner(table_ids[other.n], epochs[other.n]);
        PERFORM refuse('key_has_other_legs', format('hand %s was settled with other legs', other.hand_id));
    END IF;
END $$;

CREATE FUNCTION public.create_account(new_name text, new_password_hash text, opening bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_account  bigint;
    wallet       bigint;
    new_transfer bigint;
BEGIN
    INSERT INTO accounts (name, password_hash) VALUES (new_name, new_password_hash) RETURNING id INTO new_account;
    INSERT INTO ledger_accounts (kind, owner) VALUES ('wallet', new_account) RETURNING id INTO wallet;
    IF opening <> 0 THEN
        INSERT INTO transfers (key, kind) VALUES ('opening:' || new_account, 'opening') RETURNING id INTO new_transfer;
        INSERT INTO legs (transfer, ledger_account, amount)
            SELECT new_transfer, id, -opening FROM ledger_accounts WHERE code = 'bank'
            UNION ALL SELECT new_transfer, wallet, opening;
    END IF;
    RETURN new_account;
END $$;

CREATE FUNCTION public.decide_cash(of_number bigint, approves boolean, new_note text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    request      cash_requests;
    decision     text := CASE WHEN approves THEN 'approved' ELSE 'refused' END;
    new_kind     text;
    debited      bigint;
    credited     bigint;
    new_transfer bigint;
BEGIN
    SELECT * INTO request FROM cash_requests WHERE number = of_number FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('cash_request_exists', format('there is no request %s', of_number));
    END IF;
    IF request.state = decision THEN
        RETURN;
    ELSIF request.state <> 'waiting' THEN
        PERFORM refuse('cash_is_decided_once', format('request %s was %s', of_number, request.state));
    END IF;
    UPDATE cash_requests SET state = decision, decided = now(), note = new_note WHERE number = of_number;
    IF request.kind = 'deposit' THEN
        IF NOT approves THEN
            RETURN;
        END IF;
        new_kind := 'deposit';
        debited := ledger_account_of('source:' || request.source);
        credited := ledger_account_of('wallet:' || request.account);
        PERFORM FROM ledger_accounts WHERE id IN (debited, credited) ORDER BY id FOR NO KEY UPDATE;
        IF (SELECT balance FROM ledger_accounts WHERE id = debited) < request.amount THEN
            PERFORM refuse('source_holds_it', format('the source %s does not hold %s', request.source, request.amount));
        END IF;
    ELSE
        new_kind := CASE WHEN approves THEN 'withdrawal_paid' ELSE 'withdrawal_return' END;
        debited := ledger_account_of('held');
        credited := ledger_account_of(
            CASE WHEN approves THEN 'source:' || request.source ELSE 'wallet:' || request.account END);
    END IF;
    new_transfer := begin_transfer(
        format('cash:%s:%s:end', request.account, request.key), new_kind, debited, credited, request.amount);
    INSERT INTO legs VALUES (new_transfer, debited, -request.amount), (new_transfer, credited, request.amount);
END $$;

CREATE FUNCTION public.enter_tournament(in_tournament text, player bigint, new_number integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    wallet       bigint := ledger_account_of('wallet:' || player);
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    new_transfer bigint;
    taken        bigint;
BEGIN
    IF wallet IS NULL THEN
        PERFORM refuse('account_exists', format('there is no account %s', player));
    END IF;
    new_transfer := begin_transfer(
        format('sng:%s:entry:%s:%s', in_tournament, player, new_number), 'entry', wallet, escrow, tournament.buy_in);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    -- Also of the offer's other tournaments that take entries: its entries come one after the other.
    PERFORM FROM accounts WHERE id = player FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM tournament_entries AS entry JOIN tournaments AS other ON other.id = entry.tournament
               WHERE account = player AND NOT returned AND offer = tournament.offer AND phase = 'registering') THEN
        PERFORM refuse('account_is_entered_once', format('account %s has entered %s', player, tournament.offer));
    END IF;
    IF EXISTS (SELECT FROM tournament_entries AS entry
               WHERE entry.tournament = in_tournament AND account = player AND number > new_number) THEN
        PERFORM refuse('entry_is_the_last', format('account %s has entered again since', player));
    END IF;
    SELECT count(*) INTO taken FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND NOT returned;
    IF taken >= tournament.seats THEN
        PERFORM refuse('tournament_has_seats', format('%s is full', in_tournament));
    END IF;
    INSERT INTO tournament_entries (tournament, account, number) VALUES (in_tournament, player, new_number);
    INSERT INTO legs VALUES (new_transfer, wallet, -tournament.buy_in), (new_transfer, escrow, tournament.buy_in);
END $$;

CREATE FUNCTION public.entry_goes_on() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.tournament, NEW.account, NEW.number, NEW.id) IS DISTINCT FROM
       (OLD.tournament, OLD.account, OLD.number, OLD.id)
       OR OLD.returned
       OR OLD.seat IS NOT NULL AND (NEW.seat, NEW.returned, NEW.chips_before, NEW.hands) IS DISTINCT FROM
                                   (OLD.seat, OLD.returned, OLD.chips, OLD.hands + 1)
    THEN
        RAISE EXCEPTION 'the entry of account % is given back, or seated, once', OLD.account
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.escrow_owed(of_tournament text) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
    SELECT CASE
        WHEN phase = 'registering' THEN buy_in * (
            SELECT count(*) FROM tournament_entries AS entry WHERE entry.tournament = tournaments.id AND NOT returned)
        WHEN phase IN ('cancelled', 'rolled_back') THEN 0
        ELSE sum_of(prizes) - (
            SELECT coalesce(sum(prize), 0)::bigint FROM tournament_places AS given
            WHERE given.tournament = tournaments.id AND paid IS NOT NULL)
        END
    FROM tournaments WHERE id = of_tournament
$$;

CREATE FUNCTION public.fill_in_code() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.code := ledger_code(NEW.kind, NEW.owner, NEW.table_id);
    RETURN NEW;
END $$;

CREATE FUNCTION public.fund_source(new_key text, of_name text, moved bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    bank         bigint := ledger_account_of('bank');
    source       bigint := ledger_account_of('source:' || of_name);
    new_transfer bigint;
BEGIN
    IF source IS NULL THEN
        PERFORM refuse('source_is_open', format('there is no source %s', of_name));
    END IF;
    new_transfer := begin_transfer(format('source:%s:%s', of_name, new_key), 'source_fund', bank, source, moved);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_source(of_name);
    PERFORM check_bank(moved);
    INSERT INTO legs VALUES (new_transfer, bank, -moved), (new_transfer, source, moved);
END $$;

CREATE FUNCTION public.give_places(in_tournament text, of_epoch bigint, best smallint, new_places smallint[], players bigint[], new_prizes bigint[], ending text) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
            PERFORM check_owner(in_tournament, of_epoch);
            PERFORM refuse('key_has_other_legs', format('place %s of %s is given otherwise', best, in_tournament));
        END IF;
        RETURN;
    END IF;
    IF tournament.phase <> 'running' THEN
        PERFORM refuse('tournament_is_running', format('%s is %s', in_tournament, tournament.phase));
    END IF;
    PERFORM check_owner(in_tournament, of_epoch);
    IF best < 1 OR worst <> tournament.seats - given OR worst < best OR (ending = 'rolled_forward' AND best <> 1)
       OR cardinality(new_places) <> cardinality(players) OR cardinality(new_prizes) <> cardinality(players) THEN
        PERFORM refuse('places_come_in_order', format('places %s to %s of %s are not next', best, worst, in_tournament));
    END IF;
    IF sum_of(new_prizes) <> sum_of(tournament.prizes[best:worst]) THEN
        PERFORM refuse('places_have_their_prizes', format('places %s to %s of %s win otherwise', best, worst, in_tournament));
    END IF;
    INSERT INTO tournament_places (tournament, number, place, account, prize)
        SELECT in_tournament, best + n - 1, new.place, new.account, new.prize
        FROM unnest(new_places, players, new_prizes) WITH ORDINALITY AS new (place, account, prize, n)
        JOIN tournament_entries AS entry
            ON entry.tournament = in_tournament AND entry.account = new.account AND seat IS NOT NULL;
    GET DIAGNOSTICS same = ROW_COUNT;
    IF same <> cardinality(players) THEN
        PERFORM refuse('place_has_player', format('a place of %s is for somebody who does not play', in_tournament));
    END IF;
    IF best = 1 THEN
        UPDATE tournaments SET phase = ending, ended = now() WHERE id = in_tournament;
    END IF;
END $$;

CREATE FUNCTION public.ledger_account_of(new_code text) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$ SELECT id FROM ledger_accounts WHERE code = new_code $$;

CREATE FUNCTION public.ledger_code(of_kind text, of_owner bigint, of_table text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE of_kind
        WHEN 'wallet' THEN 'wallet:' || of_owner
        WHEN 'stack' THEN 'stack:' || of_table || ':' || of_owner
        WHEN 'escrow' THEN 'escrow:' || of_table
        ELSE of_kind
    END
$$;

CREATE FUNCTION public.legs_written() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
DECLARE
    wrong   bigint;
    locked  bigint;
    touched bigint;
BEGIN
    -- Written together and once: the transfer exists, and no legs but these belong to it. (A count, because
    -- PostgreSQL may answer NOT EXISTS for all transfers there ever were.)
    SELECT w.transfer INTO wrong
    FROM (SELECT transfer, sum(amount) AS total, count(*) AS n FROM written GROUP BY transfer) AS w
    WHERE w.total <> 0
       OR w.n <> (SELECT count(*) FROM legs JOIN transfers ON transfers.id = legs.transfer
                  WHERE legs.transfer = w.transfer)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the legs of transfer % are not one whole that sums to zero', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_sums_to_zero', TABLE = 'legs';
    END IF;

    -- By id, whatever the order of the legs: two batches over the same stacks wait, they do not deadlock.
    SELECT count(*) INTO locked FROM (
        SELECT FROM ledger_accounts WHERE id IN (SELECT ledger_account FROM written)
        ORDER BY id FOR NO KEY UPDATE) AS rows_locked;

    UPDATE ledger_accounts SET balance = balance + moved.amount
    FROM (SELECT ledger_account, sum(amount)::bigint AS amount FROM written GROUP BY ledger_account) AS moved
    WHERE ledger_accounts.id = moved.ledger_account;

    SELECT count(DISTINCT ledger_account) INTO touched FROM written;
    IF locked <> touched THEN
        RAISE EXCEPTION 'a leg names a ledger account that does not exist'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'leg_has_ledger_account', TABLE = 'legs';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.make_round_accounts(at_table text) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO ledger_accounts (kind, table_id)
    SELECT kind || at_table, at_table FROM unnest(ARRAY['house:', 'meter:', 'stakes:']) AS kind
    WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'stakes:' || at_table)
    ON CONFLICT (code) DO NOTHING
$$;

CREATE FUNCTION public.open_bank(at_table text, of_epoch bigint, seed bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint;
    holds        bigint;
BEGIN
    PERFORM make_round_accounts(at_table);
    SELECT balance INTO holds FROM ledger_accounts WHERE code = 'meter:' || at_table;
    IF holds >= seed THEN
        PERFORM check_owner(at_table, of_epoch);
        RETURN holds;
    END IF;
    INSERT INTO transfers (key, kind) VALUES ('seed:' || at_table || ':' || of_epoch, 'meter_seed')
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    PERFORM check_owner(at_table, of_epoch);
    SELECT balance INTO holds FROM ledger_accounts WHERE code = 'meter:' || at_table;
    IF new_transfer IS NULL OR holds >= seed THEN
        RETURN holds;
    END IF;
    PERFORM check_bank(seed - holds);
    INSERT INTO legs VALUES (new_transfer, ledger_account_of('bank'), holds - seed),
                            (new_transfer, ledger_account_of('meter:' || at_table), seed - holds);
    RETURN seed;
END $$;

CREATE FUNCTION public.open_source(new_name text) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO ledger_accounts (kind, table_id) SELECT 'source:' || new_name, new_name
        WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'source:' || new_name)
        ON CONFLICT (code) DO NOTHING;
    INSERT INTO cash_sources VALUES (new_name, true) ON CONFLICT (name) DO UPDATE SET is_open = true;
$$;

CREATE FUNCTION public.open_tournament(new_id text, of_offer text, new_number integer, new_seats smallint, new_buy_in bigint, new_fee bigint, new_prizes bigint[], new_terms json) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO tournaments (id, offer, number, seats, buy_in, fee, prizes, terms)
        VALUES (new_id, of_offer, new_number, new_seats, new_buy_in, new_fee, new_prizes, new_terms)
        ON CONFLICT DO NOTHING;  -- of the id or the number: which one is met first is chance
    IF FOUND THEN
        INSERT INTO ledger_accounts (kind, table_id) VALUES ('escrow', new_id);
    ELSIF NOT EXISTS (
        SELECT FROM tournaments
        WHERE id = new_id
          AND (offer, number, seats, buy_in, fee, prizes, terms::text)
            = (of_offer, new_number, new_seats, new_buy_in, new_fee, new_prizes, new_terms::text))
    THEN
        PERFORM refuse('key_has_other_legs', format('tournament %s was opened on other terms', new_id));
    END IF;
END $$;

CREATE FUNCTION public.pause_tournament(in_tournament text, of_epoch bigint, is_paused boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
BEGIN
    IF tournament.phase <> 'running' THEN
        PERFORM refuse('tournament_is_running', format('%s is %s', in_tournament, tournament.phase));
    END IF;
    PERFORM check_owner(in_tournament, of_epoch);
    UPDATE tournaments SET paused = is_paused WHERE id = in_tournament;
END $$;

CREATE FUNCTION public.pay_place(in_tournament text, of_number smallint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    given        tournament_places;
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    wallet       bigint;
    new_transfer bigint;
BEGIN
    SELECT * INTO given FROM tournament_places AS p WHERE p.tournament = in_tournament AND number = of_number;
    IF NOT FOUND THEN
        PERFORM refuse('place_is_given', format('place %s of %s is not given', of_number, in_tournament));
    END IF;
    IF given.prize > 0 AND given.paid IS NULL THEN
        wallet := ledger_account_of('wallet:' || given.account);
        INSERT INTO transfers (key, kind) VALUES (format('sng:%s:place:%s', in_tournament, of_number), 'prize')
            RETURNING id INTO new_transfer;
        INSERT INTO legs VALUES (new_transfer, escrow, -given.prize), (new_transfer, wallet, given.prize);
        UPDATE tournament_places AS p SET paid = new_transfer
            WHERE p.tournament = in_tournament AND number = of_number;
    END IF;
    RETURN given.prize;
END $$;

CREATE FUNCTION public.place_goes_on() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.tournament, NEW.number, NEW.place, NEW.account, NEW.prize) IS DISTINCT FROM
       (OLD.tournament, OLD.number, OLD.place, OLD.account, OLD.prize)
       OR OLD.paid IS NOT NULL
    THEN
        RAISE EXCEPTION 'place % of % is given, and paid, once', OLD.number, OLD.tournament
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.place_was_played() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO played (account, number, ended, tournament)
        VALUES (NEW.account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.tournament);
    RETURN NULL;
END $$;

CREATE FUNCTION public.refund(new_key text, new_kind text, players bigint[], each_gets bigint, sources text[], amounts bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint;
BEGIN
    INSERT INTO transfers (key, kind) VALUES (new_key, new_kind) RETURNING id INTO new_transfer;
    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfer, ledger_account_of(source), -amount
        FROM unnest(sources, amounts) AS taken (source, amount) WHERE amount <> 0
        UNION ALL
        SELECT new_transfer, ledger_account_of('wallet:' || player), each_gets FROM unnest(players) AS player;
END $$;

CREATE FUNCTION public.refuse(rule text, message text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '%', message USING ERRCODE = 'check_violation', CONSTRAINT = rule;
END $$;

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: %', lower(TG_OP), TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE FUNCTION public.refuse_used_epoch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.table_id <> OLD.table_id OR NEW.epoch < OLD.epoch OR (NEW.epoch = OLD.epoch AND NEW.node IS NOT NULL) THEN
        RAISE EXCEPTION 'epoch % of % was given before', NEW.epoch, OLD.table_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.release_table(at_table text, of_epoch bigint) RETURNS void
    LANGUAGE sql
    AS $$
    UPDATE table_owners
    SET node = NULL,
        over = EXISTS (SELECT FROM tournaments WHERE id = at_table AND phase NOT IN ('registering', 'running'))
    WHERE table_id = at_table AND epoch = of_epoch
$$;

CREATE FUNCTION public.request_cash(of_account bigint, new_key text, new_kind text, new_amount bigint, of_source text, waiting_max integer) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    found_one    cash_requests;
    wallet       bigint := ledger_account_of('wallet:' || of_account);
    held         bigint := ledger_account_of('held');
    new_transfer bigint;
    new_number   bigint;
BEGIN
    PERFORM FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('account_exists', format('there is no account %s', of_account));
    END IF;
    SELECT * INTO found_one FROM cash_requests WHERE account = of_account AND key = new_key;
    IF FOUND THEN
        IF (found_one.kind, found_one.amount, found_one.source) <> (new_kind, new_amount, of_source) THEN
            PERFORM refuse('cash_key_is_used_once', format('the key %s is that of another request', new_key));
        END IF;
        RETURN found_one.number;
    END IF;
    PERFORM check_source(of_source);
    IF (SELECT count(*) FROM cash_requests WHERE account = of_account AND state = 'waiting') >= waiting_max THEN
        PERFORM refuse('cash_requests_are_few', format('%s requests of account %s wait', waiting_max, of_account));
    END IF;
    INSERT INTO cash_requests (account, key, kind, amount, source)
        VALUES (of_account, new_key, new_kind, new_amount, of_source) RETURNING number INTO new_number;
    IF new_kind = 'withdrawal' THEN
        new_transfer := begin_transfer(format('cash:%s:%s', of_account, new_key), new_kind, wallet, held, new_amount);
        INSERT INTO legs VALUES (new_transfer, wallet, -new_amount), (new_transfer, held, new_amount);
    END IF;
    RETURN new_number;
END $$;

CREATE FUNCTION public.return_entry(in_tournament text, player bigint, of_number integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    wallet       bigint := ledger_account_of('wallet:' || player);
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    new_transfer bigint;
BEGIN
    new_transfer := begin_transfer(
        format('sng:%s:return:%s:%s', in_tournament, player, of_number), 'entry_return', escrow, wallet,
        tournament.buy_in);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    UPDATE tournament_entries AS entry SET returned = true
        WHERE entry.tournament = in_tournament AND account = player AND number = of_number AND NOT returned;
    IF NOT FOUND THEN
        PERFORM refuse('account_is_entered', format('account %s has no such entry in %s', player, in_tournament));
    END IF;
    INSERT INTO legs VALUES (new_transfer, escrow, -tournament.buy_in), (new_transfer, wallet, tournament.buy_in);
END $$;

CREATE FUNCTION public.roll_back_tournament(in_tournament text, of_epoch bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    players    bigint[];
BEGIN
    IF tournament.phase = 'rolled_back' THEN
        RETURN;
    END IF;
    IF tournament.phase <> 'running' THEN
        PERFORM refuse('tournament_is_running', format('%s is %s', in_tournament, tournament.phase));
    END IF;
    PERFORM check_owner(in_tournament, of_epoch);
    IF EXISTS (SELECT FROM tournament_places AS p WHERE p.tournament = in_tournament AND prize > 0) THEN
        PERFORM refuse('no_prize_is_won', format('a prize of %s is won', in_tournament));
    END IF;
    SELECT array_agg(account) INTO players FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND NOT returned;
    PERFORM refund(
        format('sng:%s:roll_back', in_tournament), 'roll_back', players, tournament.buy_in,
        ARRAY['escrow:' || in_tournament, 'fees'],
        ARRAY[sum_of(tournament.prizes), tournament.seats * tournament.fee]);
    UPDATE tournaments SET phase = 'rolled_back', ended = now() WHERE id = in_tournament;
END $$;

CREATE FUNCTION public.roll_back_was_played() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO played (account, number, ended, tournament)
        SELECT account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.id
        FROM (SELECT account FROM tournament_entries AS entry
              WHERE entry.tournament = NEW.id AND NOT returned ORDER BY id) AS entered
        ON CONFLICT (tournament, account) DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION public.round_was_played() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO played (account, number, ended, round)
        SELECT account, NEW.transfer, NEW.ended, NEW.round FROM round_players WHERE round = NEW.round;
    RETURN NULL;
END $$;

CREATE FUNCTION public.settle_chips(table_ids text[], new_transfers bigint[], in_chips boolean[], in_hand integer[], players bigint[], deltas bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
DECLARE
    wrong   text;
    dealt   bigint;
    changed bigint;
BEGIN
    PERFORM FROM tournaments WHERE id = ANY (table_ids) ORDER BY id FOR SHARE;
    SELECT id INTO wrong FROM tournaments WHERE id = ANY (table_ids) AND phase <> 'running'
        AND id IN (SELECT table_ids[n] FROM generate_subscripts(new_transfers, 1) AS n WHERE new_transfers[n] IS NOT NULL);
    IF FOUND THEN
        PERFORM refuse('hand_is_of_running_tournament', format('a hand at %s, which is not running', wrong));
    END IF;
    SELECT table_ids[n] INTO wrong FROM unnest(in_hand, deltas) AS player (n, delta)
        WHERE in_chips[n] AND new_transfers[n] IS NOT NULL GROUP BY n HAVING sum(delta) <> 0 LIMIT 1;
    IF FOUND THEN
        PERFORM refuse('chips_are_kept', format('a hand at %s makes or loses chips', wrong));
    END IF;
    SELECT count(*), count(DISTINCT (table_ids[n], account)) INTO dealt, changed
        FROM unnest(in_hand, players) AS player (n, account) WHERE in_chips[n] AND new_transfers[n] IS NOT NULL;
    IF dealt <> changed THEN
        PERFORM refuse('hands_come_one_by_one', 'two hands of a tournament come one after the other');
    END IF;
    UPDATE tournament_entries AS entry
        SET chips = chips + delta, chips_before = chips, hands = hands + 1
        FROM unnest(in_hand, players, deltas) AS player (n, who, delta)
        WHERE in_chips[n] AND new_transfers[n] IS NOT NULL
          AND entry.tournament = table_ids[n] AND entry.account = who AND entry.seat IS NOT NULL AND entry.chips > 0;
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> dealt THEN
        PERFORM refuse('account_has_seat', 'a hand names an account that does not play its tournament');
    END IF;
END $$;

CREATE FUNCTION public.settle_hands(hand_ids text[], table_ids text[], epochs bigint[], started_ms bigint[], ended_ms bigint[], records bytea[], in_hand integer[], players bigint[], deltas bigint[], by_clock boolean[]) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$  -- as for legs_written (001)
DECLARE
    new_transfers bigint[];  -- per hand; null where the key was there
    new_hands     bigint;
    in_chips      boolean[];  -- per hand: of a tournament
    in_money      bigint;    -- so many of the players are in hands that are not
    seated        bigint;
    lost          text;
BEGIN
    WITH given AS (
        SELECT 'hand:' || hand_id AS key, n FROM unnest(hand_ids) WITH ORDINALITY AS hand (hand_id, n)
    ), written AS (
        INSERT INTO transfers (key, kind) SELECT key, 'hand' FROM given ORDER BY key
        ON CONFLICT (key) DO NOTHING RETURNING id, key
    )
    SELECT array_agg(written.id ORDER BY given.n), count(written.id) INTO new_transfers, new_hands
    FROM given LEFT JOIN written USING (key);

    IF new_hands < cardinality(hand_ids) THEN
        PERFORM compare_settled(hand_ids, table_ids, epochs, new_transfers, in_hand, players, deltas);
    END IF;
    IF new_hands = 0 THEN
        RETURN 0;
    END IF;

    WITH owned AS MATERIALIZED (
        SELECT table_id, epoch FROM table_owners
        WHERE table_id = ANY (table_ids) AND node IS NOT NULL FOR SHARE
    )
    SELECT table_id INTO lost
    FROM unnest(new_transfers, table_ids, epochs) AS hand (new_transfer, table_id, epoch)
    LEFT JOIN owned USING (table_id)
    WHERE new_transfer IS NOT NULL AND owned.epoch IS DISTINCT FROM hand.epoch
    LIMIT 1;
    IF FOUND THEN
        PERFORM refuse('table_has_other_owner', format('a hand at %s is of an epoch that is over', lost));
    END IF;

    SELECT array_agg(tournaments.id IS NOT NULL ORDER BY n) INTO in_chips
    FROM unnest(table_ids) WITH ORDINALITY AS hand (table_id, n) LEFT JOIN tournaments ON id = table_id;

    INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record)
        SELECT new_transfer, hand_id, table_id, epoch,
               timestamptz 'epoch' + started * interval '1 millisecond',
               timestamptz 'epoch' + ended * interval '1 millisecond',
               convert_from(record, 'UTF8')::jsonb
        FROM unnest(new_transfers, hand_ids, table_ids, epochs, started_ms, ended_ms, records)
            AS hand (new_transfer, hand_id, table_id, epoch, started, ended, record)
        WHERE new_transfer IS NOT NULL;

    INSERT INTO hand_players (account, hand, delta)
        SELECT account, new_transfers[n], delta FROM unnest(in_hand, players, deltas) AS player (n, account, delta)
        WHERE new_transfers[n] IS NOT NULL;

    IF true = ANY (by_clock) THEN
        INSERT INTO timeout_all_ins (ended, hand, account)
            SELECT timestamptz 'epoch' + ended_ms[n] * interval '1 millisecond', new_transfers[n], account
            FROM unnest(in_hand, players, by_clock) AS player (n, account, late)
            WHERE late AND new_transfers[n] IS NOT NULL;
    END IF;

    IF true = ANY (in_chips) THEN
        PERFORM settle_chips(table_ids, new_transfers, in_chips, in_hand, players, deltas);
    END IF;

    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfers[n], ledger_accounts.id, delta
        FROM unnest(in_hand, players, deltas) AS player (n, account, delta)
        JOIN ledger_accounts ON code = 'stack:' || table_ids[n] || ':' || account
        WHERE delta <> 0 AND new_transfers[n] IS NOT NULL AND NOT in_chips[n];

    -- Asked only now that the stacks are locked: a cash-out frees the seat before it locks the stack, so either
    -- it waits for this hand and takes its result along, or it is over and seen here.
    SELECT count(*) INTO in_money FROM unnest(in_hand) AS player (n)
        WHERE new_transfers[n] IS NOT NULL AND NOT in_chips[n];
    SELECT count(*) INTO seated
    FROM unnest(in_hand, players) AS player (n, account)
    JOIN seats ON seats.account = player.account AND table_id = table_ids[n]
    WHERE new_transfers[n] IS NOT NULL AND NOT in_chips[n];
    IF seated <> in_money THEN
        PERFORM refuse('account_has_seat', 'a hand names an account that has no seat at its table');
    END IF;
    RETURN new_hands;
END $$;

CREATE FUNCTION public.settle_round(of_round text, at_table text, of_epoch bigint, ended_ms bigint, new_record bytea, players bigint[], deltas bigint[], house_has bigint, meter_before bigint, was_fed bigint, has_paid bigint, was_reseeded bigint, given bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint := begin_end(of_round, at_table, of_epoch, false, players, deltas,
                                     house_has, was_fed, has_paid, was_reseeded);
    of_transfer  bigint;
    right_ones   bigint;
BEGIN
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    of_transfer := check_round(of_round, at_table);
    PERFORM FROM ledger_accounts WHERE code = 'meter:' || at_table AND balance = meter_before;
    IF NOT FOUND THEN
        PERFORM refuse('meter_is_as_before', format('the meter of %s did not hold %s', at_table, meter_before));
    END IF;
    INSERT INTO round_players (account, round, staked, tipped, paid)
        SELECT account, of_transfer, staked, tipped, staked + tipped + delta
        FROM (SELECT account, coalesce(sum(amount) FILTER (WHERE kind <> 'tip'), 0) AS staked,
                     coalesce(sum(amount) FILTER (WHERE kind = 'tip'), 0) AS tipped
              FROM round_stakes WHERE round = of_transfer GROUP BY account) AS put
        FULL JOIN unnest(players, deltas) AS player (account, delta) USING (account);
    INSERT INTO round_ends VALUES (
        of_transfer, new_transfer, of_epoch, timestamptz 'epoch' + ended_ms * interval '1 millisecond', false,
        house_has, was_fed, has_paid, was_reseeded, given, convert_from(new_record, 'UTF8')::jsonb);
    IF given <> (SELECT sum(tipped) FROM round_players WHERE round = of_transfer) THEN
        PERFORM refuse('tips_are_the_tronc', format('round %s has other tips', of_round));
    END IF;
    PERFORM write_end(of_transfer, new_transfer, at_table);
END $$;

CREATE FUNCTION public.stack_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'tournament % was started with % chips each', OLD.id, OLD.stack
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE FUNCTION public.start_tournament(in_tournament text, of_epoch bigint, players bigint[], new_stack bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    drawn        bigint[];
    seated       bigint;
    taken        bigint;
    fees         bigint := tournament.seats * tournament.fee;
    new_transfer bigint;
BEGIN
    IF tournament.started IS NOT NULL THEN
        SELECT array_agg(account ORDER BY seat) INTO drawn FROM tournament_entries AS entry
        WHERE entry.tournament = in_tournament AND seat IS NOT NULL;
        IF drawn IS DISTINCT FROM players OR tournament.stack <> new_stack THEN
            PERFORM check_owner(in_tournament, of_epoch);
            PERFORM refuse('key_has_other_legs', format('%s was started with another draw', in_tournament));
        END IF;
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    PERFORM check_owner(in_tournament, of_epoch);
    SELECT count(*) INTO taken FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND NOT returned;
    IF taken <> tournament.seats THEN
        PERFORM refuse('tournament_is_full', format('%s has %s of %s players', in_tournament, taken, tournament.seats));
    END IF;
    UPDATE tournament_entries AS entry SET seat = n, chips = new_stack, chips_before = new_stack
        FROM unnest(players) WITH ORDINALITY AS player (drawn_account, n)
        WHERE entry.tournament = in_tournament AND account = drawn_account AND NOT returned;
    GET DIAGNOSTICS seated = ROW_COUNT;
    IF seated <> tournament.seats OR cardinality(players) <> tournament.seats THEN
        PERFORM refuse('draw_is_of_the_entries', format('the draw of %s is not of its players', in_tournament));
    END IF;
    INSERT INTO transfers (key, kind) VALUES (format('sng:%s:start', in_tournament), 'fees')
        RETURNING id INTO new_transfer;
    IF fees > 0 THEN
        INSERT INTO legs VALUES
            (new_transfer, ledger_account_of('escrow:' || in_tournament), -fees),
            (new_transfer, ledger_account_of('fees'), fees);
    END IF;
    UPDATE tournaments SET phase = 'running', started = now(), stack = new_stack WHERE id = in_tournament;
END $$;

CREATE FUNCTION public.take_place(new_key text, at_table text, of_epoch bigint, new_place smallint, player bigint, tables_max integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint;
    held         bigint;
BEGIN
    PERFORM FROM accounts WHERE id = player;
    IF NOT FOUND THEN
        PERFORM refuse('account_exists', format('there is no account %s', player));
    END IF;
    INSERT INTO transfers (key, kind) VALUES (new_key, 'place')
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    IF new_transfer IS NULL THEN
        PERFORM FROM transfers WHERE key = new_key AND kind = 'place';
        IF NOT FOUND THEN
            PERFORM refuse('key_has_other_legs', format('the key %s is used with other legs', new_key));
        END IF;
        RETURN;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    PERFORM FROM accounts WHERE id = player FOR NO KEY UPDATE;
    INSERT INTO seats (table_id, seat, account, place) VALUES (at_table, new_place, player, true);
    SELECT count(*) INTO held FROM seats WHERE account = player;
    IF held > tables_max THEN
        PERFORM refuse('account_has_seats_left', format('account %s has %s seats already', player, held - 1));
    END IF;
END $$;

CREATE FUNCTION public.take_table(at_table text, new_node text, last_epoch bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET lock_timeout TO '2s'
    AS $$
DECLARE
    taken bigint;
BEGIN
    IF last_epoch = 0 THEN
        INSERT INTO table_owners VALUES (at_table, 1, new_node)
            ON CONFLICT (table_id) DO NOTHING RETURNING epoch INTO taken;
    ELSE
        UPDATE table_owners SET epoch = epoch + 1, node = new_node
            WHERE table_id = at_table AND epoch = last_epoch RETURNING epoch INTO taken;
    END IF;
    IF taken IS NULL THEN
        SELECT epoch INTO taken FROM table_owners
            WHERE table_id = at_table AND epoch = last_epoch + 1 AND node = new_node;
    END IF;
    RETURN taken;
END $$;

CREATE FUNCTION public.top_up(new_key text, at_table text, of_epoch bigint, player bigint, moved bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    wallet       bigint := ledger_account_of('wallet:' || player);
    stack        bigint := ledger_account_of('stack:' || at_table || ':' || player);
    new_transfer bigint := begin_transfer(new_key, 'top_up', wallet, stack, moved);
BEGIN
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    -- The lock keeps a cash-out from freeing the seat before these chips are on the stack.
    PERFORM FROM seats WHERE table_id = at_table AND account = player AND NOT place FOR KEY SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('account_has_seat', format('account %s has no seat at %s', player, at_table));
    END IF;
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stack, moved);
END $$;

CREATE FUNCTION public.tournament_goes_on() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.id, NEW.offer, NEW.number, NEW.seats, NEW.buy_in, NEW.fee, NEW.prizes, NEW.terms::text, NEW.created)
           IS DISTINCT FROM
       (OLD.id, OLD.offer, OLD.number, OLD.seats, OLD.buy_in, OLD.fee, OLD.prizes, OLD.terms::text, OLD.created)
       OR (OLD.phase, NEW.phase) NOT IN (
           ('registering', 'running'), ('registering', 'cancelled'), ('running', 'running'),
           ('running', 'finished'), ('running', 'rolled_back'), ('running', 'rolled_forward'))
       OR OLD.started IS DISTINCT FROM NEW.started AND OLD.started IS NOT NULL
    THEN
        RAISE EXCEPTION 'tournament % goes from % on, and keeps its terms', OLD.id, OLD.phase
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.tournament_of(of_tournament text) RETURNS public.tournaments
    LANGUAGE plpgsql
    AS $$
DECLARE
    found_one tournaments;
BEGIN
    SELECT * INTO found_one FROM tournaments WHERE id = of_tournament FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('tournament_exists', format('there is no tournament %s', of_tournament));
    END IF;
    RETURN found_one;
END $$;

CREATE FUNCTION public.void_round(of_round text, at_table text, of_epoch bigint, ended_ms bigint, new_record bytea) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    new_transfer bigint := begin_end(of_round, at_table, of_epoch, true, '{}', '{}', 0, 0, 0, 0);
    of_transfer  bigint;
BEGIN
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    of_transfer := check_round(of_round, at_table);
    INSERT INTO round_players (account, round, staked, tipped, paid)
        SELECT account, of_transfer, coalesce(sum(amount) FILTER (WHERE kind <> 'tip'), 0),
               coalesce(sum(amount) FILTER (WHERE kind = 'tip'), 0),
               coalesce(sum(amount) FILTER (WHERE kind <> 'tip'), 0)
        FROM round_stakes WHERE round = of_transfer GROUP BY account;
    INSERT INTO round_ends
        SELECT of_transfer, new_transfer, of_epoch, timestamptz 'epoch' + ended_ms * interval '1 millisecond', true,
               0, 0, 0, 0, sum(tipped), convert_from(new_record, 'UTF8')::jsonb
        FROM round_players WHERE round = of_transfer;
    PERFORM write_end(of_transfer, new_transfer, at_table);
END $$;

CREATE FUNCTION public.write_end(of_round bigint, end_transfer bigint, at_table text) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO legs (transfer, ledger_account, amount)
    SELECT end_transfer, id, sum(amount) FROM (
        SELECT 'wallet:' || account AS code, paid AS amount FROM round_players WHERE round = of_round
        UNION ALL SELECT 'stakes:' || at_table, -sum(amount) FROM round_stakes WHERE round = of_round
        UNION ALL SELECT 'house:' || at_table, house FROM round_ends WHERE round = of_round
        UNION ALL SELECT 'meter:' || at_table, fed - paid + reseeded FROM round_ends WHERE round = of_round
        UNION ALL SELECT 'tronc', tronc FROM round_ends WHERE round = of_round) AS leg
    JOIN ledger_accounts USING (code)
    WHERE amount <> 0 GROUP BY id;
    DELETE FROM open_rounds WHERE round = of_round;
$$;

CREATE TABLE public.account_settings (
    account bigint NOT NULL,
    key text NOT NULL,
    value jsonb NOT NULL,
    CONSTRAINT account_settings_key_check CHECK (((length(key) >= 1) AND (length(key) <= 40))),
    CONSTRAINT account_settings_value_check CHECK (((jsonb_typeof(value) = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text])) AND (length((value)::text) <= 100)))
);

CREATE TABLE public.accounts (
    id bigint NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.accounts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.cash_requests (
    number bigint NOT NULL,
    account bigint NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    source text NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    asked timestamp with time zone DEFAULT now() NOT NULL,
    decided timestamp with time zone,
    note text DEFAULT ''::text NOT NULL,
    CONSTRAINT cash_requests_amount_check CHECK ((amount > 0)),
    CONSTRAINT cash_requests_key_check CHECK (((length(key) >= 1) AND (length(key) <= 40))),
    CONSTRAINT cash_requests_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'withdrawal'::text]))),
    CONSTRAINT cash_requests_note_check CHECK ((length(note) <= 200)),
    CONSTRAINT cash_requests_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'approved'::text, 'refused'::text]))),
    CONSTRAINT decided_is_not_waiting CHECK (((decided IS NULL) = (state = 'waiting'::text)))
);

ALTER TABLE public.cash_requests ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.cash_requests_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.cash_sources (
    name text NOT NULL,
    is_open boolean NOT NULL,
    CONSTRAINT cash_sources_name_check CHECK ((name ~ '^[a-z0-9_-]{1,40}$'::text))
);

CREATE TABLE public.departures (
    table_id text NOT NULL,
    account bigint NOT NULL,
    departed timestamp with time zone DEFAULT now() NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT departures_amount_check CHECK ((amount >= 0))
);

CREATE TABLE public.hand_players (
    account bigint NOT NULL,
    hand bigint NOT NULL,
    delta bigint NOT NULL
);

CREATE TABLE public.hands (
    transfer bigint NOT NULL,
    hand_id text NOT NULL,
    table_id text NOT NULL,
    started timestamp with time zone NOT NULL,
    ended timestamp with time zone NOT NULL,
    record jsonb NOT NULL,
    epoch bigint
);

CREATE TABLE public.ledger_accounts (
    id bigint NOT NULL,
    kind text NOT NULL,
    owner bigint,
    table_id text,
    balance bigint DEFAULT 0 NOT NULL,
    code text NOT NULL,
    CONSTRAINT balance_is_not_negative CHECK (((balance >= 0) OR (kind = 'issuer'::text))),
    CONSTRAINT ledger_account_code CHECK ((code = public.ledger_code(kind, owner, table_id))),
    CONSTRAINT ledger_account_owner CHECK (((owner IS NOT NULL) = (kind = ANY (ARRAY['wallet'::text, 'stack'::text])))),
    CONSTRAINT ledger_account_table CHECK ((((table_id IS NOT NULL) = (kind = ANY (ARRAY['stack'::text, 'escrow'::text]))) OR ((table_id IS NOT NULL) AND (kind ~~ '%:%'::text)))),
    CONSTRAINT ledger_accounts_kind_check CHECK (((kind = ANY (ARRAY['issuer'::text, 'bank'::text, 'house'::text, 'fees'::text, 'wallet'::text, 'stack'::text, 'escrow'::text])) OR (kind = 'tronc'::text) OR COALESCE(((kind = ('stakes:'::text || table_id)) OR (kind = ('house:'::text || table_id)) OR (kind = ('meter:'::text || table_id))), false) OR (kind = 'held'::text) OR COALESCE((kind = ('source:'::text || table_id)), false)))
)
WITH (fillfactor='70');

ALTER TABLE public.ledger_accounts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.legs (
    transfer bigint NOT NULL,
    ledger_account bigint NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT legs_amount_check CHECK ((amount <> 0))
);

CREATE TABLE public.open_rounds (
    table_id text NOT NULL,
    round bigint NOT NULL
);

CREATE TABLE public.played (
    account bigint NOT NULL,
    number bigint NOT NULL,
    ended timestamp with time zone NOT NULL,
    round bigint,
    tournament text,
    CONSTRAINT played_is_one_game CHECK (((round IS NULL) <> (tournament IS NULL)))
);

CREATE SEQUENCE public.round_count
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.round_ends (
    round bigint NOT NULL,
    transfer bigint NOT NULL,
    epoch bigint NOT NULL,
    ended timestamp with time zone NOT NULL,
    void boolean NOT NULL,
    house bigint NOT NULL,
    fed bigint NOT NULL,
    paid bigint NOT NULL,
    reseeded bigint NOT NULL,
    tronc bigint NOT NULL,
    record jsonb NOT NULL,
    CONSTRAINT round_ends_fed_check CHECK ((fed >= 0)),
    CONSTRAINT round_ends_paid_check CHECK ((paid >= 0)),
    CONSTRAINT round_ends_reseeded_check CHECK ((reseeded >= 0)),
    CONSTRAINT round_ends_tronc_check CHECK ((tronc >= 0))
);

CREATE TABLE public.round_players (
    account bigint NOT NULL,
    round bigint NOT NULL,
    staked bigint NOT NULL,
    tipped bigint NOT NULL,
    paid bigint NOT NULL,
    CONSTRAINT round_players_paid_check CHECK ((paid >= 0)),
    CONSTRAINT round_players_staked_check CHECK ((staked > 0)),
    CONSTRAINT round_players_tipped_check CHECK ((tipped >= 0))
);

CREATE TABLE public.round_stakes (
    round bigint NOT NULL,
    transfer bigint NOT NULL,
    account bigint NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT round_stakes_amount_check CHECK ((amount > 0)),
    CONSTRAINT round_stakes_kind_check CHECK ((kind = ANY (ARRAY['bets'::text, 'play'::text, 'tip'::text])))
);

CREATE TABLE public.rounds (
    transfer bigint NOT NULL,
    round_id text NOT NULL,
    table_id text NOT NULL,
    epoch bigint NOT NULL,
    started timestamp with time zone NOT NULL
);

CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.seats (
    table_id text NOT NULL,
    seat smallint NOT NULL,
    account bigint NOT NULL,
    place boolean DEFAULT false NOT NULL
);

CREATE TABLE public.sessions (
    token_hash bytea NOT NULL,
    account bigint NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    seen timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.table_owners (
    table_id text NOT NULL,
    epoch bigint NOT NULL,
    node text,
    over boolean DEFAULT false NOT NULL,
    CONSTRAINT table_owners_epoch_check CHECK ((epoch > 0))
);

CREATE TABLE public.timeout_all_ins (
    ended timestamp with time zone NOT NULL,
    hand bigint NOT NULL,
    account bigint NOT NULL
);

CREATE TABLE public.tournament_entries (
    tournament text NOT NULL,
    account bigint NOT NULL,
    number integer NOT NULL,
    id bigint NOT NULL,
    returned boolean DEFAULT false NOT NULL,
    seat smallint,
    chips bigint,
    chips_before bigint,
    hands integer DEFAULT 0 NOT NULL,
    CONSTRAINT chips_are_not_negative CHECK ((chips >= 0)),
    CONSTRAINT player_has_chips CHECK ((((chips IS NOT NULL) = (seat IS NOT NULL)) AND ((chips_before IS NOT NULL) = (seat IS NOT NULL)))),
    CONSTRAINT returned_entry_has_no_seat CHECK (((NOT returned) OR (seat IS NULL))),
    CONSTRAINT tournament_entries_number_check CHECK ((number > 0)),
    CONSTRAINT tournament_entries_seat_check CHECK ((seat > 0))
);

ALTER TABLE public.tournament_entries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tournament_entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.tournament_places (
    tournament text NOT NULL,
    number smallint NOT NULL,
    place smallint NOT NULL,
    account bigint NOT NULL,
    prize bigint NOT NULL,
    paid bigint,
    CONSTRAINT nothing_is_not_paid CHECK (((paid IS NULL) OR (prize > 0))),
    CONSTRAINT tie_begins_at_its_place CHECK (((place >= 1) AND (place <= number))),
    CONSTRAINT tournament_places_number_check CHECK ((number > 0)),
    CONSTRAINT tournament_places_prize_check CHECK ((prize >= 0))
);

CREATE TABLE public.transfers (
    id bigint NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT transfers_kind_check CHECK (((kind = ANY (ARRAY['genesis'::text, 'opening'::text, 'buy_in'::text, 'top_up'::text, 'cash_out'::text, 'hand'::text, 'entry'::text, 'entry_return'::text, 'fees'::text, 'prize'::text, 'cancellation'::text, 'roll_back'::text])) OR (kind = ANY (ARRAY['meter_seed'::text, 'place'::text, 'round_bets'::text, 'round_play'::text, 'round_tip'::text, 'round'::text, 'round_void'::text])) OR (kind = ANY (ARRAY['source_fund'::text, 'deposit'::text, 'withdrawal'::text, 'withdrawal_paid'::text, 'withdrawal_return'::text]))))
);

ALTER TABLE public.transfers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.transfers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

INSERT INTO public.account_settings VALUES (1, 'four_colours', 'true');

INSERT INTO public.accounts OVERRIDING SYSTEM VALUE VALUES (1, 'alice', 'hash of alice', '2026-11-22 11:50:26.603753+00');
INSERT INTO public.accounts OVERRIDING SYSTEM VALUE VALUES (2, 'bob', 'hash of bob', '2026-11-22 11:50:26.621547+00');
INSERT INTO public.accounts OVERRIDING SYSTEM VALUE VALUES (3, 'carol', 'hash of carol', '2026-11-22 11:50:26.629428+00');

INSERT INTO public.cash_requests OVERRIDING SYSTEM VALUE VALUES (1, 1, 'key-0001', 'deposit', 300, 'cash', 'approved', '2026-11-22 11:50:27.109675+00', '2026-11-22 11:50:27.119192+00', 'ok');
INSERT INTO public.cash_requests OVERRIDING SYSTEM VALUE VALUES (2, 2, 'k2', 'withdrawal', 100, 'cash', 'waiting', '2026-11-22 11:50:27.130892+00', NULL, '');

INSERT INTO public.cash_sources VALUES ('cash', true);

INSERT INTO public.departures VALUES ('T1', 2, '2026-11-22 11:50:26.717978+00', 995);

INSERT INTO public.hand_players VALUES (1, 7, 7);
INSERT INTO public.hand_players VALUES (2, 7, -7);
INSERT INTO public.hand_players VALUES (1, 8, -2);
INSERT INTO public.hand_players VALUES (2, 8, 2);
INSERT INTO public.hand_players VALUES (1, 23, 1500);
INSERT INTO public.hand_players VALUES (2, 23, 0);
INSERT INTO public.hand_players VALUES (3, 23, -1500);
INSERT INTO public.hand_players VALUES (1, 25, 1500);
INSERT INTO public.hand_players VALUES (2, 25, -1500);

INSERT INTO public.hands VALUES (7, 'h1', 'T1', '2023-11-14 22:13:20.123+00', '2023-11-14 22:13:50.456+00', '{"pot": 300, "seats": [{"end": 1007, "stack": 1000, "account": 1}, {"end": 993, "stack": 1000, "account": 2}]}', 1);
INSERT INTO public.hands VALUES (8, 'h2', 'T1', '2023-11-14 22:13:20.123+00', '2023-11-14 22:13:50.456+00', '{"pot": 300, "seats": [{"end": 998, "stack": 1000, "account": 1}, {"end": 1002, "stack": 1000, "account": 2}]}', 1);
INSERT INTO public.hands VALUES (23, 's1', 'six.1', '1970-01-01 00:00:01+00', '1970-01-01 00:00:02+00', '{"seats": [{"end": 3000, "stack": 1500, "account": 1}, {"end": 1500, "stack": 1500, "account": 2}, {"end": 0, "stack": 1500, "account": 3}]}', 1);
INSERT INTO public.hands VALUES (25, 's2', 'six.1', '1970-01-01 00:00:01+00', '1970-01-01 00:00:02+00', '{"seats": [{"end": 4500, "stack": 3000, "account": 1}, {"end": 0, "stack": 1500, "account": 2}]}', 1);

INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (3, 'house', NULL, NULL, 0, 'house');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (1, 'issuer', NULL, NULL, -1000000000000000, 'issuer');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (5, 'tronc', NULL, NULL, 0, 'tronc');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (17, 'escrow', NULL, 'six.3', 300, 'escrow:six.3');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (2, 'bank', NULL, NULL, 999999999959435, 'bank');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (7, 'wallet', 1, NULL, 8850, 'wallet:1');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (18, 'source:cash', NULL, 'cash', 4700, 'source:cash');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (8, 'wallet', 2, NULL, 9515, 'wallet:2');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (6, 'held', NULL, NULL, 100, 'held');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (10, 'stack', 1, 'T1', 1055, 'stack:T1:1');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (11, 'stack', 2, 'T1', 0, 'stack:T1:2');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (13, 'meter:U1', NULL, 'U1', 505, 'meter:U1');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (12, 'house:U1', NULL, 'U1', 5000, 'house:U1');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (14, 'stakes:U1', NULL, 'U1', 200, 'stakes:U1');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (15, 'escrow', NULL, 'six.1', 0, 'escrow:six.1');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (9, 'wallet', 3, NULL, 9260, 'wallet:3');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (4, 'fees', NULL, NULL, 360, 'fees');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (16, 'escrow', NULL, 'six.2', 720, 'escrow:six.2');

INSERT INTO public.legs VALUES (1, 1, -1000000000000000);
INSERT INTO public.legs VALUES (1, 2, 1000000000000000);
INSERT INTO public.legs VALUES (2, 2, -10000);
INSERT INTO public.legs VALUES (2, 7, 10000);
INSERT INTO public.legs VALUES (3, 2, -10000);
INSERT INTO public.legs VALUES (3, 8, 10000);
INSERT INTO public.legs VALUES (4, 2, -10000);
INSERT INTO public.legs VALUES (4, 9, 10000);
INSERT INTO public.legs VALUES (5, 7, -1000);
INSERT INTO public.legs VALUES (5, 10, 1000);
INSERT INTO public.legs VALUES (6, 8, -1000);
INSERT INTO public.legs VALUES (6, 11, 1000);
INSERT INTO public.legs VALUES (7, 10, 7);
INSERT INTO public.legs VALUES (7, 11, -7);
INSERT INTO public.legs VALUES (8, 10, -2);
INSERT INTO public.legs VALUES (8, 11, 2);
INSERT INTO public.legs VALUES (9, 7, -50);
INSERT INTO public.legs VALUES (9, 10, 50);
INSERT INTO public.legs VALUES (10, 11, -995);
INSERT INTO public.legs VALUES (10, 8, 995);
INSERT INTO public.legs VALUES (11, 2, -500);
INSERT INTO public.legs VALUES (11, 13, 500);
INSERT INTO public.legs VALUES (13, 9, -100);
INSERT INTO public.legs VALUES (13, 14, 100);
INSERT INTO public.legs VALUES (13, 2, -5000);
INSERT INTO public.legs VALUES (13, 12, 5000);
INSERT INTO public.legs VALUES (14, 9, -40);
INSERT INTO public.legs VALUES (14, 14, 40);
INSERT INTO public.legs VALUES (15, 9, 200);
INSERT INTO public.legs VALUES (15, 12, -65);
INSERT INTO public.legs VALUES (15, 13, 5);
INSERT INTO public.legs VALUES (15, 14, -140);
INSERT INTO public.legs VALUES (16, 9, -100);
INSERT INTO public.legs VALUES (16, 14, 100);
INSERT INTO public.legs VALUES (16, 2, -65);
INSERT INTO public.legs VALUES (16, 12, 65);
INSERT INTO public.legs VALUES (17, 9, 100);
INSERT INTO public.legs VALUES (17, 14, -100);
INSERT INTO public.legs VALUES (18, 9, -200);
INSERT INTO public.legs VALUES (18, 14, 200);
INSERT INTO public.legs VALUES (19, 7, -300);
INSERT INTO public.legs VALUES (19, 15, 300);
INSERT INTO public.legs VALUES (20, 8, -300);
INSERT INTO public.legs VALUES (20, 15, 300);
INSERT INTO public.legs VALUES (21, 9, -300);
INSERT INTO public.legs VALUES (21, 15, 300);
INSERT INTO public.legs VALUES (22, 15, -180);
INSERT INTO public.legs VALUES (22, 4, 180);
INSERT INTO public.legs VALUES (28, 15, -500);
INSERT INTO public.legs VALUES (28, 7, 500);
INSERT INTO public.legs VALUES (29, 15, -220);
INSERT INTO public.legs VALUES (29, 8, 220);
INSERT INTO public.legs VALUES (30, 7, -300);
INSERT INTO public.legs VALUES (30, 16, 300);
INSERT INTO public.legs VALUES (31, 8, -300);
INSERT INTO public.legs VALUES (31, 16, 300);
INSERT INTO public.legs VALUES (32, 9, -300);
INSERT INTO public.legs VALUES (32, 16, 300);
INSERT INTO public.legs VALUES (33, 16, -180);
INSERT INTO public.legs VALUES (33, 4, 180);
INSERT INTO public.legs VALUES (34, 7, -300);
INSERT INTO public.legs VALUES (34, 17, 300);
INSERT INTO public.legs VALUES (35, 8, -300);
INSERT INTO public.legs VALUES (35, 17, 300);
INSERT INTO public.legs VALUES (36, 17, -300);
INSERT INTO public.legs VALUES (36, 8, 300);
INSERT INTO public.legs VALUES (37, 2, -5000);
INSERT INTO public.legs VALUES (37, 18, 5000);
INSERT INTO public.legs VALUES (38, 18, -300);
INSERT INTO public.legs VALUES (38, 7, 300);
INSERT INTO public.legs VALUES (39, 8, -100);
INSERT INTO public.legs VALUES (39, 6, 100);

INSERT INTO public.open_rounds VALUES ('U1', 18);

INSERT INTO public.played VALUES (3, 15, '2023-11-14 22:13:50.456+00', 13, NULL);
INSERT INTO public.played VALUES (3, 17, '2023-11-14 22:13:50.456+00', 16, NULL);
INSERT INTO public.played VALUES (3, 24, '2026-11-22 11:50:26.928953+00', NULL, 'six.1');
INSERT INTO public.played VALUES (1, 26, '2026-11-22 11:50:26.954024+00', NULL, 'six.1');
INSERT INTO public.played VALUES (2, 27, '2026-11-22 11:50:26.954024+00', NULL, 'six.1');

INSERT INTO public.round_ends VALUES (13, 15, 1, '2023-11-14 22:13:50.456+00', false, -65, 5, 0, 0, 0, '{"board": []}');
INSERT INTO public.round_ends VALUES (16, 17, 1, '2023-11-14 22:13:50.456+00', true, 0, 0, 0, 0, 0, '{"void": true}');

INSERT INTO public.round_players VALUES (3, 13, 140, 0, 200);
INSERT INTO public.round_players VALUES (3, 16, 100, 0, 100);

INSERT INTO public.round_stakes VALUES (13, 13, 3, 'bets', 100);
INSERT INTO public.round_stakes VALUES (13, 14, 3, 'play', 40);
INSERT INTO public.round_stakes VALUES (16, 16, 3, 'bets', 100);
INSERT INTO public.round_stakes VALUES (18, 18, 3, 'bets', 200);

INSERT INTO public.rounds VALUES (13, 'r1', 'U1', 1, '2023-11-14 22:13:20.123+00');
INSERT INTO public.rounds VALUES (16, 'r2', 'U1', 1, '2023-11-14 22:13:20.123+00');
INSERT INTO public.rounds VALUES (18, 'r3', 'U1', 1, '2023-11-14 22:13:20.123+00');

INSERT INTO public.schema_migrations VALUES (1, '001_ledger.sql', '5471c83dbfacbccd1180e4f6796466a5b9869ccc2032146884fd5c7442434442', '2026-11-22 11:50:25.833899+00');
INSERT INTO public.schema_migrations VALUES (2, '002_operations.sql', '59154181a12ebdf55352acfc32755f7be0d7360e76713efadbfb194655bcf4e2', '2026-11-22 11:50:26.048981+00');
INSERT INTO public.schema_migrations VALUES (3, '003_table_life.sql', 'b3f0a3585d082508ac41ada27aa8c8cda7f6697f0c3ab17c90634c7f9d7a1289', '2026-11-22 11:50:26.060791+00');
INSERT INTO public.schema_migrations VALUES (4, '004_ownership.sql', '6c18c3186a807cb09ed5ab390125849cbcbc62d306f1e7ba07a43a5792b08d61', '2026-11-22 11:50:26.093984+00');
INSERT INTO public.schema_migrations VALUES (5, '005_tournaments.sql', 'bfb2f730d3e13b9a28673ad7adb2b38710a312b81c63ddb315068cea0a6e416e', '2026-11-22 11:50:26.132831+00');
INSERT INTO public.schema_migrations VALUES (6, '006_rounds.sql', 'aa00fdc3ca28e7919e16f2bca8c5338be75d06a5fb3ad81401ff06aa0a09d487', '2026-11-22 11:50:26.264645+00');
INSERT INTO public.schema_migrations VALUES (7, '007_tournament_hands.sql', '972d55f0d58be9e9eaf655b772effbc2de7999e934a5670fc4d896ad5c56a08d', '2026-11-22 11:50:26.408845+00');
INSERT INTO public.schema_migrations VALUES (8, '008_account_side.sql', '131b411c0a25ed78996384e718fbdbefde080530598680093f5a1ba5b4c73fa5', '2026-11-22 11:50:26.433581+00');
INSERT INTO public.schema_migrations VALUES (9, '009_pauses.sql', 'd313709ff7a172bc0595757d55364ccfd95538a4f6c3f315f598a58ef9e31746', '2026-11-22 11:50:26.568902+00');

INSERT INTO public.seats VALUES ('T1', 1, 1, false);
INSERT INTO public.seats VALUES ('U1', 3, 3, true);

INSERT INTO public.sessions VALUES ('\x0101010101010101010101010101010101010101010101010101010101010101', 1, '2026-11-22 11:50:26.633348+00', '2026-11-22 11:50:26.633348+00');

INSERT INTO public.table_owners VALUES ('T1', 1, 'n1', false);
INSERT INTO public.table_owners VALUES ('U1', 1, 'n1', false);
INSERT INTO public.table_owners VALUES ('six.1', 1, NULL, true);
INSERT INTO public.table_owners VALUES ('six.2', 1, 'n1', false);

INSERT INTO public.timeout_all_ins VALUES ('2023-11-14 22:13:50.456+00', 7, 2);

INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.1', 3, 1, 3, false, 3, 0, 1500, 1);
INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.1', 1, 1, 1, false, 1, 4500, 3000, 2);
INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.1', 2, 1, 2, false, 2, 0, 1500, 2);
INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.2', 1, 1, 4, false, 1, 1500, 1500, 0);
INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.2', 2, 1, 5, false, 2, 1500, 1500, 0);
INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.2', 3, 1, 6, false, 3, 1500, 1500, 0);
INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.3', 1, 1, 7, false, NULL, NULL, NULL, 0);
INSERT INTO public.tournament_entries OVERRIDING SYSTEM VALUE VALUES ('six.3', 2, 1, 8, true, NULL, NULL, NULL, 0);

INSERT INTO public.tournament_places VALUES ('six.1', 3, 3, 3, 0, NULL);
INSERT INTO public.tournament_places VALUES ('six.1', 1, 1, 1, 500, 28);
INSERT INTO public.tournament_places VALUES ('six.1', 2, 2, 2, 220, 29);

INSERT INTO public.tournaments VALUES ('six.1', 'six', 1, 3, 300, 60, '{500,220}', '{"starting_stack": 1500,  "levels": [1, 2]}', 'finished', '2026-11-22 11:50:26.837942+00', '2026-11-22 11:50:26.897362+00', '2026-11-22 11:50:26.954024+00', 1500, false);
INSERT INTO public.tournaments VALUES ('six.2', 'six', 2, 3, 300, 60, '{500,220}', '{"starting_stack": 1500,  "levels": [1, 2]}', 'running', '2026-11-22 11:50:27.001278+00', '2026-11-22 11:50:27.037251+00', NULL, 1500, true);
INSERT INTO public.tournaments VALUES ('six.3', 'six', 3, 3, 300, 60, '{500,220}', '{"starting_stack": 1500,  "levels": [1, 2]}', 'registering', '2026-11-22 11:50:27.055502+00', NULL, NULL, NULL, false);

INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (1, 'genesis', 'genesis', '2026-11-22 11:50:25.833899+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (2, 'opening:1', 'opening', '2026-11-22 11:50:26.603753+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (3, 'opening:2', 'opening', '2026-11-22 11:50:26.621547+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (4, 'opening:3', 'opening', '2026-11-22 11:50:26.629428+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (5, 'buyin:T1:1', 'buy_in', '2026-11-22 11:50:26.641604+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (6, 'buyin:T1:2', 'buy_in', '2026-11-22 11:50:26.653614+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (7, 'hand:h1', 'hand', '2026-11-22 11:50:26.672672+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (8, 'hand:h2', 'hand', '2026-11-22 11:50:26.672672+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (9, 'top:1', 'top_up', '2026-11-22 11:50:26.705626+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (10, 'out:1', 'cash_out', '2026-11-22 11:50:26.717978+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (11, 'seed:U1:1', 'meter_seed', '2026-11-22 11:50:26.737704+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (12, 'place:1', 'place', '2026-11-22 11:50:26.761062+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (13, 'round:r1:bets', 'round_bets', '2026-11-22 11:50:26.769483+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (14, 'round:r1:play:1', 'round_play', '2026-11-22 11:50:26.785536+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (15, 'round:r1', 'round', '2026-11-22 11:50:26.789309+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (16, 'round:r2:bets', 'round_bets', '2026-11-22 11:50:26.804626+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (17, 'round:r2', 'round_void', '2026-11-22 11:50:26.817752+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (18, 'round:r3:bets', 'round_bets', '2026-11-22 11:50:26.829496+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (19, 'sng:six.1:entry:1:1', 'entry', '2026-11-22 11:50:26.856814+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (20, 'sng:six.1:entry:2:1', 'entry', '2026-11-22 11:50:26.873692+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (21, 'sng:six.1:entry:3:1', 'entry', '2026-11-22 11:50:26.885637+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (22, 'sng:six.1:start', 'fees', '2026-11-22 11:50:26.897362+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (23, 'hand:s1', 'hand', '2026-11-22 11:50:26.911944+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (25, 'hand:s2', 'hand', '2026-11-22 11:50:26.941588+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (28, 'sng:six.1:place:1', 'prize', '2026-11-22 11:50:26.9741+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (29, 'sng:six.1:place:2', 'prize', '2026-11-22 11:50:26.985648+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (30, 'sng:six.2:entry:1:1', 'entry', '2026-11-22 11:50:27.009644+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (31, 'sng:six.2:entry:2:1', 'entry', '2026-11-22 11:50:27.017547+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (32, 'sng:six.2:entry:3:1', 'entry', '2026-11-22 11:50:27.025745+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (33, 'sng:six.2:start', 'fees', '2026-11-22 11:50:27.037251+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (34, 'sng:six.3:entry:1:1', 'entry', '2026-11-22 11:50:27.06551+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (35, 'sng:six.3:entry:2:1', 'entry', '2026-11-22 11:50:27.073602+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (36, 'sng:six.3:return:2:1', 'entry_return', '2026-11-22 11:50:27.084916+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (37, 'source:cash:f1', 'source_fund', '2026-11-22 11:50:27.097395+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (38, 'cash:1:key-0001:end', 'deposit', '2026-11-22 11:50:27.119192+00');
INSERT INTO public.transfers OVERRIDING SYSTEM VALUE VALUES (39, 'cash:2:k2', 'withdrawal', '2026-11-22 11:50:27.130892+00');

SELECT pg_catalog.setval('public.accounts_id_seq', 3, true);

SELECT pg_catalog.setval('public.cash_requests_number_seq', 2, true);

SELECT pg_catalog.setval('public.ledger_accounts_id_seq', 18, true);

SELECT pg_catalog.setval('public.round_count', 1, false);

SELECT pg_catalog.setval('public.tournament_entries_id_seq', 8, true);

SELECT pg_catalog.setval('public.transfers_id_seq', 39, true);

ALTER TABLE ONLY public.tournament_places
    ADD CONSTRAINT account_has_one_place UNIQUE (tournament, account);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT account_has_one_seat PRIMARY KEY (table_id, account);

ALTER TABLE ONLY public.account_settings
    ADD CONSTRAINT account_settings_pkey PRIMARY KEY (account, key);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.cash_requests
    ADD CONSTRAINT cash_key_is_used_once UNIQUE (account, key);

ALTER TABLE ONLY public.cash_requests
    ADD CONSTRAINT cash_requests_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.cash_sources
    ADD CONSTRAINT cash_sources_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.departures
    ADD CONSTRAINT departures_pkey PRIMARY KEY (table_id, account);

ALTER TABLE ONLY public.tournament_entries
    ADD CONSTRAINT entry_seat_is_unique UNIQUE (tournament, seat);

ALTER TABLE ONLY public.hands
    ADD CONSTRAINT hand_is_settled_once UNIQUE (hand_id);

ALTER TABLE ONLY public.hand_players
    ADD CONSTRAINT hand_players_pkey PRIMARY KEY (account, hand);

ALTER TABLE ONLY public.hands
    ADD CONSTRAINT hands_pkey PRIMARY KEY (transfer);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_account_code_is_unique UNIQUE (code);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.legs
    ADD CONSTRAINT legs_pkey PRIMARY KEY (transfer, ledger_account);

ALTER TABLE ONLY public.open_rounds
    ADD CONSTRAINT open_rounds_round_key UNIQUE (round);

ALTER TABLE ONLY public.played
    ADD CONSTRAINT played_pkey PRIMARY KEY (account, number);

ALTER TABLE ONLY public.rounds
    ADD CONSTRAINT round_begins_once UNIQUE (round_id);

ALTER TABLE ONLY public.round_ends
    ADD CONSTRAINT round_ends_pkey PRIMARY KEY (round);

ALTER TABLE ONLY public.round_ends
    ADD CONSTRAINT round_ends_transfer_key UNIQUE (transfer);

ALTER TABLE ONLY public.round_players
    ADD CONSTRAINT round_players_pkey PRIMARY KEY (account, round);

ALTER TABLE ONLY public.round_stakes
    ADD CONSTRAINT round_stakes_pkey PRIMARY KEY (round, transfer, account);

ALTER TABLE ONLY public.rounds
    ADD CONSTRAINT rounds_pkey PRIMARY KEY (transfer);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seat_has_one_holder UNIQUE (table_id, seat);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.open_rounds
    ADD CONSTRAINT table_has_one_round PRIMARY KEY (table_id);

ALTER TABLE ONLY public.table_owners
    ADD CONSTRAINT table_owners_pkey PRIMARY KEY (table_id);

ALTER TABLE ONLY public.timeout_all_ins
    ADD CONSTRAINT timeout_all_ins_pkey PRIMARY KEY (ended, hand, account);

ALTER TABLE ONLY public.tournament_entries
    ADD CONSTRAINT tournament_entries_pkey PRIMARY KEY (tournament, account, number);

ALTER TABLE ONLY public.played
    ADD CONSTRAINT tournament_is_played_once UNIQUE (tournament, account);

ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournament_number_is_unique UNIQUE (offer, number);

ALTER TABLE ONLY public.tournament_places
    ADD CONSTRAINT tournament_places_pkey PRIMARY KEY (tournament, number);

ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournaments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.transfers
    ADD CONSTRAINT transfer_key_is_unique UNIQUE (key);

ALTER TABLE ONLY public.transfers
    ADD CONSTRAINT transfers_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX account_is_entered_once ON public.tournament_entries USING btree (tournament, account) WHERE (NOT returned);

CREATE UNIQUE INDEX account_name_is_unique ON public.accounts USING btree (lower((name COLLATE "C")));

CREATE INDEX cash_requests_of_account ON public.cash_requests USING btree (account, number);

CREATE INDEX cash_requests_that_wait ON public.cash_requests USING btree (number) WHERE (state = 'waiting'::text);

CREATE INDEX entries_of_account ON public.tournament_entries USING btree (account) WHERE (NOT returned);

CREATE INDEX owners_of_tables_that_go_on ON public.table_owners USING btree (table_id) WHERE (NOT over);

CREATE INDEX places_to_be_paid ON public.tournament_places USING btree (tournament, number) WHERE ((paid IS NULL) AND (prize > 0));

CREATE INDEX seats_of_account ON public.seats USING btree (account);

CREATE INDEX tournaments_that_go_on ON public.tournaments USING btree (offer, number) WHERE (phase = ANY (ARRAY['registering'::text, 'running'::text]));

CREATE TRIGGER balance_follows_legs BEFORE UPDATE ON public.ledger_accounts FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.refuse_change('a balance follows from legs');

CREATE TRIGGER balance_starts_at_zero BEFORE INSERT ON public.ledger_accounts FOR EACH ROW WHEN ((new.balance <> 0)) EXECUTE FUNCTION public.refuse_change('a balance follows from legs');

CREATE TRIGGER cash_request_goes_on BEFORE UPDATE ON public.cash_requests FOR EACH ROW EXECUTE FUNCTION public.cash_request_goes_on();

CREATE TRIGGER cash_requests_stay BEFORE DELETE OR TRUNCATE ON public.cash_requests FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER cash_sources_stay BEFORE DELETE OR TRUNCATE ON public.cash_sources FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('requests refer to it');

CREATE TRIGGER code_is_filled_in BEFORE INSERT ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION public.fill_in_code();

CREATE TRIGGER entries_stay BEFORE DELETE OR TRUNCATE ON public.tournament_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER entry_goes_on BEFORE UPDATE ON public.tournament_entries FOR EACH ROW EXECUTE FUNCTION public.entry_goes_on();

CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER UPDATE OF balance ON public.ledger_accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.kind = 'escrow'::text)) EXECUTE FUNCTION public.check_escrow();

CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE OF returned ON public.tournament_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.check_escrow();

CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE ON public.tournament_places DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.check_escrow();

CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE ON public.tournaments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.check_escrow();

CREATE TRIGGER hand_players_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.hand_players FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER hands_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.hands FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER ledger_accounts_stay BEFORE DELETE OR TRUNCATE ON public.ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('legs refer to it');

CREATE TRIGGER legs_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.legs FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER legs_written AFTER INSERT ON public.legs REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.legs_written();

CREATE TRIGGER owner_has_new_epoch BEFORE UPDATE ON public.table_owners FOR EACH ROW EXECUTE FUNCTION public.refuse_used_epoch();

CREATE TRIGGER owners_stay BEFORE DELETE OR TRUNCATE ON public.table_owners FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('its epoch would be used again');

CREATE TRIGGER place_goes_on BEFORE UPDATE ON public.tournament_places FOR EACH ROW EXECUTE FUNCTION public.place_goes_on();

CREATE TRIGGER place_was_played AFTER INSERT ON public.tournament_places FOR EACH ROW EXECUTE FUNCTION public.place_was_played();

CREATE TRIGGER places_stay BEFORE DELETE OR TRUNCATE ON public.tournament_places FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER played_is_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.played FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER roll_back_was_played AFTER UPDATE OF phase ON public.tournaments FOR EACH ROW WHEN (((new.phase = 'rolled_back'::text) AND (old.phase <> 'rolled_back'::text))) EXECUTE FUNCTION public.roll_back_was_played();

CREATE TRIGGER round_ends_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.round_ends FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER round_players_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.round_players FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER round_stakes_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.round_stakes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER round_was_played AFTER INSERT ON public.round_ends FOR EACH ROW EXECUTE FUNCTION public.round_was_played();

CREATE TRIGGER rounds_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.rounds FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER stack_stays BEFORE UPDATE ON public.tournaments FOR EACH ROW WHEN (((old.stack IS NOT NULL) AND (new.stack IS DISTINCT FROM old.stack))) EXECUTE FUNCTION public.stack_stays();

CREATE TRIGGER timeout_all_ins_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.timeout_all_ins FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

CREATE TRIGGER tournament_goes_on BEFORE UPDATE ON public.tournaments FOR EACH ROW EXECUTE FUNCTION public.tournament_goes_on();

CREATE TRIGGER tournaments_stay BEFORE DELETE OR TRUNCATE ON public.tournaments FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('money was booked under it');

CREATE TRIGGER transfers_are_for_ever BEFORE DELETE OR UPDATE OR TRUNCATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what was written stays');

ALTER TABLE ONLY public.account_settings
    ADD CONSTRAINT account_settings_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.cash_requests
    ADD CONSTRAINT cash_requests_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.cash_requests
    ADD CONSTRAINT cash_requests_source_fkey FOREIGN KEY (source) REFERENCES public.cash_sources(name);

ALTER TABLE ONLY public.departures
    ADD CONSTRAINT departures_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.hands
    ADD CONSTRAINT hands_transfer_fkey FOREIGN KEY (transfer) REFERENCES public.transfers(id);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_owner_fkey FOREIGN KEY (owner) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.open_rounds
    ADD CONSTRAINT open_rounds_round_fkey FOREIGN KEY (round) REFERENCES public.rounds(transfer);

ALTER TABLE ONLY public.round_ends
    ADD CONSTRAINT round_ends_round_fkey FOREIGN KEY (round) REFERENCES public.rounds(transfer);

ALTER TABLE ONLY public.round_ends
    ADD CONSTRAINT round_ends_transfer_fkey FOREIGN KEY (transfer) REFERENCES public.transfers(id);

ALTER TABLE ONLY public.rounds
    ADD CONSTRAINT rounds_transfer_fkey FOREIGN KEY (transfer) REFERENCES public.transfers(id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.tournament_entries
    ADD CONSTRAINT tournament_entries_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.tournament_entries
    ADD CONSTRAINT tournament_entries_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);

ALTER TABLE ONLY public.tournament_places
    ADD CONSTRAINT tournament_places_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.tournament_places
    ADD CONSTRAINT tournament_places_paid_fkey FOREIGN KEY (paid) REFERENCES public.transfers(id);

ALTER TABLE ONLY public.tournament_places
    ADD CONSTRAINT tournament_places_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);

RESET search_path;
RESET check_function_bodies;
