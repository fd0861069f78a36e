-- Sessions: the log-ins of devices, by the SHA-256 of their tokens. Passwords, and codes that set a new one.

CREATE OR REPLACE FUNCTION is_valid_session(seen timestamptz, created timestamptz, idle_s bigint, absolute_s bigint)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT seen > now() - make_interval(secs => idle_s) AND created > now() - make_interval(secs => absolute_s)
$$;

-- Opens a session and returns its id; null if another account has one of this token. Removes sessions of the account
-- that are over, and the oldest if it would have more than `at_most`. `of_password` is the hash that was verified, or null.
CREATE OR REPLACE FUNCTION open_session(
    of_account bigint, new_hash bytea, new_client text, new_address text, idle_s bigint, absolute_s bigint, at_most bigint,
    of_password text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    opened bigint;
    owner  bigint;
BEGIN
    -- It keeps a change of the password and `lock_out` apart: they end the sessions that they find.
    PERFORM lock_account(of_account);
    PERFORM check_not_locked(of_account);
    IF NOT EXISTS (SELECT FROM accounts WHERE id = of_account AND password_hash = coalesce(of_password, password_hash)) THEN
        PERFORM refuse('password_is_current', format('account %s has another password now', of_account));
    END IF;
    UPDATE sessions SET seen = now() WHERE token_hash = new_hash RETURNING id, account INTO opened, owner;
    IF FOUND THEN
        RETURN CASE WHEN owner = of_account THEN opened END;
    END IF;
    -- Rows that another connection removes are skipped: two log-ins of an account do not deadlock.
    DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions
        WHERE account = of_account AND (
            NOT is_valid_session(seen, created, idle_s, absolute_s)
            OR id IN (SELECT id FROM sessions WHERE account = of_account ORDER BY seen DESC, id DESC OFFSET at_most - 1))
        FOR UPDATE SKIP LOCKED);
    INSERT INTO sessions (token_hash, account, client, address) VALUES (new_hash, of_account, new_client, new_address)
        RETURNING id INTO opened;
    UPDATE accounts SET logged_in_before = coalesce(logged_in, created), logged_in = now()
        WHERE id = of_account AND of_password IS NOT NULL;
    RETURN opened;
END $$;

-- The valid session of a token, or of the one before it during the overlap. Notes the time and the device.
CREATE OR REPLACE FUNCTION find_session(
    of_token bytea, new_client text, new_address text, idle_s bigint, absolute_s bigint, seen_every_s bigint)
RETURNS TABLE (session bigint, account bigint, account_name text, password_hash text, token_age_s bigint,
               is_earlier boolean, salt uuid)
LANGUAGE plpgsql AS $$  -- its plans are kept, which a function in SQL makes again at each call
DECLARE
    found_session sessions;
BEGIN
    SELECT * INTO found_session FROM sessions
    WHERE (token_hash = of_token OR (earlier_hash = of_token AND earlier_until > now()))
      AND is_valid_session(seen, created, idle_s, absolute_s);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF found_session.seen < now() - make_interval(secs => seen_every_s)
       OR found_session.client <> new_client OR found_session.address <> new_address THEN
        UPDATE sessions SET seen = now(), client = coalesce(new_client, sessions.client),
                            address = coalesce(new_address, sessions.address)
        WHERE id = found_session.id;
    END IF;
    RETURN QUERY SELECT found_session.id, accounts.id, name, accounts.password_hash,
                        extract(epoch FROM now() - found_session.rotated)::bigint,
                        found_session.token_hash <> of_token, found_session.salt
                 FROM accounts WHERE accounts.id = found_session.account;
END $$;

-- Notes that sessions are in use. Returns those that are valid.
CREATE OR REPLACE FUNCTION use_sessions(used bigint[], idle_s bigint, absolute_s bigint, seen_every_s bigint)
RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH valid AS (
        SELECT id FROM sessions WHERE id = ANY (used) AND is_valid_session(seen, created, idle_s, absolute_s)
    ), noted AS (
        UPDATE sessions SET seen = now()
        WHERE id IN (
            SELECT id FROM sessions WHERE id IN (SELECT id FROM valid)
              AND seen < now() - make_interval(secs => seen_every_s)
            FOR UPDATE SKIP LOCKED)
    )
    SELECT id FROM valid
$$;

-- Stores a new password and ends all sessions of the account but one, which must not have ended. Returns those ended.
CREATE OR REPLACE FUNCTION store_password(of_account bigint, new_hash text, but bigint) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    UPDATE accounts SET password_hash = new_hash WHERE id = of_account;
    PERFORM FROM sessions WHERE id = but AND account = of_account FOR UPDATE;
    IF but IS NOT NULL AND NOT FOUND THEN
        PERFORM refuse('session_has_not_ended', format('session %s has ended', but));
    END IF;
    RETURN QUERY DELETE FROM sessions WHERE account = of_account AND id IS DISTINCT FROM but RETURNING id;
END $$;

