-- The operators' log: what operators and players did, in a chain of hashes. See ledger/operator_log.py.

CREATE TYPE acting AS (who text, role text, reason text, address text);

CREATE TABLE operator_log (
    n         bigint PRIMARY KEY,  -- from 1, without gaps
    at_ms     bigint NOT NULL,
    who       text NOT NULL CHECK (length(who) BETWEEN 1 AND 200),
    role      text NOT NULL CHECK (length(role) <= 200),
    verb      text NOT NULL CHECK (length(verb) BETWEEN 1 AND 200),
    subject   text NOT NULL CHECK (length(subject) <= 200),
    args      json NOT NULL CHECK (json_typeof(args) = 'object' AND length(args::text) <= 2000),  -- json keeps its text
    reason    text NOT NULL CHECK (length(reason) <= 500),
    result    text NOT NULL CHECK (length(result) BETWEEN 1 AND 200),
    address   text NOT NULL CHECK (length(address) <= 200),
    prev_hash bytea NOT NULL CHECK (length(prev_hash) = 32),
    hash      bytea NOT NULL CHECK (length(hash) = 32)
);
CREATE INDEX operator_log_by_verb ON operator_log (verb, at_ms);
CREATE INDEX operator_log_by_actor ON operator_log (who, n);

-- The last line. Its lock puts the writers of all nodes one after the other.
CREATE TABLE operator_log_head (
    id   integer PRIMARY KEY CHECK (id = 1),
    n    bigint NOT NULL,
    hash bytea NOT NULL
);
INSERT INTO operator_log_head VALUES (1, 0, decode(repeat('00', 32), 'hex'));

CREATE FUNCTION chain_line() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE TRIGGER operator_log_is_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_log
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER line_is_chained BEFORE INSERT ON operator_log FOR EACH ROW EXECUTE FUNCTION chain_line();
CREATE TRIGGER operator_log_head_stays BEFORE DELETE OR TRUNCATE ON operator_log_head
    EXECUTE FUNCTION refuse_change('the next line follows it');
CREATE TRIGGER head_follows_lines BEFORE UPDATE ON operator_log_head
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change('it follows from lines');
