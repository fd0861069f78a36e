-- Who may move chips of others, in the books: the host of a table gives chips, and the owner and managers of a club move its
-- chips. A transfer without legs says each change of a role, so its place among the movements is in the chain. Triggers write
-- them, whichever program changes a role. The audit compares each movement with the role of its moment.

-- A new number of a table's version comes with each new host.
CREATE OR REPLACE FUNCTION note_host() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.host <> OLD.host THEN
        INSERT INTO transfers (key, kind) VALUES (format('host:%s:%s:%s', NEW.table_id, NEW.host, NEW.version), 'host');
    END IF;
    RETURN NULL;
END $$;

-- `none` is the role of an account that has left.
CREATE OR REPLACE FUNCTION note_club_role() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    member club_members := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    IF TG_OP <> 'UPDATE' OR NEW.role <> OLD.role THEN
        INSERT INTO transfers (key, kind) VALUES (
            format('role:%s:%s:%s:%s', member.club, member.account,
                   CASE TG_OP WHEN 'DELETE' THEN 'none' ELSE member.role END, replace(gen_random_uuid()::text, '-', '')),
            'club_role');
    END IF;
    RETURN NULL;
END $$;