-- As `store_password`, and all recovery codes are void: a thief who knew the password may have made them.
CREATE OR REPLACE FUNCTION change_password(of_account bigint, new_hash text, but bigint, actor acting) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    ended bigint;
BEGIN
    RETURN QUERY SELECT store_password(of_account, new_hash, but);
    GET DIAGNOSTICS ended = ROW_COUNT;
    DELETE FROM recovery_codes WHERE account = of_account;
    PERFORM log_act(actor, 'password.changed', 'account:' || of_account, json_build_object('sessions_ended', ended));
END $$;

-- Ends one session of the account, or all of them; never that of the number `but`. Returns those ended. A log-out of the
-- device itself has no actor and no line. This needs no password, so there is a bound of lines in an hour.
CREATE OR REPLACE FUNCTION end_sessions(of_account bigint, of_session bigint, but bigint, actor acting, lines_max bigint)
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    ended bigint;
BEGIN
    RETURN QUERY DELETE FROM sessions
        WHERE account = of_account AND id = coalesce(of_session, id) AND id IS DISTINCT FROM but RETURNING id;
    GET DIAGNOSTICS ended = ROW_COUNT;
    IF ended > 0 AND actor IS NOT NULL THEN
        PERFORM log_rarely(
            actor, 'sessions.ended', 'account:' || of_account, json_build_object('count', ended), 'done', lines_max, NULL);
    END IF;
END $$;

-- Replaces the account's own recovery codes. Those of the operator stay.
CREATE OR REPLACE FUNCTION replace_recovery_codes(of_account bigint, hashes bytea[], actor acting) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    DELETE FROM recovery_codes WHERE account = of_account AND expires IS NULL;
    INSERT INTO recovery_codes (account, code_hash) SELECT of_account, hash FROM unnest(hashes) AS hash;
    PERFORM log_act(actor, 'recovery_codes.made', 'account:' || of_account, json_build_object('count', cardinality(hashes)));
END $$;

-- Adds a code of the operator, in place of an earlier one.
CREATE OR REPLACE FUNCTION add_recovery_code(of_account bigint, hash bytea, valid_s bigint, actor acting) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    DELETE FROM recovery_codes WHERE account = of_account AND expires IS NOT NULL;
    INSERT INTO recovery_codes VALUES (of_account, hash, now() + make_interval(secs => valid_s));
    PERFORM log_act(actor, 'account.recovery_code', 'account:' || of_account, json_build_object('valid_s', valid_s));
END $$;

-- Uses a code, once, to store a new password; ends all sessions. Returns whether the code was valid, and those ended.
-- After a code of the operator all others are void: the player has lost the account's own, or a thief has made them.
CREATE OR REPLACE FUNCTION recover_account(
    of_account bigint, hash bytea, new_hash text, actor acting, OUT valid boolean, OUT ended bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    of_operator boolean;
BEGIN
    PERFORM lock_account(of_account);
    DELETE FROM recovery_codes WHERE account = of_account AND code_hash = hash AND coalesce(expires > now(), true)
        RETURNING expires IS NOT NULL INTO of_operator;
    valid := FOUND;
    IF valid THEN
        SELECT coalesce(array_agg(over), '{}') INTO ended FROM store_password(of_account, new_hash, NULL) AS over;
        DELETE FROM recovery_codes WHERE account = of_account AND of_operator;
        PERFORM log_act(actor, 'account.recovered', 'account:' || of_account,
                        json_build_object('by_operator', of_operator, 'sessions_ended', cardinality(ended)));
    END IF;
END $$;

-- Uses a recovery code in place of a second factor, once. Returns whether there was a valid one.
CREATE OR REPLACE FUNCTION use_recovery_code(of_account bigint, hash bytea, actor acting) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM recovery_codes WHERE account = of_account AND code_hash = hash AND coalesce(expires > now(), true);
    RETURN log_change(FOUND, actor, 'recovery_code.used', of_account);
END $$;

-- Stores a secret that is not confirmed, in place of an earlier such one. Returns false if there is a confirmed one.
CREATE OR REPLACE FUNCTION begin_second_factor(of_account bigint, new_sealed bytea, actor acting) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO second_factors AS present (account, sealed) VALUES (of_account, new_sealed)
        ON CONFLICT (account) DO UPDATE SET sealed = excluded.sealed, last_step = 0 WHERE NOT present.confirmed;
    RETURN log_change(FOUND, actor, 'second_factor.begun', of_account);
END $$;

-- Notes that the code of this step was used; the first one confirms the second factor. Returns false for a step that is
-- not after the last one.
CREATE OR REPLACE FUNCTION use_second_factor(of_account bigint, step bigint, actor acting) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    was_confirmed boolean;
BEGIN
    SELECT confirmed INTO was_confirmed FROM second_factors WHERE account = of_account AND last_step < step
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE second_factors SET confirmed = true, last_step = step WHERE account = of_account;
    PERFORM log_change(NOT was_confirmed, actor, 'second_factor.confirmed', of_account);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION end_second_factor(of_account bigint, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM second_factors WHERE account = of_account;
    PERFORM log_change(FOUND, actor, 'second_factor.ended', of_account);
END $$;
