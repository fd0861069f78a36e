-- What gives a right to move chips is in the books, and so in the chain: who was the host of a table, which role a member
-- of a club had, and the terms of a refill. Each change is a transfer without legs. `roles.sql` explains them.

DO $$
DECLARE
    before text := (SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint
                    WHERE conrelid = 'transfers'::regclass AND conname = 'transfers_kind_check');
BEGIN
    EXECUTE format('ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check, ADD CONSTRAINT transfers_kind_check'
                   ' CHECK (%s OR kind IN (''host'', ''club_role'', ''refill_terms''))', before);
END $$;

-- The declarations have the bodies of their files: the rows below are written before those are applied.
CREATE OR REPLACE FUNCTION transfer_fits(kind text, key text, legs text, account bigint, place text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION note_host() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION note_club_role() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

INSERT INTO transfers (key, kind)
    SELECT format('host:%s:%s:%s', table_id, host, version), 'host' FROM hosted_tables ORDER BY number;
INSERT INTO transfers (key, kind)
    SELECT format('role:%s:%s:%s:%s', club, account, role, replace(gen_random_uuid()::text, '-', '')), 'club_role'
    FROM club_members ORDER BY club, account;

CREATE TRIGGER host_is_noted AFTER INSERT OR UPDATE OF host ON hosted_tables
    FOR EACH ROW EXECUTE FUNCTION note_host();
CREATE TRIGGER club_role_is_noted AFTER INSERT OR UPDATE OF role OR DELETE ON club_members
    FOR EACH ROW EXECUTE FUNCTION note_club_role();

-- Refills from before have no terms.
INSERT INTO transfers (key, kind) SELECT 'refill_terms:none', 'refill_terms'
    WHERE EXISTS (SELECT FROM cash_requests WHERE key LIKE 'refill:%');
CREATE INDEX rights_in_order ON transfers (kind, id) WHERE kind IN ('host', 'club_role', 'refill_terms');
