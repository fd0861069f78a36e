-- Clubs: members with roles, an invitation code, and a bank with play money of the club's own.
--
-- The bank `club:<club>` may be negative: it owes what members have in their balances and at the club's tables. The row of a
-- club is locked before its members change, and the account before it.

-- How high a role is; each has what the lower ones have.
CREATE OR REPLACE FUNCTION role_rank(of_role text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT array_position(ARRAY['member', 'manager', 'owner'], of_role)
$$;

-- The role of a member. Refuses an account that is none, and one with a role below `at_least`.
CREATE OR REPLACE FUNCTION role_in_club(of_club text, of_account bigint, at_least text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    has text;
BEGIN
    SELECT role INTO has FROM club_members JOIN clubs USING (club)
        WHERE club = of_club AND account = of_account AND closed IS NULL;
    IF has IS NULL THEN
        PERFORM refuse('club_is_known', format('there is no club %s for account %s', of_club, of_account));
    ELSIF role_rank(has) < role_rank(at_least) THEN
        PERFORM refuse('club_role_is_held', format('account %s is a %s of %s', of_account, has, of_club));
    END IF;
    RETURN has;
END $$;

-- Locks a club for a member, and returns the role, as `role_in_club`.
CREATE OR REPLACE FUNCTION club_role(of_club text, of_account bigint, at_least text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM clubs WHERE club = of_club AND closed IS NULL FOR UPDATE;
    RETURN role_in_club(of_club, of_account, at_least);
END $$;

-- The member of this name, as for a log-in.
CREATE OR REPLACE FUNCTION member_named(of_club text, of_name text) RETURNS club_members LANGUAGE plpgsql AS $$
DECLARE
    member club_members;
BEGIN
    SELECT named.* INTO member FROM club_members AS named JOIN accounts ON accounts.id = account
        WHERE club = of_club AND lower(name COLLATE "C") = lower(of_name COLLATE "C");
    IF NOT FOUND THEN
        PERFORM refuse('member_is_known', format('%s has no member %s', of_club, of_name));
    END IF;
    RETURN member;
END $$;

-- Refuses one more club to an account that is a member of as many as it may. The account is locked.
CREATE OR REPLACE FUNCTION check_clubs_of(of_account bigint, clubs_max integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM club_members WHERE account = of_account) >= clubs_max THEN
        PERFORM refuse('clubs_are_few', format('account %s is a member of %s clubs', of_account, clubs_max));
    END IF;
END $$;

-- Creates a club. Each leaves its row for ever: of the clubs that are not a day old an account has been in few.
CREATE OR REPLACE FUNCTION create_club(
    new_club text, of_owner bigint, new_name text, new_code text, own_max integer, clubs_max integer, day_max integer
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_owner);
    PERFORM check_not_locked(of_owner);
    PERFORM check_clubs_of(of_owner, clubs_max);
    IF (SELECT count(*) FROM club_members WHERE account = of_owner AND role = 'owner') >= own_max
            OR (SELECT count(*) FROM clubs JOIN ledger_accounts ON ledger_accounts.code = format('chips:%s:%s', club, of_owner)
                WHERE opened > now() - interval '1 day') >= day_max THEN
        PERFORM refuse('clubs_are_few', format('account %s owns %s clubs', of_owner, own_max));
    END IF;
    INSERT INTO clubs (club, name, code) VALUES (new_club, new_name, new_code);
    INSERT INTO club_members VALUES (new_club, of_owner, 'owner');
    INSERT INTO ledger_accounts (kind, table_id) VALUES ('club:' || new_club, new_club);
    INSERT INTO ledger_accounts (kind, owner) VALUES ('chips:' || new_club, of_owner);
END $$;

-- Gives a club another code, or none; it is valid for so many seconds, or for ever.
CREATE OR REPLACE FUNCTION set_club_code(of_club text, of_manager bigint, new_code text, valid_s integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM club_role(of_club, of_manager, 'manager');
    UPDATE clubs SET code = new_code, code_until = now() + make_interval(secs => valid_s) WHERE club = of_club;
END $$;

-- Makes an account a member. Returns the club.
CREATE OR REPLACE FUNCTION join_club(with_code text, of_account bigint, members_max integer, clubs_max integer) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    of_club text;
BEGIN
    PERFORM lock_account(of_account);
    PERFORM check_not_locked(of_account);
    SELECT club INTO of_club FROM clubs WHERE code = with_code AND coalesce(code_until > now(), true) FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('club_code_is_valid', 'no club has this code');
    END IF;
    IF EXISTS (SELECT FROM club_members WHERE club = of_club AND account = of_account) THEN
        RETURN of_club;
    END IF;
    IF (SELECT count(*) FROM club_members WHERE club = of_club) >= members_max THEN
        PERFORM refuse('club_members_are_few', format('%s has %s members', of_club, members_max));
    END IF;
    PERFORM check_clubs_of(of_account, clubs_max);
    INSERT INTO club_members VALUES (of_club, of_account, 'member');
    INSERT INTO ledger_accounts (kind, owner) VALUES ('chips:' || of_club, of_account) ON CONFLICT (code) DO NOTHING;
    RETURN of_club;
END $$;

-- Gives a member a role; one that was to be removed stays. An heir that owns as many clubs as it may is refused.
CREATE OR REPLACE FUNCTION set_club_role(of_club text, of_owner bigint, of_name text, new_role text, own_max integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    member club_members;
BEGIN
    IF new_role = 'owner' THEN
        PERFORM FROM accounts WHERE lower(name COLLATE "C") = lower(of_name COLLATE "C") FOR NO KEY UPDATE;
    END IF;
    PERFORM club_role(of_club, of_owner, 'owner');
    member := member_named(of_club, of_name);
    IF member.account = of_owner THEN
        IF new_role <> 'owner' THEN
            PERFORM refuse('club_role_is_held', format('%s has no other owner', of_club));
        END IF;
        RETURN;
    END IF;
    IF new_role = 'owner' THEN
        PERFORM check_not_locked(member.account);
        IF (SELECT count(*) FROM club_members WHERE account = member.account AND role = 'owner') >= own_max THEN
            PERFORM refuse('clubs_are_few', format('account %s owns %s clubs', member.account, own_max));
        END IF;
        UPDATE club_members SET role = 'manager' WHERE club = of_club AND account = of_owner;
    END IF;
    UPDATE club_members SET role = new_role, leaving = false WHERE club = of_club AND account = member.account;
END $$;

-- Books a movement between the bank and a member: above 0 to the member. The club is locked.
CREATE OR REPLACE FUNCTION book_club_chips(of_club text, with_key text, of_account bigint, moved bigint, by_account bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    new_transfer bigint;
BEGIN
    INSERT INTO transfers (key, kind)
        VALUES (format('club:%s:%s', of_club, with_key), CASE WHEN moved > 0 THEN 'club_issue' ELSE 'club_take' END)
        RETURNING id INTO new_transfer;
    INSERT INTO club_moves VALUES (of_club, with_key, of_account, moved, by_account);
    INSERT INTO legs VALUES
        (new_transfer, ledger_account_of('club:' || of_club), -moved),
        (new_transfer, ledger_account_of(format('chips:%s:%s', of_club, of_account)), moved);
END $$;

-- Issues chips to a member, or takes them back, once for each key. A manager issues none to itself, and takes back its own
-- and those of members of a lower role. Keys of a club are written under the lock of the club.
CREATE OR REPLACE FUNCTION move_club_chips(
    of_club text, of_manager bigint, of_name text, with_key text, moved bigint, issued_max bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    own_role text := club_role(of_club, of_manager, 'manager');
    member   club_members;
    before   club_moves;
BEGIN
    member := member_named(of_club, of_name);
    SELECT * INTO before FROM club_moves WHERE club = of_club AND key = with_key;
    IF FOUND THEN
        IF (before.account, before.amount) <> (member.account, moved) THEN
            PERFORM refuse('club_key_is_used_once', format('the key %s was used for another movement', with_key));
        END IF;
        RETURN;
    END IF;
    IF own_role = 'manager' AND (moved > 0) = (member.account = of_manager) AND (moved > 0 OR member.role <> 'member') THEN
        PERFORM refuse('club_role_is_held', format('account %s is a %s of %s', member.account, member.role, of_club));
    END IF;
    IF moved > greatest(0, issued_max + (SELECT balance FROM ledger_accounts WHERE code = 'club:' || of_club)) THEN
        PERFORM refuse('balance_is_not_negative', format('the bank of %s may owe %s', of_club, issued_max));
    END IF;
    PERFORM book_club_chips(of_club, with_key, member.account, moved, of_manager);
END $$;

-- Takes the balance of a member back to the bank. The club is locked.
CREATE OR REPLACE FUNCTION return_club_chips(of_club text, of_account bigint, by_account bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    rest bigint;
BEGIN
    SELECT balance INTO rest FROM ledger_accounts
        WHERE code = format('chips:%s:%s', of_club, of_account) FOR NO KEY UPDATE;
    IF rest > 0 THEN
        PERFORM book_club_chips(of_club, 'left-' || gen_random_uuid(), of_account, -rest, by_account);
    END IF;
END $$;

-- Whether a member has a seat at a table of the club, or hosts one; or is in a sit-and-go of it that is not over, also without
-- chips, since an operator may return all buy-ins; or waits for a prize. One statement: a tournament that ends meanwhile counts.
CREATE OR REPLACE FUNCTION is_at_club_table(of_club text, of_account bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM hosted_tables JOIN seats USING (table_id) WHERE club = of_club AND account = of_account)
        OR EXISTS (SELECT FROM hosted_tables AS hosted WHERE club = of_club AND host = of_account AND goes_on(hosted))
        OR EXISTS (SELECT FROM hosted_tables AS hosted JOIN tournament_entries AS entry USING (tournament)
                   WHERE club = of_club AND entry.account = of_account AND NOT returned AND goes_on(hosted))
        OR EXISTS (SELECT FROM hosted_tables JOIN tournament_places AS given USING (tournament)
                   WHERE club = of_club AND given.account = of_account AND prize > 0 AND paid IS NULL);
END $$;

-- Whether a table of the club is open, or a sit-and-go of it not over, or a prize of one not paid.
CREATE OR REPLACE FUNCTION club_is_played(of_club text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM hosted_tables AS hosted WHERE club = of_club AND goes_on(hosted))
        OR EXISTS (SELECT FROM hosted_tables JOIN tournament_places USING (tournament)
                   WHERE club = of_club AND prize > 0 AND paid IS NULL);
END $$;

-- Whether an account is to be removed from the club of a table.
CREATE OR REPLACE FUNCTION leaves_club(of_table text, of_account bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM hosted_tables JOIN club_members USING (club)
                   WHERE table_id = of_table AND account = of_account AND leaving);
END $$;

-- Ends the membership of a member that is at no table. The account is locked, as for a buy-in, so that no seat is taken
-- meanwhile.
CREATE OR REPLACE FUNCTION end_membership(of_club text, of_account bigint, by_account bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE hosted_tables SET version = version + 1 WHERE club = of_club AND table_id IN (
        SELECT table_id FROM hosted_guests WHERE account = of_account AND removed IS NULL);
    DELETE FROM hosted_guests USING hosted_tables
        WHERE hosted_tables.table_id = hosted_guests.table_id AND club = of_club AND account = of_account
            AND removed IS NULL;
    PERFORM return_club_chips(of_club, of_account, by_account);
    DELETE FROM club_members WHERE club = of_club AND account = of_account;
END $$;

CREATE OR REPLACE FUNCTION leave_club(of_club text, of_account bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_account(of_account);
    IF NOT EXISTS (SELECT FROM club_members WHERE club = of_club AND account = of_account) THEN
        RETURN;
    END IF;
    IF club_role(of_club, of_account, 'member') = 'owner' THEN
        PERFORM refuse('club_role_is_held', format('%s has no other owner', of_club));
    END IF;
    IF is_at_club_table(of_club, of_account) THEN
        PERFORM refuse('member_is_at_rest', format('account %s is at a table of %s', of_account, of_club));
    END IF;
    PERFORM end_membership(of_club, of_account, of_account);
END $$;

-- Removes a member, unless it is at a table: then it takes no further seat and opens no further table, so that it can be
-- removed when that is over. Returns whether it was removed. An invitation that the club has is replaced.
CREATE OR REPLACE FUNCTION remove_member(of_club text, of_manager bigint, of_name text, new_code text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    own_role text;
    member   club_members;
BEGIN
    PERFORM FROM accounts WHERE lower(name COLLATE "C") = lower(of_name COLLATE "C") FOR NO KEY UPDATE;
    own_role := club_role(of_club, of_manager, 'manager');
    member := member_named(of_club, of_name);
    IF role_rank(member.role) >= role_rank(own_role) THEN
        PERFORM refuse('club_role_is_held', format('account %s is a %s of %s', member.account, member.role, of_club));
    END IF;
    UPDATE clubs SET code = new_code WHERE club = of_club AND code IS NOT NULL;
    IF is_at_club_table(of_club, member.account) THEN
        UPDATE club_members SET leaving = true WHERE club = of_club AND account = member.account;
        RETURN false;
    END IF;
    PERFORM end_membership(of_club, member.account, of_manager);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION close_club(of_club text, of_owner bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM club_role(of_club, of_owner, 'owner');
    IF club_is_played(of_club) THEN
        PERFORM refuse('club_is_at_rest', format('a table of %s is open', of_club));
    END IF;
    PERFORM return_club_chips(of_club, account, of_owner) FROM club_members WHERE club = of_club ORDER BY account;
    DELETE FROM club_members WHERE club = of_club;
    UPDATE clubs SET closed = now(), code = NULL, code_until = NULL WHERE club = of_club;
END $$;

-- Makes a member a guest of a table or a sit-and-go of the club.
CREATE OR REPLACE FUNCTION join_club_table(of_table text, of_account bigint, guests_max integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    of_club text := (SELECT club FROM hosted_tables WHERE table_id = of_table);
    hosted  hosted_tables;
BEGIN
    PERFORM lock_account(of_account);
    PERFORM check_not_locked(of_account);
    PERFORM FROM clubs WHERE club = of_club FOR UPDATE;
    SELECT * INTO hosted FROM hosted_tables WHERE table_id = of_table AND closing IS NULL FOR UPDATE;
    IF NOT FOUND OR NOT EXISTS (SELECT FROM club_members WHERE club = of_club AND account = of_account)
            OR EXISTS (SELECT FROM hosted_guests
                       WHERE table_id = of_table AND account = of_account AND removed IS NOT NULL) THEN
        PERFORM refuse('hosted_table_is_known', format('there is no table %s for account %s', of_table, of_account));
    END IF;
    PERFORM add_guest(hosted, of_account, NULL, guests_max);
END $$;

-- Lets a table of a club close by the word of a manager, who need not be its host. The same order again changes nothing.
CREATE OR REPLACE FUNCTION close_club_table(of_table text, of_manager bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    of_club text := (SELECT club FROM hosted_tables WHERE table_id = of_table AND tournament IS NULL AND closed IS NULL);
BEGIN
    IF NOT EXISTS (SELECT FROM club_members WHERE club = of_club AND account = of_manager) THEN
        PERFORM refuse('hosted_table_is_known', format('there is no table %s for account %s', of_table, of_manager));
    END IF;
    PERFORM club_role(of_club, of_manager, 'manager');
    UPDATE hosted_tables SET version = version + 1, closing = now() WHERE table_id = of_table AND closing IS NULL;
END $$;

-- The ledger account that pays for chips at a table: the wallet, or the balance in the chips of the table's club.
CREATE OR REPLACE FUNCTION purse_of(at_table text, of_account bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN ledger_account_of(coalesce(
        (SELECT format('chips:%s:%s', club, of_account) FROM hosted_tables WHERE table_id = at_table AND club IS NOT NULL),
        'wallet:' || of_account));
END $$;

-- What each account has won since then (ms), in the order of the accounts: in hands at tables of a club, and in sit-and-gos of it
-- that ended, less the buy-in.
CREATE OR REPLACE FUNCTION club_results(of_club text, of_account bigint, since_ms bigint)
RETURNS TABLE (player bigint, player_name text, net bigint) LANGUAGE plpgsql AS $$
DECLARE
    since timestamptz := timestamptz 'epoch' + since_ms * interval '1 millisecond';
BEGIN
    PERFORM role_in_club(of_club, of_account, 'member');
    RETURN QUERY
        SELECT accounts.id, accounts.name, sum(won.amount)::bigint
        FROM (
            SELECT stack.owner AS account, leg.amount
            FROM hands
            CROSS JOIN LATERAL (SELECT ledger_account, amount FROM legs WHERE legs.transfer = hands.transfer OFFSET 0) AS leg
            JOIN ledger_accounts AS stack ON stack.id = leg.ledger_account
            WHERE hands.table_id LIKE 'host:%' AND hands.ended >= since
                AND hands.table_id IN (SELECT table_id FROM hosted_tables WHERE club = of_club)
            UNION ALL
            SELECT given.account, given.prize - paid_into(its.id, given.account)
            FROM hosted_tables JOIN tournaments AS its ON its.id = tournament
            JOIN tournament_places AS given ON given.tournament = its.id
            WHERE club = of_club AND its.buy_in > 0 AND its.phase IN ('finished', 'rolled_forward') AND its.ended >= since
        ) AS won
        JOIN accounts ON accounts.id = won.account
        GROUP BY accounts.id ORDER BY accounts.id;
END $$;
