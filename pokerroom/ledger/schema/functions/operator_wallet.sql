-- The operator's wallet: money comes in by debits of it, and goes back by credits (`ledger/operator_wallet.py`).
--
-- A debit moves its amount when the operator's server has said that it was done, in the transaction that notes it. A credit
-- has moved its amount when its row is written: from then on the room owes it to the operator's wallet. So the balance of
-- `external` is the sum of these rows, and each of them moves money once. An undone debit has a rollback, which moves nothing
-- here. The row of a debit is locked before the ledger accounts, as that of a request of the cashier, and `external` is locked
-- before wallets, whatever its id: nothing but these functions moves it.

-- A transfer ends once, and its terms stay.
CREATE OR REPLACE FUNCTION wallet_transfer_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'asked' OR (NEW.number, NEW.id, NEW.account, NEW.kind, NEW.amount, NEW.undoes, NEW.asked)
            IS DISTINCT FROM (OLD.number, OLD.id, OLD.account, OLD.kind, OLD.amount, OLD.undoes, OLD.asked)
    THEN
        RAISE EXCEPTION 'transfer % of the wallet ends once and keeps its terms', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- A transfer stays. Only a debit that was refused a day ago or earlier may go: it has moved nothing, and the brake of
-- `ask_wallet_debit` does not look at it any more.
CREATE OR REPLACE FUNCTION wallet_transfer_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'refused' OR OLD.ended > now() - interval '1 day' THEN
        RAISE EXCEPTION 'delete of transfer % of the wallet is refused: what was written stays', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN OLD;
END $$;

