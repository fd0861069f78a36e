-- Statistics: each hand and tournament up to their mark is counted once for each of its players, and none after it. A part
-- of the ledger does not tell: of it the mark alone is compared.

SELECT 'difference', format('the statistics count up to transfer %s, the last one is %s', coalesce(counted_to::text, 'none'), last), 0
FROM (SELECT coalesce(max(id), 0) AS last FROM transfers) AS newest LEFT JOIN statistics_mark ON true
WHERE (counted_to <= last) IS NOT TRUE

-- Those by position count all hands of a player, those by day the ones for money.
UNION ALL
SELECT 'difference', format('%s of account %s have %s hands and won %s, its hands up to their mark are %s and won %s', what, account,
    coalesce(said.hands, 0), coalesce(said.won, 0), coalesce(played.hands, 0), coalesce(played.won, 0)), 0
FROM (
    SELECT 'statistics' AS what, account, sum(hands) AS hands, sum(won) AS won
    FROM player_statistics WHERE account = seen GROUP BY account
    UNION ALL
    SELECT 'daily results', account, sum(hands), sum(won) FROM daily_results GROUP BY account
    UNION ALL
    SELECT 'days', account, sum(hands + tournament_hands), 0 FROM daily_players GROUP BY account
) AS said
FULL JOIN (
    SELECT what, account, count(*) AS hands, sum(delta) FILTER (WHERE NOT in_chips AND what <> 'days') AS won
    FROM (SELECT transfer, tournaments.id IS NOT NULL AS in_chips FROM hands JOIN statistics_mark ON transfer <= counted_to
          LEFT JOIN tournaments ON tournaments.id = tournament_at(table_id)) AS counted
    JOIN hand_players ON hand = transfer, (VALUES ('statistics'), ('daily results'), ('days')) AS sides (what)
    WHERE what <> 'daily results' OR NOT in_chips GROUP BY what, account
) AS played USING (what, account)
WHERE (coalesce(said.hands, 0), coalesce(said.won, 0)) <> (coalesce(played.hands, 0), coalesce(played.won, 0)) AND :after < 0

UNION ALL
SELECT 'difference', format('statistics of account %s in tournaments for %s in %s have %s entries and the prizes %s, its places %s and %s',
    account, buy_in, month, coalesce(said.entries, 0), coalesce(said.returned, 0), coalesce(due.entries, 0),
    coalesce(due.returned, 0)), 0
FROM tournament_statistics AS said
FULL JOIN (SELECT counted.* FROM statistics_mark, tournaments_counted(0, counted_to) AS counted) AS due
    USING (account, month, buy_in)
WHERE (said.entries, said.in_the_money, said.returned) IS DISTINCT FROM (due.entries, due.in_the_money, due.returned) AND :after < 0

-- Sums of days: games, entries and fees by day, and all rake and fees by the legs and hands.
UNION ALL
SELECT 'difference', format('day %s counts %s, %s and %s games, there were %s, %s and %s', day, said.hands, said.tournament_hands,
    said.rounds, due.hands, due.tournament_hands, due.rounds), 0
FROM daily_games AS said
FULL JOIN (SELECT counted.* FROM statistics_mark, games_counted(0, counted_to) AS counted) AS due USING (day)
WHERE (said.hands, said.tournament_hands, said.rounds) IS DISTINCT FROM (due.hands, due.tournament_hands, due.rounds)
  AND :after < 0

UNION ALL
SELECT 'difference', format('day %s counts %s entries and the fees %s of %s, there were %s and %s', day, coalesce(said.entries, 0),
    coalesce(said.fees, 0), subject, coalesce(due.entries, 0), coalesce(due.fees, 0)), 0
FROM (
    SELECT day, 'account ' || account AS subject, entries, fees FROM daily_players
    UNION ALL
    SELECT day, 'tournament ' || tournament, entries, fees FROM daily_tournaments
) AS said
FULL JOIN (
    SELECT day, subject, sum(entries) AS entries, sum(fees) AS fees
    FROM statistics_mark, entries_counted(0, counted_to),
        LATERAL (VALUES ('account ' || account), ('tournament ' || tournament)) AS side (subject)
    GROUP BY day, subject
) AS due USING (day, subject)
WHERE (coalesce(said.entries, 0), coalesce(said.fees, 0)) <> (coalesce(due.entries, 0), coalesce(due.fees, 0)) AND :after < 0

UNION ALL
SELECT 'difference', format('account %s has played %s rounds by the sums of days, and %s by the rounds', account,
    coalesce(said.rounds, 0), coalesce(due.rounds, 0)), 0
FROM (SELECT account, sum(rounds) AS rounds FROM daily_players GROUP BY account) AS said
FULL JOIN (SELECT account, sum(rounds) AS rounds FROM statistics_mark, rounds_counted(0, counted_to) GROUP BY account) AS due
    USING (account)
WHERE coalesce(said.rounds, 0) <> coalesce(due.rounds, 0) AND :after < 0

UNION ALL
SELECT 'difference', format('the %s of all days are %s, of what was booked %s', what, coalesce(said.amount, 0), coalesce(due.amount, 0)), 0
FROM (
    SELECT 'rakes' AS what, sum(rake) AS amount FROM daily_players
    UNION ALL
    SELECT 'fees', sum(fees) FROM daily_players
) AS said
JOIN (
    SELECT 'rakes' AS what, sum(rake) AS amount FROM hands JOIN statistics_mark ON transfer <= counted_to
    UNION ALL
    SELECT 'fees', sum(amount) FROM statistics_mark JOIN legs ON transfer <= counted_to
    WHERE ledger_account = (SELECT id FROM ledger_accounts WHERE code = 'fees')
) AS due USING (what)
WHERE coalesce(said.amount, 0) <> coalesce(due.amount, 0) AND :after < 0
