-- Calls the history of an account `account_history`, in tables, triggers and functions.

ALTER TABLE played RENAME TO account_history;
ALTER TABLE account_history RENAME CONSTRAINT played_pkey TO account_history_pkey;
ALTER TABLE account_history RENAME CONSTRAINT played_is_one_game TO entry_is_of_one_game;
ALTER TABLE account_history RENAME CONSTRAINT tournament_is_played_once TO tournament_is_entered_once;

ALTER TRIGGER played_is_for_ever ON account_history RENAME TO account_history_is_for_ever;
ALTER TRIGGER round_was_played ON round_ends RENAME TO round_enters_history;
ALTER TRIGGER place_was_played ON tournament_places RENAME TO place_enters_history;
ALTER TRIGGER roll_back_was_played ON tournaments RENAME TO roll_back_enters_history;

ALTER FUNCTION round_was_played() RENAME TO add_round_to_history;
ALTER FUNCTION place_was_played() RENAME TO add_place_to_history;
ALTER FUNCTION roll_back_was_played() RENAME TO add_roll_back_to_history;
