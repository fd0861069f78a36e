-- Each move of a player of a tournament to another seat: enough to play the tournament again over its tables.

CREATE TABLE tournament_moves (
    tournament text NOT NULL REFERENCES tournaments,
    number     integer NOT NULL CHECK (number > 0),  -- of players that moved together, in the order of the moves
    account    bigint NOT NULL REFERENCES accounts,
    from_seat  integer NOT NULL CHECK (from_seat > 0),
    to_seat    integer NOT NULL CHECK (to_seat > 0),
    from_hands integer NOT NULL CHECK (from_hands >= 0),  -- hands that the table of the old seat had settled
    to_hands   integer NOT NULL CHECK (to_hands >= 0),    -- and the table of the new one
    epoch      bigint NOT NULL,                           -- of the owner of the tournament
    moved      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tournament, number, account),
    CHECK (from_seat <> to_seat)
);

CREATE TRIGGER tournament_moves_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON tournament_moves
    EXECUTE FUNCTION refuse_change('what was written stays');
