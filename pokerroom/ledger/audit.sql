-- The audit: adds up the whole ledger from its legs. One statement has one snapshot; each branch reads its tables once.
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
FROM balances WHERE legs_sum < 0 AND kind <> 'issuer' AND kind NOT LIKE 'club:%'

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

UNION ALL
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
      FROM new_hands WHERE rake <> 0) AS raked
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
WHERE said IS DISTINCT FROM delta

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

UNION ALL
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
UNION ALL SELECT 'tournaments', NULL, count(*) FROM tournaments
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
    JOIN ledger_accounts AS wallet ON wallet.id = of_wallet.ledger_account AND wallet.kind = 'wallet'
    WHERE escrow.kind = 'escrow'
    GROUP BY escrow.table_id, wallet.owner
) AS moved
FULL JOIN (
    SELECT entered.tournament, entered.account,
           coalesce(prize, 0) - CASE WHEN phase = 'rolled_back' THEN 0 ELSE entered.times * buy_in END AS amount
    FROM (SELECT tournament, account, count(*) FILTER (WHERE NOT returned) AS times
          FROM tournament_entries GROUP BY tournament, account) AS entered
    JOIN tournaments ON id = entered.tournament
    LEFT JOIN tournament_places AS given
        ON given.tournament = entered.tournament AND given.account = entered.account AND paid IS NOT NULL
) AS due USING (tournament, account)
WHERE coalesce(moved.amount, 0) <> coalesce(due.amount, 0)

UNION ALL
SELECT 'difference', format('fees holds %s, the tournaments that were played say %s', legs_sum, due), 0
FROM balances, (SELECT coalesce(sum(entries_of(id) * fee), 0) AS due FROM tournaments
                WHERE phase IN ('running', 'finished', 'rolled_forward')) AS played
WHERE code = 'fees' AND legs_sum <> due

-- Chips of a tournament are not money: their sum is constant, and each stack follows from the hands of its player.
UNION ALL
SELECT 'difference', format('the chips of tournament %s are %s, not %s', tournaments.id, sum(chips), count(seat) * stack), 0
FROM tournaments JOIN tournament_entries AS entry ON entry.tournament = tournaments.id
WHERE stack IS NOT NULL GROUP BY tournaments.id
HAVING sum(chips) IS DISTINCT FROM count(seat) * stack OR starts_ms IS NULL AND count(seat) <> seats

UNION ALL
SELECT 'difference', format('the prizes of tournament %s are %s, its entries and its guarantee say %s', id, sum_of(prizes),
    greatest(guarantee, entries_of(id) * (buy_in - fee))), 0
FROM tournaments
WHERE closed IS NOT NULL AND sum_of(prizes) <> greatest(guarantee, entries_of(id) * (buy_in - fee))

UNION ALL
SELECT 'difference', format('account %s has %s chips after %s hands of tournament %s, by its hands it should be %s after %s',
    entry.account, chips, entry.hands, tournaments.id, bought * stack + coalesce(won, 0), coalesce(played.hands, 0)), 0
FROM tournaments
JOIN (SELECT tournament, account, sum(chips) AS chips, sum(hands) AS hands, count(*) AS bought
      FROM tournament_entries WHERE seat IS NOT NULL GROUP BY tournament, account) AS entry ON entry.tournament = tournaments.id
LEFT JOIN (
    SELECT tournaments.id, account, sum(delta) AS won, count(*) AS hands
    FROM tournaments JOIN hands ON tournament_at(table_id) = tournaments.id JOIN hand_players ON hand = transfer
    GROUP BY tournaments.id, account
) AS played ON played.id = tournaments.id AND played.account = entry.account
WHERE chips <> bought * stack + coalesce(won, 0) OR entry.hands <> coalesce(played.hands, 0)

UNION ALL
SELECT 'difference', format('entry %s of account %s in tournament %s has played %s hands without a seat', number, account,
    tournament, hands), 0
FROM tournament_entries WHERE seat IS NULL AND (hands <> 0 OR chips IS NOT NULL)

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

-- The cashier: each request has moved its amount once, and pending withdrawals are held.
UNION ALL SELECT 'cash_requests', NULL, count(*) FROM cash_requests
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

-- Chips of a club stay in it: its bank owes what members hold, in their balances and at its tables.
UNION ALL
SELECT 'difference', format('club %s owes %s, and its members hold %s', club, -sum(legs_sum) FILTER (WHERE legs_sum < 0),
    coalesce(sum(legs_sum) FILTER (WHERE legs_sum > 0), 0)), 0
FROM clubs RIGHT JOIN (
    SELECT split_part(kind, ':', 2) AS club, legs_sum FROM balances WHERE kind LIKE 'club:%' OR kind LIKE 'chips:%'
    UNION ALL
    SELECT club, legs_sum FROM balances JOIN hosted_tables USING (table_id) WHERE kind = 'stack' AND club IS NOT NULL
) AS held USING (club)
GROUP BY club, clubs.club HAVING sum(legs_sum) <> 0 OR clubs.club IS NULL

UNION ALL
SELECT 'difference', format('%s holds %s, and is of no member', code, legs_sum), 0
FROM balances
WHERE kind LIKE 'chips:%' AND legs_sum <> 0
    AND NOT EXISTS (SELECT FROM club_members WHERE kind = 'chips:' || club AND account = owner)

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

-- The cashier and the operators' log tell of the same decisions. The log is a chain, so a forger cannot write into it.
UNION ALL
SELECT 'difference', format('cashier request %s is %s, and the operators'' log has no such decision', number, state), 0
FROM cash_requests AS request
WHERE state <> 'waiting' AND key NOT LIKE 'refill:%' AND decided >= (SELECT since FROM logged) AND NOT EXISTS (
    SELECT FROM operator_log
    WHERE verb = CASE state WHEN 'approved' THEN 'cashier.approve' ELSE 'cashier.refuse' END
      AND subject = 'account:' || account AND args ->> 'number' = number::text AND args ->> 'amount' = amount::text
      AND args ->> 'kind' = request.kind AND args ->> 'source' = source AND args ->> 'note' = note
      AND abs(at_ms - extract(epoch FROM decided) * 1000) < 600000)

UNION ALL
SELECT 'difference', format('line %s of the operators'' log decides cashier request %s, which does not exist', n,
    args ->> 'number'), 0
FROM operator_log
WHERE verb IN ('cashier.approve', 'cashier.refuse')
  AND NOT EXISTS (SELECT FROM cash_requests WHERE number::text = args ->> 'number')

UNION ALL
SELECT 'difference', format('adjustment %s is %s, and the operators'' log does not say so', number, state), 0
FROM adjustments AS adjustment
WHERE proposed >= (SELECT since FROM logged) AND (
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

UNION ALL
SELECT 'difference', format('%s is of a source that does not exist', code), 0
FROM balances WHERE kind LIKE 'source:%' AND NOT EXISTS (SELECT FROM cash_sources WHERE name = balances.table_id)

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
