-- Forgeries that take more than a changed field: balances, legs and sums fit again afterwards, as a careful forger would
-- leave them. Each begins with a line `--- NAME`. The part before the first one runs before each.

-- Makes the balances those of the legs. Returns how many it has changed.
CREATE FUNCTION pg_temp.fit() RETURNS bigint LANGUAGE sql AS $$
    WITH moved AS (
        SELECT id AS moved, coalesce(sum(amount), 0) AS total
        FROM ledger_accounts LEFT JOIN legs ON ledger_account = id GROUP BY id
    ), fitted AS (
        UPDATE ledger_accounts SET balance = total FROM moved WHERE moved = id AND balance <> total RETURNING 1
    ) SELECT count(*) FROM fitted
$$;

-- Books a transfer of two legs.
CREATE FUNCTION pg_temp.book(new_key text, new_kind text, debited text, credited text, moved bigint) RETURNS bigint
LANGUAGE sql AS $$
    WITH new AS (INSERT INTO transfers (key, kind) VALUES (new_key, new_kind) RETURNING id)
    INSERT INTO legs SELECT new.id, ledger_accounts.id, CASE code WHEN debited THEN -moved ELSE moved END
        FROM new, ledger_accounts WHERE code IN (debited, credited);
    SELECT pg_temp.fit()
$$;

-- A tournament with open entries, the one that holds the most.
CREATE FUNCTION pg_temp.filling() RETURNS text LANGUAGE sql AS $$
    SELECT table_id FROM ledger_accounts JOIN tournaments ON tournaments.id = table_id
    WHERE kind = 'escrow' AND phase = 'registering' AND balance > 0 ORDER BY balance DESC LIMIT 1
$$;

-- A hand that moved money, from the middle.
CREATE FUNCTION pg_temp.hand() RETURNS bigint LANGUAGE sql AS $$
    SELECT transfer FROM hands WHERE transfer IN (SELECT transfer FROM legs) ORDER BY transfer
    OFFSET (SELECT count(*) / 2 FROM hands WHERE transfer IN (SELECT transfer FROM legs)) LIMIT 1
$$;

-- Removes a hand with all that belongs to it.
CREATE FUNCTION pg_temp.remove(gone bigint) RETURNS bigint LANGUAGE sql AS $$
    DELETE FROM legs WHERE transfer = gone;
    DELETE FROM hand_players WHERE hand = gone;
    DELETE FROM timeout_all_ins WHERE hand = gone;
    DELETE FROM hands WHERE transfer = gone;
    WITH removed AS (DELETE FROM transfers WHERE id = gone RETURNING 1) SELECT count(*) + pg_temp.fit() FROM removed
$$;

