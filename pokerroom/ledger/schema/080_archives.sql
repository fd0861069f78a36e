-- Records of old hands and rounds may be moved to files. A hash stays in the place of each, so the chain is proven without
-- them. `archives.sql` explains it.

-- The files. `last` is the transfer up to which the file was filled: the next one begins after it. `players` is the hash of the
-- rows of players that the records of hands were compared with (`archive_line`).
CREATE TABLE archives (
    number  integer PRIMARY KEY CHECK (number > 0),
    file    text NOT NULL,
    sha256  bytea NOT NULL CHECK (length(sha256) = 32),
    last    bigint NOT NULL,
    hands   integer NOT NULL CHECK (hands >= 0),
    rounds  integer NOT NULL CHECK (rounds >= 0),
    players bytea NOT NULL CHECK (length(players) = 32),
    CONSTRAINT file_is_of_its_archive CHECK (
        file ~ '^[a-z0-9.-]{1,100}$' AND file = format('records-%s-%s.jsonl.gz', number, left(encode(sha256, 'hex'), 16))),
    CONSTRAINT archive_has_records CHECK (hands + rounds > 0)
);

CREATE FUNCTION archive_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION round_goes_to_archive() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE TRIGGER archives_stay BEFORE DELETE OR TRUNCATE ON archives
    EXECUTE FUNCTION refuse_change('records are in its file');
CREATE TRIGGER archive_goes_on BEFORE UPDATE ON archives FOR EACH ROW EXECUTE FUNCTION archive_goes_on();

DROP TRIGGER round_ends_are_for_ever ON round_ends;
CREATE TRIGGER round_ends_are_for_ever BEFORE DELETE OR TRUNCATE ON round_ends
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER round_goes_to_archive BEFORE UPDATE ON round_ends
    FOR EACH ROW EXECUTE FUNCTION round_goes_to_archive();
