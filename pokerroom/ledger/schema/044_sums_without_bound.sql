-- Sums of results have no largest value: one that was too large stopped the statistics of all players.

ALTER TABLE player_statistics ALTER COLUMN won TYPE numeric, ALTER COLUMN expected TYPE numeric;
ALTER TABLE daily_results ALTER COLUMN won TYPE numeric, ALTER COLUMN expected TYPE numeric;
