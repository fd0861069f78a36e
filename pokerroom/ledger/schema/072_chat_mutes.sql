-- Accounts that may not chat until a time. `account_standing.sql` explains them.

CREATE TABLE chat_mutes (
    account bigint PRIMARY KEY REFERENCES accounts,
    until   timestamptz NOT NULL
);

DROP FUNCTION IF EXISTS account_overview(bigint);  -- it tells of a mute, too
