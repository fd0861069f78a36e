-- Seats: buy-ins, top-ups and cash-outs at tables with stacks, places at tables against the house.

-- Holds a seat, if the account has fewer than `tables_max`. The row of the account is locked, so that its requests at
-- several tables are counted one after the other.
CREATE OR REPLACE FUNCTION hold_seat(
    at_table text, new_seat smallint, player bigint, is_place boolean, tables_max integer
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held bigint;
BEGIN
    PERFORM FROM accounts WHERE id = player FOR NO KEY UPDATE;
    INSERT INTO seats (table_id, seat, account, place) VALUES (at_table, new_seat, player, is_place);
    SELECT count(*) INTO held FROM seats WHERE account = player;
    IF held > tables_max THEN
        PERFORM refuse('account_has_seats_left', format('account %s has %s seats already', player, held - 1));
    END IF;
END $$;

-- Wallet to stack, and the seat is held.
CREATE OR REPLACE FUNCTION buy_in(
    new_key text, at_table text, of_epoch bigint, new_seat smallint, player bigint, moved bigint, tables_max integer
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    wallet       bigint := purse_of(at_table, player);
    stack        bigint;
    new_transfer bigint;
BEGIN
    IF ledger_account_of('wallet:' || player) IS NULL THEN
        PERFORM refuse('account_exists', format('there is no account %s', player));
    ELSIF wallet IS NULL THEN
        PERFORM check_hosted(at_table, player);  -- no member of the table's club is no guest of the table
    END IF;
    INSERT INTO ledger_accounts (kind, owner, table_id) VALUES ('stack', player, at_table)
        ON CONFLICT (code) DO NOTHING;
    stack := ledger_account_of('stack:' || at_table || ':' || player);
    new_transfer := begin_transfer(new_key, 'buy_in', wallet, stack, moved);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    PERFORM check_play(player, moved);
    PERFORM lock_account(player);  -- who leaves a club has no seat at its tables
    PERFORM check_hosted(at_table, player);
    PERFORM hold_seat(at_table, new_seat, player, false, tables_max);
    UPDATE seats SET bought = moved WHERE table_id = at_table AND account = player;
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stack, moved);
END $$;

-- Wallet to stack, at a seat with a stack.
CREATE OR REPLACE FUNCTION top_up(new_key text, at_table text, of_epoch bigint, player bigint, moved bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    wallet       bigint := purse_of(at_table, player);
    stack        bigint := ledger_account_of('stack:' || at_table || ':' || player);
    new_transfer bigint := begin_transfer(new_key, 'top_up', wallet, stack, moved);
BEGIN
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_owner(at_table, of_epoch);
    PERFORM check_play(player, moved);
    -- The lock keeps a cash-out from freeing the seat before these chips are on the stack.
    UPDATE seats SET bought = bought + moved WHERE table_id = at_table AND account = player AND NOT place;
    IF NOT FOUND THEN
        PERFORM refuse('account_has_seat', format('account %s has no seat at %s', player, at_table));
    END IF;
    INSERT INTO legs VALUES (new_transfer, wallet, -moved), (new_transfer, stack, moved);
END $$;

-- The whole stack to the wallet; the seat is free. Returns the amount, that of the first call if the key was used
-- before. It looks for the stack after it has freed the seat: the account's first buy-in may have been committed
-- since the call began. A place has no stack. The row of `departures` is locked after the seat, by the call that has
-- freed the seat.
CREATE OR REPLACE FUNCTION cash_out(new_key text, at_table text, of_epoch bigint, player bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    wallet       bigint := purse_of(at_table, player);
    stack        bigint := ledger_account_of('stack:' || at_table || ':' || player);
    new_transfer bigint;
    moved        bigint;
    brought      bigint;
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
    DELETE FROM seats WHERE table_id = at_table AND account = player RETURNING bought INTO brought;
    IF NOT FOUND THEN
        PERFORM refuse('account_has_seat', format('account %s has no seat at %s', player, at_table));
    END IF;
    stack := ledger_account_of('stack:' || at_table || ':' || player);
    -- Another connection may be settling a hand with this stack: wait for it, then read.
    PERFORM FROM ledger_accounts WHERE id IN (wallet, stack) ORDER BY id FOR NO KEY UPDATE;
    SELECT coalesce(max(balance), 0) INTO moved FROM ledger_accounts WHERE id = stack;
    IF moved <> 0 THEN
        INSERT INTO legs VALUES (new_transfer, stack, -moved), (new_transfer, wallet, moved);
    END IF;
    INSERT INTO play_results (account, lost) SELECT player, brought - moved WHERE brought <> moved;
    INSERT INTO departures (table_id, account, amount) VALUES (at_table, player, moved)
        ON CONFLICT (table_id, account) DO UPDATE SET departed = excluded.departed, amount = excluded.amount;
    RETURN moved;
END $$;

-- Holds a place at a table against the house.
CREATE OR REPLACE FUNCTION take_place(
    new_key text, at_table text, of_epoch bigint, new_place smallint, player bigint, tables_max integer
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    new_transfer bigint;
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
    PERFORM check_play(player, 0);
    PERFORM hold_seat(at_table, new_place, player, true, tables_max);
END $$;
