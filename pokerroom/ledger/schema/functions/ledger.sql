-- Double entry: accounts, transfers, and the triggers that keep balances equal to their legs.
--
-- A refusal is an error that names its rule as a violated constraint: a constraint of a table, or a name given to
-- `refuse` here. The adapter reads only that name (`ledger/constraints.py`), never the message.
--
-- Every function takes its locks in this order, so that connections and nodes never deadlock:
--   a request of the cashier, the tournament, transfer keys (sorted), owners (shared), accounts (by id), the club,
--   the hosted table, the seat, the open round, a source (shared), ledger accounts (by id), the head of the operators' log.
-- Keys of tournaments, clubs and cashier requests are the exception: they are written under the lock of their tournament,
-- club, account or request, and nowhere else.

-- Raises the violation of `rule`, a name that `ledger/constraints.py` knows.
CREATE OR REPLACE FUNCTION refuse(rule text, message text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', message USING ERRCODE = 'check_violation', CONSTRAINT = rule;
END $$;

-- Puts what changes an account one after the other. Raises the violation of `account_exists`.
CREATE OR REPLACE FUNCTION lock_account(of_account bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('account_exists', format('there is no account %s', of_account));
    END IF;
END $$;

-- Trigger of rows that are permanent; its argument is the reason.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: %', lower(TG_OP), TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- The code of a ledger account. A check of the table compares it. Not in SQL: PostgreSQL would write the function into that
-- check once more for each statement.
CREATE OR REPLACE FUNCTION ledger_code(of_kind text, of_owner bigint, of_table text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE of_kind
        WHEN 'wallet' THEN 'wallet:' || of_owner::text
        WHEN 'stack' THEN 'stack:' || of_table || ':' || of_owner::text
        WHEN 'escrow' THEN 'escrow:' || of_table
        WHEN 'bounties' THEN 'bounties:' || of_table
        WHEN 'tickets' THEN 'tickets:' || of_owner::text
        ELSE of_kind || CASE WHEN of_kind LIKE 'chips:%' THEN ':' || of_owner::text ELSE '' END
    END;
END $$;

CREATE OR REPLACE FUNCTION fill_in_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.code := ledger_code(NEW.kind, NEW.owner, NEW.table_id);
    RETURN NEW;
END $$;

-- Checks the legs of a statement and moves the balances. It runs once per statement: a batch of hands costs a few set
-- operations. A connection makes its plans while the tables are small and keeps them: no plan may scan a whole table, so
-- OFFSET 0 keeps the look-up of a row one.
CREATE OR REPLACE FUNCTION legs_written() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    wrong record;
BEGIN
    -- Locked by id, whatever the order of the legs: two batches over the same stacks wait and do not deadlock.
    -- Written together and once: the transfer exists, and it has no other legs. This compares counts because PostgreSQL
    -- may evaluate a NOT EXISTS over all transfers. `fits` has the legs in the form that `transfer_fits` compares; they are
    -- sorted once, since an ORDER BY within string_agg sorts for each transfer.
    WITH touched AS MATERIALIZED (
        SELECT id, owner, table_id COLLATE "C" AS place, first_word(kind, owner, table_id) AS word
        FROM ledger_accounts WHERE id IN (SELECT ledger_account FROM written) ORDER BY id FOR NO KEY UPDATE
    ), leg AS MATERIALIZED (
        SELECT transfer, amount, owner, place, word
        FROM written LEFT JOIN touched ON touched.id = ledger_account ORDER BY transfer, word
    ), of_accounts AS (
        INSERT INTO account_transfers SELECT DISTINCT owner, transfer FROM leg WHERE word IN ('wallet: ', 'tickets: ')
    )
    SELECT * INTO wrong FROM (
        SELECT w.transfer, key, kind, w.n = w.known AS is_known,
               w.total = 0 AND key IS NOT NULL
                   AND w.n = (SELECT count(*) FROM legs WHERE legs.transfer = w.transfer) AS is_whole,
               transfer_fits(
                   kind, key,
                   w.words || CASE WHEN w.account <> w.last_account THEN 'accounts ' ELSE '' END
                           || CASE WHEN w.place <> w.last_place THEN 'places ' ELSE '' END,
                   CASE WHEN w.account = w.last_account THEN w.account END,
                   CASE WHEN w.place = w.last_place THEN w.place END) AS fits
        FROM (SELECT transfer, sum(amount) AS total, count(*) AS n, count(word) AS known,
                     string_agg(CASE WHEN amount < 0 THEN '-' ELSE '+' END || word, '') AS words,
                     min(owner) AS account, max(owner) AS last_account, min(place) AS place, max(place) AS last_place
              FROM leg GROUP BY transfer) AS w
        LEFT JOIN LATERAL (SELECT key, kind FROM transfers WHERE id = w.transfer OFFSET 0) AS named ON true) AS compared
    WHERE (is_whole AND is_known AND fits) IS NOT TRUE
    LIMIT 1;
    IF FOUND AND NOT wrong.is_whole THEN
        RAISE EXCEPTION 'the legs of transfer % are incomplete or do not sum to zero', wrong.transfer
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_sums_to_zero', TABLE = 'legs';
    ELSIF FOUND AND NOT wrong.is_known THEN
        RAISE EXCEPTION 'a leg names a ledger account that does not exist'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'leg_has_ledger_account', TABLE = 'legs';
    ELSIF FOUND THEN
        RAISE EXCEPTION 'a % under the key % does not move this', wrong.kind, wrong.key
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_is_of_its_kind', TABLE = 'legs';
    END IF;

    UPDATE ledger_accounts SET balance = balance + moved.amount
    FROM (SELECT ledger_account, sum(amount)::bigint AS amount FROM written GROUP BY ledger_account) AS moved
    WHERE ledger_accounts.id = moved.ledger_account;
    RETURN NULL;
END $$;

-- The first word of the code of a ledger account, with a colon if more follows, and a space.
CREATE OR REPLACE FUNCTION first_word(of_kind text, of_owner bigint, of_table text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT (CASE WHEN of_owner IS NULL AND of_table IS NULL THEN of_kind ELSE split_part(of_kind, ':', 1) || ':' END
            || ' ') COLLATE "C"
$$;

-- A transfer of a kind that moves something has legs when its transaction ends. Legs themselves are checked as they are
-- written: the trigger is asked only for a transfer that would be wrong without any.
CREATE OR REPLACE FUNCTION check_has_legs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM legs WHERE transfer = NEW.id) THEN
        RAISE EXCEPTION 'a % under the key % moves something', NEW.kind, NEW.key
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_is_of_its_kind', TABLE = 'transfers';
    END IF;
    RETURN NULL;
END $$;

-- The id of a ledger account, or null.
CREATE OR REPLACE FUNCTION ledger_account_of(new_code text) RETURNS bigint
LANGUAGE sql STABLE AS $$ SELECT id FROM ledger_accounts WHERE code = new_code $$;

-- Starts a transfer of two legs. Returns null if the key exists with the same kind and legs; refuses another content.
-- Waits for a concurrent transfer under the same key.
CREATE OR REPLACE FUNCTION begin_transfer(new_key text, new_kind text, debited bigint, credited bigint, moved bigint)
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

-- Locks the bank. Refuses if it holds less than `amount`.
CREATE OR REPLACE FUNCTION check_bank(amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM ledger_accounts WHERE code = 'bank' AND balance >= amount FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('bank_holds_it', format('the bank does not hold %s', amount));
    END IF;
END $$;

-- Trigger of accounts and of transfers of the kind `opening`: what was moved is what the row of the account says.
CREATE OR REPLACE FUNCTION check_opening() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_key text := CASE TG_TABLE_NAME WHEN 'accounts' THEN 'opening:' || NEW.id ELSE to_jsonb(NEW) ->> 'key' END;
BEGIN
    PERFORM FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
        JOIN accounts ON accounts.id = owner
        WHERE key = of_key AND amount = opening AND key = 'opening:' || accounts.id;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% does not move what its account was given', of_key
            USING ERRCODE = 'check_violation', CONSTRAINT = 'opening_is_as_declared', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;

-- Creates an account with a wallet, and moves `opening`, which is the setting now, to it from the bank. Returns the account.
CREATE OR REPLACE FUNCTION create_account(new_name text, new_password_hash text, opening bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    new_account  bigint;
    new_look     text;
    wallet       bigint;
    new_transfer bigint;
BEGIN
    INSERT INTO accounts (name, password_hash, opening) VALUES (new_name, new_password_hash, opening)
        RETURNING id, look INTO new_account, new_look;
    -- Accounts from before may look alike, so no constraint says this; it need not hold for two at the same moment.
    IF EXISTS (SELECT FROM accounts WHERE look = new_look AND id <> new_account) THEN
        RAISE unique_violation USING CONSTRAINT = 'account_name_is_unique';
    END IF;
    INSERT INTO ledger_accounts (kind, owner) VALUES ('wallet', new_account) RETURNING id INTO wallet;
    IF opening <> 0 THEN
        INSERT INTO transfers (key, kind) VALUES ('opening:' || new_account, 'opening') RETURNING id INTO new_transfer;
        INSERT INTO legs (transfer, ledger_account, amount)
            SELECT new_transfer, id, -opening FROM ledger_accounts WHERE code = 'bank'
            UNION ALL SELECT new_transfer, wallet, opening;
    END IF;
    RETURN new_account;
END $$;
