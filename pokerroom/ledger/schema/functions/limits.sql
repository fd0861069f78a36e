-- Limits of players: deposits, net loss and time of play, in calendar windows of UTC. Of a player's own limit and the
-- operator's cap the lower holds. The transaction that would break a limit is refused.
--
-- Deposits count when they are requested, unless they are refused later; refills count. A loss counts when the player
-- leaves the table, or the round or sit-and-go ends. What a player has at risk counts in full until then, so it cannot
-- be more than what is left. House bots have no limits.

CREATE OR REPLACE FUNCTION window_start(period text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT date_trunc(period, now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
$$;

CREATE OR REPLACE FUNCTION window_end(period text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT (date_trunc(period, now() AT TIME ZONE 'UTC') + ('1 ' || period)::interval) AT TIME ZONE 'UTC'
$$;

-- What an account has used of a limit since a moment.
CREATE OR REPLACE FUNCTION limit_used(of_account bigint, of_kind text, since timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE of_kind
        WHEN 'deposit' THEN (
            SELECT coalesce(sum(amount), 0) FROM cash_requests
            WHERE account = of_account AND kind = 'deposit' AND state <> 'refused' AND asked >= since)
        WHEN 'loss' THEN in_games(of_account, true)
            + (SELECT coalesce(sum(bought), 0) FROM seats WHERE account = of_account)
            + (SELECT coalesce(sum(lost), 0) FROM play_results WHERE account = of_account AND ended >= since)
        WHEN 'session' THEN (
            SELECT coalesce(sum(seconds), 0) FROM play_time
            WHERE account = of_account AND day >= (since AT TIME ZONE 'UTC')::date)
    END::bigint
$$;

-- What is left of the limits of a kind, by that of which the least is left; no row without a limit.
CREATE OR REPLACE FUNCTION limit_left(of_account bigint, of_kind text)
RETURNS TABLE (of_period text, remains bigint, ends timestamptz) LANGUAGE sql STABLE AS $$
    SELECT period, least(value, cap) - limit_used(of_account, kind, window_start(period)), window_end(period)
    FROM limit_kinds
    LEFT JOIN (SELECT * FROM account_limits WHERE account = of_account) AS own USING (kind, period)
    WHERE kind = of_kind AND coalesce(value, cap) IS NOT NULL
      AND EXISTS (SELECT FROM accounts WHERE id = of_account AND password_hash <> '!house')
    ORDER BY 2, 3 DESC LIMIT 1
$$;

-- Whether one of these accounts may have a limit of a kind: a quick look, for most have none.
CREATE OR REPLACE FUNCTION has_limit(of_accounts bigint[], of_kind text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM account_limits WHERE account = ANY (of_accounts) AND kind = of_kind AND value IS NOT NULL)
        OR EXISTS (SELECT FROM limit_kinds WHERE kind = of_kind AND cap IS NOT NULL);
END $$;

-- Refuses what would be more than is left. The detail of the error is a JSON object.
CREATE OR REPLACE FUNCTION check_limit(of_account bigint, of_kind text, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found_one record;
BEGIN
    IF NOT has_limit(ARRAY[of_account], of_kind) THEN
        RETURN;
    END IF;
    PERFORM lock_account(of_account);  -- two requests of an account do not each use what is left
    SELECT * INTO found_one FROM limit_left(of_account, of_kind);
    IF found_one.remains < amount THEN
        RAISE EXCEPTION 'account % has % left of its limit', of_account, found_one.remains
            USING ERRCODE = 'check_violation', CONSTRAINT = 'limit_is_kept', DETAIL = jsonb_build_object(
                'kind', of_kind, 'period', found_one.of_period, 'left', greatest(0, found_one.remains),
                'ends_ms', (extract(epoch FROM found_one.ends) * 1000)::bigint)::text;
    END IF;
END $$;

-- Refuses to let an account bring money to a game. Called once the owner of the table is checked, before the seat.
CREATE OR REPLACE FUNCTION check_play(of_account bigint, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_not_locked(of_account);
    PERFORM check_not_excluded(of_account);
    PERFORM check_limit(of_account, 'session', 1);
    PERFORM check_limit(of_account, 'loss', amount);
END $$;

-- Whether an increase that may be confirmed from a moment on has not expired, `valid_s` seconds later; null: there is none.
CREATE OR REPLACE FUNCTION is_wanted(from_then timestamptz, valid_s integer) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT from_then > now() - make_interval(secs => valid_s)
$$;

-- Sets a limit of an account; null is none. Less holds at once. More waits for `wait_s` seconds, and holds once it is set
-- again after that, in `valid_s` seconds. The present value withdraws an increase. A limit that holds from now on has a line in
-- the operators' log, so that the audit can compare it; of less there are ten an hour at most: it can be set as often as one wants.
CREATE OR REPLACE FUNCTION set_limit(
    of_account bigint, of_kind text, of_period text, new_value bigint, wait_s integer, valid_s integer
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    present account_limits;
    is_same boolean;  -- as the increase that waits
BEGIN
    PERFORM lock_account(of_account);
    INSERT INTO account_limits (account, kind, period) VALUES (of_account, of_kind, of_period)
        ON CONFLICT ON CONSTRAINT account_limits_pkey DO NOTHING;
    SELECT * INTO present FROM account_limits WHERE account = of_account AND kind = of_kind AND period = of_period;
    is_same := coalesce(is_wanted(present.wanted_from, valid_s), false) AND present.wanted IS NOT DISTINCT FROM new_value;
    IF present.value IS NULL OR new_value <= present.value OR is_same AND present.wanted_from <= now() THEN
        UPDATE account_limits SET value = new_value, wanted = NULL, wanted_from = NULL
            WHERE account = of_account AND kind = of_kind AND period = of_period;
        IF present.value IS DISTINCT FROM new_value AND NOT (coalesce(new_value < present.value, false) AND 10 <= (
                SELECT count(*) FROM operator_log
                WHERE verb = 'limit.set' AND at_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3600000
                    AND subject = 'account:' || of_account)) THEN
            PERFORM log_act(
                ROW('account:' || of_account, 'player', '', '')::acting, 'limit.set', 'account:' || of_account,
                json_build_object('kind', of_kind, 'period', of_period, 'value', new_value));
        END IF;
    ELSIF NOT is_same THEN
        UPDATE account_limits SET wanted = new_value, wanted_from = now() + make_interval(secs => wait_s)
            WHERE account = of_account AND kind = of_kind AND period = of_period;
    END IF;
END $$;

-- The caps of the operator: those that are not named have none.
CREATE OR REPLACE FUNCTION set_limit_caps(kinds text[], periods text[], caps bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE limit_kinds SET cap = new_cap
    FROM (SELECT kind, period, given.cap AS new_cap FROM limit_kinds
          LEFT JOIN unnest(kinds, periods, caps) AS given (kind, period, cap) USING (kind, period)) AS wanted
    WHERE (limit_kinds.kind, limit_kinds.period) = (wanted.kind, wanted.period)
      AND limit_kinds.cap IS DISTINCT FROM new_cap
$$;

-- All limits of an account, also those that are not set.
CREATE OR REPLACE FUNCTION limits_of(of_account bigint, valid_s integer)
RETURNS TABLE (of_kind text, of_period text, own bigint, of_room bigint, used bigint, ends timestamptz,
               asked bigint, asked_from timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT kind, period, value, cap, limit_used(of_account, kind, window_start(period)), window_end(period),
           CASE WHEN is_wanted(wanted_from, valid_s) THEN wanted END, CASE WHEN is_wanted(wanted_from, valid_s) THEN wanted_from END
    FROM limit_kinds LEFT JOIN (SELECT * FROM account_limits WHERE account = of_account) AS own USING (kind, period)
    ORDER BY kind, window_end(period) - window_start(period)
$$;

-- What an account has won, or lost, since a moment: games that are over, and stacks beside what was brought to them.
CREATE OR REPLACE FUNCTION net_since(of_account bigint, since timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT ((SELECT coalesce(sum(balance - bought), 0) FROM seats
             JOIN ledger_accounts ON code = 'stack:' || seats.table_id || ':' || account WHERE account = of_account AND NOT place)
          - (SELECT coalesce(sum(lost), 0) FROM play_results WHERE account = of_account AND ended >= since))::bigint
$$;

-- Notes that accounts are connected, at one node or several: for those that play, the time since the last note counts if
-- that was less than two turns of `every_s` ago. Of these accounts and those in `seated`, returns the ones with a limit
-- of time, and the ones with a reality check that is due.
CREATE OR REPLACE FUNCTION watch_play(connected bigint[], seated bigint[], every_s integer)
RETURNS TABLE (of_account bigint, played_s bigint, added_s bigint, left_s bigint, ends timestamptz, check_due boolean, net bigint)
LANGUAGE sql AS $$
    WITH playing AS MATERIALIZED (
        SELECT DISTINCT one.id FROM unnest(connected) AS one (id)
        WHERE EXISTS (SELECT FROM tables_of(one.id))
    ), present AS MATERIALIZED (
        SELECT account, seconds FROM play_time
        WHERE account = ANY (connected || seated) AND day = (now() AT TIME ZONE 'UTC')::date
    ), noted AS (
        INSERT INTO play_time AS before (account, day, seconds)
            SELECT id, (now() AT TIME ZONE 'UTC')::date, 0 FROM playing ORDER BY id
        ON CONFLICT (account, day) DO UPDATE SET noted = now(), seconds = before.seconds + CASE
            WHEN now() - before.noted < make_interval(secs => 2 * every_s)
            THEN extract(epoch FROM now() - before.noted)::integer ELSE 0 END
        RETURNING account, seconds
    ), watched AS (
        SELECT id, coalesce(noted.seconds, present.seconds, 0)::bigint AS played,
               coalesce(noted.seconds - present.seconds, 0)::bigint AS added,
               60 * coalesce((SELECT (value #>> '{}')::integer FROM account_settings
                              WHERE account_settings.account = id AND key = 'reality_check_min'), 0) AS check_s
        FROM (SELECT id FROM playing UNION SELECT unnest(seated)) AS one
        LEFT JOIN noted ON noted.account = id LEFT JOIN present ON present.account = id
    )
    SELECT id, played, added, remains - added, limit_left.ends, due,
           CASE WHEN due THEN net_since(id, window_start('day')) ELSE 0 END
    FROM (SELECT *, check_s > 0 AND added > 0 AND played / check_s > (played - added) / check_s AS due FROM watched) AS each
    LEFT JOIN LATERAL limit_left(id, 'session') ON true
    WHERE due OR remains IS NOT NULL
$$;
