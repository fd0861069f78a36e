-- Tournaments: escrows, entries, chips, tables, moves and places agree with transfers and hands.

SELECT 'tournaments', NULL, count(*) FROM tournaments
UNION ALL SELECT 'escrow', NULL, coalesce(sum(legs_sum), 0) FROM balances WHERE kind = 'escrow'

-- An escrow holds the entries before the start and the unpaid prizes after it.
UNION ALL
SELECT 'difference', format('escrow:%s holds %s, of a tournament that owes %s', coalesce(balances.table_id, id),
    coalesce(legs_sum::text, 'nothing'), coalesce(escrow_owed(id)::text, 'nothing')), 0
FROM (SELECT table_id, legs_sum FROM balances WHERE kind = 'escrow') AS balances
FULL JOIN tournaments ON id = balances.table_id
WHERE legs_sum IS DISTINCT FROM escrow_owed(tournaments.id)

UNION ALL
SELECT 'difference', format('tournament %s has ended with %s of %s places and prizes of %s, its pool is %s', id,
    count(given.number), players_of(id), coalesce(sum(prize), 0), sum_of(prizes)), 0
FROM tournaments LEFT JOIN tournament_places AS given ON given.tournament = id
WHERE phase IN ('finished', 'rolled_forward')
GROUP BY id HAVING count(given.number) <> players_of(id) OR coalesce(sum(prize), 0) <> sum_of(prizes)

-- It ended after its last hand, and before its winner was paid; with the transfer that has returned all. Leagues count by it.
UNION ALL
SELECT 'difference', format('tournament %s ended at %s, its transfers say between %s and %s', tournaments.id, ended, earliest, latest), 0
FROM tournaments LEFT JOIN (
    SELECT tournament_at(table_id) AS id, max(created) AS last FROM (
        SELECT table_id, max(transfer) AS transfer FROM hands GROUP BY table_id) AS played
    JOIN transfers ON transfers.id = transfer GROUP BY tournament_at(table_id)) AS hand USING (id)
LEFT JOIN transfers AS paid ON paid.key = format('sng:%s:place:1', tournaments.id)
LEFT JOIN transfers AS returned ON returned.key = CASE phase
    WHEN 'cancelled' THEN format('sng:%s:cancel', tournaments.id)
    WHEN 'rolled_back' THEN format('sng:%s:roll_back', tournaments.id) END,
LATERAL (SELECT coalesce(returned.created, last) AS earliest, coalesce(returned.created, paid.created) AS latest) AS bounds
WHERE ended < earliest - interval '1 minute' OR ended > latest + interval '1 minute'

UNION ALL
SELECT 'difference', format('account %s has more than one place in tournament %s', account, tournament), 0
FROM tournament_places GROUP BY tournament, account HAVING count(*) > 1

UNION ALL
SELECT 'difference', format('account %s has place %s of tournament %s, and did not play it', account, number, tournament), 0
FROM tournament_places AS given
WHERE NOT EXISTS (
    SELECT FROM tournament_entries AS entry
    WHERE entry.tournament = given.tournament AND entry.account = given.account AND seat IS NOT NULL)

UNION ALL
SELECT 'difference', format('place %s of tournament %s is not paid, and it ended more than a minute ago', given.number, id), 0
FROM tournament_places AS given JOIN tournaments ON id = tournament
WHERE paid IS NULL AND prize > 0 AND ended < now() - interval '1 minute'

UNION ALL
SELECT 'difference', format('place %s of tournament %s is paid by transfer %s (%s), which is not its own', number, tournament,
    paid, coalesce(key, 'missing')), 0
FROM tournament_places LEFT JOIN transfers ON id = paid
WHERE paid IS NOT NULL AND (key = format('sng:%s:place:%s', tournament, number) AND kind = 'prize') IS NOT TRUE

UNION ALL
SELECT 'difference', format('transfer %s (%s) pays no place', id, key), 0
FROM transfers WHERE kind = 'prize' AND NOT EXISTS (SELECT FROM tournament_places WHERE paid = id)

-- The sum of what each account has paid and received: no payment was made twice or to another account.
UNION ALL
SELECT 'difference', format('account %s has %s from tournament %s, by its entries and places it should be %s',
    account, coalesce(moved.amount, 0), tournament, coalesce(due.amount, 0)), 0
