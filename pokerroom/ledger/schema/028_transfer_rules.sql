-- A transfer is what the grammar of transfers (`ledger/grammar.py`) says of its kind. The trigger `legs_written` compares
-- its legs; one that may not be without legs is asked for them at the end of its transaction.

CREATE FUNCTION transfer_fits(kind text, key text, legs text, account bigint, place text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE AS 'BEGIN END';
CREATE FUNCTION check_has_legs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE CONSTRAINT TRIGGER transfer_is_of_its_kind AFTER INSERT ON transfers
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NOT transfer_fits(NEW.kind, NEW.key, '', NULL, NULL))
    EXECUTE FUNCTION check_has_legs();
