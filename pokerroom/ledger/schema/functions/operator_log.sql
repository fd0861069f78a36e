-- The operators' log: lines in a chain of hashes (ledger/operator_log.py has the same hash in Python).

CREATE OR REPLACE FUNCTION netstring(part text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT convert_to(format('%s:%s,', octet_length(part), part), 'UTF8')
$$;

CREATE OR REPLACE FUNCTION line_hash(line operator_log) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(line.prev_hash || netstring(line.n::text) || netstring(line.at_ms::text) || netstring(line.who)
        || netstring(line.role) || netstring(line.verb) || netstring(line.subject) || netstring(line.args::text)
        || netstring(line.reason) || netstring(line.result) || netstring(line.address))
$$;

-- Puts a new line at the end of the chain, whichever program writes it. Writers wait here for each other until their
-- transactions end, so a function writes its line last.
CREATE OR REPLACE FUNCTION chain_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT head.n + 1, head.hash INTO STRICT NEW.n, NEW.prev_hash FROM operator_log_head AS head FOR UPDATE;
    NEW.at_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    NEW.hash := line_hash(NEW);
    UPDATE operator_log_head SET n = NEW.n, hash = NEW.hash;
    RETURN NEW;
END $$;

-- Writes a line and returns its number.
CREATE OR REPLACE FUNCTION log_act(actor acting, new_verb text, new_subject text, new_args json, new_result text DEFAULT 'done')
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    written bigint;
BEGIN
    INSERT INTO operator_log (who, role, verb, subject, args, reason, result, address)
        VALUES (actor.who, actor.role, new_verb, new_subject, new_args, actor.reason, new_result, actor.address)
        RETURNING n INTO written;
    RETURN written;
END $$;

-- Writes the line of a change to an account, if something has changed. Returns whether it has.
CREATE OR REPLACE FUNCTION log_change(has_changed boolean, actor acting, verb text, of_account bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF has_changed THEN
        PERFORM log_act(actor, verb, 'account:' || of_account, '{}');
    END IF;
    RETURN has_changed;
END $$;

-- As `log_act`; null if the last hour has `of_same` lines of this verb with the same actor, subject and address, or
-- `in_all` lines of it, unless that is null. The lock keeps two writers from both taking the last place.
CREATE OR REPLACE FUNCTION log_rarely(
    actor acting, new_verb text, new_subject text, new_args json, new_result text, of_same bigint, in_all bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    since      bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3600000;
    found_same bigint;
    found_all  bigint;
BEGIN
    PERFORM FROM operator_log_head FOR UPDATE;
    SELECT count(*), count(*) FILTER (WHERE (who, subject, address) = (actor.who, new_subject, actor.address))
        INTO found_all, found_same FROM operator_log WHERE verb = new_verb AND at_ms > since;
    RETURN CASE WHEN found_same < of_same AND (in_all IS NULL OR found_all < in_all)
        THEN log_act(actor, new_verb, new_subject, new_args, new_result) END;
END $$;
