-- Limits that players set for themselves, and the operator's caps beside them. `limits.sql` explains them.

CREATE TABLE limit_kinds (
    kind   text NOT NULL,
    period text NOT NULL CHECK (period IN ('day', 'week', 'month')),  -- calendar, UTC; a week begins on Monday
    cap    bigint CHECK (cap > 0),                                    -- the operator's, for every account; null: none
    PRIMARY KEY (kind, period)
);
INSERT INTO limit_kinds (kind, period) VALUES
    ('deposit', 'day'), ('deposit', 'week'), ('deposit', 'month'), ('loss', 'day'), ('loss', 'week'), ('loss', 'month'),
    ('session', 'day');

CREATE TABLE account_limits (
    account     bigint NOT NULL REFERENCES accounts,
    kind        text NOT NULL,
    period      text NOT NULL,
    value       bigint CHECK (value >= 0),  -- in the smallest unit, or seconds; null: none
    wanted      bigint,                     -- an increase that the player has asked for; null with `wanted_from`: no limit
    wanted_from timestamptz,                -- from when on the player may confirm it
    PRIMARY KEY (account, kind, period),
    FOREIGN KEY (kind, period) REFERENCES limit_kinds,
    CONSTRAINT increase_is_more CHECK (wanted IS NULL OR (wanted > value AND wanted_from IS NOT NULL))
);

-- What play has cost each account: a row for each stay at a table, round and sit-and-go that is over. Rows are only added,
-- so writers do not wait for each other. `ended` is the time of the ledger.
CREATE TABLE play_results (
    account bigint NOT NULL,
    ended   timestamptz NOT NULL DEFAULT now(),
    lost    bigint NOT NULL CHECK (lost <> 0)  -- negative: won
);
CREATE INDEX play_results_of_account ON play_results (account, ended) INCLUDE (lost);
CREATE TRIGGER play_results_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON play_results
    EXECUTE FUNCTION refuse_change('what was written stays');

-- What the player has brought to the seat since they sat down.
ALTER TABLE seats ADD COLUMN bought bigint NOT NULL DEFAULT 0 CHECK (bought >= 0);
UPDATE seats SET bought = balance FROM ledger_accounts WHERE code = 'stack:' || seats.table_id || ':' || seats.account;

-- How long each account has played: connected and with a seat.
CREATE TABLE play_time (
    account bigint NOT NULL,
    day     date NOT NULL,  -- UTC
    seconds integer NOT NULL CHECK (seconds >= 0),
    noted   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account, day)
);
