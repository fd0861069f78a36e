-- Who may not play, and who may not log in. `account_standing.sql` explains both.

-- Exclusions of players, by themselves or by an operator. No row is changed or removed: an exclusion cannot be lifted.
CREATE TABLE exclusions (
    account bigint NOT NULL REFERENCES accounts,
    since   timestamptz NOT NULL DEFAULT now(),
    until   timestamptz,  -- null: for ever
    CONSTRAINT exclusion_has_a_length CHECK (until >= since + interval '1 day')
);
CREATE INDEX exclusions_of_account ON exclusions (account);
CREATE TRIGGER exclusions_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON exclusions
    EXECUTE FUNCTION refuse_change('an exclusion cannot be lifted');

-- Accounts that an operator has locked.
CREATE TABLE account_locks (
    account bigint PRIMARY KEY REFERENCES accounts,
    since   timestamptz NOT NULL DEFAULT now()
);
