-- The tables of the ledger as of schema version 9. This file replaced the migrations 1 to 9.
--
-- The rules that the database enforces, whichever program writes to it:
--
--   * The legs of a transfer are written together, once, and sum to zero.
--   * A balance changes only through legs. Only the issuer's balance may be negative.
--   * Legs, transfers, settled hands and rounds are permanent: no update, no delete, no truncate.
--   * An epoch of a table is used once.
--   * The escrow of a tournament holds what the tournament owes, at the end of every transaction.
--
-- Amounts are in the smallest unit (1/100 credit).

-- Functions that tables and triggers call. These are declarations: PostgreSQL wants a function to exist before a
-- table or trigger names it. The definitions are in functions/, which is applied after the migrations.

CREATE FUNCTION ledger_code(of_kind text, of_owner bigint, of_table text) RETURNS text
    LANGUAGE sql IMMUTABLE AS 'SELECT NULL::text';
CREATE FUNCTION sum_of(amounts bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT NULL::bigint';
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION fill_in_code() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION legs_written() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION refuse_used_epoch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION tournament_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION stack_stays() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION entry_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION place_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION check_escrow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION round_was_played() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION place_was_played() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION roll_back_was_played() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION cash_request_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

-- Identity ---------------------------------------------------------------------------------------------------------

CREATE TABLE accounts (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text NOT NULL,
    password_hash text NOT NULL,
    created       timestamptz NOT NULL DEFAULT now()
);
-- Collation "C": whether two names are equal must not depend on the locale of the server (names are ASCII).
CREATE UNIQUE INDEX account_name_is_unique ON accounts (lower(name COLLATE "C"));

CREATE TABLE sessions (
    token_hash bytea PRIMARY KEY,  -- SHA-256 of the token; the token is never stored
    account    bigint NOT NULL REFERENCES accounts,
    created    timestamptz NOT NULL DEFAULT now(),
    seen       timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE account_settings (
    account bigint NOT NULL REFERENCES accounts,
    key     text NOT NULL CHECK (length(key) BETWEEN 1 AND 40),
    value   jsonb NOT NULL CHECK (jsonb_typeof(value) IN ('string', 'number', 'boolean') AND length(value::text) <= 100),
    PRIMARY KEY (account, key)
);

-- Double entry -----------------------------------------------------------------------------------------------------

-- `code` is the account's name, for example `wallet:7` or `stack:T1:7`. A trigger fills it in from the other columns and
-- a check compares it. It is not a generated column: PostgreSQL 14 cannot change the expression of one without rewriting
-- the whole table. For an account of a table against the house and for a source of the cashier, `kind` is the code itself.
CREATE TABLE ledger_accounts (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind     text NOT NULL,
    owner    bigint REFERENCES accounts,
    table_id text,
    balance  bigint NOT NULL DEFAULT 0,
    code     text NOT NULL,
    CONSTRAINT ledger_accounts_kind_check CHECK (
        kind IN ('issuer', 'bank', 'house', 'fees', 'wallet', 'stack', 'escrow')
        OR kind = 'tronc'
        OR coalesce(kind = 'stakes:' || table_id OR kind = 'house:' || table_id OR kind = 'meter:' || table_id, false)
        OR kind = 'held'
        OR coalesce(kind = 'source:' || table_id, false)),
    CONSTRAINT ledger_account_code_is_unique UNIQUE (code),
    CONSTRAINT ledger_account_code CHECK (code = ledger_code(kind, owner, table_id)),
    CONSTRAINT ledger_account_owner CHECK ((owner IS NOT NULL) = (kind IN ('wallet', 'stack'))),
    CONSTRAINT ledger_account_table CHECK (
        (table_id IS NOT NULL) = (kind IN ('stack', 'escrow'))
        OR (table_id IS NOT NULL AND kind LIKE '%:%')),
    CONSTRAINT balance_is_not_negative CHECK (balance >= 0 OR kind = 'issuer')
) WITH (fillfactor = 70);  -- leaves room for the next version of a balance on the same page

CREATE TABLE transfers (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key     text NOT NULL,
    kind    text NOT NULL,
    created timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT transfer_key_is_unique UNIQUE (key),
    CONSTRAINT transfers_kind_check CHECK (
        kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand', 'entry', 'entry_return', 'fees', 'prize',
                 'cancellation', 'roll_back')
        OR kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')
        OR kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return'))
);

-- A transfer may have no legs: a hand in which no stack changed, a cash-out of an empty stack.
-- There are no foreign keys here: PostgreSQL checks them row by row, 120 times for ten hands. The trigger `legs_written`
-- checks the same in two set operations, and neither transfers nor ledger accounts can be deleted.
CREATE TABLE legs (
    transfer       bigint NOT NULL,
    ledger_account bigint NOT NULL,
    amount         bigint NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (transfer, ledger_account)
);

-- Owners of tables -------------------------------------------------------------------------------------------------

-- A node that changes the seats or stacks of a table names its epoch. Any other epoch than the table's is refused.
CREATE TABLE table_owners (
    table_id text PRIMARY KEY,
    epoch    bigint NOT NULL CHECK (epoch > 0),
    node     text,  -- null: the table has no owner, and no node may write
    over     boolean NOT NULL DEFAULT false  -- the table of a tournament that has ended; nodes do not look at it again
);
CREATE INDEX owners_of_tables_that_go_on ON table_owners (table_id) WHERE NOT over;

-- Seats and hands --------------------------------------------------------------------------------------------------

-- A place at a table against the house is a seat without a stack: the player bets from the wallet.
CREATE TABLE seats (
    table_id text NOT NULL,
    seat     smallint NOT NULL,
    account  bigint NOT NULL REFERENCES accounts,
    place    boolean NOT NULL DEFAULT false,
    -- The primary key is checked first: an account that has a seat here is told that, whichever seat it asks for.
    CONSTRAINT account_has_one_seat PRIMARY KEY (table_id, account),
    CONSTRAINT seat_has_one_holder UNIQUE (table_id, seat)
);
CREATE INDEX seats_of_account ON seats (account);  -- counts the seats of an account against `tables_max`

-- The last cash-out of each account at each table, also a cash-out of nothing (a transfer of nothing has no legs to read
-- it from). A player who comes back soon must buy in for at least this amount.
CREATE TABLE departures (
    table_id text NOT NULL,
    account  bigint NOT NULL REFERENCES accounts,
    departed timestamptz NOT NULL DEFAULT now(),
    amount   bigint NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (table_id, account)
);

CREATE TABLE hands (
    transfer bigint PRIMARY KEY REFERENCES transfers,
    hand_id  text NOT NULL,
    table_id text NOT NULL,
    started  timestamptz NOT NULL,
    ended    timestamptz NOT NULL,
    record   jsonb NOT NULL,
    epoch    bigint,  -- of the owner that played the hand; null for hands from before there were owners
    CONSTRAINT hand_is_settled_once UNIQUE (hand_id)
);

-- The accounts in each hand, with the change of the stack (zero too). In the order in which histories read them.
-- Only settle_hands writes here, and it reads the accounts from the stacks: no foreign keys, as for legs.
CREATE TABLE hand_players (
    account bigint NOT NULL,
    hand    bigint NOT NULL,  -- hands.transfer
    delta   bigint NOT NULL,
    PRIMARY KEY (account, hand)
);

-- The accounts that were all-in by the clock (H2), by hand. `ended` is that of the hand and comes first in the key: a
-- count since some time reads one range of one index. Only settle_hands writes here.
CREATE TABLE timeout_all_ins (
    ended   timestamptz NOT NULL,
    hand    bigint NOT NULL,  -- hands.transfer
    account bigint NOT NULL,
    PRIMARY KEY (ended, hand, account)
);

-- Tournaments ------------------------------------------------------------------------------------------------------

CREATE TABLE tournaments (
    id      text PRIMARY KEY,
    offer   text NOT NULL,
    number  integer NOT NULL CHECK (number > 0),  -- of the offer
    seats   smallint NOT NULL CHECK (seats BETWEEN 2 AND 10),
    buy_in  bigint NOT NULL CHECK (buy_in > 0),
    fee     bigint NOT NULL,      -- the part of the buy-in that the room keeps
    prizes  bigint[] NOT NULL,    -- the best place first
    terms   json NOT NULL,        -- the settings of the tournament, as they were when it opened
    phase   text NOT NULL DEFAULT 'registering'
        CHECK (phase IN ('registering', 'running', 'finished', 'cancelled', 'rolled_back', 'rolled_forward')),
    created timestamptz NOT NULL DEFAULT now(),
    started timestamptz,
    ended   timestamptz,
    stack   bigint CHECK (stack > 0),  -- the chips with which each player begins; null before the start
    paused  boolean NOT NULL DEFAULT false,  -- by the operator
    CONSTRAINT tournament_number_is_unique UNIQUE (offer, number),
    CONSTRAINT tournament_fee CHECK (fee >= 0 AND fee < buy_in),
    CONSTRAINT prizes_are_the_pool CHECK (
        sum_of(prizes) = seats * (buy_in - fee) AND cardinality(prizes) BETWEEN 1 AND seats AND 1 <= ALL (prizes)),
    CONSTRAINT tournament_times CHECK (
        (started IS NOT NULL) = (phase NOT IN ('registering', 'cancelled'))
        AND (ended IS NOT NULL) = (phase NOT IN ('registering', 'running'))),
    CONSTRAINT tournament_stack CHECK ((stack IS NOT NULL) = (started IS NOT NULL))
);
CREATE INDEX tournaments_that_go_on ON tournaments (offer, number) WHERE phase IN ('registering', 'running');

-- An account may enter, leave and enter again until the start. Each entry has its number; each number has two keys.
-- The chips of a player are kept here: hands of a tournament move no money.
CREATE TABLE tournament_entries (
    tournament   text NOT NULL REFERENCES tournaments,
    account      bigint NOT NULL REFERENCES accounts,
    number       integer NOT NULL CHECK (number > 0),
    id           bigint GENERATED ALWAYS AS IDENTITY,  -- the order of entries
    returned     boolean NOT NULL DEFAULT false,
    seat         smallint CHECK (seat > 0),            -- drawn at the start
    chips        bigint,                               -- as of the last settled hand
    chips_before bigint,                               -- at the start of that hand: it ranks players who went out in it (I2)
    hands        integer NOT NULL DEFAULT 0,           -- hands dealt to this player
    PRIMARY KEY (tournament, account, number),
    CONSTRAINT entry_seat_is_unique UNIQUE (tournament, seat),
    CONSTRAINT returned_entry_has_no_seat CHECK (NOT returned OR seat IS NULL),
    CONSTRAINT chips_are_not_negative CHECK (chips >= 0),
    CONSTRAINT player_has_chips CHECK (
        (chips IS NOT NULL) = (seat IS NOT NULL) AND (chips_before IS NOT NULL) = (seat IS NOT NULL))
);
CREATE INDEX entries_of_account ON tournament_entries (account) WHERE NOT returned;
CREATE UNIQUE INDEX account_is_entered_once ON tournament_entries (tournament, account) WHERE NOT returned;

-- The places. Each player has a `number` of their own; players who tie share a `place`.
CREATE TABLE tournament_places (
    tournament text NOT NULL REFERENCES tournaments,
    number     smallint NOT NULL CHECK (number > 0),
    place      smallint NOT NULL,
    account    bigint NOT NULL REFERENCES accounts,
    prize      bigint NOT NULL CHECK (prize >= 0),
    paid       bigint REFERENCES transfers,
    PRIMARY KEY (tournament, number),
    CONSTRAINT account_has_one_place UNIQUE (tournament, account),
    CONSTRAINT tie_begins_at_its_place CHECK (place BETWEEN 1 AND number),
    CONSTRAINT nothing_is_not_paid CHECK (paid IS NULL OR prize > 0)
);
CREATE INDEX places_to_be_paid ON tournament_places (tournament, number) WHERE paid IS NULL AND prize > 0;

-- Rounds against the house -----------------------------------------------------------------------------------------

CREATE SEQUENCE round_count;

CREATE TABLE rounds (
    transfer bigint PRIMARY KEY REFERENCES transfers,  -- of its bets
    round_id text NOT NULL,
    table_id text NOT NULL,
    epoch    bigint NOT NULL,
    started  timestamptz NOT NULL,
    CONSTRAINT round_begins_once UNIQUE (round_id)
);

-- The rounds in progress: at most one per table.
CREATE TABLE open_rounds (
    table_id text NOT NULL,
    round    bigint NOT NULL UNIQUE REFERENCES rounds,
    CONSTRAINT table_has_one_round PRIMARY KEY (table_id)
);

-- What each account has put in: bets, then Plays and tips. No foreign keys, as for legs.
CREATE TABLE round_stakes (
    round    bigint NOT NULL,  -- rounds.transfer
    transfer bigint NOT NULL,
    account  bigint NOT NULL,
    kind     text NOT NULL CHECK (kind IN ('bets', 'play', 'tip')),
    amount   bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (round, transfer, account)
);

CREATE TABLE round_ends (
    round     bigint PRIMARY KEY REFERENCES rounds,
    transfer  bigint NOT NULL UNIQUE REFERENCES transfers,
    epoch     bigint NOT NULL,
    ended     timestamptz NOT NULL,
    void      boolean NOT NULL,
    house     bigint NOT NULL,
    fed       bigint NOT NULL CHECK (fed >= 0),
    paid      bigint NOT NULL CHECK (paid >= 0),
    reseeded  bigint NOT NULL CHECK (reseeded >= 0),
    tronc     bigint NOT NULL CHECK (tronc >= 0),
    record    jsonb NOT NULL
);

-- The players of each round that is over, in the order in which histories read them. `paid` is the whole amount that
-- went to the wallet.
CREATE TABLE round_players (
    account bigint NOT NULL,
    round   bigint NOT NULL,
    staked  bigint NOT NULL CHECK (staked > 0),
    tipped  bigint NOT NULL CHECK (tipped >= 0),
    paid    bigint NOT NULL CHECK (paid >= 0),
    PRIMARY KEY (account, round)
);

-- History ----------------------------------------------------------------------------------------------------------

-- Rounds and tournaments of an account; its hands are in `hand_players`. Both are numbered from the sequence of transfers,
-- so a page merges the ends of two indexes: its cost depends on its length, not on the length of the history.
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

-- Cashier ----------------------------------------------------------------------------------------------------------

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

-- Genesis ----------------------------------------------------------------------------------------------------------

-- Written before the triggers below, hence with codes and balances. Ids follow this order: every function locks ledger
-- accounts by id, so the bank is locked before any wallet.
INSERT INTO ledger_accounts (kind, code, balance) VALUES
    ('issuer', 'issuer', -1000000000000000), ('bank', 'bank', 1000000000000000), ('house', 'house', 0),
    ('fees', 'fees', 0), ('tronc', 'tronc', 0), ('held', 'held', 0);
INSERT INTO transfers (key, kind) VALUES ('genesis', 'genesis');
INSERT INTO legs (transfer, ledger_account, amount)
    SELECT transfers.id, ledger_accounts.id, balance FROM transfers, ledger_accounts WHERE balance <> 0;

-- Triggers ---------------------------------------------------------------------------------------------------------

CREATE TRIGGER transfers_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER legs_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON legs
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER legs_written AFTER INSERT ON legs
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION legs_written();
CREATE TRIGGER code_is_filled_in BEFORE INSERT ON ledger_accounts FOR EACH ROW EXECUTE FUNCTION fill_in_code();
CREATE TRIGGER ledger_accounts_stay BEFORE DELETE OR TRUNCATE ON ledger_accounts
    EXECUTE FUNCTION refuse_change('legs refer to it');
-- Depth 0 is a statement of a client or of a function. Only the trigger `legs_written` writes balances.
CREATE TRIGGER balance_follows_legs BEFORE UPDATE ON ledger_accounts
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change('a balance follows from legs');
CREATE TRIGGER balance_starts_at_zero BEFORE INSERT ON ledger_accounts
    FOR EACH ROW WHEN (NEW.balance <> 0) EXECUTE FUNCTION refuse_change('a balance follows from legs');

CREATE TRIGGER owner_has_new_epoch BEFORE UPDATE ON table_owners
    FOR EACH ROW EXECUTE FUNCTION refuse_used_epoch();
CREATE TRIGGER owners_stay BEFORE DELETE OR TRUNCATE ON table_owners
    EXECUTE FUNCTION refuse_change('its epoch would be used again');

CREATE TRIGGER hands_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON hands
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER hand_players_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON hand_players
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER timeout_all_ins_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON timeout_all_ins
    EXECUTE FUNCTION refuse_change('what was written stays');

CREATE TRIGGER tournaments_stay BEFORE DELETE OR TRUNCATE ON tournaments
    EXECUTE FUNCTION refuse_change('money was booked under it');
CREATE TRIGGER tournament_goes_on BEFORE UPDATE ON tournaments FOR EACH ROW EXECUTE FUNCTION tournament_goes_on();
CREATE TRIGGER stack_stays BEFORE UPDATE ON tournaments
    FOR EACH ROW WHEN (OLD.stack IS NOT NULL AND NEW.stack IS DISTINCT FROM OLD.stack) EXECUTE FUNCTION stack_stays();
CREATE TRIGGER entries_stay BEFORE DELETE OR TRUNCATE ON tournament_entries
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER entry_goes_on BEFORE UPDATE ON tournament_entries FOR EACH ROW EXECUTE FUNCTION entry_goes_on();
CREATE TRIGGER places_stay BEFORE DELETE OR TRUNCATE ON tournament_places
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER place_goes_on BEFORE UPDATE ON tournament_places FOR EACH ROW EXECUTE FUNCTION place_goes_on();

-- Deferred to the end of the transaction, because a transaction writes one of these tables before the other.
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER UPDATE OF balance ON ledger_accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'escrow') EXECUTE FUNCTION check_escrow();
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE ON tournaments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE OF returned ON tournament_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();  -- chips change with every hand
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE ON tournament_places
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();

CREATE TRIGGER rounds_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON rounds
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_stakes_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON round_stakes
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_ends_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON round_ends
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_players_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON round_players
    EXECUTE FUNCTION refuse_change('what was written stays');

-- Triggers write the history, so that it is in the transaction that ends a round or gives a place.
CREATE TRIGGER played_is_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON played
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_was_played AFTER INSERT ON round_ends FOR EACH ROW EXECUTE FUNCTION round_was_played();
CREATE TRIGGER place_was_played AFTER INSERT ON tournament_places FOR EACH ROW EXECUTE FUNCTION place_was_played();
CREATE TRIGGER roll_back_was_played AFTER UPDATE OF phase ON tournaments FOR EACH ROW
    WHEN (NEW.phase = 'rolled_back' AND OLD.phase <> 'rolled_back') EXECUTE FUNCTION roll_back_was_played();

CREATE TRIGGER cash_sources_stay BEFORE DELETE OR TRUNCATE ON cash_sources
    EXECUTE FUNCTION refuse_change('requests refer to it');
CREATE TRIGGER cash_requests_stay BEFORE DELETE OR TRUNCATE ON cash_requests
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER cash_request_goes_on BEFORE UPDATE ON cash_requests FOR EACH ROW EXECUTE FUNCTION cash_request_goes_on();