-- The id by which the operator's server knows a transfer.
CREATE OR REPLACE FUNCTION wallet_transfer_id(of_id uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'wt_' || replace(of_id::text, '-', '')
$$;

-- Whether something is on its way between the account and the operator's wallet.
CREATE OR REPLACE FUNCTION wallet_is_waiting(of_account bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM wallet_transfers WHERE account = of_account AND state = 'asked')
$$;

-- Refuses an account with something in the room, or on its way.
CREATE OR REPLACE FUNCTION check_wallet_rest(of_account bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF wallet_is_waiting(of_account) OR owned_by(of_account) > 0 OR EXISTS (SELECT FROM seats WHERE account = of_account) THEN
        PERFORM refuse('wallet_is_at_rest', format('account %s has money in the room, or on its way', of_account));
    END IF;
END $$;

-- What a line of the log has of a player of the operator: the same for the same one, and not the id.
CREATE OR REPLACE FUNCTION wallet_fingerprint(of_player text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
    SELECT json_build_object('fingerprint', left(encode(sha256(convert_to(of_player, 'UTF8')), 'hex'), 16))
$$;

-- Links an account with a player of the operator. The same link again changes nothing. The line of the log does not name the
-- player, because lines are permanent, and a link goes with its account. Its fingerprint tells whether two are the same.
CREATE OR REPLACE FUNCTION link_wallet(of_account bigint, new_player text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    IF EXISTS (SELECT FROM wallet_links WHERE account = of_account AND player = new_player) THEN
        RETURN;
    ELSIF EXISTS (SELECT FROM wallet_links WHERE account = of_account) THEN
        PERFORM refuse('wallet_account_has_one_player', format('account %s has another player: unlink it first', of_account));
    ELSIF EXISTS (SELECT FROM accounts WHERE id = of_account AND password_hash IN ('!house', '!gone')) THEN
        PERFORM refuse('account_exists', format('account %s is no player', of_account));
    END IF;
    PERFORM check_wallet_rest(of_account);  -- what it has now did not come from there
    INSERT INTO wallet_links (account, player) VALUES (of_account, new_player);
    INSERT INTO ledger_accounts (kind) VALUES ('external') ON CONFLICT (code) DO NOTHING;
    PERFORM log_act(actor, 'wallet.link', 'account:' || of_account, wallet_fingerprint(new_player));
END $$;

-- Removes the link of an account with nothing in the room and nothing on its way. Without a link nothing changes.
CREATE OR REPLACE FUNCTION unlink_wallet(of_account bigint, actor acting) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old_player text;
BEGIN
    PERFORM lock_account(of_account);
    PERFORM check_wallet_rest(of_account);
    DELETE FROM wallet_links WHERE account = of_account RETURNING player INTO old_player;
    IF FOUND THEN
        PERFORM log_act(actor, 'wallet.unlink', 'account:' || of_account, wallet_fingerprint(old_player));
    END IF;
END $$;

-- Writes a debit of what the account lacks for an act that costs `needed`, and returns it. All is null for an account without
-- a link, and where chips of a club are needed; the amount is 0 if nothing is lacking. Who may not play is not debited.
-- The caller has `limit_s` seconds to end it: then it is undone. Nothing is asked for that the server has refused in the last
-- `refused_s` seconds, and nothing at all after `refusals_max` refusals in `refusals_s` seconds.
CREATE OR REPLACE FUNCTION ask_wallet_debit(
    of_account bigint, at_table text, needed bigint, limit_s integer,
    refused_s integer, refusals_max integer, refusals_s integer,
    OUT new_number bigint, OUT new_id text, OUT of_player text, OUT lacking bigint
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT player INTO of_player FROM wallet_links WHERE account = of_account;
    IF of_player IS NULL OR EXISTS (SELECT FROM hosted_tables WHERE table_id = at_table AND club IS NOT NULL) THEN
        of_player := NULL;
        RETURN;
    END IF;
    PERFORM check_play(of_account, needed);
    SELECT greatest(needed - balance, 0) INTO lacking FROM ledger_accounts WHERE code = 'wallet:' || of_account;
    IF lacking > 0 THEN
        IF (SELECT count(*) >= refusals_max
                OR coalesce(bool_or(amount <= lacking AND ended > now() - make_interval(secs => refused_s)), false)
            FROM wallet_transfers
            WHERE state = 'refused' AND account = of_account AND ended > now() - make_interval(secs => refusals_s))
        THEN
            PERFORM refuse('wallet_has_not_refused', format('the wallet of account %s has just refused', of_account));
        END IF;
        INSERT INTO wallet_transfers (account, kind, amount, due, tries)
            VALUES (of_account, 'debit', lacking, now() + make_interval(secs => limit_s), 1)
            RETURNING number, wallet_transfer_id(id) INTO new_number, new_id;
    END IF;
END $$;

-- Ends a debit as `done`, `refused` or `undone`, once. Returns how it has ended: differently if another call was faster. One
-- that is undone has a rollback.
CREATE OR REPLACE FUNCTION end_wallet_debit(of_number bigint, new_state text, why text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    debit        wallet_transfers;
    external     bigint := ledger_account_of('external');
    wallet       bigint;
    new_transfer bigint;
BEGIN
    SELECT * INTO debit FROM wallet_transfers WHERE number = of_number AND kind = 'debit' FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('wallet_transfer_exists', format('there is no debit %s', of_number));
    ELSIF debit.state <> 'asked' THEN
        RETURN debit.state;
    END IF;
    UPDATE wallet_transfers SET state = new_state, ended = now(), failure = why WHERE number = of_number;
    IF new_state = 'undone' THEN
        INSERT INTO wallet_transfers (account, kind, amount, undoes)
            VALUES (debit.account, 'rollback', debit.amount, of_number);
    ELSIF new_state = 'done' THEN
        wallet := ledger_account_of('wallet:' || debit.account);
        PERFORM FROM ledger_accounts WHERE id = external FOR NO KEY UPDATE;
        new_transfer := begin_transfer(
            format('external:%s:%s', debit.account, of_number), 'wallet_debit', external, wallet, debit.amount);
        INSERT INTO legs VALUES (new_transfer, external, -debit.amount), (new_transfer, wallet, debit.amount);
    END IF;
    RETURN new_state;
END $$;

-- Undoes the debits with an outcome that is unknown and that no node awaits any more. Returns how many.
CREATE OR REPLACE FUNCTION undo_late_wallet_debits() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    late   bigint;
    undone bigint := 0;
BEGIN
    FOR late IN
        SELECT number FROM wallet_transfers WHERE state = 'asked' AND kind = 'debit' AND due <= now()
        ORDER BY number LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED
    LOOP
        PERFORM end_wallet_debit(late, 'undone', 'the node did not end it');
        undone := undone + 1;
    END LOOP;
    RETURN undone;
END $$;

-- Writes a credit of all that linked accounts hold and do not use, at most for so many accounts. A debit of the last
-- `free_s` seconds is about to be used, and so is money of a player at a table that takes bets from the wallet. Returns how
-- many credits.
CREATE OR REPLACE FUNCTION queue_wallet_credits(free_s integer, at_most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    external     bigint := ledger_account_of('external');
    holder       record;
    rest         bigint;
    new_number   bigint;
    new_transfer bigint;
    written      bigint := 0;
BEGIN
    PERFORM FROM ledger_accounts WHERE id = external FOR NO KEY UPDATE;
    FOR holder IN
        SELECT link.account, held.id AS wallet
        FROM wallet_links AS link JOIN ledger_accounts AS held ON held.code = 'wallet:' || link.account
        WHERE held.balance > 0
          AND NOT EXISTS (SELECT FROM seats WHERE seats.account = link.account AND place)
          AND NOT EXISTS (
            SELECT FROM wallet_transfers AS debit
            WHERE debit.account = link.account AND kind = 'debit'
              AND (state = 'asked' OR state = 'done' AND ended > now() - make_interval(secs => free_s)))
        ORDER BY held.id LIMIT at_most
    LOOP
        SELECT balance INTO rest FROM ledger_accounts WHERE id = holder.wallet FOR NO KEY UPDATE;
        CONTINUE WHEN rest = 0;
        INSERT INTO wallet_transfers (account, kind, amount) VALUES (holder.account, 'credit', rest)
            RETURNING number INTO new_number;
        new_transfer := begin_transfer(
            format('external:%s:%s', holder.account, new_number), 'wallet_credit', holder.wallet, external, rest);
        INSERT INTO legs VALUES (new_transfer, holder.wallet, -rest), (new_transfer, external, rest);
        written := written + 1;
    END LOOP;
    RETURN written;
END $$;

-- Takes the next credits and rollbacks that are due. The caller sends them within `lease_s` seconds; one that does not come
-- back is due again then.
CREATE OR REPLACE FUNCTION claim_wallet_transfers(at_most integer, lease_s integer) RETURNS SETOF wallet_transfers
LANGUAGE sql AS $$
    WITH claimed AS (
        UPDATE wallet_transfers SET tries = tries + 1, due = now() + make_interval(secs => lease_s)
        WHERE number IN (
            SELECT number FROM wallet_transfers WHERE state = 'asked' AND kind <> 'debit' AND due <= now()
            ORDER BY due, number LIMIT at_most FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING *
    )
    SELECT * FROM claimed ORDER BY number
$$;

-- Notes that a credit or a rollback is done, whoever has claimed it meanwhile.
CREATE OR REPLACE FUNCTION end_wallet_transfer(of_number bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE wallet_transfers SET state = 'done', ended = now(), failure = ''
    WHERE number = of_number AND kind <> 'debit' AND state = 'asked'
$$;

-- Notes that a try failed: the next one is after `pause_s` seconds. An older try than the last one changes nothing.
CREATE OR REPLACE FUNCTION fail_wallet_transfer(of_number bigint, of_try integer, why text, pause_s integer) RETURNS void
LANGUAGE sql AS $$
    UPDATE wallet_transfers SET due = now() + make_interval(secs => pause_s), failure = why
    WHERE number = of_number AND kind <> 'debit' AND state = 'asked' AND tries = of_try
$$;

-- Lets a credit or a rollback that waits be tried at once, or all of them. Returns how many.
CREATE OR REPLACE FUNCTION retry_wallet_transfers(of_number bigint, actor acting) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    retried bigint;
BEGIN
    IF of_number IS NOT NULL AND NOT EXISTS (SELECT FROM wallet_transfers WHERE number = of_number) THEN
        PERFORM refuse('wallet_transfer_exists', format('there is no transfer %s', of_number));
    END IF;
    UPDATE wallet_transfers SET due = now()
        WHERE state = 'asked' AND kind <> 'debit' AND due > now() AND number = coalesce(of_number, number);
    GET DIAGNOSTICS retried = ROW_COUNT;
    IF retried > 0 THEN
        PERFORM log_act(actor, 'wallet.retry', coalesce('transfer:' || of_number, ''),
                        json_build_object('transfers', retried));
    END IF;
    RETURN retried;
END $$;

-- Removes debits that were refused so many days ago, one day or more, at most so many.
CREATE OR REPLACE FUNCTION remove_old_refused_debits(days integer, at_most integer, actor acting) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    removed integer;
BEGIN
    DELETE FROM wallet_transfers WHERE number IN (
        SELECT number FROM wallet_transfers
        WHERE state = 'refused' AND ended < now() - make_interval(days => greatest(days, 1))
        ORDER BY ended LIMIT at_most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS removed = ROW_COUNT;
    IF removed > 0 THEN
        PERFORM log_act(actor, 'retention.wallet', '', json_build_object('debits', removed));
    END IF;
    RETURN removed;
END $$;
