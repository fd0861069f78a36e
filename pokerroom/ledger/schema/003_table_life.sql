-- What a table's life needs of the ledger: what an account took with it when it last left a table (rat-holing), and
-- how often it was all-in by the clock (H2).

-- The last cash-out of each account at each table, one of nothing too: a transfer of nothing has no legs to read it
-- from. Who left before this migration is not in it, and comes back as he likes.
CREATE TABLE departures (
    table_id text NOT NULL,
    account  bigint NOT NULL REFERENCES accounts,
    departed timestamptz NOT NULL DEFAULT now(),
    amount   bigint NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (table_id, account)
);

-- Who was all-in by the clock in which hand. `ended` is the hand's, and first in the key: the one index answers "since
-- when" from a range of itself, and costs a hand without such a player nothing. Written by settle_hands alone.
CREATE TABLE timeout_all_ins (
    ended   timestamptz NOT NULL,
    hand    bigint NOT NULL,  -- hands.transfer
    account bigint NOT NULL,
    PRIMARY KEY (ended, hand, account)
);
CREATE TRIGGER timeout_all_ins_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON timeout_all_ins
    EXECUTE FUNCTION refuse_change('what was written stays');

-- As in 002, and it notes the departure; and it looks for the stack once it has the seat: a buy-in, the first of this
-- account here, may have been committed since the call began. Locks: the row of `departures` comes after the seat, and
-- only who has just freed that seat takes it.
CREATE OR REPLACE FUNCTION cash_out(new_key text, at_table text, player bigint) RETURNS bigint
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

-- As in 002, with a fourth element per player of a hand: whether he was all-in by the clock. A hand that was settled
-- before counts nothing more.
DROP FUNCTION settle_hands(text[], text[], bigint[], bigint[], bytea[], integer[], bigint[], bigint[]);
CREATE FUNCTION settle_hands(
    hand_ids text[], table_ids text[], started_ms bigint[], ended_ms bigint[], records bytea[],
    in_hand integer[], players bigint[], deltas bigint[], by_clock boolean[]
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
