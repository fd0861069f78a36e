-- What the sums of days count of the transfers after `mark`, up to `new_mark`. `add_statistics` adds it, and the audit counts
-- it again. The hands of players come from their records, by the room. (Functions in plpgsql may call those of later files.)

CREATE OR REPLACE FUNCTION day_of(at timestamptz) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT floor(extract(epoch FROM at) / 86400)::integer
$$;

CREATE OR REPLACE FUNCTION games_counted(mark bigint, new_mark bigint) RETURNS SETOF daily_games
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT day, sum(hands)::integer, sum(tournament_hands)::integer, sum(rounds)::integer
    FROM (
        SELECT day_of(ended) AS day, (NOT in_chips)::integer AS hands, in_chips::integer AS tournament_hands, 0 AS rounds
        FROM hands, LATERAL (SELECT EXISTS (SELECT FROM tournaments WHERE id = tournament_at(table_id)) AS in_chips) AS kind
        WHERE transfer > mark AND transfer <= new_mark
        UNION ALL
        SELECT day_of(ended), 0, 0, 1 FROM round_ends WHERE transfer > mark AND transfer <= new_mark AND NOT void
    ) AS games
    GROUP BY day;
END $$;

-- The rounds that each account had bets in; a void one is not played.
CREATE OR REPLACE FUNCTION rounds_counted(mark bigint, new_mark bigint)
RETURNS TABLE (day integer, account bigint, rounds integer) LANGUAGE sql STABLE AS $$
    SELECT day_of(ended), staked.account, count(*)::integer
    FROM round_ends AS over
    CROSS JOIN LATERAL (SELECT DISTINCT s.account FROM round_stakes AS s WHERE s.round = over.round) AS staked
    WHERE over.transfer > mark AND over.transfer <= new_mark AND NOT void
    GROUP BY 1, 2
$$;

-- Entries and fees. Fees of entries before the start are booked with it, all at once; a roll back returns what each player has
-- paid, and a cancellation entries without a fee. An entry was returned before if there is such a transfer.
CREATE OR REPLACE FUNCTION entries_counted(mark bigint, new_mark bigint)
RETURNS TABLE (day integer, tournament text, account bigint, entries integer, fees bigint) LANGUAGE sql STABLE AS $$
    WITH booked AS MATERIALIZED (
        SELECT id, kind, key, day_of(created) AS day
        FROM transfers
        WHERE id > mark AND id <= new_mark
          AND kind IN ('entry', 'late_entry', 'entry_return', 'rebuy', 'add_on', 'fees', 'cancellation', 'roll_back')
    ), of_all AS (
        SELECT booked.day, booked.kind, t.id, t.fee
        FROM booked JOIN tournaments AS t ON t.id = substring(key FROM '^sng:(.+):(?:start|cancel|roll_back)$')
        WHERE kind IN ('fees', 'cancellation', 'roll_back')
    )
    SELECT day, part[1], part[2]::bigint,
        CASE kind WHEN 'entry' THEN 1 WHEN 'late_entry' THEN 1 WHEN 'entry_return' THEN -1 ELSE 0 END,
        coalesce((SELECT amount FROM legs WHERE transfer = booked.id
                  AND ledger_account = (SELECT l.id FROM ledger_accounts AS l WHERE code = 'fees')), 0)
    FROM booked
    CROSS JOIN LATERAL regexp_match(key, '^sng:(.+):(?:entry|return|rebuy|add_on):([0-9]+):[0-9]+$') AS part
    WHERE kind NOT IN ('fees', 'cancellation', 'roll_back')
    UNION ALL
    SELECT of_all.day, of_all.id, entry.account, CASE of_all.kind WHEN 'fees' THEN 0 ELSE -1 END,
        CASE of_all.kind WHEN 'fees' THEN of_all.fee WHEN 'roll_back' THEN -of_all.fee ELSE 0 END
    FROM of_all
    JOIN tournament_entries AS entry ON entry.tournament = of_all.id
    JOIN transfers AS own ON own.key = format('sng:%s:entry:%s:%s', of_all.id, entry.account, entry.number)
    WHERE (of_all.kind <> 'fees' OR own.kind = 'entry')
      AND NOT EXISTS (SELECT FROM transfers AS back
                      WHERE back.key = format('sng:%s:return:%s:%s', of_all.id, entry.account, entry.number))
    UNION ALL
    SELECT of_all.day, of_all.id, bought.account, 0, -sale.fee
    FROM of_all
    JOIN tournament_purchases AS bought ON bought.tournament = of_all.id
    JOIN tournament_sales AS sale ON sale.tournament = of_all.id AND sale.kind = bought.kind
    WHERE of_all.kind = 'roll_back'
$$;

-- Adds what was counted up to `new_mark`; `played` has the hands of players.
CREATE OR REPLACE FUNCTION add_days(mark bigint, new_mark bigint, played daily_players[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO daily_games AS d
        SELECT * FROM games_counted(mark, new_mark)
        ON CONFLICT (day) DO UPDATE SET
            hands = d.hands + excluded.hands, tournament_hands = d.tournament_hands + excluded.tournament_hands,
            rounds = d.rounds + excluded.rounds;
    WITH entered AS MATERIALIZED (
        SELECT * FROM entries_counted(mark, new_mark)
    ), of_tournaments AS (
        INSERT INTO daily_tournaments AS d
            SELECT day, tournament, sum(entries), sum(fees) FROM entered GROUP BY day, tournament
            ON CONFLICT (day, tournament) DO UPDATE SET
                entries = d.entries + excluded.entries, fees = d.fees + excluded.fees
    )
    INSERT INTO daily_players AS d
        SELECT day, account, sum(hands), sum(tournament_hands), sum(rounds), sum(entries), sum(rake), sum(fees)
        FROM (
            SELECT day, account, hands, tournament_hands, rounds, entries, rake, fees FROM unnest(played)
            UNION ALL
            SELECT day, account, 0, 0, rounds, 0, 0, 0 FROM rounds_counted(mark, new_mark)
            UNION ALL
            SELECT day, account, 0, 0, 0, entries, 0, fees FROM entered
        ) AS counted
        GROUP BY day, account ORDER BY day, account
        ON CONFLICT (day, account) DO UPDATE SET
            hands = d.hands + excluded.hands, tournament_hands = d.tournament_hands + excluded.tournament_hands,
            rounds = d.rounds + excluded.rounds, entries = d.entries + excluded.entries,
            rake = d.rake + excluded.rake, fees = d.fees + excluded.fees;
END $$;
