-- The history of an account: triggers add rounds and tournaments in the transaction that ends them.

CREATE OR REPLACE FUNCTION add_round_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, round)
        SELECT account, NEW.transfer, NEW.ended, NEW.round FROM round_players WHERE round = NEW.round;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION add_place_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, tournament)
        VALUES (NEW.account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.tournament);
    RETURN NULL;
END $$;

-- Adds the players that were in the tournament and have no place yet.
CREATE OR REPLACE FUNCTION add_roll_back_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, tournament)
        SELECT account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.id
        FROM (SELECT account FROM tournament_entries AS entry
              WHERE entry.tournament = NEW.id AND NOT returned ORDER BY id) AS entered
        ON CONFLICT (tournament, account) DO NOTHING;
    RETURN NULL;
END $$;
