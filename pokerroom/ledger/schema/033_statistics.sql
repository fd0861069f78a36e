-- Statistics of players: sums over settled hands, which can be counted again from them. `statistics.sql` explains the step
-- that counts. `pokerroom/history/statistics/README.md` defines the counters.

CREATE TABLE statistics_stakes (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game        text COLLATE "C" NOT NULL,
    structure   text COLLATE "C" NOT NULL,
    in_chips    boolean NOT NULL,  -- of a tournament; the blinds are 0
    small_blind bigint NOT NULL,
    big_blind   bigint NOT NULL,
    CONSTRAINT stake_has_one_id UNIQUE (game, structure, in_chips, small_blind, big_blind)
);

-- What `account` has seen `seen` do. Where both are the same, by month (202611) and position; of others, of all time at once:
-- month 0 and an empty position.
CREATE TABLE player_statistics (
    account                   bigint NOT NULL REFERENCES accounts,
    seen                      bigint NOT NULL REFERENCES accounts,
    month                     integer NOT NULL,
    stake                     integer NOT NULL REFERENCES statistics_stakes,
    position                  text COLLATE "C" NOT NULL,
    hands                     integer NOT NULL,
    vpip_chances              integer NOT NULL,
    vpip                      integer NOT NULL,
    pfr                       integer NOT NULL,
    three_bet_chances         integer NOT NULL,
    three_bets                integer NOT NULL,
    fold_to_three_bet_chances integer NOT NULL,
    folds_to_three_bet        integer NOT NULL,
    c_bet_chances             integer NOT NULL,
    c_bets                    integer NOT NULL,
    fold_to_c_bet_chances     integer NOT NULL,
    folds_to_c_bet            integer NOT NULL,
    bets                      integer NOT NULL,
    calls                     integer NOT NULL,
    flops                     integer NOT NULL,
    showdowns                 integer NOT NULL,
    showdowns_won             integer NOT NULL,
    all_ins                   integer NOT NULL,
    won                       bigint NOT NULL,
    won_squared               numeric NOT NULL,
    expected                  bigint NOT NULL,
    PRIMARY KEY (account, seen, month, stake, position)
) WITH (fillfactor = 80);  -- rows grow old in place: no index has a counter

-- Results of cash hands by day (since 1970, UTC), for a graph.
CREATE TABLE daily_results (
    account  bigint NOT NULL REFERENCES accounts,
    day      integer NOT NULL,
    stake    integer NOT NULL REFERENCES statistics_stakes,
    hands    integer NOT NULL,
    won      bigint NOT NULL,
    expected bigint NOT NULL,
    PRIMARY KEY (account, day, stake)
) WITH (fillfactor = 80);

-- Tournaments that ended with all places given, by the month of their end.
CREATE TABLE tournament_statistics (
    account      bigint NOT NULL REFERENCES accounts,
    month        integer NOT NULL,
    buy_in       bigint NOT NULL,  -- with the fee
    entries      integer NOT NULL,
    in_the_money integer NOT NULL,
    returned     bigint NOT NULL,
    PRIMARY KEY (account, month, buy_in)
);

-- Everything with a number up to `counted_to` is counted, once.
CREATE TABLE statistics_mark (
    id         integer PRIMARY KEY CHECK (id = 1),
    counted_to bigint NOT NULL
);
INSERT INTO statistics_mark VALUES (1, 0);

CREATE INDEX tournaments_in_history ON account_history (number) WHERE tournament IS NOT NULL;