FROM (
    SELECT escrow.table_id AS tournament, wallet.owner AS account, sum(of_wallet.amount) AS amount
    FROM ledger_accounts AS escrow
    JOIN legs AS of_escrow ON of_escrow.ledger_account = escrow.id
    JOIN legs AS of_wallet ON of_wallet.transfer = of_escrow.transfer
    JOIN ledger_accounts AS wallet ON wallet.id = of_wallet.ledger_account
        AND (wallet.kind IN ('wallet', 'tickets') OR wallet.kind LIKE 'chips:%')
    WHERE escrow.kind = 'escrow'
    GROUP BY escrow.table_id, wallet.owner
) AS moved
FULL JOIN (
    SELECT entered.tournament, entered.account,
           coalesce(prize, 0) - CASE WHEN phase = 'rolled_back' THEN 0 ELSE paid_into(entered.tournament, entered.account) END AS amount
    FROM (SELECT DISTINCT tournament, account FROM tournament_entries) AS entered
    JOIN tournaments ON id = entered.tournament
    LEFT JOIN tournament_places AS given
        ON given.tournament = entered.tournament AND given.account = entered.account AND paid IS NOT NULL
) AS due USING (tournament, account)
WHERE coalesce(moved.amount, 0) <> coalesce(due.amount, 0)

UNION ALL
SELECT 'difference', format('fees holds %s, the tournaments that were played say %s', legs_sum, due), 0
FROM balances, (SELECT coalesce(sum(entries_of(id) * fee + sold_fees_of(id)), 0) AS due FROM tournaments
                WHERE phase IN ('running', 'finished', 'rolled_forward')) AS played
WHERE code = 'fees' AND legs_sum <> due

-- Chips of a tournament are not money: their sum is constant, and each stack follows from the hands of its player.
UNION ALL
SELECT 'difference', format('the chips of tournament %s are %s, not %s', tournaments.id, sum(chips), count(seat) * stack + sum(bought)), 0
FROM tournaments JOIN tournament_entries AS entry ON entry.tournament = tournaments.id
WHERE stack IS NOT NULL GROUP BY tournaments.id
HAVING sum(chips) IS DISTINCT FROM count(seat) * stack + sum(bought) OR starts_ms IS NULL AND count(seat) <> seats

-- Chips that an entry has bought are those of its purchases that were given.
UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s has bought %s chips, its purchases say %s', entry.number,
    account, entry.tournament, bought, coalesce(chips, 0)), 0
FROM (SELECT tournament, account, number, bought FROM tournament_entries) AS entry
FULL JOIN (SELECT tournament, account, entry AS number, sum(chips) FILTER (WHERE table_number IS NOT NULL) AS chips
           FROM tournament_purchases JOIN tournament_sales USING (tournament, kind) GROUP BY tournament, account, entry) AS sold
    USING (tournament, account, number)
WHERE coalesce(bought, 0) <> coalesce(chips, 0)

UNION ALL
SELECT 'difference', format('account %s has bought %s times %s of tournament %s, not one after the other, or too often', account,
    count(*), kind, tournament), 0
FROM tournament_purchases AS p JOIN tournament_sales USING (tournament, kind) GROUP BY tournament, account, kind, most
HAVING max(p.number) <> count(*) OR count(*) > most

UNION ALL
SELECT 'difference', format('the tournament %s sells %s, and is none with a start', tournament, kind), 0
FROM tournament_sales JOIN tournaments ON tournaments.id = tournament WHERE starts_ms IS NULL

-- Each purchase was paid by a transfer, and each such transfer has paid one.
UNION ALL
SELECT 'difference', format('%s %s of account %s in tournament %s and transfer %s do not belong together', kind, number, account,
    tournament, coalesce(key, 'none')), 0
FROM (SELECT kind, number, account, tournament, format('sng:%s:%s:%s:%s', tournament, kind, account, number) AS key
      FROM tournament_purchases) AS p
FULL JOIN (SELECT kind, key FROM transfers WHERE kind IN ('rebuy', 'add_on')) AS t USING (kind, key)
WHERE p.number IS NULL OR NOT EXISTS (SELECT FROM transfers WHERE transfers.key = p.key AND transfers.kind = p.kind)

