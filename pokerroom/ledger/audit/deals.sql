-- Deals at the final table: what they come to, and what the places of their players paid.

SELECT 'difference', format('the deal of tournament %s comes to %s and %s for the winner, its prizes are %s', tournament,
    sum_of(amounts), for_the_winner, sum_of(prizes[1:cardinality(accounts)])), 0
FROM tournament_deals JOIN tournaments ON tournaments.id = tournament
WHERE sum_of(amounts) + for_the_winner <> sum_of(prizes[1:cardinality(accounts)])

UNION ALL
SELECT 'difference', format('account %s has a prize of %s in tournament %s, by the deal it is %s', account, prize, tournament,
    due), 0
FROM (
    SELECT deal.tournament, part.account, prize, phase,
           part.amount + CASE given.number WHEN 1 THEN for_the_winner ELSE 0 END AS due
    FROM tournament_deals AS deal JOIN tournaments ON tournaments.id = deal.tournament
    CROSS JOIN LATERAL unnest(accounts, amounts) AS part (account, amount)
    JOIN tournament_places AS given ON given.tournament = deal.tournament AND given.account = part.account
) AS paid
WHERE phase <> 'rolled_forward' AND prize <> due

UNION ALL
SELECT 'difference', format('tournament %s has %s deal, and says that it has %s', coalesce(id, deal.tournament),
    CASE WHEN deal.tournament IS NULL THEN 'no' ELSE 'a' END, CASE WHEN has_deal THEN 'one' ELSE 'none' END), 0
FROM tournaments FULL JOIN tournament_deals AS deal ON deal.tournament = id
WHERE coalesce(has_deal, false) <> (deal.tournament IS NOT NULL)
