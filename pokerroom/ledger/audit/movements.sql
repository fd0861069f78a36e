-- What moves money or chips without a game: the cashier, adjustments, sources, clubs and gifts.
-- Each request to the cashier has moved its amount once, and pending withdrawals are held.

SELECT 'cash_requests', NULL, count(*) FROM cash_requests
UNION ALL SELECT 'held', NULL, coalesce(sum(legs_sum), 0) FROM balances WHERE code = 'held'

UNION ALL
SELECT 'difference', format('held holds %s, pending withdrawals are %s', legs_sum, waiting), 0
FROM balances, (SELECT coalesce(sum(amount), 0) AS waiting FROM cash_requests
                WHERE kind = 'withdrawal' AND state = 'waiting') AS requested
WHERE code = 'held' AND legs_sum <> waiting

UNION ALL
SELECT 'difference', format('a cashier request moves %s of %s by transfer %s, its legs say %s',
    coalesce(said.amount, 0), code, key, coalesce(written.amount::text, 'none')), 0
FROM (
    SELECT format('cash:%s:%s', account, key) AS key, kind AS transfer_kind, code, leg.amount
    FROM cash_requests, LATERAL (VALUES ('wallet:' || account, -amount), ('held', amount)) AS leg (code, amount)
    WHERE kind = 'withdrawal'
    UNION ALL
    SELECT format('cash:%s:%s:end', account, key), moved.kind, code, leg.amount
    FROM cash_requests
    JOIN (VALUES ('deposit', 'approved', 'deposit'), ('withdrawal', 'approved', 'withdrawal_paid'),
                 ('withdrawal', 'refused', 'withdrawal_return')) AS moved (of_kind, of_state, kind)
        ON of_kind = cash_requests.kind AND of_state = state,
    LATERAL (VALUES (CASE WHEN moved.kind = 'deposit' THEN 'source:' || source ELSE 'held' END, -amount),
                    (CASE WHEN moved.kind = 'withdrawal_paid' THEN 'source:' || source ELSE 'wallet:' || account END,
                     amount)) AS leg (code, amount)
) AS said
FULL JOIN (
    SELECT key, transfers.kind AS transfer_kind, code, amount
    FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
    WHERE transfers.kind IN ('deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return')
) AS written USING (key, transfer_kind, code)
WHERE said.amount IS DISTINCT FROM written.amount

-- Each adjustment that was made has moved its amount once.
UNION ALL
SELECT 'difference', format('an adjustment moves %s of %s by transfer %s, its legs say %s', coalesce(said.amount, 0), code, key,
    coalesce(written.amount::text, 'none')), 0
FROM (
    SELECT format('adjust:%s:%s', account, key) AS key, code, leg.amount
    FROM adjustments, LATERAL (VALUES ('source:' || source, -amount), ('wallet:' || account, amount)) AS leg (code, amount)
    WHERE state = 'made'
) AS said
FULL JOIN (
    SELECT key, code, amount
    FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
    WHERE transfers.kind = 'adjustment'
) AS written USING (key, code)
WHERE said.amount IS DISTINCT FROM written.amount

-- Each debit of the operator's wallet that was done, and each credit, has moved its amount once: so `external` is their sum.
UNION ALL
SELECT 'difference', format('the operator''s wallet moves %s of %s by transfer %s, its legs say %s', coalesce(said.amount, 0),
    code, key, coalesce(written.amount::text, 'none')), 0
FROM (
    SELECT format('external:%s:%s', account, number) AS key, 'wallet_' || kind AS transfer_kind, code, leg.amount
    FROM wallet_transfers, LATERAL (
        VALUES ('external', CASE kind WHEN 'debit' THEN -amount ELSE amount END),
               ('wallet:' || account, CASE kind WHEN 'debit' THEN amount ELSE -amount END)) AS leg (code, amount)
    WHERE kind = 'debit' AND state = 'done' OR kind = 'credit'
) AS said
FULL JOIN (
    SELECT key, transfers.kind AS transfer_kind, code, amount
    FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
    WHERE transfers.kind IN ('wallet_debit', 'wallet_credit')
) AS written USING (key, transfer_kind, code)
WHERE said.amount IS DISTINCT FROM written.amount

