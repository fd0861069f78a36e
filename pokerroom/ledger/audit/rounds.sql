-- Rounds of Ultimate: stakes, ends and meters agree with their transfers, and with the histories of their players.

SELECT 'difference', format('%s holds %s, its round has %s', code, legs_sum, coalesce(staked, 0)), 0
FROM balances
LEFT JOIN (SELECT table_id, sum(amount) AS staked FROM open_rounds JOIN round_stakes USING (round) GROUP BY table_id)
    AS on_table USING (table_id)
WHERE kind LIKE 'stakes:%' AND legs_sum <> coalesce(staked, 0)

UNION ALL
SELECT 'difference', format('round %s at %s is %s', round_id, rounds.table_id,
    CASE WHEN open_rounds.round IS NULL THEN 'neither in progress nor over'
         WHEN open_rounds.table_id <> rounds.table_id THEN 'in progress at another table'
         ELSE 'over, and in progress' END), 0
FROM rounds
LEFT JOIN open_rounds ON open_rounds.round = rounds.transfer
LEFT JOIN round_ends ON round_ends.round = rounds.transfer
WHERE (open_rounds.round IS NULL) = (round_ends.round IS NULL) OR open_rounds.table_id <> rounds.table_id

UNION ALL
SELECT 'difference', format('round %s at %s is of epoch %s, and began after one of epoch %s', round_id, table_id, epoch,
    newest), 0
FROM (SELECT round_id, table_id, epoch, max(epoch) OVER (PARTITION BY table_id ORDER BY transfer) AS newest
      FROM rounds) AS begun
WHERE epoch < newest

UNION ALL
SELECT 'difference', format('round %s at %s ended under epoch %s, before its own', round_id, table_id, ended.epoch), 0
FROM rounds JOIN round_ends AS ended ON round = rounds.transfer
WHERE ended.epoch < rounds.epoch

UNION ALL
SELECT 'difference', format('round %s comes to %s for players, house, meter and tronc together', round_id,
    won + house + fed - ended.paid + reseeded + tronc), 0
FROM rounds JOIN round_ends AS ended ON ended.round = rounds.transfer
JOIN (SELECT round, sum(paid - staked - tipped) AS won FROM round_players GROUP BY round) AS players
    ON players.round = rounds.transfer
WHERE won + house + fed - ended.paid + reseeded + tronc <> 0

UNION ALL
SELECT 'difference', format('round %s has the transfer %s (%s), which is not its own', round_id, rounds.transfer,
    coalesce(key, 'missing')), 0
FROM rounds LEFT JOIN transfers ON id = rounds.transfer
WHERE (key = 'round:' || round_id || ':bets' AND kind = 'round_bets') IS NOT TRUE

UNION ALL
SELECT 'difference', format('the end of round %s has the transfer %s (%s), which is not its own', round_id,
    ended.transfer, coalesce(key, 'missing')), 0
FROM round_ends AS ended LEFT JOIN rounds ON rounds.transfer = round LEFT JOIN transfers ON id = ended.transfer
WHERE (key = 'round:' || round_id AND kind = CASE WHEN void THEN 'round_void' ELSE 'round' END) IS NOT TRUE

UNION ALL
SELECT 'difference', format('transfer %s (%s) has no round', id, key), 0
FROM transfers
WHERE kind IN ('round_bets', 'round_play', 'round_tip', 'round', 'round_void')
  AND NOT EXISTS (SELECT FROM round_stakes WHERE transfer = id)
  AND NOT EXISTS (SELECT FROM round_ends WHERE transfer = id)

UNION ALL
SELECT 'difference', format('account %s has put %s into round %s by transfer %s, whose legs say %s', account,
    stake.amount, round, stake.transfer, coalesce((-legs.amount)::text, 'none')), 0
FROM round_stakes AS stake
LEFT JOIN ledger_accounts ON code = 'wallet:' || account
LEFT JOIN legs ON legs.transfer = stake.transfer AND ledger_account = ledger_accounts.id
WHERE legs.amount IS DISTINCT FROM -stake.amount

