-- Hands: their transfers, players, records and rakes agree, and their epochs grow.

SELECT 'difference', format('hand %s has transfer %s (%s), which is not its own', hand_id, transfer, coalesce(key, 'missing')), 0
FROM new_hands AS hands LEFT JOIN transfers ON id = transfer
WHERE (key = 'hand:' || hand_id AND kind = 'hand') IS NOT TRUE

UNION ALL
SELECT 'difference', format('hand %s at %s is of epoch %s, and was settled after one of epoch %s', hand_id, table_id,
    epoch, newest), 0
FROM (SELECT hand_id, table_id, epoch, max(epoch) OVER (PARTITION BY table_id ORDER BY transfer) AS newest
      FROM new_hands) AS settled
WHERE epoch < newest

UNION ALL
SELECT 'difference', format('transfer %s (%s) has no hand', id, key), 0
FROM transfers WHERE kind = 'hand' AND id > :after AND NOT EXISTS (SELECT FROM new_hands WHERE transfer = id)

UNION ALL
SELECT 'difference', format('the players of hand %s won and lost %s together, and its rake is %s', hand_id, total, rake), 0
FROM (SELECT hand, sum(delta) AS total FROM new_players GROUP BY hand) AS sum JOIN new_hands ON transfer = hand
WHERE total <> -rake

UNION ALL
SELECT 'difference', format('hand %s has the rake %s, its legs say %s', coalesce(hand_id, taken.hand::text),
    coalesce(rake, 0), coalesce(amount::text, 'none')), 0
FROM (SELECT transfer AS hand, hand_id, rake FROM new_hands WHERE rake <> 0) AS said
FULL JOIN (SELECT hand, amount FROM hand_legs WHERE kind LIKE 'rake:%') AS taken USING (hand)
WHERE rake IS DISTINCT FROM amount

UNION ALL
SELECT 'difference', format('the record of hand %s has the rake %s, of its seats %s, the ledger %s', hand_id,
    coalesce(said::text, 'none'), coalesce(parts::text, 'none'), rake), 0
FROM (SELECT hand_id, rake, record -> 'rake' AS said,
             (SELECT sum((seat -> 'rake')::numeric) FROM jsonb_array_elements(
                 CASE jsonb_typeof(record -> 'seats') WHEN 'array' THEN record -> 'seats' ELSE '[]' END) AS seat
              WHERE jsonb_typeof(seat -> 'rake') = 'number') AS parts
      FROM new_hands WHERE rake <> 0 AND NOT is_archived(record)) AS raked
WHERE said IS DISTINCT FROM to_jsonb(rake) OR parts IS DISTINCT FROM rake

UNION ALL
SELECT 'difference', format('%s holds %s, the hands there have a rake of %s', code, legs_sum, coalesce(rake, 0)), 0
FROM balances
LEFT JOIN (SELECT table_id, sum(rake) AS rake FROM hands WHERE rake <> 0 GROUP BY table_id) AS raked USING (table_id)
WHERE kind LIKE 'rake:%' AND legs_sum <> coalesce(rake, 0) AND :after < 0  -- after a number each new hand is compared

UNION ALL
SELECT 'difference', format('account %s has the change %s in hand %s, whose legs say %s',
    account, coalesce(delta::text, 'none'), hand, coalesce(amount::text, 'none')), 0
FROM (SELECT account, hand, delta FROM new_players
      WHERE delta <> 0 AND hand NOT IN (SELECT transfer FROM new_hands JOIN tournaments ON tournaments.id = tournament_at(table_id))) AS player
FULL JOIN (SELECT * FROM hand_legs WHERE kind NOT LIKE 'rake:%') AS moved USING (account, hand)
WHERE delta IS DISTINCT FROM amount

UNION ALL
SELECT 'difference', format('the record of hand %s has the change %s for account %s, the ledger %s', hand_id,
    coalesce(said::text, 'none'), account, coalesce(delta::text, 'none')), 0
FROM (SELECT transfer AS hand, (seat ->> 'account')::bigint AS account,
             (seat ->> 'end')::bigint - (seat ->> 'stack')::bigint AS said
      FROM new_hands, jsonb_array_elements(
          CASE jsonb_typeof(record -> 'seats') WHEN 'array' THEN record -> 'seats' ELSE '[]' END) AS seat
      -- what is no number has no change: it is told, too, and ends no audit
      WHERE seat ->> 'account' ~ '^\d{1,18}$' AND seat ->> 'end' ~ '^\d{1,18}$' AND seat ->> 'stack' ~ '^\d{1,18}$'
     ) AS recorded
FULL JOIN new_players USING (hand, account)
JOIN new_hands ON transfer = hand
WHERE said IS DISTINCT FROM delta AND NOT is_archived(record)

UNION ALL
SELECT 'difference', format('hand %s at %s moved chips of account %s at %s', hand, hands.table_id, account,
    coalesce(hand_legs.table_id, 'no table')), 0
FROM hand_legs JOIN new_hands AS hands ON hands.transfer = hand
WHERE hand_legs.kind NOT IN ('stack', 'rake:' || hands.table_id) OR hand_legs.table_id <> hands.table_id

UNION ALL
SELECT 'difference', format('account %s is in hand %s, which does not exist', account, hand), 0
FROM new_players WHERE NOT EXISTS (SELECT FROM new_hands WHERE transfer = hand)

UNION ALL
SELECT 'difference', format('account %s is counted as all-in by the clock in hand %s, which it did not play or which ended'
    ' at another time', account, hand), 0
FROM timeout_all_ins AS late
WHERE late.hand > :after AND NOT EXISTS (
    SELECT FROM new_players JOIN new_hands ON transfer = hand
    WHERE hand = late.hand AND account = late.account AND new_hands.ended = late.ended)

-- The last epoch of a table is at least that of its last hand, and hands have had epochs since the first that has one.
UNION ALL
SELECT 'difference', format('a hand at %s is of epoch %s, the table of epoch %s', hands.table_id, max(hands.epoch),
    coalesce(max(owner.epoch)::text, 'none')), 0
FROM new_hands AS hands LEFT JOIN table_owners AS owner ON owner.table_id = hands.table_id
GROUP BY hands.table_id HAVING max(hands.epoch) > coalesce(max(owner.epoch), 0)

UNION ALL
SELECT 'difference', format('hand %s at %s has no epoch, others before it have one', hand_id, table_id), 0
FROM (SELECT hand_id, table_id, epoch, max(epoch) OVER (PARTITION BY table_id ORDER BY transfer) AS newest
      FROM new_hands) AS settled
WHERE epoch IS NULL AND newest IS NOT NULL