-- A debit of the operator's wallet that was undone has a rollback of its amount, and no other one has.
UNION ALL
SELECT 'difference', format('debit %s of the operator''s wallet has %s as its rollback, and is %s of %s', debit.number,
    coalesce(back.amount::text, 'nothing'), debit.state, debit.amount), 0
FROM wallet_transfers AS debit LEFT JOIN wallet_transfers AS back ON back.undoes = debit.number
WHERE debit.kind = 'debit' AND (debit.state = 'undone' OR back.number IS NOT NULL)
  AND (debit.state, debit.amount, debit.account) IS DISTINCT FROM ('undone', back.amount, back.account)
UNION ALL
SELECT 'difference', format('rollback %s of the operator''s wallet undoes no debit', back.number), 0
FROM wallet_transfers AS back LEFT JOIN wallet_transfers AS debit ON debit.number = back.undoes AND debit.kind = 'debit'
WHERE back.kind = 'rollback' AND debit.number IS NULL

-- Each movement between the bank of a club and a member has moved its amount once.
UNION ALL
SELECT 'difference', format('a movement of club chips is %s of %s by transfer %s, its legs say %s', coalesce(said.amount, 0),
    code, key, coalesce(written.amount::text, 'none')), 0
FROM (
    SELECT format('club:%s:%s', club, key) AS key, code, leg.amount FROM club_moves, LATERAL (
        VALUES ('club:' || club, -amount), (format('chips:%s:%s', club, account), amount)) AS leg (code, amount)
) AS said
FULL JOIN (
    SELECT key, code, amount
    FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
    WHERE transfers.kind IN ('club_issue', 'club_take')
) AS written USING (key, code)
WHERE said.amount IS DISTINCT FROM written.amount

-- Chips of a club stay in it: its bank owes what members hold, in their balances, at its tables and in its sit-and-gos.
UNION ALL
SELECT 'difference', format('club %s owes %s, and its members hold %s', club, -sum(legs_sum) FILTER (WHERE legs_sum < 0),
    coalesce(sum(legs_sum) FILTER (WHERE legs_sum > 0), 0)), 0
FROM clubs RIGHT JOIN (
    SELECT split_part(kind, ':', 2) AS club, legs_sum FROM balances WHERE kind LIKE 'club:%' OR kind LIKE 'chips:%'
    UNION ALL
    SELECT club, legs_sum FROM balances JOIN hosted_tables USING (table_id) WHERE kind = 'stack' AND club IS NOT NULL
    UNION ALL
    SELECT club, legs_sum FROM balances JOIN hosted_tables AS hosted ON hosted.tournament = balances.table_id
    WHERE kind = 'escrow' AND club IS NOT NULL
) AS held USING (club)
GROUP BY club, clubs.club HAVING sum(legs_sum) <> 0 OR clubs.club IS NULL

UNION ALL
SELECT 'difference', format('%s holds %s, and is of no member', code, legs_sum), 0
FROM balances
WHERE kind LIKE 'chips:%' AND legs_sum <> 0
    AND NOT EXISTS (SELECT FROM club_members WHERE kind = 'chips:' || club AND account = owner)

-- Chips of a stack come from one balance of the player and return to it: at a table of a club the one in its chips,
-- else the wallet.
UNION ALL
SELECT 'difference', format('transfer %s (%s) moves %s of %s, and chips at %s are those of %s', transfer, key, amount, stay.code,
    coalesce(at_table, 'no table'), coalesce('club ' || club, 'wallets')), 0
FROM (SELECT transfer, key, amount, code, account.kind,
          max(table_id) FILTER (WHERE account.kind = 'stack') OVER (PARTITION BY transfer) AS at_table
      FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts AS account ON account.id = ledger_account
      WHERE transfers.id > :after AND transfers.kind IN ('buy_in', 'top_up', 'cash_out')) AS stay
