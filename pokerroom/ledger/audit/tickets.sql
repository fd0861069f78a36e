-- Tickets: each was given once, has paid at most one entry that counts, and its value is where it should be.

SELECT 'difference', format('tickets:%s holds %s, its unused tickets are worth %s', account, coalesce(legs_sum, 0),
    coalesce(worth, 0)), 0
FROM (SELECT owner AS account, legs_sum FROM balances WHERE kind = 'tickets') AS held
FULL JOIN (SELECT account, sum(value) AS worth FROM tickets WHERE tournament IS NULL AND ended IS NULL GROUP BY account) AS unused
    USING (account)
WHERE coalesce(legs_sum, 0) <> coalesce(worth, 0)

-- A prize or a gift gives a ticket of what it moves to the tickets of an account, and an end takes as much.
UNION ALL
SELECT 'difference', format('ticket %s moves %s of the tickets of account %s by transfer %s, its legs say %s',
    coalesce(number::text, 'none'), coalesce(said.amount, 0), account, transfer, coalesce(written.amount, 0)), 0
FROM (
    SELECT number, account, given AS transfer, value AS amount, CASE WHEN source IS NULL THEN 'prize' ELSE 'ticket' END AS kind
    FROM tickets
    UNION ALL SELECT number, account, ended, -value, 'ticket_end' FROM tickets WHERE ended IS NOT NULL
) AS said
FULL JOIN (
    SELECT transfer, transfers.kind, owner AS account, amount
    FROM balances JOIN legs ON ledger_account = balances.id JOIN transfers ON transfers.id = transfer
    WHERE balances.kind = 'tickets' AND transfers.kind IN ('prize', 'ticket', 'ticket_end')
) AS written USING (transfer, kind, account)
WHERE said.amount IS DISTINCT FROM written.amount

-- A ticket that was won is of its satellite, which was played to its end; a gift went from its source and back to it.
UNION ALL
SELECT 'difference', format('ticket %s was won by transfer %s, of no satellite that pays it', number, given), 0
FROM tickets LEFT JOIN transfers ON transfers.id = given
WHERE source IS NULL AND NOT EXISTS (
    SELECT FROM tournament_places AS place JOIN tournaments ON tournaments.id = place.tournament
    WHERE paid = given AND place.account = tickets.account AND (ticket_offer, ticket_value) = (tickets.offer, value)
      AND prize >= value AND phase = 'finished'
      AND abs(extract(epoch FROM expires - transfers.created) - 86400 * ticket_days) < 7200)

UNION ALL
SELECT 'difference', format('transfer %s moves %s of %s for ticket %s, which is of %s', transfer, amount, code, number,
    coalesce('source ' || source, 'a wallet')), 0
FROM tickets JOIN legs ON transfer IN (given, ended) JOIN balances ON balances.id = ledger_account
WHERE balances.kind <> 'tickets' AND (source IS NOT NULL OR transfer = ended)
  AND code <> coalesce('source:' || source, 'wallet:' || account)

-- An entry was paid by the ticket that names it. One that was returned had its ticket back.
UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s was paid with %s of its tickets, and ticket %s says %s', entry,
    account, tournament, coalesce(paid, 0), coalesce(number::text, 'none'), coalesce(value, 0)), 0
FROM (SELECT tournament, account, entry, number, value FROM tickets WHERE tournament IS NOT NULL) AS used
FULL JOIN (
    SELECT entry.tournament, entry.account, entry.number AS entry, -sum(amount) AS paid
    FROM balances JOIN legs ON ledger_account = balances.id JOIN transfers ON transfers.id = transfer
    JOIN tournament_entries AS entry
        ON entry.account = owner AND key = format('sng:%s:entry:%s:%s', entry.tournament, entry.account, entry.number)
    JOIN tournaments ON tournaments.id = entry.tournament
    WHERE balances.kind = 'tickets' AND transfers.kind IN ('entry', 'late_entry') AND NOT returned AND phase <> 'rolled_back'
    GROUP BY entry.tournament, entry.account, entry.number
) AS booked USING (tournament, account, entry)
WHERE coalesce(value, 0) <> coalesce(paid, 0)

UNION ALL
SELECT 'difference', format('ticket %s pays an entry to %s, which is not of its offer and value', t.number, t.tournament), 0
FROM tickets AS t JOIN tournaments ON tournaments.id = t.tournament WHERE (tournaments.offer, buy_in) <> (t.offer, value)

UNION ALL
SELECT 'difference', format('tournament %s returns %s to the tickets of account %s, which have paid %s', tournament, back, account,
    put_in), 0
FROM (
    SELECT substring(key FROM '^sng:(.+):(?:entry|return):[0-9]+:[0-9]+$') AS tournament, owner AS account,
           sum(amount) FILTER (WHERE amount > 0) AS back, -sum(amount) FILTER (WHERE amount < 0) AS put_in
    FROM balances JOIN legs ON ledger_account = balances.id JOIN transfers ON transfers.id = transfer
    WHERE balances.kind = 'tickets' AND transfers.kind IN ('entry', 'late_entry', 'entry_return') GROUP BY 1, 2
) AS moved
WHERE back > put_in

-- The operators' log tells of each gift.
UNION ALL
SELECT 'difference', format('ticket %s was given from source %s, and the operators'' log does not say so', number, source), 0
FROM tickets WHERE source IS NOT NULL AND NOT EXISTS (
    SELECT FROM operator_log
    WHERE verb = 'cashier.give_ticket' AND subject = 'account:' || account AND args ->> 'number' = number::text
      AND args ->> 'value' = value::text AND args ->> 'offer' = offer AND args ->> 'source' = source
      AND abs(extract(epoch FROM expires) - at_ms / 1000 - 86400 * (args ->> 'days')::bigint) < 7200)

UNION ALL
SELECT 'difference', format('ticket %s of account %s ends under the key %s', number, account, key), 0
FROM tickets JOIN transfers ON id = ended WHERE key <> format('ticket_end:%s:%s', account, number)
