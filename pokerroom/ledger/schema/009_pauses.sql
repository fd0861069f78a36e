-- A running sit-and-go that the operator has paused stays so whatever happens to its owner and to Redis.
--
-- Locks: those of 005, the tournament before its owner.

ALTER TABLE tournaments ADD COLUMN paused boolean NOT NULL DEFAULT false;

-- As in 005, and one that runs may be paused and go on.
CREATE OR REPLACE FUNCTION tournament_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.offer, NEW.number, NEW.seats, NEW.buy_in, NEW.fee, NEW.prizes, NEW.terms::text, NEW.created)
           IS DISTINCT FROM
       (OLD.id, OLD.offer, OLD.number, OLD.seats, OLD.buy_in, OLD.fee, OLD.prizes, OLD.terms::text, OLD.created)
       OR (OLD.phase, NEW.phase) NOT IN (
           ('registering', 'running'), ('registering', 'cancelled'), ('running', 'running'),
           ('running', 'finished'), ('running', 'rolled_back'), ('running', 'rolled_forward'))
       OR OLD.started IS DISTINCT FROM NEW.started AND OLD.started IS NOT NULL
    THEN
        RAISE EXCEPTION 'tournament % goes from % on, and keeps its terms', OLD.id, OLD.phase
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION pause_tournament(in_tournament text, of_epoch bigint, is_paused boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
BEGIN
    IF tournament.phase <> 'running' THEN
        PERFORM refuse('tournament_is_running', format('%s is %s', in_tournament, tournament.phase));
    END IF;
    PERFORM check_owner(in_tournament, of_epoch);
    UPDATE tournaments SET paused = is_paused WHERE id = in_tournament;
END $$;
