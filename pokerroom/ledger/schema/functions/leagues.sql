-- Leagues: what players have reached in tournaments of some offers that ended in a period.

-- The points of a place in 1/100, rounded half up (clause L17); `pokerroom.rules.tournament.points` has the same in Python.
CREATE OR REPLACE FUNCTION league_points(entries bigint, place bigint, buy_in bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
    SELECT round(1000 * sqrt(entries::numeric(60, 40) / place) * (1 + log((buy_in * 0.01 + 0.25)::numeric(60, 40))))::bigint
$$;

-- `best`: so many scores of each player count; 0: all. Of equal scores the earlier ones count.
CREATE OR REPLACE FUNCTION league_rows(
    offers text[], from_ms bigint, until_ms bigint, by_score text, best integer, at_most integer
) RETURNS TABLE (player bigint, player_name text, score bigint, played bigint, counted bigint, wins bigint, reached_ms bigint)
LANGUAGE sql STABLE AS $$
    WITH scores AS (
        SELECT given.account, given.place, over.ended_ms, CASE by_score
                WHEN 'points' THEN league_points(over.entries, given.place, over.buy_in)
                WHEN 'prizes' THEN given.prize + bounties_won(over.id, given.account)
                ELSE given.prize + bounties_won(over.id, given.account) - paid_into(over.id, given.account)
            END AS score
        FROM (SELECT id, buy_in, floor(extract(epoch FROM ended) * 1000)::bigint AS ended_ms,
                     (SELECT count(*) FROM tournament_entries WHERE tournament = tournaments.id AND NOT returned) AS entries
              FROM tournaments
              WHERE offer = ANY (offers) AND phase = 'finished'
                  AND ended >= timestamptz 'epoch' + from_ms * interval '1 millisecond'
                  AND ended < timestamptz 'epoch' + until_ms * interval '1 millisecond') AS over
        JOIN tournament_places AS given ON given.tournament = over.id
    ), ranked AS (
        SELECT *, best = 0 OR row_number() OVER (PARTITION BY account ORDER BY score DESC, ended_ms) <= best AS counts
        FROM scores
    )
    SELECT accounts.id, accounts.name, sum(ranked.score) FILTER (WHERE counts)::bigint AS total, count(*),
           count(*) FILTER (WHERE counts), count(*) FILTER (WHERE place = 1) AS won, max(ended_ms) FILTER (WHERE counts) AS last
    FROM ranked JOIN accounts ON accounts.id = ranked.account
    GROUP BY accounts.id ORDER BY total DESC, won DESC, last, accounts.id LIMIT at_most
$$;
