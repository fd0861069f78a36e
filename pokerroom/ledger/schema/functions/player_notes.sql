-- Notes about players: see `ledger/player_notes.py`. Both accounts are locked: a note must not outlive one of them, and the
-- writer's are counted.

-- Stores the note of an account about the player of a name; without text and colour removes it.
CREATE OR REPLACE FUNCTION set_player_note(
    of_account bigint, of_player text, new_text text, new_color text, own_max integer
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    noted bigint;
BEGIN
    SELECT id INTO noted FROM accounts WHERE lower(name COLLATE "C") = lower(of_player COLLATE "C");
    PERFORM lock_account(least(of_account, noted));
    PERFORM lock_account(greatest(of_account, noted));
    PERFORM check_not_locked(of_account);
    -- the name is that of another account, and was not erased meanwhile
    IF noted IS NULL OR noted = of_account OR EXISTS (SELECT FROM accounts WHERE id = noted AND name = 'gone-' || noted) THEN
        PERFORM refuse('noted_player_exists', format('account %s can note no player %s', of_account, of_player));
    END IF;
    IF new_text IS NULL AND new_color IS NULL THEN
        DELETE FROM player_notes WHERE account = of_account AND about = noted;
        RETURN;
    END IF;
    UPDATE player_notes SET text = new_text, color = new_color WHERE account = of_account AND about = noted;
    IF FOUND THEN
        RETURN;
    END IF;
    IF (SELECT count(*) FROM player_notes WHERE account = of_account) >= own_max THEN
        PERFORM refuse('player_notes_are_few', format('account %s has notes about %s players', of_account, own_max));
    END IF;
    INSERT INTO player_notes (account, about, text, color) VALUES (of_account, noted, new_text, new_color);
END $$;