LEFT JOIN hosted_tables ON table_id = at_table
WHERE stay.kind NOT IN ('stack', coalesce('chips:' || club, 'wallet'))

-- So do buy-ins and prizes of a tournament: in one of a club all are in its chips, in others none.
UNION ALL
SELECT 'difference', format('transfer %s (%s) moves %s of %s, and %s is played in chips of %s', paid.id, key, amount, paid.code, in_tournament,
    coalesce('club ' || club, 'wallets')), 0
FROM (SELECT transfers.id, key, amount, code, account.kind,
          max(table_id) FILTER (WHERE account.kind = 'escrow') OVER (PARTITION BY transfers.id) AS in_tournament
      FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts AS account ON account.id = ledger_account
      WHERE transfers.id > :after AND transfers.kind IN ('entry', 'late_entry', 'entry_return', 'prize', 'cancellation', 'roll_back')) AS paid
LEFT JOIN hosted_tables ON tournament = in_tournament
WHERE (paid.kind LIKE 'chips:%' OR paid.kind IN ('wallet', 'tickets') AND club IS NOT NULL)
  AND paid.kind IS DISTINCT FROM 'chips:' || club

-- Each gift of a host has moved its amount once.
UNION ALL
SELECT 'difference', format('a gift moves %s of %s by transfer %s, its legs say %s', coalesce(said.amount, 0), code, key,
    coalesce(written.amount::text, 'none')), 0
FROM (
    SELECT format('gift:%s:%s:%s', hosted_gifts.table_id, giver, key) AS key, code, leg.amount
    FROM hosted_gifts, LATERAL (VALUES ('wallet:' || giver, -amount), ('wallet:' || taker, amount)) AS leg (code, amount)
) AS said
FULL JOIN (
    SELECT key, code, amount
    FROM transfers JOIN legs ON transfer = transfers.id JOIN ledger_accounts ON ledger_accounts.id = ledger_account
    WHERE transfers.kind = 'gift'
) AS written USING (key, code)
WHERE said.amount IS DISTINCT FROM written.amount

-- The host of a table without a club may give, no other player, and none at a sit-and-go.
UNION ALL
SELECT 'difference', format('account %s has given %s to account %s at %s, where no host gives', giver, amount, taker, table_id), 0
FROM hosted_gifts AS gift
WHERE NOT EXISTS (SELECT FROM hosted_tables WHERE hosted_tables.table_id = gift.table_id AND club IS NULL AND tournament IS NULL)

-- The cashier and the operators' log tell of the same decisions. The log is a chain, and checkpoints sign its head. The time of
-- a transfer counts beside that of its row: the order of the transfers is checked, and so one cannot be dated back.
UNION ALL
SELECT 'difference', format('cashier request %s is %s, and the operators'' log has no such decision', number, state), 0
FROM cash_requests AS request
WHERE state <> 'waiting' AND key NOT LIKE 'refill:%' AND (decided >= (SELECT since FROM logged) OR EXISTS (
    SELECT FROM transfers
    WHERE transfers.key = format('cash:%s:%s:end', account, request.key) AND created >= (SELECT since FROM logged)))
  AND NOT EXISTS (
    SELECT FROM operator_log
    WHERE verb = CASE state WHEN 'approved' THEN 'cashier.approve' ELSE 'cashier.refuse' END
      AND subject = 'account:' || account AND args ->> 'number' = number::text AND args ->> 'amount' = amount::text
      AND args ->> 'kind' = request.kind AND args ->> 'source' = source AND args ->> 'note' = note
      AND abs(at_ms - extract(epoch FROM decided) * 1000) < 600000)

-- A refill is decided at once, by no operator.
UNION ALL
SELECT 'difference', format('refill %s of account %s is a %s that is %s, with the note %s', number, account, kind, state, note), 0
FROM cash_requests WHERE key LIKE 'refill:%' AND (kind, state, note) <> ('deposit', 'approved', '')

