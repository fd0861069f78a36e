-- What is an account's own beside its tables: its history, its settings, and the cashier.
--
-- Locks, beside those of 005 and 006: a request of the cashier, an account, a transfer key, a source (shared), ledger
-- accounts (by id). Keys of an account's requests are written under the lock of that account or of the request alone.

CREATE OR REPLACE FUNCTION pg_temp.extend_check(of_table regclass, rule text, more text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    present text;
BEGIN
    SELECT pg_get_expr(conbin, conrelid) INTO STRICT present
    FROM pg_constraint WHERE conrelid = of_table AND conname = rule;
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I CHECK (%s OR %s)',
                   of_table, rule, rule, present, more);
END $$;

-- History --------------------------------------------------------------------------------------------------------------

-- Hands are in `hand_players`, by the number of their transfer. What else an account has played is here, numbered from the
-- same sequence, so that both are read from the largest number down and merged: a page costs as much as it is long.
CREATE TABLE played (
    account    bigint NOT NULL,
    number     bigint NOT NULL,
    ended      timestamptz NOT NULL,
    round      bigint,  -- rounds.transfer
    tournament text,
    PRIMARY KEY (account, number),
    CONSTRAINT played_is_one_game CHECK ((round IS NULL) <> (tournament IS NULL)),
    CONSTRAINT tournament_is_played_once UNIQUE (tournament, account)
);
CREATE TRIGGER played_is_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON played
    EXECUTE FUNCTION refuse_change('what was written stays');

-- By triggers, so that whoever ends a round or gives a place writes it in the same transaction.
CREATE FUNCTION round_was_played() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO played (account, number, ended, round)
        SELECT account, NEW.transfer, NEW.ended, NEW.round FROM round_players WHERE round = NEW.round;
    RETURN NULL;
END $$;
CREATE TRIGGER round_was_played AFTER INSERT ON round_ends FOR EACH ROW EXECUTE FUNCTION round_was_played();

CREATE FUNCTION place_was_played() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO played (account, number, ended, tournament)
        VALUES (NEW.account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.tournament);
    RETURN NULL;
END $$;
CREATE TRIGGER place_was_played AFTER INSERT ON tournament_places FOR EACH ROW EXECUTE FUNCTION place_was_played();

-- Who was in it when it was rolled back, and has no place yet.
CREATE FUNCTION roll_back_was_played() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO played (account, number, ended, tournament)
        SELECT account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.id
        FROM (SELECT account FROM tournament_entries AS entry
              WHERE entry.tournament = NEW.id AND NOT returned ORDER BY id) AS entered
        ON CONFLICT (tournament, account) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER roll_back_was_played AFTER UPDATE OF phase ON tournaments FOR EACH ROW
    WHEN (NEW.phase = 'rolled_back' AND OLD.phase <> 'rolled_back') EXECUTE FUNCTION roll_back_was_played();

-- What was played before there was a history.
INSERT INTO played (account, number, ended, round)
    SELECT account, round_ends.transfer, ended, round FROM round_ends JOIN round_players USING (round);
INSERT INTO played (account, number, ended, tournament)
    SELECT account, nextval(pg_get_serial_sequence('transfers', 'id')), at, tournament
    FROM (SELECT account, coalesce(ended, now()) AS at, tournament
          FROM tournament_places JOIN tournaments ON tournaments.id = tournament
          UNION
          SELECT account, ended, tournament FROM tournament_entries JOIN tournaments ON tournaments.id = tournament
          WHERE phase = 'rolled_back' AND NOT returned
          ORDER BY 2, 3, 1) AS was;

-- Settings -------------------------------------------------------------------------------------------------------------

CREATE TABLE account_settings (
    account bigint NOT NULL REFERENCES accounts,
    key     text NOT NULL CHECK (length(key) BETWEEN 1 AND 40),
    value   jsonb NOT NULL CHECK (jsonb_typeof(value) IN ('string', 'number', 'boolean') AND length(value::text) <= 100),
    PRIMARY KEY (account, key)
);

