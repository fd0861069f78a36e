-- The first seat of a late entry is kept as a move from no seat: a tournament with late entries can be played again, too.

ALTER TABLE tournament_moves
    ALTER COLUMN from_seat DROP NOT NULL,   -- null: an entry came after the start
    ALTER COLUMN from_hands DROP NOT NULL,
    ADD CONSTRAINT late_entry_comes_from_no_seat CHECK ((from_seat IS NULL) = (from_hands IS NULL));
