-- Rounds against the house: places, the accounts of a table, bets, Plays and tips, and the end of a round.
--
-- Locks: transfer keys, owners (shared), the account that takes a place, the seat, the open round, ledger accounts (by
-- id). What the house has at a table is changed by the table's owner alone, so that it may be read before it is locked.

-- Kinds and codes -------------------------------------------------------------------------------------------------------

-- What was allowed stays allowed, whichever migrations were there before: what is new is added to it.
CREATE FUNCTION pg_temp.extend_check(of_table regclass, rule text, more text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    present text;
BEGIN
    SELECT pg_get_expr(conbin, conrelid) INTO STRICT present
    FROM pg_constraint WHERE conrelid = of_table AND conname = rule;
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I CHECK (%s OR %s)',
                   of_table, rule, rule, present, more);
END $$;

SELECT pg_temp.extend_check('transfers', 'transfers_kind_check',
    $$kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')$$);
-- An account of a table has its code as its kind. The stored expression of codes (001) gives kinds that it does not know
-- as they are; to change it would be to write the whole table anew.
SELECT pg_temp.extend_check('ledger_accounts', 'ledger_accounts_kind_check',
    $$kind = 'tronc' OR coalesce(kind IN ('stakes:' || table_id, 'house:' || table_id, 'meter:' || table_id), false)$$);
SELECT pg_temp.extend_check('ledger_accounts', 'ledger_account_table', $$table_id IS NOT NULL AND kind LIKE '%:%'$$);

INSERT INTO ledger_accounts (kind) VALUES ('tronc');

-- Places ----------------------------------------------------------------------------------------------------------------

-- A place is a seat without a stack: its holder plays from his wallet.
ALTER TABLE seats ADD COLUMN place boolean NOT NULL DEFAULT false;

CREATE FUNCTION take_place(
    new_key text, at_table text, of_epoch bigint, new_place smallint, player bigint, tables_max integer
) RETURNS void LANGUAGE plpgsql AS $$
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

-- As in 004, at a seat with a stack alone.
CREATE OR REPLACE FUNCTION top_up(new_key text, at_table text, of_epoch bigint, player bigint, moved bigint) RETURNS void
LANGUAGE plpgsql AS $$
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

-- As in 004, and a place may have no stack.
CREATE OR REPLACE FUNCTION cash_out(new_key text, at_table text, of_epoch bigint, player bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
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

-- Rounds ----------------------------------------------------------------------------------------------------------------

CREATE SEQUENCE round_count;

CREATE TABLE rounds (
    transfer bigint PRIMARY KEY REFERENCES transfers,  -- that of its bets
    round_id text NOT NULL,
    table_id text NOT NULL,
    epoch    bigint NOT NULL,
    started  timestamptz NOT NULL,
    CONSTRAINT round_begins_once UNIQUE (round_id)
);

-- Those that are not over: one a table.
CREATE TABLE open_rounds (
    table_id text NOT NULL,
    round    bigint NOT NULL UNIQUE REFERENCES rounds,
    CONSTRAINT table_has_one_round PRIMARY KEY (table_id)
);

-- What each has put in: his bets, then Plays and tips. No foreign keys, as for legs.
CREATE TABLE round_stakes (
    round    bigint NOT NULL,  -- rounds.transfer
    transfer bigint NOT NULL,
    account  bigint NOT NULL,
    kind     text NOT NULL CHECK (kind IN ('bets', 'play', 'tip')),
    amount   bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (round, transfer, account)
);

CREATE TABLE round_ends (
    round     bigint PRIMARY KEY REFERENCES rounds,
    transfer  bigint NOT NULL UNIQUE REFERENCES transfers,
    epoch     bigint NOT NULL,
    ended     timestamptz NOT NULL,
    void      boolean NOT NULL,
    house     bigint NOT NULL,
    fed       bigint NOT NULL CHECK (fed >= 0),
    paid      bigint NOT NULL CHECK (paid >= 0),
    reseeded  bigint NOT NULL CHECK (reseeded >= 0),
    tronc     bigint NOT NULL CHECK (tronc >= 0),
    record    jsonb NOT NULL
);

-- Who played which round that is over: by account, newest last, for histories. `paid` is all that went to his wallet.
CREATE TABLE round_players (
    account bigint NOT NULL,
    round   bigint NOT NULL,
    staked  bigint NOT NULL CHECK (staked > 0),
    tipped  bigint NOT NULL CHECK (tipped >= 0),
    paid    bigint NOT NULL CHECK (paid >= 0),
    PRIMARY KEY (account, round)
);

CREATE TRIGGER rounds_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON rounds
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_stakes_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON round_stakes
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_ends_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON round_ends
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_players_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON round_players
    EXECUTE FUNCTION refuse_change('what was written stays');

-- Ids are handed out in this order; the bank's is below all.
CREATE FUNCTION make_round_accounts(at_table text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ledger_accounts (kind, table_id)
    SELECT kind || at_table, at_table FROM unnest(ARRAY['house:', 'meter:', 'stakes:']) AS kind
    WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'stakes:' || at_table)
    ON CONFLICT (code) DO NOTHING
$$;

-- Takes `amount` out of the bank for a transfer that puts it at a table.
CREATE FUNCTION check_bank(amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM ledger_accounts WHERE code = 'bank' AND balance >= amount FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('bank_holds_it', format('the bank does not hold %s', amount));
    END IF;
END $$;

-- Returns what the meter holds.
CREATE FUNCTION open_bank(at_table text, of_epoch bigint, seed bigint) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- The last two arrays have an element per account that has bet: who, and how much. Who holds too little is named, with
-- what he holds, in the detail of the error.
CREATE FUNCTION close_bets(
    new_round text, at_table text, of_epoch bigint, started_ms bigint, exposure bigint, players bigint[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
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

-- The open round of this id at a table, kept open until the transaction ends.
CREATE FUNCTION check_round(of_round text, at_table text) RETURNS bigint LANGUAGE plpgsql AS $$
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

CREATE FUNCTION add_stake(
    new_key text, of_round text, at_table text, of_epoch bigint, new_kind text, player bigint, moved bigint
) RETURNS void LANGUAGE plpgsql AS $$
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

-- Writes the end of a round whose `round_players` are there already, and empties the table.
CREATE FUNCTION write_end(of_round bigint, end_transfer bigint, at_table text) RETURNS void LANGUAGE sql AS $$
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

-- The transfer of the end of a round; null if it is over already as it is said to be now.
CREATE FUNCTION begin_end(
    of_round text, at_table text, of_epoch bigint, is_void boolean, players bigint[], deltas bigint[],
    house_has bigint, was_fed bigint, has_paid bigint, was_reseeded bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
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

CREATE FUNCTION settle_round(
    of_round text, at_table text, of_epoch bigint, ended_ms bigint, new_record bytea, players bigint[], deltas bigint[],
    house_has bigint, meter_before bigint, was_fed bigint, has_paid bigint, was_reseeded bigint, given bigint
) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE FUNCTION void_round(of_round text, at_table text, of_epoch bigint, ended_ms bigint, new_record bytea) RETURNS void
LANGUAGE plpgsql AS $$
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