UNION ALL
SELECT 'difference', format('account %s is said to have put %s into round %s, and has put %s', coalesce(said.account,
    put.account), coalesce(said.staked + said.tipped, 0), coalesce(said.round, put.round), coalesce(put.amount, 0)), 0
FROM round_players AS said
FULL JOIN (SELECT round, account, sum(amount) AS amount, sum(amount) FILTER (WHERE kind = 'tip') AS tipped
           FROM round_stakes JOIN round_ends USING (round) GROUP BY round, account) AS put USING (round, account)
WHERE said.staked + said.tipped IS DISTINCT FROM put.amount OR said.tipped IS DISTINCT FROM coalesce(put.tipped, 0)

UNION ALL
SELECT 'difference', format('the end of a round by transfer %s moves %s of %s, its legs say %s', transfer,
    coalesce(said.amount, 0), code, coalesce(written.amount::text, 'none')), 0
FROM round_legs AS said
FULL JOIN (SELECT legs.transfer, code, amount FROM round_ends JOIN legs USING (transfer)
           JOIN ledger_accounts ON ledger_accounts.id = ledger_account) AS written USING (transfer, code)
WHERE said.amount IS DISTINCT FROM written.amount

-- A history has each round once.
UNION ALL
SELECT 'difference', format('account %s has round %s in its history %s times, and played it %s times', account, round,
    count(*) FILTER (WHERE listed), count(*) FILTER (WHERE NOT listed)), 0
FROM (SELECT account, round, true AS listed FROM account_history WHERE round IS NOT NULL
      UNION ALL SELECT account, round, false FROM round_players) AS both_sides
GROUP BY account, round
HAVING count(*) FILTER (WHERE listed) <> 1 OR count(*) FILTER (WHERE NOT listed) <> 1

UNION ALL
SELECT 'difference', format('the history of account %s has round %s at another place or time than its end', account,
    account_history.round), 0
FROM account_history JOIN round_ends USING (round)
WHERE number <> round_ends.transfer OR account_history.ended <> round_ends.ended

UNION ALL
SELECT 'difference', format('a round at %s is of epoch %s, the table of epoch %s', rounds.table_id,
    max(greatest(rounds.epoch, ended.epoch)), coalesce(max(owner.epoch)::text, 'none')), 0
FROM rounds LEFT JOIN round_ends AS ended ON ended.round = rounds.transfer
LEFT JOIN table_owners AS owner ON owner.table_id = rounds.table_id
GROUP BY rounds.table_id HAVING max(greatest(rounds.epoch, ended.epoch)) > coalesce(max(owner.epoch), 0)

UNION ALL
SELECT 'difference', format('transfer %s (%s) fills a meter after a round of its epoch, or its table had no such epoch',
    id, key), 0
FROM seeds
LEFT JOIN table_owners AS owner ON owner.table_id = seeds.table_id
LEFT JOIN LATERAL (SELECT epoch FROM rounds WHERE rounds.table_id = seeds.table_id AND transfer < id
                   ORDER BY transfer DESC LIMIT 1) AS earlier ON true
WHERE (seeds.epoch > coalesce(earlier.epoch, 0) AND seeds.epoch <= owner.epoch) IS NOT TRUE

-- The meter then holds the seed of the settings. The first round of the epoch tells both; an older record has no settings.
UNION ALL
SELECT 'difference', format('transfer %s (%s) fills the meter to %s, by the settings it is %s', id, key,
    coalesce(record #>> '{meter,before}', 'nothing'), coalesce(record #>> '{terms,progressive,seed}', 'not filled')), 0
FROM seeds,
LATERAL (SELECT transfer FROM rounds WHERE rounds.table_id = seeds.table_id AND rounds.epoch = seeds.epoch
         AND transfer > id ORDER BY transfer LIMIT 1) AS first
JOIN round_ends ON round = first.transfer
WHERE record ? 'meter' AND record ? 'terms'
  AND record #> '{meter,before}' IS DISTINCT FROM record #> '{terms,progressive,seed}'