UNION ALL
SELECT 'difference', format('line %s of the operators'' log decides cashier request %s, which does not exist', n,
    args ->> 'number'), 0
FROM operator_log
WHERE verb IN ('cashier.approve', 'cashier.refuse')
  AND NOT EXISTS (SELECT FROM cash_requests WHERE number::text = args ->> 'number')

UNION ALL
SELECT 'difference', format('adjustment %s is %s, and the operators'' log does not say so', number, state), 0
FROM adjustments AS adjustment
WHERE (proposed >= (SELECT since FROM logged) OR EXISTS (
    SELECT FROM transfers
    WHERE transfers.key = format('adjust:%s:%s', account, adjustment.key) AND created >= (SELECT since FROM logged)))
  AND (
    NOT EXISTS (
        SELECT FROM operator_log
        WHERE verb = 'cashier.adjust' AND who = proposed_by AND reason = adjustment.reason AND subject = 'account:' || account
          AND args ->> 'number' = number::text AND args ->> 'amount' = amount::text AND args ->> 'key' = key
          AND args ->> 'source' = source AND abs(at_ms - extract(epoch FROM proposed) * 1000) < 600000)
    OR state <> 'proposed' AND NOT EXISTS (
        SELECT FROM operator_log
        WHERE who = decided_by AND args ->> 'number' = number::text
          AND (verb = CASE state WHEN 'made' THEN 'cashier.approve_adjustment' ELSE 'cashier.refuse_adjustment' END
               OR verb = 'cashier.adjust' AND result = 'done' AND state = 'made')
          AND abs(at_ms - extract(epoch FROM decided) * 1000) < 600000))

UNION ALL
SELECT 'difference', format('transfer %s (%s) funds a source, and the operators'' log does not say so', id, transfers.key), 0
FROM transfers
WHERE kind = 'source_fund' AND created >= (SELECT since FROM logged) AND NOT EXISTS (
    SELECT FROM operator_log JOIN legs ON transfer = id AND amount > 0
    WHERE verb = 'cashier.fund' AND transfers.key = format('source:%s:%s', subject, args ->> 'key')
      AND args ->> 'amount' = amount::text)

-- Operators give orders about money: each has a line for the role, and none after the line that revokes it.
UNION ALL
SELECT 'difference', format('operator %s has the role %s, and the operators'' log does not say so', name, role), 0
FROM operators
WHERE NOT EXISTS (
    SELECT FROM operator_log WHERE verb = 'operator.add' AND subject = name AND args ->> 'role' = operators.role)

UNION ALL
SELECT 'difference', format('operator %s is not revoked, and the operators'' log says so', name), 0
FROM operators
WHERE revoked IS NULL AND EXISTS (SELECT FROM operator_log WHERE verb = 'operator.revoke' AND subject = name)

-- A key is unique by a constraint, which a forger may drop.
UNION ALL
SELECT 'difference', format('%s transfers have the key %s', count(*), key), 0
FROM transfers GROUP BY key HAVING count(*) > 1

UNION ALL
SELECT 'difference', format('%s is of a source that does not exist', code), 0
FROM balances WHERE kind LIKE 'source:%' AND NOT EXISTS (SELECT FROM cash_sources WHERE name = balances.table_id)

-- The list of an account's transfers has those with a leg of its wallet or its tickets, and no others.
UNION ALL
SELECT 'difference', format('the list of account %s %s transfer %s', account,
    CASE WHEN booked.is_there THEN 'lacks' ELSE 'has the foreign' END, transfer), 0
FROM (SELECT account, transfer, true AS is_there FROM account_transfers WHERE transfer > :after) AS said
FULL JOIN (
    SELECT DISTINCT owner AS account, transfer, true AS is_there
    FROM legs JOIN ledger_accounts ON id = ledger_account WHERE transfer > :after AND kind IN ('wallet', 'tickets')
) AS booked USING (account, transfer)
WHERE (said.is_there AND booked.is_there) IS NOT TRUE
