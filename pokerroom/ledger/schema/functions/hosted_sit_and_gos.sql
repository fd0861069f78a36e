-- Sit-and-gos that players open for their guests. The row in `hosted_tables` has the host, the code of the link and the
-- guests, as that of a private table. The tournament itself is one with a start: it takes entries of the host and the
-- guests alone, and `starts_ms` is when it is given up if it has not started. It starts when the last seat is taken, or at
-- the word of the host: then `starts_ms` is that moment, so from then on no entry comes or goes (`check_not_starting`),
-- and each node finds it due.

CREATE OR REPLACE FUNCTION is_private(of_tournament text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT starts_with(of_tournament, 'private:')
$$;

-- How the code of the ledger account begins that pays an entry without a ticket, and gets the prizes: the wallet, or the balance
-- in the chips of the club.
CREATE OR REPLACE FUNCTION entry_purse(of_tournament text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN is_private(of_tournament) THEN
        coalesce((SELECT format('chips:%s:', club) FROM hosted_tables WHERE tournament = of_tournament AND club IS NOT NULL),
                 'wallet:')
        ELSE 'wallet:' END
$$;

-- Refuses an entry of an account that is neither host nor guest, or is to be removed from the club. The tournament and the
-- account are locked: an account that leaves a club has no entry. The row of the host is not: a guest that joins locks it
-- behind the account.
CREATE OR REPLACE FUNCTION check_invited(in_tournament text, player bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF is_private(in_tournament) AND NOT EXISTS (
            SELECT FROM hosted_tables AS hosted WHERE tournament = in_tournament AND closed IS NULL AND (
                host = player OR EXISTS (SELECT FROM hosted_guests AS guest
                                         WHERE guest.table_id = hosted.table_id AND account = player AND removed IS NULL))) THEN
        PERFORM refuse('account_is_invited', format('account %s is not invited to %s', player, in_tournament));
    END IF;
    IF is_private(in_tournament) AND EXISTS (
            SELECT FROM hosted_tables JOIN club_members USING (club)
            WHERE tournament = in_tournament AND account = player AND leaving) THEN
        PERFORM refuse('seat_is_accepted', format('account %s leaves the club of %s', player, in_tournament));
    END IF;
END $$;

-- Lets a private sit-and-go start now, with those that have entered. The tournament is locked.
CREATE OR REPLACE FUNCTION begin_private(of_tournament text) RETURNS void LANGUAGE sql AS $$
    UPDATE tournaments SET starts_ms = least(starts_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), players_min = 2
    WHERE id = of_tournament
$$;

-- Locks a sit-and-go for an order of its host: the tournament, and then the row of its host.
CREATE OR REPLACE FUNCTION sit_and_go_of(of_table text, of_host bigint) RETURNS tournaments LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables;
    its    tournaments;
BEGIN
    SELECT * INTO its FROM tournaments
        WHERE id = (SELECT tournament FROM hosted_tables WHERE table_id = of_table) FOR NO KEY UPDATE;
    SELECT * INTO hosted FROM hosted_tables
        WHERE table_id = of_table AND tournament = its.id AND closed IS NULL FOR UPDATE;
    PERFORM check_host(hosted, of_table, of_host);
    RETURN its;
END $$;

-- Locks a sit-and-go that takes entries for an order of its host about a guest. Returns the entry, and tells the
-- guest.
CREATE OR REPLACE FUNCTION entrant_named(of_table text, of_host bigint, of_name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    its   tournaments := sit_and_go_of(of_table, of_host);
    guest bigint;
BEGIN
    PERFORM check_registering(its);
    PERFORM check_not_starting(its);
    guest := guest_of(of_table, of_host, of_name);
    PERFORM return_entry(its.id, guest, number) FROM tournament_entries AS entry
        WHERE entry.tournament = its.id AND account = guest AND NOT returned;
    RETURN guest;
END $$;

-- Carries out an order of the host: `new_link`, or `start` with the players that have entered. The same order again changes
-- nothing more.
CREATE OR REPLACE FUNCTION change_hosted_sit_and_go(of_table text, of_host bigint, wanted text, new_code text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    its tournaments := sit_and_go_of(of_table, of_host);
BEGIN
    IF wanted = 'new_link' THEN
        UPDATE hosted_tables SET code = new_code, version = version + 1 WHERE table_id = of_table;
        RETURN;
    END IF;
    IF its.phase <> 'running' THEN
        PERFORM check_registering(its);
        IF players_of(its.id) < 2 THEN
            PERFORM refuse('tournament_is_full', format('tournament %s has %s players', its.id, players_of(its.id)));
        END IF;
        PERFORM begin_private(its.id);
    END IF;
END $$;

-- Forgets the host's rows of sit-and-gos that are over, and were not found to go on for so long. Returns them.
CREATE OR REPLACE FUNCTION close_over_sit_and_gos(shown_s integer) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM hosted_guests USING hosted_tables AS hosted
        WHERE hosted_guests.table_id = hosted.table_id AND closed IS NULL AND tournament IS NOT NULL
            AND used <= now() - make_interval(secs => shown_s) AND NOT goes_on(hosted);
    RETURN QUERY UPDATE hosted_tables AS hosted
        SET closing = now(), closed = now(), code = NULL, guest_password_hash = NULL, version = version + 1
        WHERE closed IS NULL AND tournament IS NOT NULL
            AND used <= now() - make_interval(secs => shown_s) AND NOT goes_on(hosted)
        RETURNING table_id;
END $$;
