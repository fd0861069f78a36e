-- A player may open a sit-and-go for invited accounts, as a private table. `hosted_sit_and_gos.sql` explains it.

ALTER TABLE hosted_tables
    ADD COLUMN tournament text REFERENCES tournaments,  -- the sit-and-go that the row is of; null: it is of a table
    ADD CONSTRAINT sit_and_go_has_one_host UNIQUE (tournament);
DROP FUNCTION IF EXISTS open_hosted_table(text, bigint, jsonb, text, text, integer, integer, integer);
