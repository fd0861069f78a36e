-- The tables of the ledger, and the rules the database itself keeps whoever writes to it:
--
--   * the legs of a transfer are written together, once, and sum to zero;
--   * a balance changes by legs and by nothing else, and only the issuer's may be negative;
--   * legs, transfers and settled hands are for ever: no update, no delete, no truncate.
--
-- Functions that move money are in 002. Every writer takes its locks in this order, so that connections and nodes
-- never wait for each other in a circle: transfer keys (sorted), the seat, ledger accounts (by id).
-- Amounts are in the smallest unit.

-- Identity ---------------------------------------------------------------------------------------------------------

CREATE TABLE accounts (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text NOT NULL,
    password_hash text NOT NULL,
    created       timestamptz NOT NULL DEFAULT now()
);
-- "C", so that which names are alike does not depend on the locale of the server (names are ASCII).
CREATE UNIQUE INDEX account_name_is_unique ON accounts (lower(name COLLATE "C"));

CREATE TABLE sessions (
    token_hash bytea PRIMARY KEY,  -- SHA-256 of the token; the token is never stored
    account    bigint NOT NULL REFERENCES accounts,
    created    timestamptz NOT NULL DEFAULT now(),
    seen       timestamptz NOT NULL DEFAULT now()
);

-- Double entry -----------------------------------------------------------------------------------------------------

CREATE TABLE ledger_accounts (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind     text NOT NULL CHECK (kind IN ('issuer', 'bank', 'house', 'wallet', 'stack')),
    owner    bigint REFERENCES accounts,
    table_id text,
    balance  bigint NOT NULL DEFAULT 0,
    code     text NOT NULL GENERATED ALWAYS AS (
        CASE kind
            WHEN 'wallet' THEN 'wallet:' || owner::text
            WHEN 'stack' THEN 'stack:' || table_id || ':' || owner::text
            ELSE kind
        END) STORED,
    CONSTRAINT ledger_account_code_is_unique UNIQUE (code),
    CONSTRAINT ledger_account_owner CHECK ((owner IS NOT NULL) = (kind IN ('wallet', 'stack'))),
    CONSTRAINT ledger_account_table CHECK ((table_id IS NOT NULL) = (kind = 'stack')),
    CONSTRAINT balance_is_not_negative CHECK (balance >= 0 OR kind = 'issuer')
) WITH (fillfactor = 70);  -- room for the next version of a balance on the same page

CREATE TABLE transfers (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key     text NOT NULL,
    kind    text NOT NULL CHECK (kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand')),
    created timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT transfer_key_is_unique UNIQUE (key)
);

-- A transfer may have no legs: a hand in which no stack changed, a cash-out of an empty stack.
-- There are no foreign keys here: they would be checked row by row, 120 times for ten hands. `legs_written` checks
-- the same in two set operations, and neither transfers nor ledger accounts can be deleted.
CREATE TABLE legs (
    transfer       bigint NOT NULL,
    ledger_account bigint NOT NULL,
    amount         bigint NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (transfer, ledger_account)
);

-- Seats and hands --------------------------------------------------------------------------------------------------

CREATE TABLE seats (
    table_id text NOT NULL,
    seat     smallint NOT NULL,
    account  bigint NOT NULL REFERENCES accounts,
    -- The primary key is checked first: who sits here already is told that, whichever seat they ask for.
    CONSTRAINT account_has_one_seat PRIMARY KEY (table_id, account),
    CONSTRAINT seat_has_one_holder UNIQUE (table_id, seat)
);

CREATE TABLE hands (
    transfer bigint PRIMARY KEY REFERENCES transfers,
    hand_id  text NOT NULL,
    table_id text NOT NULL,
    started  timestamptz NOT NULL,
    ended    timestamptz NOT NULL,
    record   jsonb NOT NULL,
    CONSTRAINT hand_is_settled_once UNIQUE (hand_id)
);

-- Who was in which hand, with the change of the stack (zero too); by account, newest last, for histories.
-- Written by settle_hands alone, which reads the accounts from the stacks: no foreign keys, as for legs.
CREATE TABLE hand_players (
    account bigint NOT NULL,
    hand    bigint NOT NULL,  -- hands.transfer
    delta   bigint NOT NULL,
    PRIMARY KEY (account, hand)
);

-- Enforcement ------------------------------------------------------------------------------------------------------

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: %', lower(TG_OP), TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER transfers_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER legs_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON legs
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER hands_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON hands
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER hand_players_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON hand_players
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER ledger_accounts_stay BEFORE DELETE OR TRUNCATE ON ledger_accounts
    EXECUTE FUNCTION refuse_change('legs refer to it');
-- Depth 0 is a statement of a client or of a function; the one trigger that writes balances is `legs_written`.
CREATE TRIGGER balance_follows_legs BEFORE UPDATE ON ledger_accounts
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change('a balance follows from legs');
CREATE TRIGGER balance_starts_at_zero BEFORE INSERT ON ledger_accounts
    FOR EACH ROW WHEN (NEW.balance <> 0) EXECUTE FUNCTION refuse_change('a balance follows from legs');

-- Runs once per inserting statement, so that a batch of hands costs a few set operations. The plans of a connection
-- are made when the tables are small and kept while they grow: never by a scan of the whole table.
CREATE FUNCTION legs_written() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    wrong   bigint;
    locked  bigint;
    touched bigint;
BEGIN
    -- Written together and once: the transfer exists, and no legs but these belong to it. (A count, because
    -- PostgreSQL may answer NOT EXISTS for all transfers there ever were.)
    SELECT w.transfer INTO wrong
    FROM (SELECT transfer, sum(amount) AS total, count(*) AS n FROM written GROUP BY transfer) AS w
    WHERE w.total <> 0
       OR w.n <> (SELECT count(*) FROM legs JOIN transfers ON transfers.id = legs.transfer
                  WHERE legs.transfer = w.transfer)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the legs of transfer % are not one whole that sums to zero', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_sums_to_zero', TABLE = 'legs';
    END IF;

    -- By id, whatever the order of the legs: two batches over the same stacks wait, they do not deadlock.
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

CREATE TRIGGER legs_written AFTER INSERT ON legs
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION legs_written();

-- Genesis ----------------------------------------------------------------------------------------------------------

-- Ids are handed out in this order: the bank is locked before any wallet.
INSERT INTO ledger_accounts (kind) VALUES ('issuer'), ('bank'), ('house');
INSERT INTO transfers (key, kind) VALUES ('genesis', 'genesis');
INSERT INTO legs (transfer, ledger_account, amount)
    SELECT transfers.id, ledger_accounts.id,
           CASE ledger_accounts.kind WHEN 'issuer' THEN -1000000000000000 ELSE 1000000000000000 END
    FROM transfers, ledger_accounts
    WHERE transfers.key = 'genesis' AND ledger_accounts.kind IN ('issuer', 'bank');
