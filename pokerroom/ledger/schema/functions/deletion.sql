-- Deletion of an account: what tells of a person goes, the books stay.

-- Refuses an account that has anything but its wallet: seats, tournaments, tickets, bets, unpaid prizes, pending requests. The rest
-- of the wallet goes to `to_source` as a withdrawal that is approved at once; without a source the wallet must be empty.
-- A proposal of an adjustment waits for `proposal_s` seconds. Returns the sessions ended. An account that is deleted already
-- changes nothing.
CREATE OR REPLACE FUNCTION delete_account(of_account bigint, to_source text, proposal_s bigint, actor acting)
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    new_name text := 'gone-' || of_account;
    rest     bigint;
BEGIN
    PERFORM lock_account(of_account);
    IF EXISTS (SELECT FROM accounts WHERE id = of_account AND name = new_name) THEN
        RETURN;
    END IF;
    PERFORM check_not_excluded(of_account);  -- the number alone says who may not play
    SELECT balance INTO rest FROM ledger_accounts WHERE code = 'wallet:' || of_account;
    IF owned_by(of_account) <> rest
            OR EXISTS (SELECT FROM seats WHERE account = of_account)
            OR EXISTS (SELECT FROM club_members WHERE account = of_account)
            OR EXISTS (SELECT FROM hosted_tables WHERE host = of_account AND closed IS NULL)
            OR EXISTS (SELECT FROM tournament_entries JOIN tournament_places USING (tournament, account)
                       WHERE account = of_account AND prize > 0 AND paid IS NULL)
            OR EXISTS (SELECT FROM cash_requests WHERE account = of_account AND state = 'waiting')
            OR wallet_is_waiting(of_account)
            OR EXISTS (SELECT FROM adjustments WHERE account = of_account AND state = 'proposed'
                       AND proposed > now() - make_interval(secs => proposal_s)) THEN
        PERFORM refuse('account_is_at_rest', format('account %s has seats, entries, tickets or requests', of_account));
    END IF;
    UPDATE accounts SET name = new_name, password_hash = '!gone', logged_in = NULL, logged_in_before = NULL
        WHERE id = of_account;
    DELETE FROM recovery_codes WHERE account = of_account;
    DELETE FROM second_factors WHERE account = of_account;
    DELETE FROM account_settings WHERE account = of_account;
    DELETE FROM wallet_links WHERE account = of_account;
    DELETE FROM shared_hands WHERE account = of_account;
    DELETE FROM player_notes WHERE account = of_account OR about = of_account;
    INSERT INTO account_locks (account) VALUES (of_account) ON CONFLICT DO NOTHING;  -- its connections end
    RETURN QUERY DELETE FROM sessions WHERE account = of_account RETURNING id;
    IF rest > 0 THEN  -- last of all, with its line in the log: see the order of locks in ledger.sql
        IF to_source IS NULL THEN
            PERFORM refuse('wallet_is_empty', format('account %s has %s', of_account, rest));
        ELSIF actor.who <> 'account:' || of_account AND four_eyes() THEN
            PERFORM refuse('cash_has_two_operators', 'two operators must agree: propose it by `pokerroom cashier adjust`');
        END IF;
        PERFORM decide_cash(
            request_cash(of_account, gen_random_uuid()::text, 'withdrawal', rest, to_source, 1, NULL), true, '', actor);
    END IF;
    PERFORM log_act(actor, 'account.delete', 'account:' || of_account, json_build_object('returned', rest));
END $$;
