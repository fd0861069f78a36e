-- Double entry: accounts, transfers, and the triggers that keep balances equal to their legs.
--
-- A refusal is an error that names its rule as a violated constraint: a constraint of a table, or a name given to
-- `refuse` here. The adapter reads only that name (`ledger/constraints.py`), never the message.
--
-- Every function takes its locks in this order, so that connections and nodes never deadlock:
--   a request of the cashier, the tournament, transfer keys (sorted), owners (shared), the account, the hosted
--   table, the seat, the open round, a source (shared), ledger accounts (by id), the head of the operators' log.
-- Keys of tournaments and of cashier requests are the exception: they are written under the lock of their tournament,
-- account or request, and nowhere else.

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

-- The code of a ledger account. A check of the table compares it.
CREATE OR REPLACE FUNCTION ledger_code(of_kind text, of_owner bigint, of_table text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE of_kind
        WHEN 'wallet' THEN 'wallet:' || of_owner
        WHEN 'stack' THEN 'stack:' || of_table || ':' || of_owner
        WHEN 'escrow' THEN 'escrow:' || of_table
        ELSE of_kind
    END
$$;

CREATE OR REPLACE FUNCTION fill_in_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.code := ledger_code(NEW.kind, NEW.owner, NEW.table_id);
    RETURN NEW;
END $$;

-- Checks the legs of a statement and moves the balances. It runs once per statement: a batch of hands costs a few set
-- operations. A connection makes its plans while the tables are small and keeps them: no plan may scan a whole table.
CREATE OR REPLACE FUNCTION legs_written() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    wrong   bigint;
    locked  bigint;
    touched bigint;
BEGIN
    -- Written together and once: the transfer exists, and it has no other legs. This compares counts because PostgreSQL
    -- may evaluate a NOT EXISTS over all transfers.
    SELECT w.transfer INTO wrong
    FROM (SELECT transfer, sum(amount) AS total, count(*) AS n FROM written GROUP BY transfer) AS w
    WHERE w.total <> 0
       OR w.n <> (SELECT count(*) FROM legs JOIN transfers ON transfers.id = legs.transfer
                  WHERE legs.transfer = w.transfer)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the legs of transfer % are incomplete or do not sum to zero', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_sums_to_zero', TABLE = 'legs';
    END IF;

    -- By id, whatever the order of the legs: two batches over the same stacks wait and do not deadlock.
    SELECT count(*) INTO locked FROM (
        SELECT FROM ledger_accounts WHERE id IN (SELECT ledger_account FROM written)
        ORDER BY id FOR NO KEY UPDATE) AS rows_locked;

    UPDATE ledger_accounts SET balance = balance + moved.amount
    FROM (SELECT ledger_account, sum(amount)::bigint AS amount FROM written GROUP BY ledger_account) AS moved
    WHERE ledger_accounts.id = moved.ledger_account;

    SELECT count(DISTINCT ledger_account) INTO touched FROM written;
    IF locked <> touched THEN
        RAISE EXCEPTION 'a leg names a ledger account that does not exist'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'leg_has_ledger_account', TABLE = 'legs';
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

-- Creates an account with a wallet, and moves `opening` to it from the bank. Returns the account.
CREATE OR REPLACE FUNCTION create_account(new_name text, new_password_hash text, opening bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    new_account  bigint;
    new_look     text;
    wallet       bigint;
    new_transfer bigint;
BEGIN
    INSERT INTO accounts (name, password_hash) VALUES (new_name, new_password_hash) RETURNING id, look INTO new_account, new_look;
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