CREATE FUNCTION change_settings(of_account bigint, changes jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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

-- Cashier --------------------------------------------------------------------------------------------------------------

SELECT pg_temp.extend_check('transfers', 'transfers_kind_check',
    $$kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return')$$);
-- As accounts of a table (006): the code of a source is its kind.
SELECT pg_temp.extend_check('ledger_accounts', 'ledger_accounts_kind_check',
    $$kind = 'held' OR coalesce(kind = 'source:' || table_id, false)$$);

INSERT INTO ledger_accounts (kind) VALUES ('held');

CREATE TABLE cash_sources (
    name    text PRIMARY KEY CHECK (name ~ '^[a-z0-9_-]{1,40}$'),
    is_open boolean NOT NULL
);

CREATE TABLE cash_requests (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account bigint NOT NULL REFERENCES accounts,
    key     text NOT NULL CHECK (length(key) BETWEEN 1 AND 40),
    kind    text NOT NULL CHECK (kind IN ('deposit', 'withdrawal')),
    amount  bigint NOT NULL CHECK (amount > 0),
    source  text NOT NULL REFERENCES cash_sources,
    state   text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'approved', 'refused')),
    asked   timestamptz NOT NULL DEFAULT now(),
    decided timestamptz,
    note    text NOT NULL DEFAULT '' CHECK (length(note) <= 200),
    CONSTRAINT cash_key_is_used_once UNIQUE (account, key),
    CONSTRAINT decided_is_not_waiting CHECK ((decided IS NULL) = (state = 'waiting'))
);
CREATE INDEX cash_requests_of_account ON cash_requests (account, number);
CREATE INDEX cash_requests_that_wait ON cash_requests (number) WHERE state = 'waiting';

CREATE TRIGGER cash_requests_stay BEFORE DELETE OR TRUNCATE ON cash_requests
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER cash_sources_stay BEFORE DELETE OR TRUNCATE ON cash_sources
    EXECUTE FUNCTION refuse_change('requests refer to it');

CREATE FUNCTION cash_request_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'waiting' OR (NEW.number, NEW.account, NEW.key, NEW.kind, NEW.amount, NEW.source, NEW.asked)
            IS DISTINCT FROM (OLD.number, OLD.account, OLD.key, OLD.kind, OLD.amount, OLD.source, OLD.asked)
    THEN
        RAISE EXCEPTION 'request % is decided once, and stays what it was', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER cash_request_goes_on BEFORE UPDATE ON cash_requests FOR EACH ROW EXECUTE FUNCTION cash_request_goes_on();

CREATE FUNCTION open_source(new_name text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ledger_accounts (kind, table_id) SELECT 'source:' || new_name, new_name
        WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'source:' || new_name)
        ON CONFLICT (code) DO NOTHING;
    INSERT INTO cash_sources VALUES (new_name, true) ON CONFLICT (name) DO UPDATE SET is_open = true;
$$;

CREATE FUNCTION check_source(of_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM cash_sources WHERE name = of_name AND is_open FOR SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('source_is_open', format('there is no open source %s', of_name));
    END IF;
END $$;

CREATE FUNCTION close_source(of_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cash_sources SET is_open = false WHERE name = of_name;
    IF NOT FOUND THEN
        PERFORM refuse('source_is_open', format('there is no source %s', of_name));
    END IF;
END $$;

CREATE FUNCTION fund_source(new_key text, of_name text, moved bigint) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE FUNCTION request_cash(
    of_account bigint, new_key text, new_kind text, new_amount bigint, of_source text, waiting_max integer
) RETURNS bigint LANGUAGE plpgsql AS $$
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

CREATE FUNCTION decide_cash(of_number bigint, approves boolean, new_note text) RETURNS void LANGUAGE plpgsql AS $$
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
