-- Adds the whole ledger up anew from its legs. One statement, so that all of it sees one moment; each branch goes
-- over its tables once. Rows: (what, text, number): 'difference' with a sentence, or a figure by name.
WITH balances AS MATERIALIZED (
    SELECT account.id, code, kind, owner, table_id, balance, coalesce(legs_sum, 0) AS legs_sum
    FROM ledger_accounts AS account
    LEFT JOIN (SELECT ledger_account, sum(amount) AS legs_sum FROM legs GROUP BY ledger_account) AS moved
        ON moved.ledger_account = account.id
), sums AS (
    SELECT coalesce(sum(legs_sum) FILTER (WHERE kind <> 'issuer'), 0) AS held,
           coalesce(sum(legs_sum) FILTER (WHERE kind = 'issuer'), 0) AS issued
    FROM balances
), hand_legs AS (
    SELECT hands.transfer AS hand, owner AS account, amount, kind, ledger_accounts.table_id
    FROM hands
    JOIN legs ON legs.transfer = hands.transfer
    JOIN ledger_accounts ON ledger_accounts.id = ledger_account
)
SELECT 'accounts' AS what, NULL AS text, count(*)::numeric AS number FROM accounts
UNION ALL SELECT 'transfers', NULL, count(*) FROM transfers
UNION ALL SELECT 'hands', NULL, count(*) FROM hands
UNION ALL SELECT 'total', NULL, held FROM sums

UNION ALL
SELECT 'difference', format('the legs of transfer %s (%s) sum to %s', sum.transfer, coalesce(key, 'missing'), total), 0
FROM (SELECT transfer, sum(amount) AS total FROM legs GROUP BY transfer) AS sum
LEFT JOIN transfers ON transfers.id = sum.transfer
WHERE total <> 0 OR key IS NULL

UNION ALL
SELECT 'difference', format('a leg of transfer %s names ledger account %s, which does not exist', transfer, ledger_account), 0
FROM legs WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE id = ledger_account)

UNION ALL
SELECT 'difference', format('%s has the balance %s, its legs sum to %s', code, balance, legs_sum), 0
FROM balances WHERE balance <> legs_sum

UNION ALL
SELECT 'difference', format('%s is negative: its legs sum to %s', code, legs_sum), 0
FROM balances WHERE legs_sum < 0 AND kind <> 'issuer'

UNION ALL
SELECT 'difference', format('%s was issued, %s is held, genesis was 1000000000000000', -issued, held), 0
FROM sums WHERE held <> -issued OR held <> 1000000000000000

UNION ALL
SELECT 'difference', format('account %s has no wallet', id), 0
FROM accounts WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'wallet:' || accounts.id)

UNION ALL
SELECT 'difference', format('%s holds %s without a seat at the table', code, legs_sum), 0
FROM balances
WHERE kind = 'stack' AND legs_sum <> 0
  AND NOT EXISTS (SELECT FROM seats WHERE seats.table_id = balances.table_id AND account = owner)

UNION ALL
SELECT 'difference', format('account %s has seat %s at %s without a stack account', account, seat, table_id), 0
FROM seats
WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'stack:' || seats.table_id || ':' || account)

UNION ALL
SELECT 'difference', format('hand %s has transfer %s (%s), which is not its own', hand_id, transfer, coalesce(key, 'missing')), 0
FROM hands LEFT JOIN transfers ON id = transfer
WHERE (key = 'hand:' || hand_id AND kind = 'hand') IS NOT TRUE

UNION ALL
SELECT 'difference', format('hand %s at %s is of epoch %s, and was settled after one of epoch %s', hand_id, table_id,
    epoch, newest), 0
FROM (SELECT hand_id, table_id, epoch, max(epoch) OVER (PARTITION BY table_id ORDER BY transfer) AS newest
      FROM hands) AS settled
WHERE epoch < newest

UNION ALL
SELECT 'difference', format('transfer %s (%s) has no hand', id, key), 0
FROM transfers WHERE kind = 'hand' AND NOT EXISTS (SELECT FROM hands WHERE transfer = id)

UNION ALL
SELECT 'difference', format('the players of hand %s won and lost %s together', hand_id, total), 0
FROM (SELECT hand, sum(delta) AS total FROM hand_players GROUP BY hand) AS sum JOIN hands ON transfer = hand
WHERE total <> 0

UNION ALL
SELECT 'difference', format('account %s has the change %s in hand %s, whose legs say %s',
    account, coalesce(delta::text, 'none'), hand, coalesce(amount::text, 'none')), 0
FROM (SELECT account, hand, delta FROM hand_players WHERE delta <> 0) AS player
FULL JOIN hand_legs USING (account, hand)
WHERE delta IS DISTINCT FROM amount

UNION ALL
SELECT 'difference', format('the record of hand %s has the change %s for account %s, the ledger %s', hand_id,
    coalesce(said::text, 'none'), account, coalesce(delta::text, 'none')), 0
FROM (SELECT transfer AS hand, (seat ->> 'account')::bigint AS account,
             (seat ->> 'end')::bigint - (seat ->> 'stack')::bigint AS said
      FROM hands, jsonb_array_elements(
          CASE jsonb_typeof(record -> 'seats') WHEN 'array' THEN record -> 'seats' ELSE '[]' END) AS seat) AS recorded
FULL JOIN hand_players USING (hand, account)
JOIN hands ON hands.transfer = hand
WHERE said IS DISTINCT FROM delta

UNION ALL
SELECT 'difference', format('hand %s at %s moved chips of account %s at %s', hand, hands.table_id, account,
    coalesce(hand_legs.table_id, 'no table')), 0
FROM hand_legs JOIN hands ON hands.transfer = hand
WHERE hand_legs.kind <> 'stack' OR hand_legs.table_id <> hands.table_id

UNION ALL
SELECT 'difference', format('account %s is in hand %s, which does not exist', account, hand), 0
FROM hand_players WHERE NOT EXISTS (SELECT FROM hands WHERE transfer = hand)

UNION ALL
SELECT 'difference', format('account %s is counted as all-in by the clock in hand %s, which it did not play or which ended'
    ' at another time', account, hand), 0
FROM timeout_all_ins AS late
WHERE NOT EXISTS (
    SELECT FROM hand_players JOIN hands ON transfer = hand
    WHERE hand_players.hand = late.hand AND hand_players.account = late.account AND hands.ended = late.ended)
