-- What the room does with the ledger: each function is one round trip and one transaction.
--
-- A refusal is an error that names its constraint: one of the tables' (001), or one raised here. The adapter reads
-- only that name, never the message. `key_has_other_legs`, and anything refused in settle_hands, is a bug of ours.

CREATE FUNCTION refuse(rule text, message text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', message USING ERRCODE = 'check_violation', CONSTRAINT = rule;
END $$;

CREATE FUNCTION create_account(new_name text, new_password_hash text, opening bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
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

-- Starts a transfer. Null when the key is there already with the same kind and these two legs; another content is
-- refused. A concurrent transfer under the same key is waited for.
CREATE FUNCTION begin_transfer(new_key text, new_kind text, debited bigint, credited bigint, moved bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
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

CREATE FUNCTION ledger_account_of(new_code text) RETURNS bigint
LANGUAGE sql STABLE AS $$ SELECT id FROM ledger_accounts WHERE code = new_code $$;

CREATE FUNCTION buy_in(new_key text, at_table text, new_seat smallint, player bigint, moved bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    wallet       bigint := ledger_account_of('wallet:' || player);
    stack        bigint;
    new_transfer bigint;
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
    INSERT INTO seats (table_id, seat, account) VALUES (at_table, new_seat, player);
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stack, moved);
END $$;

CREATE FUNCTION top_up(new_key text, at_table text, player bigint, moved bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    wallet       bigint := ledger_account_of('wallet:' || player);
    stack        bigint := ledger_account_of('stack:' || at_table || ':' || player);
    new_transfer bigint := begin_transfer(new_key, 'top_up', wallet, stack, moved);
BEGIN
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    -- The lock keeps a cash-out from freeing the seat before these chips are on the stack.
    PERFORM FROM seats WHERE table_id = at_table AND account = player FOR KEY SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('account_has_seat', format('account %s has no seat at %s', player, at_table));
    END IF;
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stack, moved);
END $$;

-- Returns what was moved, now or under the same key before.
CREATE FUNCTION cash_out(new_key text, at_table text, player bigint) RETURNS bigint
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
    DELETE FROM seats WHERE table_id = at_table AND account = player;
    IF NOT FOUND THEN
        PERFORM refuse('account_has_seat', format('account %s has no seat at %s', player, at_table));
    END IF;
    -- The stack may be in a hand that is being settled on another connection: wait for that, then read.
    PERFORM FROM ledger_accounts WHERE id IN (wallet, stack) ORDER BY id FOR NO KEY UPDATE;
    SELECT balance INTO moved FROM ledger_accounts WHERE id = stack;
    IF moved <> 0 THEN
        INSERT INTO legs VALUES (new_transfer, stack, -moved), (new_transfer, wallet, moved);
    END IF;
    RETURN moved;
END $$;

-- Settles a batch of hands, all or none, and returns how many are new. The first five arrays have an element per
-- hand, the other three one per player of a hand: the number of the hand (from 1), the account, the change of its
-- stack. A hand must be named once, and an account once per hand.
CREATE FUNCTION settle_hands(
    hand_ids text[], table_ids text[], started_ms bigint[], ended_ms bigint[], records bytea[],
    in_hand integer[], players bigint[], deltas bigint[]
) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$  -- as for legs_written (001)
DECLARE
    new_transfers bigint[];  -- per hand; null where the key was there
    new_hands     bigint;
    new_players   bigint;
    seated        bigint;
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
        PERFORM compare_settled(hand_ids, table_ids, new_transfers, in_hand, players, deltas);
    END IF;
    IF new_hands = 0 THEN
        RETURN 0;
    END IF;

    INSERT INTO hands (transfer, hand_id, table_id, started, ended, record)
        SELECT new_transfer, hand_id, table_id,
               timestamptz 'epoch' + started * interval '1 millisecond',
               timestamptz 'epoch' + ended * interval '1 millisecond',
               convert_from(record, 'UTF8')::jsonb
        FROM unnest(new_transfers, hand_ids, table_ids, started_ms, ended_ms, records)
            AS hand (new_transfer, hand_id, table_id, started, ended, record)
        WHERE new_transfer IS NOT NULL;

    INSERT INTO hand_players (account, hand, delta)
        SELECT account, new_transfers[n], delta FROM unnest(in_hand, players, deltas) AS player (n, account, delta)
        WHERE new_transfers[n] IS NOT NULL;
    GET DIAGNOSTICS new_players = ROW_COUNT;

    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfers[n], ledger_accounts.id, delta
        FROM unnest(in_hand, players, deltas) AS player (n, account, delta)
        JOIN ledger_accounts ON code = 'stack:' || table_ids[n] || ':' || account
        WHERE delta <> 0 AND new_transfers[n] IS NOT NULL;

    -- Asked only now that the stacks are locked: a cash-out frees the seat before it locks the stack, so either
    -- it waits for this hand and takes its result along, or it is over and seen here.
    SELECT count(*) INTO seated
    FROM unnest(in_hand, players) AS player (n, account)
    JOIN seats ON seats.account = player.account AND table_id = table_ids[n]
    WHERE new_transfers[n] IS NOT NULL;
    IF seated <> new_players THEN
        PERFORM refuse('account_has_seat', 'a hand names an account that has no seat at its table');
    END IF;
    RETURN new_hands;
END $$;

-- Refuses if a hand that was settled before (null in new_transfers) has other legs than are given now.
CREATE FUNCTION compare_settled(
    hand_ids text[], table_ids text[], new_transfers bigint[], in_hand integer[], players bigint[], deltas bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    other text;
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
    )
    SELECT hand_id INTO other FROM settled
    WHERE kind <> 'hand' OR EXISTS (
        SELECT FROM (SELECT * FROM given WHERE given.n = settled.n) AS g
        FULL JOIN (SELECT * FROM written WHERE written.n = settled.n) AS w USING (code)
        WHERE g.amount IS DISTINCT FROM w.amount)
    LIMIT 1;
    IF FOUND THEN
        PERFORM refuse('key_has_other_legs', format('hand %s was settled with other legs', other));
    END IF;
END $$;