-- A purchase without chips is of a tournament that runs, and the entries to it are open.
UNION ALL
SELECT 'difference', format('the chips of %s %s of account %s in tournament %s were not given', kind, p.number, account, tournament), 0
FROM tournament_purchases AS p JOIN tournaments ON tournaments.id = tournament
WHERE table_number IS NULL AND phase <> 'rolled_back' AND (phase <> 'running' OR closed IS NOT NULL)

UNION ALL
SELECT 'difference', format('the prizes of tournament %s are %s, its entries and its guarantee say %s', id, sum_of(prizes),
    due), 0
FROM tournaments, LATERAL (SELECT brought_to(tournaments) AS parts) AS brought,
    LATERAL (SELECT parts + overlay_of(tournaments, parts, prizes) AS due) AS pool
WHERE closed IS NOT NULL AND sum_of(prizes) IS DISTINCT FROM due

UNION ALL
SELECT 'difference', format('account %s has %s chips after %s hands of tournament %s, by its hands it should be %s after %s',
    entry.account, chips, entry.hands, tournaments.id, entries * stack + bought + coalesce(won, 0), coalesce(played.hands, 0)), 0
FROM tournaments
JOIN (SELECT tournament, account, sum(chips) AS chips, sum(hands) AS hands, count(*) AS entries, sum(bought) AS bought
      FROM tournament_entries WHERE seat IS NOT NULL GROUP BY tournament, account) AS entry ON entry.tournament = tournaments.id
LEFT JOIN (
    SELECT tournaments.id, account, sum(delta) AS won, count(*) AS hands
    FROM tournaments JOIN hands ON tournament_at(table_id) = tournaments.id JOIN hand_players ON hand = transfer
    GROUP BY tournaments.id, account
) AS played ON played.id = tournaments.id AND played.account = entry.account
WHERE chips <> entries * stack + bought + coalesce(won, 0) OR entry.hands <> coalesce(played.hands, 0)

UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s has played %s hands without a seat', number, account,
    tournament, hands), 0
FROM tournament_entries WHERE seat IS NULL AND (hands <> 0 OR chips IS NOT NULL)

-- Each entry was bought by a transfer. One that was returned has a transfer, too, or it was in a tournament that was cancelled.
UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s was %s, and no transfer has paid for that', number, account,
    tournament, what), 0
FROM tournament_entries AS entry, LATERAL (VALUES
    ('bought', ARRAY['entry', 'late_entry'], ARRAY[format('sng:%s:entry:%s:%s', tournament, account, number)]),
    ('returned', ARRAY['entry_return', 'cancellation'],
     ARRAY[format('sng:%s:return:%s:%s', tournament, account, number), format('sng:%s:cancel', tournament)])
) AS paid (what, kinds, keys)
WHERE (returned OR what = 'bought') AND NOT EXISTS (SELECT FROM transfers WHERE key = ANY (keys) AND kind = ANY (kinds))

-- An entry is replaced by a later one of its account, once it has no chips.
UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s is replaced, and there is no later one', number, account,
    tournament), 0
FROM tournament_entries AS entry WHERE replaced AND NOT EXISTS (
    SELECT FROM tournament_entries AS later
    WHERE later.tournament = entry.tournament AND later.account = entry.account AND later.number > entry.number
      AND NOT later.returned)

UNION ALL
SELECT 'difference', format('table %s of tournament %s has counted %s hands, the ledger has %s', coalesce(t.number, played.number),
    coalesce(t.tournament, played.id), coalesce(t.hands, 0), coalesce(played.hands, 0)), 0
FROM tournament_tables AS t
FULL JOIN (
    SELECT tournaments.id, table_number(table_id) AS number, count(*) AS hands
    FROM tournaments JOIN hands ON tournament_at(table_id) = tournaments.id GROUP BY tournaments.id, table_number(table_id)
) AS played ON played.id = t.tournament AND played.number = t.number
WHERE t.hands IS DISTINCT FROM coalesce(played.hands, 0)

