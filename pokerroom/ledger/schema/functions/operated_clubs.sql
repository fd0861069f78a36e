-- What operators do about clubs. `clubs.sql` explains them; the order of locks is the same. An order that changes nothing, as
-- one that is repeated, leaves no line in the log.

-- Locks a club that is not closed.
CREATE OR REPLACE FUNCTION lock_club(of_club text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM clubs WHERE club = of_club AND closed IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('club_is_known', format('there is no club %s', of_club));
    END IF;
END $$;

CREATE OR REPLACE FUNCTION rename_club(of_club text, new_name text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old_name text;
BEGIN
    PERFORM lock_club(of_club);
    SELECT name INTO old_name FROM clubs WHERE club = of_club;
    IF old_name = new_name THEN
        RETURN;
    END IF;
    UPDATE clubs SET name = new_name WHERE club = of_club;
    PERFORM log_act(actor, 'club.rename', 'club:' || of_club, json_build_object('from', old_name, 'to', new_name));
END $$;

CREATE OR REPLACE FUNCTION end_club_invitation(of_club text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_club(of_club);
    UPDATE clubs SET code = NULL, code_until = NULL WHERE club = of_club AND code IS NOT NULL;
    IF FOUND THEN
        PERFORM log_act(actor, 'club.end_invitation', 'club:' || of_club, '{}');
    END IF;
END $$;

-- Makes a member the owner, whatever it owns already. The account is locked before the club.
CREATE OR REPLACE FUNCTION set_club_owner(of_club text, of_name text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    member club_members;
    before text;
BEGIN
    PERFORM FROM accounts WHERE lower(name COLLATE "C") = lower(of_name COLLATE "C") FOR NO KEY UPDATE;
    PERFORM lock_club(of_club);
    member := member_named(of_club, of_name);
    IF member.role = 'owner' THEN
        RETURN;
    END IF;
    PERFORM check_not_locked(member.account);
    SELECT name INTO before FROM club_members JOIN accounts ON id = account WHERE club = of_club AND role = 'owner';
    UPDATE club_members SET role = 'manager' WHERE club = of_club AND role = 'owner';
    UPDATE club_members SET role = 'owner', leaving = false WHERE club = of_club AND account = member.account;
    PERFORM log_act(actor, 'club.set_owner', 'club:' || of_club, json_build_object(
        'from', before, 'to', (SELECT name FROM accounts WHERE id = member.account)));
END $$;

-- Closes a club. Each member's balance goes back to the bank as if the member had left.
CREATE OR REPLACE FUNCTION close_club_by_order(of_club text, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_club(of_club);
    IF club_is_played(of_club) THEN
        PERFORM refuse('club_is_at_rest', format('a table of %s is open', of_club));
    END IF;
    PERFORM log_act(actor, 'club.close', 'club:' || of_club, json_build_object(
        'members', (SELECT count(*) FROM club_members WHERE club = of_club)));
    PERFORM return_club_chips(of_club, account, account) FROM club_members WHERE club = of_club ORDER BY account;
    DELETE FROM club_members WHERE club = of_club;
    UPDATE clubs SET closed = now(), code = NULL, code_until = NULL WHERE club = of_club;
END $$;
