-- Who owns a table, and the fence: what changes the seats and stacks of a table names the epoch of the owner who asks,
-- and is refused under any other epoch than the table's. A key that was used before is answered before anybody asks
-- whose table it is: that answer changes nothing.
--
-- Locks, as a whole: transfer keys (sorted), owners (shared), the account that buys in, the seat, ledger accounts (by
-- id). An owner's row is locked exclusively by `take_table` and `release_table` alone, one row each and nothing beside
-- it: they wait for the writes of the last owner that are under way, and nobody waits for them in a circle.

CREATE TABLE table_owners (
    table_id text PRIMARY KEY,
    epoch    bigint NOT NULL CHECK (epoch > 0),
    node     text  -- null: nobody has it, and nobody writes
);

-- An epoch is used once: it goes up with every owner, and no row goes away.
CREATE FUNCTION refuse_used_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.table_id <> OLD.table_id OR NEW.epoch < OLD.epoch OR (NEW.epoch = OLD.epoch AND NEW.node IS NOT NULL) THEN
        RAISE EXCEPTION 'epoch % of % was given before', NEW.epoch, OLD.table_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER owner_has_new_epoch BEFORE UPDATE ON table_owners
    FOR EACH ROW EXECUTE FUNCTION refuse_used_epoch();
CREATE TRIGGER owners_stay BEFORE DELETE OR TRUNCATE ON table_owners
    EXECUTE FUNCTION refuse_change('its epoch would be used again');

-- Under which epoch a hand was settled; null before there were any.
ALTER TABLE hands ADD COLUMN epoch bigint;

-- What `tables_max` is counted by, and where an account sits.
CREATE INDEX seats_of_account ON seats (account);

-- The new epoch, or null if `last_epoch` (0: never owned) is not the table's any more. The same node asking again gets
-- the same answer. It waits for what the last owner is writing; if that does not end (his process was stopped in the
-- middle of a message), this attempt fails, and does not hang.
CREATE FUNCTION take_table(at_table text, new_node text, last_epoch bigint) RETURNS bigint
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
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

CREATE FUNCTION release_table(at_table text, of_epoch bigint) RETURNS void
LANGUAGE sql AS $$ UPDATE table_owners SET node = NULL WHERE table_id = at_table AND epoch = of_epoch $$;

-- Refuses another epoch than the table's, and keeps it the table's until the transaction ends.
CREATE FUNCTION check_owner(at_table text, of_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM table_owners WHERE table_id = at_table AND epoch = of_epoch AND node IS NOT NULL FOR SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('table_has_other_owner', format('epoch %s of %s is over', of_epoch, at_table));
    END IF;
END $$;

-- As in 002, and an account holds seats at `tables_max` tables at most. Its row is locked, so that its buy-ins at
-- several tables come one after the other and each counts those before it.
DROP FUNCTION buy_in(text, text, smallint, bigint, bigint);
CREATE FUNCTION buy_in(
    new_key text, at_table text, of_epoch bigint, new_seat smallint, player bigint, moved bigint, tables_max integer
) RETURNS void LANGUAGE plpgsql AS $$
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

-- As in 002, by the table's owner.
DROP FUNCTION top_up(text, text, bigint, bigint);
CREATE FUNCTION top_up(new_key text, at_table text, of_epoch bigint, player bigint, moved bigint) RETURNS void
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
    PERFORM FROM seats WHERE table_id = at_table AND account = player FOR KEY SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('account_has_seat', format('account %s has no seat at %s', player, at_table));
    END IF;
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stack, moved);
END $$;

-- As in 003, by the table's owner.
DROP FUNCTION cash_out(text, text, bigint);
CREATE FUNCTION cash_out(new_key text, at_table text, of_epoch bigint, player bigint) RETURNS bigint
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
    SELECT balance INTO moved FROM ledger_accounts WHERE id = stack;
    IF moved <> 0 THEN
        INSERT INTO legs VALUES (new_transfer, stack, -moved), (new_transfer, wallet, moved);
    END IF;
    INSERT INTO departures (table_id, account, amount) VALUES (at_table, player, moved)
        ON CONFLICT (table_id, account) DO UPDATE SET departed = excluded.departed, amount = excluded.amount;
    RETURN moved;
END $$;

-- As in 002, and a past owner is told that he is one: he may have played the hand otherwise than the next one did.
DROP FUNCTION compare_settled(text[], text[], bigint[], integer[], bigint[], bigint[]);
CREATE FUNCTION compare_settled(
    hand_ids text[], table_ids text[], epochs bigint[], new_transfers bigint[],
    in_hand integer[], players bigint[], deltas bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
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

-- As in 003, with one more element per hand, the third: the epoch of the owner who played it. In which order a batch
-- locks the owners does not matter: it shares them, and who wants one for himself holds no other.
DROP FUNCTION settle_hands(text[], text[], bigint[], bigint[], bytea[], integer[], bigint[], bigint[], boolean[]);
CREATE FUNCTION settle_hands(
    hand_ids text[], table_ids text[], epochs bigint[], started_ms bigint[], ended_ms bigint[], records bytea[],
    in_hand integer[], players bigint[], deltas bigint[], by_clock boolean[]
) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$  -- as for legs_written (001)
DECLARE
    new_transfers bigint[];  -- per hand; null where the key was there
    new_hands     bigint;
    new_players   bigint;
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
    GET DIAGNOSTICS new_players = ROW_COUNT;

    IF true = ANY (by_clock) THEN
        INSERT INTO timeout_all_ins (ended, hand, account)
            SELECT timestamptz 'epoch' + ended_ms[n] * interval '1 millisecond', new_transfers[n], account
            FROM unnest(in_hand, players, by_clock) AS player (n, account, late)
            WHERE late AND new_transfers[n] IS NOT NULL;
    END IF;

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
