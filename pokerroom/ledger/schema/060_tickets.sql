-- Satellites, and the tickets that they pay: entries to the tournaments of another offer. Functions are in functions/tickets.sql.

ALTER TABLE tournaments
    ADD COLUMN ticket_offer text,                         -- a satellite pays tickets for this offer
    ADD COLUMN ticket_value bigint NOT NULL DEFAULT 0,
    ADD COLUMN ticket_days  integer NOT NULL DEFAULT 0,   -- so long they are valid
    ADD CONSTRAINT satellite_pays_tickets CHECK (
        CASE WHEN ticket_offer IS NULL THEN ticket_value = 0 AND ticket_days = 0
             ELSE ticket_value > 0 AND ticket_days > 0 AND starts_ms IS NOT NULL AND bounty = 0 END);

-- A ticket pays one entry of exactly its value. Until then its value is in the account `tickets:<account>` of its player.
CREATE TABLE tickets (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account    bigint NOT NULL REFERENCES accounts,
    offer      text NOT NULL,
    value      bigint NOT NULL CHECK (value > 0),
    given      bigint NOT NULL UNIQUE REFERENCES transfers,  -- which gave it: a prize, or an operator's gift
    source     text REFERENCES cash_sources,                 -- from which an operator gave it; null: it was won
    expires    timestamptz NOT NULL,
    tournament text,                                         -- with the entry: what it has paid; null: unused
    entry      integer,
    ended      bigint UNIQUE REFERENCES transfers,           -- which took its value: it pays nothing any more
    FOREIGN KEY (tournament, account, entry) REFERENCES tournament_entries (tournament, account, number),
    CONSTRAINT ticket_pays_one_entry UNIQUE (tournament, account, entry),
    CONSTRAINT ticket_is_used_or_over CHECK ((tournament IS NULL) = (entry IS NULL) AND (tournament IS NULL OR ended IS NULL))
);
CREATE INDEX unused_tickets ON tickets (account) WHERE tournament IS NULL AND ended IS NULL;

CREATE FUNCTION ticket_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER tickets_stay BEFORE DELETE OR TRUNCATE ON tickets EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER ticket_goes_on BEFORE UPDATE ON tickets FOR EACH ROW EXECUTE FUNCTION ticket_goes_on();

ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_account_owner, ADD CONSTRAINT ledger_account_owner CHECK (
    (owner IS NOT NULL) = (kind IN ('wallet', 'stack', 'tickets') OR kind LIKE 'chips:%'));

-- The account of a player's tickets holds what the unused ones are worth, at the end of every transaction.
CREATE FUNCTION check_tickets() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE CONSTRAINT TRIGGER tickets_are_held AFTER UPDATE OF balance ON ledger_accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'tickets') EXECUTE FUNCTION check_tickets();
CREATE CONSTRAINT TRIGGER tickets_are_held AFTER INSERT OR UPDATE ON tickets
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_tickets();

-- The kinds of ledger accounts and transfers, beside those that are there already.
DO $$
DECLARE
    changed record;
BEGIN
    FOR changed IN
        SELECT conrelid::regclass AS of_table, conname, pg_get_expr(conbin, conrelid) AS before, also
        FROM (VALUES ('ledger_accounts', 'ledger_accounts_kind_check', 'kind = ''tickets'''),
                     ('transfers', 'transfers_kind_check', 'kind IN (''ticket'', ''ticket_end'')')
             ) AS wanted (of_table, named, also)
        JOIN pg_constraint ON conrelid = of_table::regclass AND conname = named
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %2$I CHECK (%s OR %s)',
                       changed.of_table, changed.conname, changed.before, changed.also);
    END LOOP;
END $$;

DROP FUNCTION IF EXISTS open_tournament(
    text, text, integer, smallint, bigint, bigint, bigint[], json, bigint, integer, integer, bigint, bigint, integer, jsonb);
DROP FUNCTION IF EXISTS refund(text, text, bigint[], bigint[], text[], bigint[]);
DROP FUNCTION IF EXISTS enter_tournament(text, bigint, integer);
