-- Tournaments with several tables: their players, who may move, and how far each table is.
--
-- A seat has one number in its tournament: ten for each table, from 1 at the first. So a sit-and-go has the numbers of its
-- seats, as before.

ALTER TABLE tournaments DROP CONSTRAINT tournaments_seats_check,
    ADD CONSTRAINT tournaments_seats_check CHECK (seats BETWEEN 2 AND 10000);

-- A player may get the seat of one that is out. `start_tournament` and `move_players` seat each player alone.
ALTER TABLE tournament_entries DROP CONSTRAINT entry_seat_is_unique, ALTER COLUMN seat TYPE integer;

CREATE TABLE tournament_tables (
    tournament text NOT NULL REFERENCES tournaments,
    number     integer NOT NULL CHECK (number > 0),
    hands      integer NOT NULL DEFAULT 0,      -- settled hands
    closed     boolean NOT NULL DEFAULT false,  -- its players have moved away
    PRIMARY KEY (tournament, number)
);
INSERT INTO tournament_tables (tournament, number, hands)
    SELECT tournament, 1, max(hands) FROM tournament_entries WHERE seat IS NOT NULL GROUP BY tournament;

CREATE FUNCTION tournament_table_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER tournament_tables_stay BEFORE DELETE OR TRUNCATE ON tournament_tables
    EXECUTE FUNCTION refuse_change('hands were played there');
CREATE TRIGGER tournament_table_goes_on BEFORE UPDATE ON tournament_tables
    FOR EACH ROW EXECUTE FUNCTION tournament_table_goes_on();
