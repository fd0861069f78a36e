-- What names that look alike have in common: as `ledger.transfers.look_of`. Accounts from before may look alike, so the
-- index is not unique. Collation "C": it must not depend on the locale of the server.

ALTER TABLE accounts ADD COLUMN look text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (replace(translate(lower(name COLLATE "C"), '01i', 'oll'), 'm', 'rn')) STORED;
CREATE INDEX accounts_of_look ON accounts (look);

DROP FUNCTION IF EXISTS look_of(text);
