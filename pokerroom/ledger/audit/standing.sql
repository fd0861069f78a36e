-- Who may play, and for how much: locks, exclusions and limits of players are those of the last line in the operators' log. The
-- log is a chain, and checkpoints sign its head.

SELECT 'difference', format('%s is %s, and the operators'' log says %s', subject,
    CASE WHEN account IS NULL THEN 'not locked' ELSE 'locked' END, coalesce(verb, 'nothing')), 0
FROM (SELECT account, 'account:' || account AS subject, since AS locked FROM account_locks) AS present
FULL JOIN (SELECT DISTINCT ON (subject) subject, verb FROM operator_log
           WHERE verb IN ('account.lock', 'account.unlock', 'account.delete') ORDER BY subject, n DESC) AS said USING (subject)
WHERE CASE WHEN verb IS NULL THEN locked >= (SELECT since FROM logged) ELSE (account IS NULL) <> (verb = 'account.unlock') END

-- An exclusion cannot be lifted or made shorter.
UNION ALL
SELECT 'difference', format('%s was excluded by line %s of the operators'' log, and is not', subject, n), 0
FROM operator_log
WHERE verb = 'account.exclude' AND result = 'done' AND NOT EXISTS (
    SELECT FROM exclusions
    WHERE subject = 'account:' || account AND abs(at_ms - extract(epoch FROM since) * 1000) < 600000
      AND round(extract(epoch FROM until - since) / 86400)::text IS NOT DISTINCT FROM args ->> 'days')

UNION ALL
SELECT 'difference', format('account %s is excluded since %s, and the operators'' log does not say so', account, since), 0
FROM exclusions
WHERE since >= (SELECT logged.since FROM logged) AND NOT EXISTS (
    SELECT FROM operator_log
    WHERE verb = 'account.exclude' AND subject = 'account:' || account
      AND abs(at_ms - extract(epoch FROM exclusions.since) * 1000) < 600000
      AND round(extract(epoch FROM until - exclusions.since) / 86400)::text IS NOT DISTINCT FROM args ->> 'days')

-- A limit is at most that of its last line: of less there are ten lines an hour at most. Limits that were set before their changes
-- had lines are not compared.
UNION ALL
SELECT 'difference', format('%s has the limit %s of %s in a %s, and has set %s', subject, coalesce(present.value::text, 'none'), kind,
    period, coalesce(said.value, 'none')), 0
FROM (SELECT DISTINCT ON (subject, args ->> 'kind', args ->> 'period')
          subject, args ->> 'kind' AS kind, args ->> 'period' AS period, args ->> 'value' AS value
      FROM operator_log WHERE verb = 'limit.set' ORDER BY subject, args ->> 'kind', args ->> 'period', n DESC) AS said
LEFT JOIN (SELECT 'account:' || account AS subject, kind, period, value FROM account_limits) AS present
    USING (subject, kind, period)
WHERE said.value IS NOT NULL AND (present.value <= CASE WHEN said.value ~ '^[0-9]{1,18}$' THEN said.value::bigint END) IS NOT TRUE

-- Hidden cards are gone where the mark of the retention says so, and the log tells of as many hands. Older builds had cards in
-- clear, which have no hash: the log may tell of more.
UNION ALL
SELECT 'difference', format('%s hands are without their hidden cards by the mark of the retention, and by the operators'' log %s',
    gone, erased), 0
FROM (SELECT count(*) AS gone FROM chain_links, retention WHERE sealed IS NOT NULL AND transfer <= erased_to) AS marked,
     (SELECT coalesce(sum(CASE WHEN args ->> 'hands' ~ '^[0-9]{1,9}$' THEN (args ->> 'hands')::bigint END), 0) AS erased
      FROM operator_log WHERE verb = 'retention.hands') AS told
WHERE gone > erased
