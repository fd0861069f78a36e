-- Rounds against the house: the accounts of a table, bets, Plays and tips, and the end of a round.
--
-- Only the owner of a table changes what the house holds there. So these functions read that balance before they lock it.

-- Makes the accounts of a table. Locks go by id: the bank's id is lower than these, and these follow this order.
CREATE OR REPLACE FUNCTION make_round_accounts(at_table text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ledger_accounts (kind, table_id)
    SELECT kind || at_table, at_table FROM unnest(ARRAY['house:', 'meter:', 'stakes:']) AS kind
    WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'stakes:' || at_table)
    ON CONFLICT (code) DO NOTHING
$$;

-- Fills the meter of a table up to `seed` from the bank, once per epoch. Returns what the meter holds.
CREATE OR REPLACE FUNCTION open_bank(at_table text, of_epoch bigint, seed bigint) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- All bets from the wallets to the table. The last two arrays have one element per account: the account, and its
-- bets. The house account of the table is filled from the bank up to `exposure`. If wallets hold too little, or less is
-- left of a loss limit, nothing for an excluded account, the detail of the error is a JSON object of these accounts and
-- what each may bet, and a list of those at their limit.
CREATE OR REPLACE FUNCTION close_bets(
    new_round text, at_table text, of_epoch bigint, started_ms bigint, exposure bigint, players bigint[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    new_transfer bigint;
    lacking      bigint;
    short        text;
    lefts        bigint[];  -- per account: what is left of its loss limit, 0 if it is excluded; null without both
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
    IF has_limit(players, 'loss') OR EXISTS (SELECT FROM excluded_among(players)) THEN
        PERFORM FROM accounts WHERE id = ANY (players) ORDER BY id FOR NO KEY UPDATE;
        SELECT array_agg(CASE WHEN player IN (SELECT excluded_among(players)) THEN 0
                              ELSE (SELECT remains FROM limit_left(player, 'loss')) END ORDER BY n) INTO lefts
            FROM unnest(players) WITH ORDINALITY AS bet (player, n);
    END IF;
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
    SELECT jsonb_build_object(
        'balances', jsonb_object_agg(player, greatest(0, least(balance, remains))),
        'limited', coalesce(jsonb_agg(player) FILTER (WHERE remains < balance), '[]'))::text INTO short
    FROM unnest(players, amounts, lefts) AS bet (player, amount, remains)
    JOIN ledger_accounts ON code = 'wallet:' || player
    WHERE least(balance, remains) < amount
    HAVING count(*) > 0;
    IF FOUND THEN
        RAISE EXCEPTION 'wallets do not cover the bets of round %', new_round
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

-- The number of the open round of this id, which stays open until the transaction ends.
CREATE OR REPLACE FUNCTION check_round(of_round text, at_table text) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- A Play or a tip from the wallet to the table.
CREATE OR REPLACE FUNCTION add_stake(
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
    PERFORM check_limit(player, 'loss', moved);
    INSERT INTO round_stakes VALUES (check_round(of_round, at_table), new_transfer, player, new_kind, moved);
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stakes, moved);
END $$;

-- Writes the legs of the end of a round from `round_players` and `round_ends`, and closes the round.
CREATE OR REPLACE FUNCTION write_end(of_round bigint, end_transfer bigint, at_table text) RETURNS void LANGUAGE sql AS $$
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

-- Begins the transfer that ends a round. Returns null if the round has ended in the same way before.
CREATE OR REPLACE FUNCTION begin_end(
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
            PERFORM refuse('key_has_other_legs', format('round %s has ended with another result', of_round));
        END IF;
        RETURN NULL;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    RETURN new_transfer;
END $$;

-- Ends a round with a result.
CREATE OR REPLACE FUNCTION settle_round(
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
        PERFORM refuse('meter_is_as_before', format('the meter of %s does not hold %s', at_table, meter_before));
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
        PERFORM refuse('tips_are_the_tronc', format('the tips of round %s do not match its stakes', of_round));
    END IF;
    PERFORM write_end(of_transfer, new_transfer, at_table);
END $$;

-- Ends a round without a result: bets and Plays return to the wallets, tips stay given.
CREATE OR REPLACE FUNCTION void_round(of_round text, at_table text, of_epoch bigint, ended_ms bigint, new_record bytea) RETURNS void
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
