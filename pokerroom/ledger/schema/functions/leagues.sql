-- Leagues: what players have reached in tournaments of some offers that ended in a period.

-- What a buy-in adds to the points of each place of a tournament (clause L17). It is worked out once for a tournament: a
-- logarithm with so many digits takes longer than all the rest.
CREATE OR REPLACE FUNCTION league_weight(buy_in bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT 1 + log((buy_in * 0.01 + 0.25)::numeric(60, 40))
$$;

-- The points of a place in 1/100, rounded half up (clause L17); `pokerroom.rules.tournament.points` has the same in Python.
CREATE OR REPLACE FUNCTION league_points(entries bigint, place bigint, weight numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
    SELECT round(1000 * sqrt(entries::numeric(60, 40) / place) * weight)::bigint
$$;

-- `best`: so many scores of each player count; 0: all. Of equal scores the earlier ones count.
CREATE OR REPLACE FUNCTION league_rows(
    offers text[], from_ms bigint, until_ms bigint, by_score text, best integer, at_most integer
) RETURNS TABLE (player bigint, player_name text, score bigint, played bigint, counted bigint, wins bigint, reached_ms bigint)
LANGUAGE sql STABLE AS $$
    WITH ended_then AS MATERIALIZED (
        SELECT id, bounty, floor(extract(epoch FROM ended) * 1000)::bigint AS ended_ms, league_weight(buy_in) AS weight,
               (SELECT count(*) FROM tournament_entries WHERE tournament = tournaments.id AND NOT returned) AS entries
        FROM tournaments
        WHERE offer = ANY (offers) AND phase = 'finished'
            AND ended >= timestamptz 'epoch' + from_ms * interval '1 millisecond'
            AND ended < timestamptz 'epoch' + until_ms * interval '1 millisecond'
    ), won AS MATERIALIZED (
        SELECT id, account, place, ended_ms, entries, weight,
               given.prize + CASE WHEN bounty > 0 AND by_score <> 'points' THEN bounties_won(id, account) ELSE 0 END AS amount
        FROM ended_then JOIN tournament_places AS given ON given.tournament = id
    ), ranked AS (
        SELECT *, best = 0 OR row_number() OVER (PARTITION BY account ORDER BY score DESC, ended_ms) <= best AS counts
        FROM (SELECT account, place, ended_ms, CASE by_score
                  WHEN 'points' THEN league_points(entries, place, weight)
                  WHEN 'prizes' THEN amount
                  WHEN 'net' THEN amount - paid_into(id, account) END AS score
              FROM won) AS scores
    )
    SELECT accounts.id, accounts.name, sum(ranked.score) FILTER (WHERE counts)::bigint AS total, count(*),
           count(*) FILTER (WHERE counts), count(*) FILTER (WHERE place = 1) AS won, max(ended_ms) FILTER (WHERE counts) AS last
    FROM ranked JOIN accounts ON accounts.id = ranked.account
    GROUP BY accounts.id ORDER BY total DESC, won DESC, last, accounts.id LIMIT at_most
$$;
