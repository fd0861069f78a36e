-- Statistics of other players are by month and position, as those of the account itself. Everything is counted again: the
-- node that counts begins at the first hand.

TRUNCATE player_statistics, daily_results, tournament_statistics;
UPDATE statistics_mark SET counted_to = 0;

DROP FUNCTION IF EXISTS add_statistics(bigint, json, json, json);  -- it takes rows
