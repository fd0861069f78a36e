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
) AS said
FULL JOIN (
    SELECT what, account, count(*) AS hands, sum(delta) FILTER (WHERE NOT in_chips) AS won
    FROM (SELECT transfer, tournaments.id IS NOT NULL AS in_chips FROM hands JOIN statistics_mark ON transfer <= counted_to
          LEFT JOIN tournaments ON tournaments.id = tournament_at(table_id)) AS counted
    JOIN hand_players ON hand = transfer, (VALUES ('statistics'), ('daily results')) AS both_sides (what)
    WHERE what = 'statistics' OR NOT in_chips GROUP BY what, account
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
