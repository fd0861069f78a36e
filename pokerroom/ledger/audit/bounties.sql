-- Bounties: heads, what was won of them, and the transfers that paid it agree.

SELECT 'difference', format('bounties:%s holds %s, of a tournament with heads of %s', coalesce(balances.table_id, id),
    coalesce(legs_sum::text, 'nothing'), coalesce(bounties_owed(id)::text, 'nothing')), 0
FROM (SELECT table_id, legs_sum FROM balances WHERE kind = 'bounties') AS balances
FULL JOIN (SELECT id FROM tournaments WHERE bounty > 0) AS with_heads ON id = balances.table_id
WHERE legs_sum IS DISTINCT FROM bounties_owed(id)

UNION ALL
SELECT 'difference', format('the heads of tournament %s are kept as %s, and sum to %s', coalesce(kept.tournament, id),
    coalesce(heads, 0), coalesce(bounties_owed(id), 0)), 0
FROM tournament_heads AS kept FULL JOIN (SELECT id FROM tournaments WHERE bounty > 0) AS with_heads ON id = kept.tournament
WHERE coalesce(heads, 0) <> coalesce(bounties_owed(id), 0)

UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s has a head of %s, and its tournament has none', entry.number,
    account, tournament, head), 0
FROM tournament_entries AS entry JOIN tournaments ON tournaments.id = tournament WHERE bounty = 0 AND head <> 0

-- A head is bought, grows by what its player wins of others, and goes all at once: with the entry, or to the winners.
UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s has a head of %s, and %s of it are won; it should be %s in all',
    entry.number, entry.account, entry.tournament, head, coalesce(given, 0), due), 0
FROM (
    SELECT entry.*, CASE WHEN returned OR phase = 'rolled_back' THEN 0 ELSE bounty + coalesce((
               SELECT sum(on_head) FROM tournament_bounties AS won
               JOIN tournament_entries AS lost ON (lost.tournament, lost.account, lost.number) = (won.tournament, won.account, won.number)
               WHERE winner = entry.account AND won.tournament = entry.tournament AND on_head > 0
                 AND entry.number = (SELECT min(own.number) FROM tournament_entries AS own
                                     WHERE own.tournament = entry.tournament AND own.account = entry.account
                                       AND NOT own.returned AND (own.out_in IS NULL OR own.out_in > lost.out_in))), 0) END AS due
    FROM tournament_entries AS entry JOIN tournaments ON tournaments.id = tournament WHERE bounty > 0
) AS entry
LEFT JOIN (
    SELECT tournament, account, number, sum(cash + on_head) AS given FROM tournament_bounties GROUP BY tournament, account, number
) AS won USING (tournament, account, number)
WHERE head + coalesce(given, 0) <> due OR head > 0 AND given > 0

UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s is out, or its tournament over, and its head is not paid',
    entry.number, account, tournament), 0
FROM tournament_entries AS entry JOIN tournaments ON tournaments.id = tournament
WHERE head > 0 AND (chips = 0 OR phase NOT IN ('registering', 'running'))

-- The head of an entry that is out goes to others that were in its last hand, that of another one to its player at the end.
UNION ALL
SELECT 'difference', format('account %s has won the head of entry %s of account %s in tournament %s, and was not in its last hand',
    winner, won.number, won.account, won.tournament), 0
FROM tournament_bounties AS won
JOIN tournament_entries AS lost ON (lost.tournament, lost.account, lost.number) = (won.tournament, won.account, won.number)
JOIN tournaments ON tournaments.id = won.tournament
WHERE CASE WHEN winner = won.account THEN chips = 0 OR phase NOT IN ('finished', 'rolled_forward')
           ELSE NOT EXISTS (SELECT FROM hand_players WHERE hand = out_in AND hand_players.account = winner) END

UNION ALL
SELECT 'difference', format('the head of entry %s of account %s in tournament %s is paid by transfer %s (%s), which is not its own',
    number, account, tournament, transfer, coalesce(key, 'missing')), 0
FROM tournament_bounties LEFT JOIN transfers ON id = transfer
WHERE (key = format('sng:%s:bounty:%s:%s', tournament, account, number) AND kind = 'bounty') IS NOT TRUE

UNION ALL
SELECT 'difference', format('transfer %s (%s) pays %s to account %s, which has won %s of that head', coalesce(moved.id, won.transfer),
    coalesce(key, 'missing'), coalesce(amount, 0), coalesce(owner, winner), coalesce(cash, 0)), 0
FROM (SELECT transfers.id, key, owner, amount FROM transfers
      JOIN legs ON legs.transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
      WHERE transfers.kind = 'bounty' AND ledger_accounts.kind = 'wallet') AS moved
FULL JOIN (SELECT transfer, winner, cash FROM tournament_bounties WHERE cash > 0) AS won
    ON won.transfer = moved.id AND winner = owner
WHERE amount IS DISTINCT FROM cash

UNION ALL
SELECT 'difference', format('transfer %s (%s) pays no head', id, key), 0
FROM transfers WHERE kind = 'bounty' AND NOT EXISTS (SELECT FROM tournament_bounties WHERE transfer = id)
