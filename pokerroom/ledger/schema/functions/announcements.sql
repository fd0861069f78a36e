-- Announcements: a node asks for those of the moment again and again, and tells the players that are connected to it.

-- Stores an announcement. The lock keeps two orders from both taking the last place.
CREATE OR REPLACE FUNCTION announce(
    new_text text, of_table text, begins_ms bigint, ends_ms bigint, at_most integer, actor acting
) RETURNS announcements LANGUAGE plpgsql AS $$
DECLARE
    stored announcements;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('announcements', 0));
    IF (SELECT count(*) FROM announcements WHERE ends > now() AND withdrawn IS NULL) >= at_most THEN
        PERFORM refuse('announcements_are_few', format('there are %s announcements already: withdraw one first', at_most));
    END IF;
    IF of_table IS NOT NULL AND NOT EXISTS (SELECT FROM table_owners WHERE table_id = of_table) THEN
        PERFORM refuse('announced_table_is_known', format('there is no table %s: write its id', of_table));
    END IF;
    INSERT INTO announcements (text, table_id, begins, ends, who) VALUES (
        new_text, of_table, timestamptz 'epoch' + begins_ms * interval '1 ms', timestamptz 'epoch' + ends_ms * interval '1 ms',
        actor.who) RETURNING * INTO stored;
    PERFORM log_act(actor, 'announcement.add', stored.number::text,
                    json_build_object('begins_ms', begins_ms, 'ends_ms', ends_ms, 'table', of_table, 'text', new_text));
    RETURN stored;
END $$;

CREATE OR REPLACE FUNCTION withdraw_announcement(of_number bigint, actor acting) RETURNS announcements LANGUAGE plpgsql AS $$
DECLARE
    found_one announcements;
BEGIN
    SELECT * INTO found_one FROM announcements WHERE number = of_number FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('announcement_is_there', format('there is no announcement %s', of_number));
    END IF;
    IF found_one.withdrawn IS NULL AND found_one.ends > now() THEN
        UPDATE announcements SET withdrawn = now() WHERE number = of_number RETURNING * INTO found_one;
        PERFORM log_act(actor, 'announcement.withdraw', of_number::text, '{}');
    END IF;
    RETURN found_one;
END $$;
