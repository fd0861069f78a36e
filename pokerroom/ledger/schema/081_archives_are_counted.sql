-- beside 73
-- A record goes to an archive only in the transaction that writes the row of it, which says how many go. `archives.sql` explains
-- it.

CREATE FUNCTION check_archive() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE CONSTRAINT TRIGGER archive_has_its_count AFTER INSERT OR UPDATE ON archives DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION check_archive();
