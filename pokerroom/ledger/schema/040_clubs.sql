-- Clubs of players with play money of their own. `clubs.sql` explains them.

CREATE TABLE clubs (
    club       text PRIMARY KEY CHECK (club ~ '^[a-z0-9]{10}$'),
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    code       text CONSTRAINT club_code_is_unique UNIQUE,  -- null: no new members
    code_until timestamptz,  -- null: for ever
    number     bigint GENERATED ALWAYS AS IDENTITY,
    opened     timestamptz NOT NULL DEFAULT now(),
    closed     timestamptz,
    CONSTRAINT closed_club_has_no_code CHECK (closed IS NULL OR code IS NULL)
);

CREATE TABLE club_members (
    club    text NOT NULL REFERENCES clubs,
    account bigint NOT NULL REFERENCES accounts,
    role    text NOT NULL CHECK (role IN ('owner', 'manager', 'member')),
    PRIMARY KEY (club, account)
);
CREATE UNIQUE INDEX club_has_one_owner ON club_members (club) WHERE role = 'owner';
CREATE INDEX clubs_of_account ON club_members (account);

-- Chips that the bank issued to a member, or took back (below 0). Rows are permanent.
CREATE TABLE club_moves (
    club    text NOT NULL REFERENCES clubs,
    key     text NOT NULL CHECK (length(key) BETWEEN 1 AND 80),
    account bigint NOT NULL REFERENCES accounts,
    amount  bigint NOT NULL CHECK (amount <> 0),
    CONSTRAINT club_key_is_used_once PRIMARY KEY (club, key)
);

ALTER TABLE hosted_tables ADD COLUMN club text REFERENCES clubs;
CREATE INDEX hosted_tables_of_club ON hosted_tables (club) WHERE club IS NOT NULL;

-- Results of a club are read from hands at private tables, which are few.
CREATE INDEX hands_at_private_tables ON hands (ended) WHERE table_id LIKE 'host:%';

-- The bank of a club is `club:<club>`; a member's balance is `chips:<club>` of the account.
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_kind_check, ADD CONSTRAINT ledger_accounts_kind_check CHECK (
    kind IN ('issuer', 'bank', 'house', 'fees', 'wallet', 'stack', 'escrow')
    OR kind = 'tronc'
    OR coalesce(kind = 'stakes:' || table_id OR kind = 'house:' || table_id OR kind = 'meter:' || table_id, false)
    OR coalesce(kind = 'rake:' || table_id, false)
    OR kind = 'held'
    OR coalesce(kind = 'source:' || table_id, false)
    OR coalesce(kind = 'club:' || table_id, false)
    OR kind ~ '^chips:[a-z0-9]+$');
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_account_owner, ADD CONSTRAINT ledger_account_owner CHECK (
    (owner IS NOT NULL) = (kind IN ('wallet', 'stack') OR kind LIKE 'chips:%'));
ALTER TABLE ledger_accounts DROP CONSTRAINT balance_is_not_negative, ADD CONSTRAINT balance_is_not_negative CHECK (
    balance >= 0 OR kind = 'issuer' OR kind LIKE 'club:%');

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check, ADD CONSTRAINT transfers_kind_check CHECK (
    kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand', 'entry', 'entry_return', 'fees', 'prize',
             'cancellation', 'roll_back')
    OR kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')
    OR kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return', 'adjustment', 'gift')
    OR kind IN ('late_entry', 'overlay')
    OR kind IN ('club_issue', 'club_take'));

DROP FUNCTION IF EXISTS open_hosted_table(text, bigint, jsonb, text, integer, integer, integer);
