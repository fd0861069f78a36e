-- What the room's setting gave to an account when it was opened, beside the transfer that moved it. At the end of a
-- transaction both are the same. Accounts from before are taken to have been given what was booked.

ALTER TABLE accounts ADD COLUMN opening bigint NOT NULL DEFAULT 0 CHECK (opening >= 0);

UPDATE accounts SET opening = amount
FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
WHERE transfers.kind = 'opening' AND ledger_accounts.kind = 'wallet' AND owner = accounts.id
    AND key = 'opening:' || accounts.id;

CREATE FUNCTION check_opening() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE CONSTRAINT TRIGGER opening_is_moved AFTER INSERT ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.opening <> 0) EXECUTE FUNCTION check_opening();
CREATE CONSTRAINT TRIGGER opening_is_as_declared AFTER INSERT ON transfers
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'opening') EXECUTE FUNCTION check_opening();
CREATE TRIGGER opening_stays BEFORE UPDATE OF opening ON accounts
    FOR EACH ROW WHEN (OLD.opening <> NEW.opening) EXECUTE FUNCTION refuse_change('it says what was given');