-- Makes the link of the newest transfer of a stream again, from what is stored now.
CREATE FUNCTION pg_temp.linked_again(changed bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    link   chain_links;
    before bytea;
    new    record;
BEGIN
    SELECT * INTO link FROM chain_links WHERE transfer = changed;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    DELETE FROM chain_links WHERE transfer = changed;
    SELECT hash INTO before FROM chain_links WHERE stream = link.stream AND n = link.n - 1;
    SELECT * INTO new FROM transfers_to_link(0, 1000000) WHERE transfer = changed;
    INSERT INTO chain_links VALUES (changed, link.stream, link.n, new.sealed, sha256(
        convert_to(E'pokerroom link 1\n', 'UTF8') || coalesce(before, decode(repeat('00', 32), 'hex'))
        || convert_to(chain_field(link.stream) || link.n || ',', 'UTF8') || new.content));
    RETURN 1;
END $$;

--- an opening of an account that has one
SELECT pg_temp.book('opening:1x', 'opening', 'bank', 'wallet:1', 500);

--- an opening of an account that had none, later
INSERT INTO accounts (name, password_hash, created) VALUES ('forger', '-', now() - interval '1 day');
INSERT INTO ledger_accounts (kind, owner, code) SELECT 'wallet', id, 'wallet:' || id FROM accounts WHERE name = 'forger';
SELECT pg_temp.book('opening:' || id, 'opening', 'bank', 'wallet:' || id, 500) FROM accounts WHERE name = 'forger';

--- an opening doubled
UPDATE legs SET amount = amount * 2 WHERE transfer = (SELECT id FROM transfers WHERE key = 'opening:1');
SELECT pg_temp.fit();

--- an opening of another amount, by the row of its account
UPDATE accounts SET opening = opening + 1 WHERE id = (SELECT min(id) FROM accounts WHERE opening > 0);

--- an account that was given money, without an opening
INSERT INTO accounts (name, password_hash, opening) VALUES ('forger', '-', 500);
INSERT INTO ledger_accounts (kind, owner, code) SELECT 'wallet', id, 'wallet:' || id FROM accounts WHERE name = 'forger';

--- a cash-out from the bank
SELECT pg_temp.book('cashout:0123456789abcdef0123456789abcdef', 'cash_out', 'bank', 'wallet:1', 500);

--- a cash-out from a stack that is played on with
SELECT pg_temp.book('cashout:0123456789abcdef0123456789abcdef', 'cash_out', code, 'wallet:' || owner, 1)
    FROM ledger_accounts WHERE kind = 'stack' AND balance > 0 ORDER BY id LIMIT 1;

--- a cash-out from the wallet of another account
SELECT pg_temp.book('cashout:0123456789abcdef0123456789abcdef', 'cash_out', 'wallet:2', 'wallet:1', 1);

--- a buy-in from the bank
SELECT pg_temp.book('buyin:0123456789abcdef0123456789abcdef', 'buy_in', 'bank', 'wallet:1', 500);

--- a second buy-in
SELECT pg_temp.book('buyin:0123456789abcdef0123456789abcdef', 'buy_in', wallet.code, stack.code, 1)
    FROM ledger_accounts AS stack JOIN ledger_accounts AS wallet ON wallet.code = 'wallet:' || stack.owner
    WHERE stack.kind = 'stack' AND stack.balance > 0 AND wallet.balance > 0 ORDER BY stack.id LIMIT 1;

--- a deposit that no account asked for
SELECT pg_temp.book('cash:1:x:end', 'deposit', 'source:desk', 'wallet:1', 500);

--- a deposit with its request, not in the operators' log
INSERT INTO cash_requests (account, key, kind, amount, source, state, decided)
    VALUES (1, 'x', 'deposit', 500, 'desk', 'approved', now());
SELECT pg_temp.book('cash:1:x:end', 'deposit', 'source:desk', 'wallet:1', 500);

--- a gift of chips that no host has given
SELECT pg_temp.book('gift:host:x:1:forged-1', 'gift', 'wallet:1', 'wallet:2', 500);

--- a gift with its row, at a table that no player hosts
INSERT INTO hosted_gifts (table_id, giver, key, taker, amount) VALUES ('host:none', 1, 'forged-2', 2, 1);
SELECT pg_temp.book('gift:host:none:1:forged-2', 'gift', 'wallet:1', 'wallet:2', 1);

--- a gift with its row, at the table of a club
INSERT INTO hosted_gifts (table_id, giver, key, taker, amount)
    SELECT table_id, 1, 'forged-3', 2, 1 FROM hosted_tables WHERE club IS NOT NULL AND tournament IS NULL;
SELECT pg_temp.book(format('gift:%s:1:forged-3', table_id), 'gift', 'wallet:1', 'wallet:2', 1)
    FROM hosted_tables WHERE club IS NOT NULL AND tournament IS NULL;

--- hidden cards of all hands removed, and the mark of the retention moved
UPDATE hands SET record = without_hidden_cards(record);
UPDATE retention SET erased_to = (SELECT max(transfer) FROM hands) WHERE EXISTS (SELECT FROM hands);

--- a tournament moved into an earlier period of a league
UPDATE tournaments SET ended = ended - interval '1 month' WHERE phase = 'finished';

--- a tournament moved into a later period of a league
UPDATE tournaments SET ended = ended + interval '1 month' WHERE phase = 'finished';

--- an exclusion that was lifted
DELETE FROM exclusions WHERE until IS NULL;

--- an account that was unlocked without a line
DELETE FROM account_locks;

--- a limit of a player that was raised
UPDATE account_limits SET value = value + 50, wanted = NULL, wanted_from = NULL;

--- a refill of more than its terms
INSERT INTO cash_requests (account, key, kind, amount, source, state, decided)
    SELECT account, 'refill:forged', 'deposit', 601, source, 'approved', now() FROM cash_requests WHERE key = 'refill:r3';
SELECT pg_temp.book(format('cash:%s:%s:end', account, key), 'deposit', 'source:' || source, 'wallet:' || account, amount)
    FROM cash_requests WHERE key = 'refill:forged';

--- a refill of an account that has more than a refill brings
INSERT INTO cash_requests (account, key, kind, amount, source, state, decided)
    SELECT id, 'refill:forged', 'deposit', 501, 'desk', 'approved', now() FROM accounts WHERE name = 'olga';
UPDATE transfers SET created = created - interval '30 minutes' WHERE kind <> 'genesis';
UPDATE accounts SET created = accounts.created - interval '30 minutes';
SELECT pg_temp.book(format('cash:%s:%s:end', account, key), 'deposit', 'source:' || source, 'wallet:' || account, amount)
    FROM cash_requests WHERE key = 'refill:forged';

--- a refill before the room had terms for refills
INSERT INTO cash_requests (account, key, kind, amount, source, state, decided)
    SELECT account, 'refill:forged', 'deposit', 5, source, 'approved', now() FROM cash_requests WHERE key = 'refill:r3';
DELETE FROM transfers WHERE kind = 'refill_terms';
SELECT pg_temp.book(format('cash:%s:%s:end', account, key), 'deposit', 'source:' || source, 'wallet:' || account, amount)
    FROM cash_requests WHERE key = 'refill:forged';

--- a gift with its row, of a player that never was the host
INSERT INTO hosted_gifts (table_id, giver, key, taker, amount)
    SELECT 'host:private', id, 'forged-4', 1, 1 FROM accounts WHERE name = 'customer';
SELECT pg_temp.book(format('gift:%s:%s:forged-4', table_id, giver), 'gift', 'wallet:' || giver, 'wallet:1', 1)
    FROM hosted_gifts WHERE key = 'forged-4';

--- a gift with its row, of a player that is the host no more
UPDATE transfers SET created = created - interval '10 minutes' WHERE kind = 'host';
INSERT INTO hosted_gifts (table_id, giver, key, taker, amount)
    SELECT 'host:private', giver, 'forged-5', 1, 1 FROM hosted_gifts ORDER BY amount DESC LIMIT 1;
SELECT pg_temp.book(format('gift:%s:%s:forged-5', table_id, giver), 'gift', 'wallet:' || giver, 'wallet:1', 1)
    FROM hosted_gifts WHERE key = 'forged-5';

--- the host of a table exchanged for another player, in the row alone
UPDATE hosted_tables SET host = 1 WHERE table_id = 'host:private';

--- a host in the books of a table that has another one
INSERT INTO transfers (key, kind) VALUES ('host:host:private:1:77', 'host');

--- chips of a club that a plain member has issued
INSERT INTO club_moves
    SELECT club, 'forged', account, 5, account FROM club_members WHERE role = 'member' ORDER BY club, account LIMIT 1;
SELECT pg_temp.book(format('club:%s:forged', club), 'club_issue', 'club:' || club, format('chips:%s:%s', club, account), 5)
    FROM club_moves WHERE key = 'forged';

--- chips of a club that a plain member has taken back from the owner
INSERT INTO club_moves SELECT club, 'forged', owner.account, -5, member.account
    FROM club_members AS owner JOIN club_members AS member USING (club)
    WHERE owner.role = 'owner' AND member.role = 'member' ORDER BY club, member.account LIMIT 1;
SELECT pg_temp.book(format('club:%s:forged', club), 'club_take', format('chips:%s:%s', club, account), 'club:' || club, 5)
    FROM club_moves WHERE key = 'forged';

--- a plain member of a club made a manager, in the row alone
UPDATE club_members SET role = 'manager' WHERE role = 'member';

--- a manager of a club in the books that is a plain member
INSERT INTO transfers (key, kind)
    SELECT format('role:%s:%s:manager:%s', club, account, md5('x')), 'club_role' FROM club_members WHERE role = 'member' LIMIT 1;

--- chips of a club that no manager has issued
INSERT INTO clubs (club, name) VALUES ('forgedclub', 'x');
INSERT INTO club_members VALUES ('forgedclub', 1, 'owner');
INSERT INTO ledger_accounts (kind, table_id, code) VALUES ('club:forgedclub', 'forgedclub', 'club:forgedclub');
INSERT INTO ledger_accounts (kind, owner, code) VALUES ('chips:forgedclub', 1, 'chips:forgedclub:1');
SELECT pg_temp.book('club:forgedclub:k', 'club_issue', 'club:forgedclub', 'chips:forgedclub:1', 500);

--- an adjustment with its row, not in the operators' log
INSERT INTO adjustments (account, key, amount, source, state, decided, decided_by, proposed_by, reason)
    VALUES (1, 'x', 500, 'desk', 'made', now(), 'carla', 'carla', 'x');
SELECT pg_temp.book('adjust:1:x', 'adjustment', 'source:desk', 'wallet:1', 500);

--- money of the operator's wallet that no debit has brought
SELECT pg_temp.book('external:1:9999', 'wallet_debit', 'external', 'wallet:1', 500);

--- money for the operator's wallet that no credit owes
SELECT pg_temp.book('external:1:9999', 'wallet_credit', 'wallet:1', 'external', 500);

--- a debit of the operator's wallet that is done, and rolled back there
INSERT INTO wallet_transfers (account, kind, amount, undoes)
    SELECT account, 'rollback', amount, number FROM wallet_transfers WHERE kind = 'debit' AND state = 'done' LIMIT 1;

--- a debit of the operator's wallet that is undone, without its rollback
DELETE FROM wallet_transfers WHERE kind = 'rollback';

--- a source funded, not in the operators' log
SELECT pg_temp.book('source:desk:x', 'source_fund', 'bank', 'source:desk', 500);

--- a prize without a place
SELECT pg_temp.book('sng:s1.1:place:9', 'prize', 'bank', 'wallet:1', 500);

--- fees to a wallet
SELECT pg_temp.book('sng:none:start', 'fees', 'bank', 'wallet:1', 1);

--- the end of a round that never began
SELECT pg_temp.book('round:none', 'round', 'bank', 'wallet:1', 1);

--- a hand without a record
SELECT pg_temp.book('hand:none', 'hand', 'bank', 'wallet:1', 1);

--- a whole hand removed
SELECT pg_temp.remove(pg_temp.hand());

--- the newest whole hand removed
SELECT pg_temp.remove(max(transfer)) FROM hands WHERE transfer IN (SELECT transfer FROM legs);

--- the newest whole hand removed with its link
SELECT pg_temp.remove(max(transfer)) FROM hands WHERE transfer IN (SELECT transfer FROM legs);
DELETE FROM chain_links WHERE transfer NOT IN (SELECT id FROM transfers);

--- the newest hand changed and linked again
UPDATE hands SET record = jsonb_set(record, '{seats_max}', to_jsonb((record ->> 'seats_max')::integer + 1))
    WHERE transfer = (SELECT max(transfer) FROM hands);
SELECT pg_temp.linked_again(max(transfer)) FROM hands;

--- the newest end of a round changed and linked again
UPDATE round_ends SET record = record || '{"unknown": 1}' WHERE transfer = (SELECT max(transfer) FROM round_ends);
SELECT pg_temp.linked_again(max(transfer)) FROM round_ends;

--- two hands of a table that have changed their places
WITH two AS (SELECT stream, min(n) AS one, min(n) + 1 AS other FROM chain_links WHERE stream <> 'transfers'
             GROUP BY stream HAVING count(*) > 1 LIMIT 1),
     away AS (UPDATE chain_links SET stream = 'away:' || two.stream FROM two
              WHERE chain_links.stream = two.stream AND n = two.one RETURNING transfer)
SELECT count(*) FROM away;
UPDATE chain_links SET n = n - 1 WHERE n = 2 AND 'away:' || stream = (SELECT stream FROM chain_links WHERE stream LIKE 'away:%');
UPDATE chain_links SET stream = substr(stream, 6), n = 2 WHERE stream LIKE 'away:%';

--- the first checkpoint removed
DELETE FROM checkpoints WHERE number = 1;

--- every line of the operators' log removed
DELETE FROM operator_log;
UPDATE operator_log_head SET n = 0, hash = decode(repeat('00', 32), 'hex');

--- the winners of a hand exchanged, in everything but the awards
CREATE TEMPORARY TABLE two ON COMMIT DROP AS
    SELECT (array_agg(account ORDER BY delta DESC, account))[1] AS one, (array_agg(account ORDER BY delta, account))[1] AS other
    FROM hand_players WHERE hand = pg_temp.hand() HAVING count(*) > 1;
UPDATE hand_players SET delta = their.delta FROM two, hand_players AS their
    WHERE hand_players.hand = pg_temp.hand() AND their.hand = hand_players.hand
      AND (hand_players.account, their.account) IN ((one, other), (other, one));
DELETE FROM legs WHERE transfer = pg_temp.hand() AND EXISTS (SELECT FROM two);
INSERT INTO legs SELECT hand, id, delta FROM two, hand_players JOIN hands ON hands.transfer = hand
    JOIN ledger_accounts ON code = 'stack:' || hands.table_id || ':' || account
    WHERE delta <> 0 AND hand = (SELECT max(hand) FROM hand_players WHERE hand NOT IN (SELECT transfer FROM legs)
        AND account IN (one, other) AND delta <> 0 AND hand IN (SELECT transfer FROM hands WHERE table_id NOT IN (SELECT id FROM tournaments)));
UPDATE hands SET record = jsonb_set(record, '{seats}', (
        SELECT jsonb_agg(seat || jsonb_build_object('end', (seat ->> 'stack')::bigint + delta) ORDER BY n)
        FROM jsonb_array_elements(record -> 'seats') WITH ORDINALITY AS one (seat, n)
        JOIN hand_players ON hand = transfer AND account = (seat ->> 'account')::bigint))
    WHERE table_id NOT IN (SELECT id FROM tournaments) AND EXISTS (SELECT FROM two);
SELECT pg_temp.fit();

--- all stacks of a record + 100,000
UPDATE hands SET record = jsonb_set(record, '{seats}', (
        SELECT jsonb_agg(seat || jsonb_build_object(
            'stack', (seat ->> 'stack')::bigint + 100000, 'end', (seat ->> 'end')::bigint + 100000) ORDER BY n)
        FROM jsonb_array_elements(record -> 'seats') WITH ORDINALITY AS one (seat, n)))
    WHERE transfer = pg_temp.hand();

--- the rake of a hand given back to the player who won, with its legs
CREATE TEMPORARY TABLE raked ON COMMIT DROP AS
    SELECT transfer, hands.rake AS taken, (SELECT account FROM hand_players WHERE hand = transfer ORDER BY delta DESC LIMIT 1) AS best
    FROM hands WHERE rake > 0 ORDER BY transfer LIMIT 1;
UPDATE hand_players SET delta = delta + taken FROM raked WHERE hand = transfer AND account = best;
UPDATE legs SET amount = amount + taken FROM raked, ledger_accounts
    WHERE legs.transfer = raked.transfer AND ledger_account = id AND kind = 'stack' AND owner = best;
DELETE FROM legs USING raked, ledger_accounts
    WHERE legs.transfer = raked.transfer AND ledger_account = id AND kind LIKE 'rake:%';
UPDATE hands SET rake = 0, record = (record - 'rake' - 'rake_unit') || jsonb_build_object('seats', (
        SELECT jsonb_agg(seat - 'rake' || CASE WHEN (seat -> 'account')::bigint = best THEN
                jsonb_build_object('end', (seat -> 'end')::bigint + taken) ELSE '{}' END ORDER BY n)
        FROM jsonb_array_elements(record -> 'seats') WITH ORDINALITY AS one (seat, n)), 'events', (
        SELECT jsonb_agg(CASE WHEN event ->> 0 = 'award' AND jsonb_array_length(event) = 5 THEN event - 4 ELSE event END ORDER BY n)
        FROM jsonb_array_elements(record -> 'events') WITH ORDINALITY AS one (event, n)))
    FROM raked WHERE hands.transfer = raked.transfer;
SELECT pg_temp.fit();

--- the end of a hand a year later, also in its record
UPDATE hands SET ended = ended + interval '1 year',
    record = record || jsonb_build_object('ended_ms', (extract(epoch FROM ended + interval '1 year') * 1000)::bigint)
    WHERE transfer = pg_temp.hand();

--- the id of a hand, also in its record and its key
UPDATE transfers SET key = 'hand:forged' WHERE id = pg_temp.hand();
UPDATE hands SET hand_id = 'forged', record = record || '{"hand_id": "forged"}' WHERE transfer = pg_temp.hand();

--- the key of a hand's transfer
UPDATE transfers SET key = 'hand:forged' WHERE id = pg_temp.hand();

--- the epochs of tables lowered
ALTER TABLE table_owners DROP CONSTRAINT table_owners_epoch_check;
UPDATE table_owners SET epoch = epoch - 1;

--- the epochs of hands above that of their table
UPDATE hands SET epoch = epoch + 3 WHERE table_id = (SELECT table_id FROM hands ORDER BY transfer LIMIT 1);

--- the hidden cards of a hand removed
UPDATE hands SET record = record - 'hidden' WHERE transfer = (SELECT max(transfer) FROM hands WHERE record ? 'hidden');

--- the hidden cards of another hand
UPDATE hands SET record = record || jsonb_build_object('hidden', (
        SELECT record -> 'hidden' FROM hands WHERE record ? 'hidden' ORDER BY transfer LIMIT 1))
    WHERE transfer = (SELECT max(transfer) FROM hands WHERE record ? 'hidden');

--- the shown cards of two players exchanged
UPDATE hands SET record = jsonb_set(jsonb_set(
        record, '{seats,0,cards}', record #> '{seats,1,cards}'), '{seats,1,cards}', record #> '{seats,0,cards}')
    WHERE jsonb_array_length(record -> 'seats') = 2 AND NOT record ? 'hidden'
      AND (record #>> '{seats,0,stack}')::bigint <> (record #>> '{seats,0,end}')::bigint;

--- two places of a finished tournament exchanged
UPDATE tournament_places SET account = -account
    WHERE tournament = (SELECT max(id) FROM tournaments WHERE phase = 'finished')
      AND number > (SELECT seats - 2 FROM tournaments WHERE id = tournament);
UPDATE tournament_places AS one SET account = -other.account FROM tournament_places AS other
    WHERE one.account < 0 AND other.tournament = one.tournament AND other.number <> one.number AND other.account < 0;

--- first and last place of a finished tournament exchanged, and the prize paid so
CREATE TEMPORARY TABLE two ON COMMIT DROP AS
    SELECT best.tournament, best.account AS one, last.account AS other, best.paid
    FROM tournament_places AS best JOIN tournaments ON id = best.tournament AND phase = 'finished'
    JOIN tournament_places AS last ON last.tournament = id AND last.number = seats
    WHERE best.number = 1 ORDER BY id LIMIT 1;
UPDATE tournament_places SET account = -account FROM two
    WHERE tournament_places.tournament = two.tournament AND account IN (one, other);
UPDATE tournament_places SET account = CASE -account WHEN one THEN other ELSE one END FROM two
    WHERE tournament_places.tournament = two.tournament AND account < 0;
UPDATE legs SET ledger_account = (SELECT id FROM ledger_accounts WHERE code = 'wallet:' || other) FROM two
    WHERE transfer = two.paid AND amount > 0;
SELECT pg_temp.fit();

--- the payment of a round + 100, with its legs
CREATE TEMPORARY TABLE one ON COMMIT DROP AS
    SELECT round, account FROM round_players WHERE paid > 0 ORDER BY round LIMIT 1;
UPDATE round_players SET paid = paid + 100 FROM one
    WHERE round_players.round = one.round AND round_players.account = one.account;
UPDATE round_ends SET house = house - 100 FROM one WHERE round_ends.round = one.round;
DELETE FROM legs WHERE transfer = (SELECT transfer FROM round_ends JOIN one USING (round));
INSERT INTO legs
    SELECT over.transfer, ledger_accounts.id, sum(amount)
    FROM one JOIN round_ends AS over USING (round) JOIN rounds ON rounds.transfer = over.round, LATERAL (
        SELECT 'wallet:' || round_players.account AS name, round_players.paid AS amount FROM round_players WHERE round = over.round
        UNION ALL SELECT 'stakes:' || rounds.table_id, -amount FROM round_stakes WHERE round = over.round
        UNION ALL VALUES ('house:' || rounds.table_id, over.house),
            ('meter:' || rounds.table_id, over.fed - over.paid + over.reseeded), ('tronc', over.tronc)) AS leg
    JOIN ledger_accounts ON code = name GROUP BY over.transfer, ledger_accounts.id HAVING sum(amount) <> 0;
SELECT pg_temp.fit();

--- a stake moved to another round
UPDATE round_stakes SET round = (SELECT min(round) FROM round_ends)
    WHERE ctid = (SELECT ctid FROM round_stakes WHERE round > (SELECT min(round) FROM round_ends) ORDER BY ctid LIMIT 1);

--- a seat with a stack given to another account
UPDATE seats SET account = (SELECT max(id) FROM accounts) WHERE ctid = (
    SELECT seats.ctid FROM seats JOIN ledger_accounts ON code = 'stack:' || seats.table_id || ':' || account
    WHERE balance > 0 ORDER BY seats.ctid LIMIT 1);

--- the buy-in of a tournament after its end
UPDATE tournaments SET buy_in = buy_in + 5, prizes = array_append(prizes[2:], prizes[1] + 5 * seats) WHERE phase = 'finished';

--- chips of a tournament moved
UPDATE tournament_entries SET chips = chips + CASE seat WHEN 1 THEN 1 ELSE -1 END WHERE seat <= 2 AND chips > 0;

--- a line of the operators' log removed
DELETE FROM operator_log WHERE n = 2;

--- the newest moves of a tournament to another seat, and the players sit there
UPDATE tournament_entries SET seat = 10 * table_of_seat(seat) WHERE (tournament, account) IN (
    SELECT tournament, min(account) FROM tournament_moves GROUP BY tournament, number ORDER BY number DESC LIMIT 1);
UPDATE tournament_moves SET to_seat = 10 * table_of_seat(to_seat) WHERE (tournament, number, account) IN (
    SELECT tournament, number, min(account) FROM tournament_moves GROUP BY tournament, number ORDER BY number DESC LIMIT 1);

--- the newest moves of a tournament removed, and the players sit where they were
UPDATE tournament_entries AS entry SET seat = from_seat FROM tournament_moves AS m
    WHERE m.tournament = entry.tournament AND m.account = entry.account AND m.number = (SELECT max(number) FROM tournament_moves);
UPDATE tournament_tables SET closed = false WHERE number = (
    SELECT min(table_of_seat(from_seat)) FROM tournament_moves WHERE number = (SELECT max(number) FROM tournament_moves));
DELETE FROM tournament_moves WHERE number = (SELECT max(number) FROM tournament_moves);

--- the moves of a tournament in another order
UPDATE tournament_moves SET number = (SELECT min(number) + max(number) FROM tournament_moves) - number
    WHERE (SELECT max(number) FROM tournament_moves) > 1;

--- a move to another seat of the same table, of two numbers of hands
UPDATE tournament_moves SET to_hands = to_hands + 7 WHERE (tournament, number, account) IN (
    SELECT tournament, number, account FROM tournament_moves
    WHERE table_of_seat(from_seat) = table_of_seat(to_seat) ORDER BY tournament, number LIMIT 1);

--- a table of a tournament removed that was closed before a hand
DELETE FROM tournament_tables WHERE ctid = (SELECT ctid FROM tournament_tables WHERE closed AND hands = 0 LIMIT 1);

--- a closed table of a tournament to which no player has come
INSERT INTO tournament_tables (tournament, number, closed)
    SELECT tournament, number + 50, true FROM tournament_tables WHERE closed AND hands = 0 LIMIT 1;

--- a late entry of a tournament as if it had been there at the start
CREATE TEMPORARY TABLE late ON COMMIT DROP AS
    SELECT tournament, number FROM tournament_moves WHERE from_seat IS NULL ORDER BY tournament DESC, number DESC LIMIT 1;
DELETE FROM tournament_moves AS m USING late WHERE (m.tournament, m.number) = (late.tournament, late.number);
UPDATE tournament_moves AS m SET number = m.number - 1 FROM late
    WHERE m.tournament = late.tournament AND m.number > late.number;

--- the seats of two late entries of a tournament exchanged
CREATE TEMPORARY TABLE late ON COMMIT DROP AS
    SELECT tournament, min(to_seat) AS one, max(to_seat) AS other FROM tournament_moves WHERE from_seat IS NULL
    GROUP BY tournament HAVING min(to_seat) < max(to_seat) LIMIT 1;
UPDATE tournament_moves AS m SET to_seat = one + other - to_seat FROM late
    WHERE m.tournament = late.tournament AND to_seat IN (one, other) AND from_seat IS NULL;
UPDATE tournament_entries AS e SET seat = one + other - seat FROM late
    WHERE e.tournament = late.tournament AND seat IN (one, other) AND EXISTS (
        SELECT FROM tournament_moves AS m WHERE m.tournament = e.tournament AND m.account = e.account AND from_seat IS NULL);

--- a club removed that has issued chips
DELETE FROM club_members WHERE club = (SELECT min(club) FROM club_moves);
DELETE FROM clubs WHERE club = (SELECT min(club) FROM club_moves);

--- an entry that was returned, without any transfer
INSERT INTO tournament_entries (tournament, account, number, returned)
    SELECT tournament, account, number + 1, true FROM tournament_entries ORDER BY number DESC, id LIMIT 1;

--- the mark of the statistics set back before the last hand
UPDATE statistics_mark SET counted_to = last - 1 FROM (SELECT max(transfer) AS last FROM hands) AS newest WHERE last > 0;

--- the mark of the statistics set forward
UPDATE statistics_mark SET counted_to = counted_to + 100;

--- a hand counted twice in the statistics
UPDATE player_statistics SET hands = hands + 1 WHERE account = seen AND account = (SELECT max(account) FROM player_statistics);

--- a result of a day that no hand has
UPDATE daily_results SET won = won + 1 WHERE account = (SELECT max(account) FROM daily_results);

--- a transfer that is not in the list of its account
DELETE FROM account_transfers WHERE transfer = (SELECT max(transfer) FROM account_transfers);

--- a transfer in the list of another account
UPDATE account_transfers SET account = account + 1000000 WHERE transfer = (SELECT max(transfer) FROM account_transfers);

--- a hand on a day without any
UPDATE daily_games SET hands = hands + 1 WHERE day = (SELECT max(day) FROM daily_games);

--- a rake of a player that was not taken
UPDATE daily_players SET rake = rake + 1 WHERE account = (SELECT max(account) FROM daily_players);

--- a fee of a player that was not taken
UPDATE daily_players SET fees = fees + 1 WHERE account = (SELECT max(account) FROM daily_players);

--- a round of a player that was not played
UPDATE daily_players SET rounds = rounds + 1 WHERE account = (SELECT max(account) FROM daily_players);

--- a fee of a tournament that was not taken
UPDATE daily_tournaments SET fees = fees + 1 WHERE tournament = (SELECT max(tournament) FROM daily_tournaments);

--- a prize in the statistics that was not given
UPDATE tournament_statistics SET returned = returned + 1 WHERE account = (SELECT max(account) FROM tournament_statistics);

--- a second genesis
SELECT pg_temp.book('genesis:2', 'genesis', 'issuer', 'bank', 500);

--- a top-up from the wallet of another account
SELECT pg_temp.book('topup:0123456789abcdef0123456789abcdef', 'top_up', other.code, stack.code, 1)
    FROM ledger_accounts AS stack JOIN ledger_accounts AS other ON other.kind = 'wallet' AND other.owner <> stack.owner
    WHERE stack.kind = 'stack' AND stack.balance > 0 AND other.balance > 0 ORDER BY stack.id, other.id LIMIT 1;

--- the head of a tournament's player on the head of another
UPDATE tournament_entries AS entry SET head = head + CASE WHEN entry.account = one THEN 1 ELSE -1 END
    FROM (SELECT tournament, min(account) AS one, max(account) AS other FROM tournament_entries WHERE head > 0
          GROUP BY tournament HAVING count(*) > 1 LIMIT 1) AS two
    WHERE entry.tournament = two.tournament AND entry.account IN (one, other) AND head > 0;

--- a head of a tournament that another player of the hand has won
CREATE TEMP TABLE won ON COMMIT DROP AS
    SELECT won.tournament, won.account, won.number, won.winner, won.transfer, other.account AS other
    FROM tournament_bounties AS won
    JOIN tournament_entries AS lost ON (lost.tournament, lost.account, lost.number) = (won.tournament, won.account, won.number)
    JOIN hand_players AS other ON hand = out_in AND other.account NOT IN (won.account, won.winner)
    WHERE won.winner <> won.account AND on_head = 0 AND NOT EXISTS (
        SELECT FROM tournament_bounties AS shared WHERE shared.transfer = won.transfer AND shared.winner <> won.winner)
    ORDER BY won.transfer, other.account LIMIT 1;
UPDATE tournament_bounties AS b SET winner = other FROM won WHERE b.transfer = won.transfer;
UPDATE legs SET ledger_account = (SELECT id FROM ledger_accounts WHERE code = 'wallet:' || other) FROM won
    WHERE legs.transfer = won.transfer AND ledger_account = (SELECT id FROM ledger_accounts WHERE code = 'wallet:' || won.winner);
SELECT pg_temp.fit();

--- a head of a tournament with more cash, and less on the head of the winner, who gets it at the end
CREATE TEMP TABLE won ON COMMIT DROP AS
    SELECT won.*, own.transfer AS own FROM tournament_bounties AS won
    JOIN tournament_bounties AS own ON own.tournament = won.tournament AND own.account = won.winner AND own.winner = won.winner
    WHERE won.on_head > 0 AND won.winner <> won.account ORDER BY won.transfer LIMIT 1;
UPDATE tournament_bounties AS b SET cash = b.cash + 1, on_head = b.on_head - 1 FROM won
    WHERE b.transfer = won.transfer AND b.winner = won.winner;
UPDATE tournament_bounties AS b SET cash = b.cash - 1 FROM won WHERE b.transfer = own;
UPDATE legs SET amount = legs.amount + CASE WHEN (legs.amount < 0) = (legs.transfer = own) THEN 1 ELSE -1 END FROM won
    WHERE legs.transfer IN (won.transfer, own) AND ledger_account IN (
        SELECT id FROM ledger_accounts WHERE code IN ('wallet:' || winner, 'bounties:' || tournament));
SELECT pg_temp.fit();

--- a unit of a player's amount in a deal of a tournament for another player, who was paid it
CREATE TEMP TABLE dealt ON COMMIT DROP AS
    SELECT tournament, accounts[1] AS one, accounts[2] AS other FROM tournament_deals WHERE amounts[2] > 0
    ORDER BY tournament LIMIT 1;
UPDATE tournament_deals AS d SET amounts[1] = amounts[1] + 1, amounts[2] = amounts[2] - 1 FROM dealt
    WHERE d.tournament = dealt.tournament;
UPDATE tournament_places AS p SET prize = prize + CASE account WHEN one THEN 1 ELSE -1 END FROM dealt
    WHERE p.tournament = dealt.tournament AND account IN (one, other);
UPDATE legs SET amount = legs.amount + CASE WHEN (p.account = one) = (legs.amount > 0) THEN 1 ELSE -1 END
    FROM dealt JOIN tournament_places AS p ON p.tournament = dealt.tournament AND p.account IN (one, other)
    WHERE legs.transfer = p.paid;
SELECT pg_temp.fit();

--- a bounty of a tournament that is paid to a player that has won none
SELECT pg_temp.book(format('sng:%s:bounty:%s:77', tournament, account), 'bounty', 'bounties:' || tournament,
    'wallet:' || account, 1) FROM tournament_entries WHERE head > 0 ORDER BY tournament, account LIMIT 1;

--- an entry of a tournament that is paid again
SELECT pg_temp.book(format('sng:%s:entry:1:77', pg_temp.filling()), 'entry', 'wallet:1', 'escrow:' || pg_temp.filling(), 1)
    WHERE pg_temp.filling() IS NOT NULL;

--- a late entry of a tournament without its row
SELECT pg_temp.book(format('sng:%s:entry:1:77', id), 'late_entry', 'wallet:1', 'fees', 1)
    FROM tournaments ORDER BY id DESC LIMIT 1;

--- an entry of a tournament returned, which stays entered
SELECT pg_temp.book(format('sng:%s:return:%s:%s', tournament, account, number), 'entry_return', 'escrow:' || tournament,
    'wallet:' || account, 1) FROM tournament_entries WHERE tournament = pg_temp.filling() AND NOT returned ORDER BY id LIMIT 1;

--- an overlay of a tournament without a guarantee
SELECT pg_temp.book(format('sng:%s:overlay', pg_temp.filling()), 'overlay', 'bank', 'escrow:' || pg_temp.filling(), 500)
    WHERE pg_temp.filling() IS NOT NULL;

--- a tournament cancelled, and one player gets all
SELECT pg_temp.book(format('sng:%s:cancel', tournament), 'cancellation', 'escrow:' || tournament, 'wallet:' || account,
    escrow_owed(tournament)) FROM tournament_entries WHERE tournament = pg_temp.filling() AND NOT returned ORDER BY id LIMIT 1;
UPDATE tournament_entries SET returned = true WHERE format('sng:%s:cancel', tournament) IN (SELECT key FROM transfers);
UPDATE tournaments SET phase = 'cancelled', ended = now() WHERE format('sng:%s:cancel', id) IN (SELECT key FROM transfers);

--- fees of a tournament rolled back to a player
SELECT pg_temp.book(format('sng:%s:roll_back', tournament), 'roll_back', 'fees', 'wallet:' || account, 1)
    FROM tournament_places JOIN ledger_accounts ON code = 'fees' AND balance > 0 ORDER BY tournament, number LIMIT 1;

--- a meter that is filled again
SELECT pg_temp.book(format('seed:%s:99', table_id), 'meter_seed', 'bank', code, 500)
    FROM ledger_accounts WHERE kind LIKE 'meter:%' ORDER BY id LIMIT 1;

--- a place at a table of Ultimate that moves money
SELECT pg_temp.book('place:0123456789abcdef0123456789abcdef', 'place', 'wallet:1', 'wallet:2', 1);

--- bets of a round that never began
SELECT pg_temp.book('round:forged:bets', 'round_bets', 'wallet:1', code, 1)
    FROM ledger_accounts WHERE kind LIKE 'stakes:%' ORDER BY id LIMIT 1;

--- a Play in a round that is over
SELECT pg_temp.book(format('round:%s:play:9', round_id), 'round_play', 'wallet:1', 'stakes:' || table_id, 1)
    FROM rounds JOIN round_ends ON round = rounds.transfer ORDER BY round LIMIT 1;

--- a tip in a round that is over
SELECT pg_temp.book(format('round:%s:tip:9', round_id), 'round_tip', 'wallet:1', 'stakes:' || table_id, 1)
    FROM rounds JOIN round_ends ON round = rounds.transfer ORDER BY round LIMIT 1;

--- a round that was played, as if it were void
CREATE TEMPORARY TABLE one ON COMMIT DROP AS SELECT transfer FROM round_ends WHERE NOT void ORDER BY round LIMIT 1;
UPDATE transfers SET kind = 'round_void' WHERE id IN (SELECT transfer FROM one);
UPDATE round_ends SET void = true WHERE transfer IN (SELECT transfer FROM one);

--- a withdrawal that no account asked for
SELECT pg_temp.book('cash:1:x', 'withdrawal', 'wallet:1', 'held', 1);

--- a withdrawal paid that no account asked for
SELECT pg_temp.book('cash:1:x:end', 'withdrawal_paid', 'held', 'source:desk', 1);

--- a withdrawal returned that no account asked for
SELECT pg_temp.book('cash:1:x:end', 'withdrawal_return', 'held', 'wallet:1', 1);

--- chips of a club taken back without an order
SELECT pg_temp.book(format('club:%s:x', split_part(kind, ':', 2)), 'club_take', code, kind_of.bank, 1)
    FROM ledger_accounts, LATERAL (SELECT 'club:' || split_part(kind, ':', 2) AS bank) AS kind_of
    WHERE kind LIKE 'chips:%' AND balance > 0 ORDER BY id LIMIT 1;

--- chips of a club changed into money, and money into chips, at a table of the club
CREATE TEMPORARY TABLE two ON COMMIT DROP AS
    SELECT giver.code AS chips, format('stack:%s:%s', taker.table_id, giver.owner) AS left_stack, 'wallet:' || giver.owner AS wallet,
        taker.code AS stack, 'wallet:' || taker.owner AS paid_by
    FROM hosted_tables JOIN ledger_accounts AS taker USING (table_id)
    JOIN ledger_accounts AS giver ON giver.kind = 'chips:' || club AND giver.owner <> taker.owner
    WHERE taker.kind = 'stack' AND taker.balance > 0 AND giver.balance > 0;
SELECT pg_temp.book('buyin:0123456789abcdef0123456789abcdef', 'buy_in', chips, left_stack, 100) FROM two;
SELECT pg_temp.book('cashout:0123456789abcdef0123456789abcdef', 'cash_out', left_stack, wallet, 100) FROM two;
SELECT pg_temp.book('topup:0123456789abcdef0123456789abcdef', 'top_up', paid_by, stack, 100) FROM two;
UPDATE seats SET bought = bought + 100 FROM two WHERE stack = format('stack:%s:%s', table_id, account);

--- chips of a club changed into those of another at its table, and back
CREATE TEMPORARY TABLE left_table ON COMMIT DROP AS
    SELECT chips.code AS chips, other.code AS other, stack.code AS stack
    FROM hosted_tables JOIN ledger_accounts AS stack USING (table_id)
    JOIN ledger_accounts AS chips ON chips.kind = 'chips:' || club AND chips.owner = stack.owner
    JOIN ledger_accounts AS other ON other.kind LIKE 'chips:%' AND other.kind <> chips.kind AND other.owner = stack.owner
    WHERE stack.kind = 'stack' AND stack.balance = 0 AND chips.balance > 0;
SELECT pg_temp.book('buyin:0123456789abcdef0123456789abcdef', 'buy_in', chips, stack, 100) FROM left_table;
SELECT pg_temp.book('cashout:0123456789abcdef0123456789abcdef', 'cash_out', stack, other, 100) FROM left_table;
SELECT pg_temp.book('buyin:fedcba9876543210fedcba9876543210', 'buy_in', other, stack, 100) FROM left_table;
SELECT pg_temp.book('cashout:fedcba9876543210fedcba9876543210', 'cash_out', stack, chips, 100) FROM left_table;

--- chips of a club changed into money, and money into chips, by entries to its sit-and-gos
CREATE TEMPORARY TABLE swapped ON COMMIT DROP AS
    SELECT transfers.id AS transfer, chips.id AS chips, wallet.id AS wallet
    FROM hosted_tables JOIN ledger_accounts AS chips ON chips.kind = 'chips:' || club
    JOIN accounts ON accounts.id = chips.owner AND name = 'mia'
    JOIN ledger_accounts AS wallet ON wallet.code = 'wallet:' || chips.owner
    JOIN transfers ON key IN (format('sng:%s:return:%s:1', tournament, chips.owner), format('sng:%s:entry:%s:1', tournament, chips.owner))
    WHERE (tournament, transfers.kind) IN (('private:sng1.1', 'entry_return'), ('private:sng2.1', 'entry'));
UPDATE legs SET ledger_account = wallet FROM swapped WHERE legs.transfer = swapped.transfer AND ledger_account = chips;
INSERT INTO account_transfers SELECT owner, transfer FROM swapped JOIN ledger_accounts ON ledger_accounts.id = wallet;
SELECT pg_temp.fit();

--- a prize of a sit-and-go of a club paid into the wallet
UPDATE legs SET ledger_account = wallet.id
    FROM transfers, ledger_accounts AS chips, ledger_accounts AS wallet
    WHERE transfers.key = 'sng:private:sng3.1:place:2' AND legs.transfer = transfers.id AND chips.id = ledger_account
      AND chips.kind LIKE 'chips:%' AND wallet.code = 'wallet:' || chips.owner;
INSERT INTO account_transfers SELECT owner, transfer FROM transfers JOIN legs ON transfer = transfers.id
    JOIN ledger_accounts ON ledger_accounts.id = ledger_account
    WHERE transfers.key = 'sng:private:sng3.1:place:2' AND ledger_accounts.kind = 'wallet';
SELECT pg_temp.fit();

--- the chips of a purchase in a tournament as if they had come at another hand
UPDATE tournament_purchases SET hands = hands + 100 WHERE id = (
    SELECT min(id) FROM tournament_purchases WHERE table_number IS NOT NULL);

--- a purchase in a tournament of another player, that got its chips
UPDATE tournament_purchases AS p SET account = other.account, number = 77, entry = other.number
    FROM tournament_entries AS other
    WHERE p.id = (SELECT min(id) FROM tournament_purchases) AND other.tournament = p.tournament AND other.account = (
        SELECT max(account) FROM tournament_entries AS one WHERE one.tournament = p.tournament AND one.seat IS NOT NULL)
      AND NOT other.replaced;

--- a rebuy of a tournament that is paid again
SELECT pg_temp.book(format('sng:%s:rebuy:%s:77', tournament, account), 'rebuy', 'wallet:' || account, 'escrow:' || tournament, 1)
    FROM tournament_purchases ORDER BY id LIMIT 1;

--- an add-on of a tournament that is paid, and no player has bought it
SELECT pg_temp.book(format('sng:%s:add_on:%s:77', tournament, account), 'add_on', 'wallet:' || account, 'escrow:' || tournament, 1)
    FROM tournament_purchases ORDER BY id LIMIT 1;

--- a ticket from a source that no operator gave
SELECT pg_temp.book(format('ticket:%s:forged', account), 'ticket', 'source:' || source, 'tickets:' || account, value)
    FROM tickets WHERE source IS NOT NULL ORDER BY number LIMIT 1;
INSERT INTO tickets (account, offer, value, given, source, expires)
    SELECT account, offer, value, (SELECT id FROM transfers WHERE key LIKE 'ticket:%:forged'), source, expires
    FROM tickets WHERE source IS NOT NULL ORDER BY number LIMIT 1;

--- a ticket that is paid to the wallet, and stays
SELECT pg_temp.book(format('ticket_end:%s:%s', account, number), 'ticket_end', 'tickets:' || account, 'wallet:' || account, value)
    FROM tickets WHERE tournament IS NULL AND ended IS NULL ORDER BY number LIMIT 1;

--- a ticket of a source that has ended in the wallet of its player
UPDATE legs SET ledger_account = (SELECT id FROM ledger_accounts WHERE code = 'wallet:' || account)
    FROM tickets WHERE transfer = ended AND source IS NOT NULL AND amount > 0;
SELECT pg_temp.fit();

--- an unused ticket of another player
UPDATE tickets SET account = account - 1
    WHERE number = (SELECT min(number) FROM tickets WHERE tournament IS NULL AND ended IS NULL AND account > 1);

--- a ticket that has paid an entry to a tournament as if it were unused
UPDATE tickets SET tournament = NULL, entry = NULL WHERE number = (SELECT min(number) FROM tickets WHERE tournament IS NOT NULL);
UPDATE ledger_accounts SET balance = tickets_owed(owner) WHERE kind = 'tickets' AND balance <> tickets_owed(owner);

--- a ticket of a satellite to another tournament than it pays
UPDATE tickets SET offer = 'other' WHERE number = (SELECT min(number) FROM tickets WHERE source IS NULL);

--- an operator that no line of the log tells of
INSERT INTO operators (name, role, token_hash) VALUES ('mallory', 'admin', '\x00');

--- an operator that was revoked, and may give orders again
UPDATE operators SET revoked = NULL WHERE revoked IS NOT NULL;

--- a deposit dated before the first line of the operators' log
UPDATE cash_requests SET decided = '2001-01-01', note = 'forged'
    WHERE number = (SELECT min(number) FROM cash_requests WHERE state = 'approved' AND kind = 'deposit' AND key NOT LIKE 'refill:%');

--- an adjustment dated before the first line of the operators' log
UPDATE adjustments SET proposed = '2001-01-01', reason = 'forged'
    WHERE number = (SELECT min(number) FROM adjustments WHERE state = 'made');

--- a deposit that is booked twice under its key
ALTER TABLE transfers DROP CONSTRAINT transfer_key_is_unique;
INSERT INTO transfers (key, kind, created) SELECT key, kind, created FROM transfers WHERE kind = 'deposit' ORDER BY id LIMIT 1;
INSERT INTO legs SELECT (SELECT max(id) FROM transfers), ledger_account, amount FROM legs
    WHERE transfer = (SELECT min(id) FROM transfers WHERE kind = 'deposit');
SELECT pg_temp.fit();
