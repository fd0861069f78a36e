-- The audit: adds up the whole ledger from its legs. The files of this folder are one statement, which has one snapshot: this
-- one begins it, and each of the others adds its branches by UNION ALL. Each branch reads its tables once.
-- Rows are (what, text, number): a 'difference' with its sentence, or a figure with its name.
--
-- What balances come to is always compared with all legs. What is compared hand by hand is that of the transfers after
-- `:after`: the lowest bigint for all of them, or where an incremental audit begins.
WITH balances AS MATERIALIZED (
    SELECT account.id, code, kind, owner, table_id, balance, coalesce(legs_sum, 0) AS legs_sum
    FROM ledger_accounts AS account
    LEFT JOIN (SELECT ledger_account, sum(amount) AS legs_sum FROM legs GROUP BY ledger_account) AS moved
        ON moved.ledger_account = account.id
), sums AS (
    SELECT coalesce(sum(legs_sum) FILTER (WHERE kind <> 'issuer'), 0) AS held,
           coalesce(sum(legs_sum) FILTER (WHERE kind = 'issuer'), 0) AS issued
    FROM balances
), new_hands AS NOT MATERIALIZED (
    SELECT * FROM hands WHERE transfer > :after
), new_players AS NOT MATERIALIZED (
    SELECT * FROM hand_players WHERE hand > :after
), hand_legs AS (
    SELECT hands.transfer AS hand, owner AS account, amount, kind, ledger_accounts.table_id
    FROM new_hands AS hands
    JOIN legs ON legs.transfer = hands.transfer AND legs.transfer > :after
    JOIN ledger_accounts ON ledger_accounts.id = ledger_account
), round_legs AS MATERIALIZED (  -- the legs that the ends of rounds should have
    SELECT transfer, code, sum(amount) AS amount FROM (
        SELECT transfer, 'wallet:' || account AS code, round_players.paid AS amount
        FROM round_ends JOIN round_players USING (round)
        UNION ALL
        SELECT round_ends.transfer, 'stakes:' || table_id, -round_stakes.amount
        FROM round_ends JOIN round_stakes USING (round) JOIN rounds ON rounds.transfer = round
        UNION ALL
        SELECT round_ends.transfer, code, amount FROM round_ends JOIN rounds ON rounds.transfer = round,
            LATERAL (VALUES ('house:' || table_id, house), ('meter:' || table_id, fed - paid + reseeded),
                            ('tronc', tronc)) AS leg (code, amount)) AS leg
    GROUP BY transfer, code HAVING sum(amount) <> 0
), seeds AS MATERIALIZED (  -- what the bank gave to meters, each before the first round of an epoch
    SELECT id, key, substring(key FROM '^seed:(.+):[0-9]+$') AS table_id,
           substring(key FROM ':([0-9]{1,18})$')::bigint AS epoch
    FROM transfers WHERE kind = 'meter_seed' AND EXISTS (SELECT FROM legs WHERE transfer = transfers.id)
), logged AS (  -- before its first line there was no operators' log
    SELECT timestamptz 'epoch' + min(at_ms) * interval '1 millisecond' AS since FROM operator_log
), hosting AS MATERIALIZED (  -- who was the host of a table; until null: is it now
    SELECT table_id, account, id, created AS since, lead(created) OVER (PARTITION BY table_id ORDER BY id) AS until
    FROM (SELECT id, created, substring(key FROM '^host:(.+):[0-9]+:[0-9]+$') AS table_id,
              substring(key FROM ':([0-9]{1,18}):[0-9]+$')::bigint AS account
          FROM transfers WHERE kind = 'host') AS noted
), club_roles AS MATERIALIZED (  -- which role a member of a club had; `none` for one that has left
    SELECT club, account, role, id, created AS since,
        lead(created) OVER (PARTITION BY club, account ORDER BY id) AS until
    FROM (SELECT id, created, split_part(key, ':', 2) AS club, split_part(key, ':', 4) AS role,
              substring(key FROM '^role:[^:]+:([0-9]{1,18}):')::bigint AS account
          FROM transfers WHERE kind = 'club_role') AS noted
)
SELECT 'accounts' AS what, NULL AS text, count(*)::numeric AS number FROM accounts
UNION ALL SELECT 'transfers', NULL, count(*) FROM transfers
UNION ALL SELECT 'hands', NULL, count(*) FROM hands
UNION ALL SELECT 'rounds', NULL, count(*) FROM rounds
UNION ALL SELECT 'total', NULL, held FROM sums

UNION ALL
SELECT 'difference', format('the legs of transfer %s (%s) sum to %s', sum.transfer, coalesce(key, 'missing'), total), 0
FROM (SELECT transfer, sum(amount) AS total FROM legs WHERE transfer > :after GROUP BY transfer) AS sum
LEFT JOIN transfers ON transfers.id = sum.transfer
WHERE total <> 0 OR key IS NULL

UNION ALL
SELECT 'difference', format('a leg of transfer %s names ledger account %s, which does not exist', transfer, ledger_account), 0
FROM legs WHERE transfer > :after AND NOT EXISTS (SELECT FROM ledger_accounts WHERE id = ledger_account)

UNION ALL
SELECT 'difference', format('%s has the balance %s, its legs sum to %s', code, balance, legs_sum), 0
FROM balances WHERE balance <> legs_sum

UNION ALL
SELECT 'difference', format('%s is negative: its legs sum to %s', code, legs_sum), 0
FROM balances WHERE legs_sum < 0 AND kind NOT IN ('issuer', 'external') AND kind NOT LIKE 'club:%'

UNION ALL
SELECT 'difference', format('%s was issued, %s is held, genesis was 1000000000000000', -issued, held), 0
FROM sums WHERE held <> -issued OR held <> 1000000000000000

UNION ALL
SELECT 'difference', format('account %s has no wallet', id), 0
FROM accounts WHERE NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'wallet:' || accounts.id)

UNION ALL
SELECT 'difference', format('account %s was opened with %s, its opening moved %s', accounts.id, opening, coalesce(moved, 0)), 0
FROM accounts LEFT JOIN (
    SELECT owner, sum(amount) AS moved
    FROM transfers JOIN legs ON transfer = transfers.id JOIN balances ON balances.id = ledger_account
    WHERE transfers.kind = 'opening' GROUP BY owner) AS opened ON owner = accounts.id
WHERE opening <> coalesce(moved, 0)

UNION ALL
SELECT 'difference', format('%s holds %s without a seat at the table', code, legs_sum), 0
FROM balances
WHERE kind = 'stack' AND legs_sum <> 0
  AND NOT EXISTS (SELECT FROM seats WHERE seats.table_id = balances.table_id AND account = owner AND NOT place)

UNION ALL
SELECT 'difference', format('account %s has seat %s at %s without a stack account', account, seat, table_id), 0
FROM seats
WHERE NOT place AND NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'stack:' || seats.table_id || ':' || account)
