-- What accounts note of other players. `player_notes.sql` explains them. A row goes when the note is cleared.

CREATE TABLE player_notes (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account bigint NOT NULL REFERENCES accounts,  -- the writer: no other account is told the note
    about   bigint NOT NULL REFERENCES accounts,
    text    text CHECK (length(text) BETWEEN 1 AND 300),
    color   text CHECK (color IN ('red', 'orange', 'yellow', 'green', 'blue', 'violet')),
    CONSTRAINT player_has_one_note UNIQUE (account, about),
    CHECK (account <> about),
    CHECK (text IS NOT NULL OR color IS NOT NULL)
);

CREATE INDEX player_notes_about ON player_notes (about);