-- Players with chips sit at a table that is open, each in a seat of their own.
UNION ALL
SELECT 'difference', format('seat %s of tournament %s has %s players, or its table is closed', seat, entry.tournament, count(*)), 0
FROM tournament_entries AS entry
LEFT JOIN tournament_tables AS t ON t.tournament = entry.tournament AND t.number = table_of_seat(seat)
WHERE chips > 0 GROUP BY entry.tournament, seat HAVING count(*) > 1 OR bool_or(closed) IS NOT FALSE

-- A table is closed when its last player with chips has left it.
UNION ALL
SELECT 'difference', format('table %s of tournament %s is open, and has no players', number, tournament), 0
FROM tournament_tables AS t WHERE NOT closed AND NOT EXISTS (
    SELECT FROM tournament_entries AS entry
    WHERE entry.tournament = t.tournament AND chips > 0 AND table_of_seat(seat) = t.number)

-- A player sits where the last move ended, and each move began where the one before had ended. Moves of an entry come before

-- those of the later entries of its account, each of which came from no seat.
UNION ALL
SELECT 'difference', format('move %s of account %s in tournament %s goes to seat %s, and the account is in seat %s next', m.number,
    m.account, m.tournament, to_seat, coalesce(next_seat, entry.seat)), 0
FROM (SELECT tournament, number, account, to_seat, later,
          lead(from_seat) OVER (PARTITION BY tournament, account, later ORDER BY number) AS next_seat
      FROM (SELECT *, count(*) FILTER (WHERE from_seat IS NULL) OVER (PARTITION BY tournament, account ORDER BY number DESC
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later FROM tournament_moves) AS counted) AS m
LEFT JOIN (SELECT tournament, account, seat,
               row_number() OVER (PARTITION BY tournament, account ORDER BY number DESC) - 1 AS later
           FROM tournament_entries WHERE seat IS NOT NULL) AS entry USING (tournament, account, later)
WHERE to_seat IS DISTINCT FROM coalesce(next_seat, entry.seat)

-- An entry without chips lost them in its last hand. Before migration 39 that was not written down.
UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s lost its chips in transfer %s, its hands say %s', entry.number, account,
    tournament, coalesce(out_in::text, 'none'), coalesce(hand::text, 'none')), 0
FROM (SELECT tournament, account, number, chips, out_in,
          sum(hands) OVER (PARTITION BY tournament, account ORDER BY number) AS n
      FROM tournament_entries WHERE seat IS NOT NULL) AS entry
JOIN tournaments ON tournaments.id = tournament
LEFT JOIN (
    SELECT tournament_at(table_id) AS tournament, account, hand,
        row_number() OVER (PARTITION BY tournament_at(table_id), account ORDER BY hand) AS n
    FROM hand_players JOIN hands ON transfer = hand WHERE tournament_at(table_id) IN (SELECT id FROM tournaments)
) AS played USING (tournament, account, n)
WHERE out_in IS DISTINCT FROM CASE chips WHEN 0 THEN hand END
    AND (out_in IS NOT NULL OR started >= (SELECT applied FROM schema_migrations WHERE version = 39))

UNION ALL
SELECT 'difference', format('the moves of tournament %s are not numbered one by one', tournament), 0
FROM tournament_moves GROUP BY tournament HAVING max(number) <> count(DISTINCT number)

-- A history has each tournament that is over for the account: its place, or its buy-in returned.
UNION ALL
SELECT 'difference', format('account %s has tournament %s in its history %s times, and is through with it %s times', account,
    tournament, count(*) FILTER (WHERE listed), count(*) FILTER (WHERE NOT listed)), 0
FROM (SELECT account, tournament, true AS listed FROM account_history WHERE tournament IS NOT NULL
      UNION ALL SELECT account, tournament, false FROM tournament_places
      UNION ALL SELECT account, tournament, false FROM tournament_entries JOIN tournaments ON tournaments.id = tournament
      WHERE phase = 'rolled_back' AND NOT returned AND NOT replaced AND NOT EXISTS (
          SELECT FROM tournament_places AS given
          WHERE given.tournament = tournaments.id AND given.account = tournament_entries.account)) AS both_sides
GROUP BY account, tournament
HAVING count(*) FILTER (WHERE listed) <> count(*) FILTER (WHERE NOT listed)
