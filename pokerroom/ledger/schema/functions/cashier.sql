-- The cashier: sources of money, and requests for deposits and withdrawals, each decided once.

-- A request is decided once, and its terms stay.
CREATE OR REPLACE FUNCTION cash_request_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'waiting' OR (NEW.number, NEW.account, NEW.key, NEW.kind, NEW.amount, NEW.source, NEW.asked)
            IS DISTINCT FROM (OLD.number, OLD.account, OLD.key, OLD.kind, OLD.amount, OLD.source, OLD.asked)
    THEN
        RAISE EXCEPTION 'request % is decided once and keeps its terms', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- Opens a source, new or closed before.
CREATE OR REPLACE FUNCTION open_source(new_name text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_accounts (kind, table_id) SELECT 'source:' || new_name, new_name
        WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'source:' || new_name)
        ON CONFLICT (code) DO NOTHING;
    INSERT INTO cash_sources AS source VALUES (new_name, true)
        ON CONFLICT (name) DO UPDATE SET is_open = true WHERE NOT source.is_open;
    IF FOUND THEN
        PERFORM log_act(actor, 'cashier.open', new_name, '{}');
    END IF;
END $$;

-- Refuses a source that is not open, and keeps it open until the transaction ends.
CREATE OR REPLACE FUNCTION check_source(of_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM cash_sources WHERE name = of_name AND is_open FOR SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('source_is_open', format('there is no open source %s', of_name));
    END IF;
END $$;

-- Closes a source for new requests.
CREATE OR REPLACE FUNCTION close_source(of_name text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cash_sources SET is_open = false WHERE name = of_name AND is_open;
    IF FOUND THEN
        PERFORM log_act(actor, 'cashier.close', of_name, '{}');
    ELSIF NOT EXISTS (SELECT FROM cash_sources WHERE name = of_name) THEN
        PERFORM refuse('source_is_open', format('there is no source %s', of_name));
    END IF;
END $$;

-- Bank to source.
CREATE OR REPLACE FUNCTION fund_source(new_key text, of_name text, moved bigint, actor acting) RETURNS void
LANGUAGE plpgsql AS $$
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
    PERFORM log_act(actor, 'cashier.fund', of_name, json_build_object('amount', moved, 'key', new_key));
END $$;

-- Returns the number of the request; the same number if the account asks again with the same key and terms. A
-- withdrawal is held from now on. A request of an operator has the operator as its actor, and a line in the log.
CREATE OR REPLACE FUNCTION request_cash(
    of_account bigint, new_key text, new_kind text, new_amount bigint, of_source text, waiting_max integer,
    actor acting
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found_one    cash_requests;
    wallet       bigint := ledger_account_of('wallet:' || of_account);
    held         bigint := ledger_account_of('held');
    new_transfer bigint;
    new_number   bigint;
BEGIN
    PERFORM lock_account(of_account);
    SELECT * INTO found_one FROM cash_requests WHERE account = of_account AND key = new_key;
    IF FOUND THEN
        IF (found_one.kind, found_one.amount, found_one.source) <> (new_kind, new_amount, of_source) THEN
            PERFORM refuse('cash_key_is_used_once', format('the key %s was used for another request', new_key));
        END IF;
        RETURN found_one.number;
    END IF;
    IF actor IS NOT NULL AND four_eyes() THEN
        PERFORM refuse('cash_has_two_operators', 'two operators must agree: propose it by `pokerroom cashier adjust`');
    END IF;
    PERFORM check_source(of_source);
    IF (SELECT count(*) FROM cash_requests WHERE account = of_account AND state = 'waiting') >= waiting_max THEN
        PERFORM refuse('cash_requests_are_few', format('account %2$s has %1$s pending requests', waiting_max, of_account));
    END IF;
    IF new_kind = 'deposit' THEN
        PERFORM check_not_excluded(of_account);
        PERFORM check_limit(of_account, 'deposit', new_amount);
    END IF;
    INSERT INTO cash_requests (account, key, kind, amount, source)
        VALUES (of_account, new_key, new_kind, new_amount, of_source) RETURNING number INTO new_number;
    IF new_kind = 'withdrawal' THEN
        new_transfer := begin_transfer(format('cash:%s:%s', of_account, new_key), new_kind, wallet, held, new_amount);
        INSERT INTO legs VALUES (new_transfer, wallet, -new_amount), (new_transfer, held, new_amount);
    END IF;
    IF actor IS NOT NULL THEN
        PERFORM log_act(
            actor, CASE new_kind WHEN 'deposit' THEN 'cashier.deposit' ELSE 'cashier.withdraw' END, 'account:' || of_account,
            json_build_object('amount', new_amount, 'key', new_key, 'number', new_number, 'source', of_source), 'requested');
    END IF;
    RETURN new_number;
END $$;

-- Approves or refuses a request and moves its money. The same decision again changes nothing.
CREATE OR REPLACE FUNCTION decide_cash(of_number bigint, approves boolean, new_note text, actor acting) RETURNS void
LANGUAGE plpgsql AS $$
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
        PERFORM refuse('cash_is_decided_once', format('request %s is %s already', of_number, request.state));
    END IF;
    UPDATE cash_requests SET state = decision, decided = now(), note = new_note WHERE number = of_number;
    IF request.kind = 'deposit' AND approves THEN
        new_kind := 'deposit';
        debited := ledger_account_of('source:' || request.source);
        credited := ledger_account_of('wallet:' || request.account);
        PERFORM FROM ledger_accounts WHERE id IN (debited, credited) ORDER BY id FOR NO KEY UPDATE;
        IF (SELECT balance FROM ledger_accounts WHERE id = debited) < request.amount THEN
            PERFORM refuse('source_holds_it', format('the source %s does not hold %s', request.source, request.amount));
        END IF;
    ELSIF request.kind = 'withdrawal' THEN
        new_kind := CASE WHEN approves THEN 'withdrawal_paid' ELSE 'withdrawal_return' END;
        debited := ledger_account_of('held');
        credited := ledger_account_of(
            CASE WHEN approves THEN 'source:' || request.source ELSE 'wallet:' || request.account END);
    END IF;
    IF new_kind IS NOT NULL THEN  -- a deposit that is refused moves nothing
        new_transfer := begin_transfer(
            format('cash:%s:%s:end', request.account, request.key), new_kind, debited, credited, request.amount);
        INSERT INTO legs VALUES (new_transfer, debited, -request.amount), (new_transfer, credited, request.amount);
    END IF;
    PERFORM log_act(
        actor, CASE WHEN approves THEN 'cashier.approve' ELSE 'cashier.refuse' END, 'account:' || request.account,
        json_build_object('amount', request.amount, 'kind', request.kind, 'note', new_note, 'number', of_number,
                          'source', request.source));
END $$;

-- Bets in rounds in progress, and buy-ins of tournaments in which the account has no place yet. Without tips it is what the
-- account owns, so without chips of clubs, too.
CREATE OR REPLACE FUNCTION in_games(of_account bigint, with_tips boolean) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN ((SELECT coalesce(sum(amount), 0) FROM open_rounds JOIN round_stakes USING (round)
             WHERE account = of_account AND (with_tips OR kind <> 'tip'))
          + (SELECT coalesce(sum(paid_into(tournaments.id, of_account)), 0)
             FROM tournament_entries AS entry JOIN tournaments ON tournaments.id = entry.tournament
             WHERE entry.account = of_account AND NOT returned AND NOT replaced AND phase IN ('registering', 'running')
               AND (with_tips OR entry_purse(tournaments.id) = 'wallet:')
               AND NOT EXISTS (SELECT FROM tournament_places AS given
                               WHERE given.tournament = entry.tournament AND given.account = of_account)))::bigint;
END $$;

-- What an account owns: wallet, tickets and stacks, withdrawals that are held, bets in rounds in progress, and buy-ins of
-- tournaments in which it has no place yet. Chips of clubs are not among them. One statement: money that moves meanwhile counts once.
CREATE OR REPLACE FUNCTION owned_by(of_account bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT ((SELECT coalesce(sum(balance), 0) FROM ledger_accounts WHERE code IN (
                SELECT 'wallet:' || of_account UNION ALL SELECT 'tickets:' || of_account
                UNION ALL SELECT 'stack:' || table_id || ':' || account FROM seats
                    WHERE account = of_account AND NOT EXISTS (
                        SELECT FROM hosted_tables AS hosted WHERE hosted.table_id = seats.table_id AND club IS NOT NULL)))
          + (SELECT coalesce(sum(amount), 0) FROM cash_requests
             WHERE account = of_account AND kind = 'withdrawal' AND state = 'waiting')
          + in_games(of_account, false))::bigint
$$;

-- When the account had its last refill, or null.
CREATE OR REPLACE FUNCTION last_refill(of_account bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT asked FROM cash_requests WHERE account = of_account AND key LIKE 'refill:%' ORDER BY number DESC LIMIT 1
$$;

-- A deposit that is approved at once, for an account that owns less than `below`: what it lacks to `up_to`, once in
-- `every_s` seconds. The same key again returns the first one. The lock of the account keeps two refills apart. The terms are
-- in the books before it: a transfer without legs where they are not those of the last refill.
CREATE OR REPLACE FUNCTION refill_account(
    of_account bigint, new_key text, of_source text, below bigint, up_to bigint, every_s integer
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    owned        bigint;
    debited      bigint := ledger_account_of('source:' || of_source);
    credited     bigint := ledger_account_of('wallet:' || of_account);
    terms        text := format('refill_terms:%s:%s:%s:%s:', of_source, below, up_to, every_s);
    new_number   bigint;
    new_transfer bigint;
BEGIN
    PERFORM lock_account(of_account);
    SELECT number INTO new_number FROM cash_requests WHERE account = of_account AND key = new_key;
    IF FOUND THEN
        RETURN new_number;
    END IF;
    PERFORM check_source(of_source);
    owned := owned_by(of_account);
    IF owned >= below THEN
        PERFORM refuse('refill_is_needed', format('account %s owns %s', of_account, owned));
    END IF;
    IF clock_timestamp() - last_refill(of_account) < make_interval(secs => every_s) THEN
        PERFORM refuse('refill_is_due', format('account %s had its last refill too recently', of_account));
    END IF;
    PERFORM check_not_locked(of_account);
    PERFORM check_not_excluded(of_account);
    PERFORM check_limit(of_account, 'deposit', up_to - owned);
    PERFORM FROM ledger_accounts WHERE id IN (debited, credited) ORDER BY id FOR NO KEY UPDATE;
    IF (SELECT balance FROM ledger_accounts WHERE id = debited) < up_to - owned THEN
        PERFORM refuse('source_holds_it', format('the source %s does not hold %s', of_source, up_to - owned));
    END IF;
    INSERT INTO cash_requests (account, key, kind, amount, source, state, decided)
        VALUES (of_account, new_key, 'deposit', up_to - owned, of_source, 'approved', now()) RETURNING number INTO new_number;
    IF starts_with((SELECT key FROM transfers WHERE kind = 'refill_terms' ORDER BY id DESC LIMIT 1), terms) IS NOT TRUE THEN
        INSERT INTO transfers (key, kind)
            VALUES (terms || replace(gen_random_uuid()::text, '-', ''), 'refill_terms');
    END IF;
    new_transfer := begin_transfer(
        format('cash:%s:%s:end', of_account, new_key), 'deposit', debited, credited, up_to - owned);
    INSERT INTO legs VALUES (new_transfer, debited, owned - up_to), (new_transfer, credited, up_to - owned);
    RETURN new_number;
END $$;
