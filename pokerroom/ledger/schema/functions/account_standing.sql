-- Whether an account may play and log in: exclusions, locks; and its name.
--
-- An excluded account may log in and withdraw. It brings no money to a game or to the room: `check_play` and the cashier
-- refuse it. A locked account cannot log in, and brings no money to a game either: a connection of it may still be open at
-- another node. The longest exclusion holds.

-- When the exclusion of an account ends, infinity if it is for ever; null: there is none.
CREATE OR REPLACE FUNCTION exclusion_end(of_account bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max(coalesce(until, 'infinity')) FROM exclusions
    WHERE account = of_account AND coalesce(until, 'infinity') > now()
$$;

-- Refuses an excluded account. The detail of the error is a JSON object.
CREATE OR REPLACE FUNCTION check_not_excluded(of_account bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    longest timestamptz := exclusion_end(of_account);
BEGIN
    IF longest IS NOT NULL THEN
        RAISE EXCEPTION 'account % is excluded', of_account
            USING ERRCODE = 'check_violation', CONSTRAINT = 'player_is_not_excluded', DETAIL = jsonb_build_object(
                'until_ms', CASE WHEN longest < 'infinity' THEN (extract(epoch FROM longest) * 1000)::bigint END)::text;
    END IF;
END $$;

-- Refuses a locked account, as a deleted one is.
CREATE OR REPLACE FUNCTION check_not_locked(of_account bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM account_locks WHERE account = of_account) THEN
        PERFORM refuse('account_is_not_locked', format('account %s is locked', of_account));
    END IF;
END $$;

-- The tables at which an account has a seat, those of sit-and-gos among them.
CREATE OR REPLACE FUNCTION tables_of(of_account bigint) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT table_id FROM seats WHERE account = of_account
    UNION ALL
    SELECT entry.tournament FROM tournament_entries AS entry JOIN tournaments ON tournaments.id = entry.tournament
    WHERE entry.account = of_account AND NOT returned AND NOT replaced AND phase = 'running' AND NOT EXISTS (
        SELECT FROM tournament_places AS given
        WHERE given.tournament = entry.tournament AND given.account = entry.account)
$$;

-- What a log-in needs; no row for an unknown account. An exclusion for ever ends at infinity.
CREATE OR REPLACE FUNCTION account_overview(of_account bigint)
RETURNS TABLE (balance bigint, tables text[], settings jsonb, last_log_in timestamptz, is_excluded boolean,
               excluded_until timestamptz, muted_until timestamptz)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT wallet.balance, ARRAY(SELECT one FROM tables_of(of_account) AS one ORDER BY one COLLATE "C"),
           (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM account_settings WHERE account = of_account),
           logged_in_before, longest IS NOT NULL, longest,
           (SELECT until FROM chat_mutes WHERE account = of_account AND until > now())
    FROM accounts JOIN ledger_accounts AS wallet ON code = 'wallet:' || of_account, exclusion_end(of_account) AS longest
    WHERE accounts.id = of_account;
END $$;

-- Those of the accounts that are excluded.
CREATE OR REPLACE FUNCTION excluded_among(of_accounts bigint[]) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT DISTINCT account FROM exclusions WHERE account = ANY (of_accounts) AND coalesce(until, 'infinity') > now()
$$;

-- Excludes an account for so many days; null: for ever. If it is excluded for as long but for `same_s` seconds, nothing
-- changes: each exclusion is kept for ever.
CREATE OR REPLACE FUNCTION exclude_account(of_account bigint, days integer, same_s integer, actor acting) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    new_until timestamptz := now() + make_interval(days => days);
BEGIN
    PERFORM lock_account(of_account);
    IF EXISTS (SELECT FROM exclusions WHERE account = of_account AND coalesce(until, 'infinity')
               >= coalesce(new_until, 'infinity') - make_interval(secs => same_s)) THEN
        RETURN;
    END IF;
    INSERT INTO exclusions (account, until) VALUES (of_account, new_until);
    PERFORM log_act(actor, 'account.exclude', 'account:' || of_account, json_build_object('days', days));
END $$;

-- Locks an account and ends its sessions. Returns those ended.
CREATE OR REPLACE FUNCTION lock_out(of_account bigint, actor acting) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    ended bigint;
BEGIN
    PERFORM lock_account(of_account);
    INSERT INTO account_locks (account) VALUES (of_account) ON CONFLICT DO NOTHING;
    RETURN QUERY DELETE FROM sessions WHERE account = of_account RETURNING id;
    GET DIAGNOSTICS ended = ROW_COUNT;
    PERFORM log_act(actor, 'account.lock', 'account:' || of_account, json_build_object('sessions_ended', ended));
END $$;

CREATE OR REPLACE FUNCTION unlock_account(of_account bigint, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    DELETE FROM account_locks WHERE account = of_account;
    PERFORM log_act(actor, 'account.unlock', 'account:' || of_account, '{}');
END $$;

-- Takes the right to chat from an account for so many minutes from now on, in place of an earlier time.
CREATE OR REPLACE FUNCTION mute_account(of_account bigint, minutes integer, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    INSERT INTO chat_mutes VALUES (of_account, now() + make_interval(mins => minutes))
        ON CONFLICT (account) DO UPDATE SET until = excluded.until;
    PERFORM log_act(actor, 'account.mute', 'account:' || of_account, json_build_object('minutes', minutes));
END $$;

CREATE OR REPLACE FUNCTION unmute_account(of_account bigint, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    DELETE FROM chat_mutes WHERE account = of_account;
    PERFORM log_act(actor, 'account.unmute', 'account:' || of_account, '{}');
END $$;

-- Gives an account another name, by the rule of `create_account`.
CREATE OR REPLACE FUNCTION rename_account(of_account bigint, new_name text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old_name text;
    new_look text;
BEGIN
    PERFORM lock_account(of_account);
    SELECT name INTO old_name FROM accounts WHERE id = of_account;
    UPDATE accounts SET name = new_name WHERE id = of_account RETURNING look INTO new_look;
    IF EXISTS (SELECT FROM accounts WHERE look = new_look AND id <> of_account) THEN
        RAISE unique_violation USING CONSTRAINT = 'account_name_is_unique';
    END IF;
    PERFORM log_act(actor, 'account.rename', 'account:' || of_account, json_build_object('from', old_name, 'to', new_name));
END $$;

-- What is left to do about accounts: those in `connected` that are locked, those in `seated` that are excluded, and
-- excluded ones that are registered for a tournament that has not started, with its offer.
CREATE OR REPLACE FUNCTION barred_accounts(connected bigint[], seated bigint[])
RETURNS TABLE (of_account bigint, why text, of_offer text) LANGUAGE sql STABLE AS $$
    SELECT account, 'locked', NULL FROM account_locks WHERE account = ANY (connected)
    UNION SELECT excluded_among(seated), 'seated', NULL
    UNION SELECT entry.account, 'entered', offer
        FROM exclusions JOIN tournament_entries AS entry USING (account) JOIN tournaments ON tournaments.id = entry.tournament
        WHERE coalesce(until, 'infinity') > now() AND NOT returned AND phase = 'registering'
$$;
