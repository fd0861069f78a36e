-- The history of an account: triggers add rounds and tournaments in the transaction that ends them, and what they cost.

CREATE OR REPLACE FUNCTION add_round_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, round)
        SELECT account, NEW.transfer, NEW.ended, NEW.round FROM round_players WHERE round = NEW.round;
    INSERT INTO play_results (account, lost)
        SELECT account, staked + tipped - paid FROM round_players WHERE round = NEW.round AND staked + tipped <> paid;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION add_place_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, tournament)
        VALUES (NEW.account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.tournament);
    INSERT INTO play_results (account, lost)
        SELECT NEW.account, buy_in - NEW.prize FROM tournaments WHERE id = NEW.tournament AND buy_in <> NEW.prize;
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
    -- Those who had a place, without a prize, have their buy-in back, too.
    INSERT INTO play_results (account, lost)
        SELECT account, -NEW.buy_in FROM tournament_places WHERE tournament = NEW.id;
    RETURN NULL;
END $$;

-- The record of a hand for an operator; the look is logged.
CREATE OR REPLACE FUNCTION read_hand(of_hand text, actor acting) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found_one text;
BEGIN
    SELECT record::text INTO found_one FROM hands WHERE hand_id = of_hand;
    IF FOUND THEN
        PERFORM log_act(actor, 'hand.read', of_hand, '{}');
    END IF;
    RETURN found_one;
END $$;
