-- Sums of days (since 1970, UTC) for reports. The step that counts the statistics adds to them: see `day_reports.sql`.

-- `rake` is a player's part of the rake of its hands. Entries and fees that were returned count against both.
CREATE TABLE daily_players (
    day              integer NOT NULL,
    account          bigint NOT NULL REFERENCES accounts,
    hands            integer NOT NULL,  -- at cash tables
    tournament_hands integer NOT NULL,
    rounds           integer NOT NULL,
    entries          integer NOT NULL,
    rake             bigint NOT NULL,
    fees             bigint NOT NULL,
    PRIMARY KEY (day, account)
) WITH (fillfactor = 80);  -- rows grow old in place

CREATE TABLE daily_games (
    day              integer PRIMARY KEY,
    hands            integer NOT NULL,
    tournament_hands integer NOT NULL,
    rounds           integer NOT NULL
);

CREATE TABLE daily_tournaments (
    day        integer NOT NULL,
    tournament text NOT NULL REFERENCES tournaments,
    entries    integer NOT NULL,
    fees       bigint NOT NULL,
    PRIMARY KEY (day, tournament)
);

CREATE INDEX accounts_by_day ON accounts (created);

-- Everything is counted again, with these sums.
TRUNCATE player_statistics, daily_results, tournament_statistics;
UPDATE statistics_mark SET counted_to = 0;

DROP FUNCTION IF EXISTS add_statistics(bigint, statistics_stakes[], player_statistics[], daily_results[]);
