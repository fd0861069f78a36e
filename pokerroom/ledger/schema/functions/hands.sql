-- Settled hands: a batch of hands of many tables in one transaction.

-- Settles a batch of hands, all or none, and returns how many are new. The first six arrays have one element per
-- hand. The others have one element per player of a hand: the number of the hand (from 1), the account, the change of
-- its stack, and whether it was all-in by the clock. A batch names a hand once, and a hand names an account once. The
-- arrays of what was knocked out are those of `settle_bounties`.
-- `rakes` has one element per hand: what goes to `rake:<table>`. Hands of a tournament move chips and no money. Owners may be locked in any order: the locks are shared, and a call
-- that locks an owner exclusively holds no other.
CREATE OR REPLACE FUNCTION settle_hands(
    hand_ids text[], table_ids text[], epochs bigint[], started_ms bigint[], ended_ms bigint[], records bytea[],
    in_hand integer[], players bigint[], deltas bigint[], by_clock boolean[], rakes bigint[],
    out_in_hand integer[], out_accounts bigint[], winners bigint[]
) RETURNS integer LANGUAGE plpgsql
-- Plans are kept, as for legs_written: planning for each call takes a quarter of the time of a hand that comes alone.
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    new_transfers bigint[];  -- per hand; null where the key was there
    new_hands     bigint;
    in_chips      boolean[];  -- per hand: of a tournament
    is_told       boolean;    -- whether a webhook may want the hands
    unseated      bigint;     -- players in hands that are not, without a seat at the table
    lost          text;
    paid_heads    bigint[] := '{}';
BEGIN
    WITH given AS (
        SELECT 'hand:' || hand_id AS key, n FROM unnest(hand_ids) WITH ORDINALITY AS hand (hand_id, n)
    ), written AS (
        INSERT INTO transfers (key, kind) SELECT key, 'hand' FROM given ORDER BY key
        ON CONFLICT (key) DO NOTHING RETURNING id, key
    )
    SELECT array_agg(written.id ORDER BY given.n), count(written.id) INTO new_transfers, new_hands
    FROM given LEFT JOIN written USING (key);

    IF new_hands < cardinality(hand_ids) THEN
        PERFORM compare_settled(hand_ids, table_ids, epochs, new_transfers, in_hand, players, deltas, rakes);
    END IF;
    IF new_hands = 0 THEN
        RETURN 0;
    END IF;

    WITH owned AS MATERIALIZED (
        SELECT table_id, epoch FROM table_owners
        WHERE table_id = ANY (table_ids) AND node IS NOT NULL FOR SHARE
    )
    SELECT array_agg(tournaments.id IS NOT NULL ORDER BY n), EXISTS (SELECT FROM webhook_endpoints WHERE is_on),
           min(table_id) FILTER (WHERE new_transfer IS NOT NULL AND owned.epoch IS DISTINCT FROM hand.epoch)
        INTO in_chips, is_told, lost
    FROM unnest(new_transfers, table_ids, epochs) WITH ORDINALITY AS hand (new_transfer, table_id, epoch, n)
    LEFT JOIN owned USING (table_id) LEFT JOIN tournaments ON id = tournament_at(table_id);
    IF lost IS NOT NULL THEN
        PERFORM refuse('table_has_other_owner', format('a hand at %s names an epoch that is over', lost));
    END IF;

    INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record, rake)
        SELECT new_transfer, hand_id, table_id, epoch,
               timestamptz 'epoch' + started * interval '1 millisecond',
               timestamptz 'epoch' + ended * interval '1 millisecond',
               convert_from(record, 'UTF8')::jsonb, rake
        FROM unnest(new_transfers, hand_ids, table_ids, epochs, started_ms, ended_ms, records, rakes)
            AS hand (new_transfer, hand_id, table_id, epoch, started, ended, record, rake)
        WHERE new_transfer IS NOT NULL;

    INSERT INTO hand_players (account, hand, delta)
        SELECT account, new_transfers[n], delta FROM unnest(in_hand, players, deltas) AS player (n, account, delta)
        WHERE new_transfers[n] IS NOT NULL;

    IF true = ANY (by_clock) THEN
        INSERT INTO timeout_all_ins (ended, hand, account)
            SELECT timestamptz 'epoch' + ended_ms[n] * interval '1 millisecond', new_transfers[n], account
            FROM unnest(in_hand, players, by_clock) AS player (n, account, late)
            WHERE late AND new_transfers[n] IS NOT NULL;
    END IF;

    IF true = ANY (in_chips) THEN
        paid_heads := settle_chips(
            table_ids, new_transfers, in_chips, in_hand, players, deltas, out_in_hand, out_accounts, winners);
    END IF;

    IF 0 < ANY (rakes) THEN
        PERFORM make_rake_accounts(table_ids, new_transfers, in_chips, rakes);
    END IF;

    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfers[n], ledger_accounts.id, delta
        FROM unnest(in_hand, players, deltas) AS player (n, account, delta)
        JOIN ledger_accounts ON code = 'stack:' || table_ids[n] || ':' || account
        WHERE delta <> 0 AND new_transfers[n] IS NOT NULL AND NOT in_chips[n]
        UNION ALL
        SELECT new_transfers[n], ledger_accounts.id, rake
        FROM unnest(rakes) WITH ORDINALITY AS taken (rake, n)
        JOIN ledger_accounts ON code = 'rake:' || table_ids[n]
        WHERE rake <> 0 AND new_transfers[n] IS NOT NULL AND NOT in_chips[n]
        UNION ALL
        SELECT * FROM bounty_legs(paid_heads) WHERE cardinality(paid_heads) > 0;

    -- Counted now that the stacks are locked. A cash-out frees the seat before it locks the stack: either it waits for
    -- this transaction and takes the result of the hand along, or it has ended and its seat is missing here.
    SELECT count(*) - count(seats.account) INTO unseated
    FROM unnest(in_hand, players) AS player (n, account)
    LEFT JOIN seats ON seats.account = player.account AND table_id = table_ids[n]
    WHERE new_transfers[n] IS NOT NULL AND NOT in_chips[n];
    IF unseated > 0 THEN
        PERFORM refuse('account_has_seat', 'a hand names an account that has no seat at its table');
    END IF;
    IF is_told THEN
        PERFORM tell_hands(hand_ids, new_transfers, in_chips, in_hand, players, deltas);
    END IF;
    RETURN new_hands;
END $$;

-- Makes the accounts for the rake of the tables in a batch that take one. Tournaments and private tables take none.
CREATE OR REPLACE FUNCTION make_rake_accounts(
    table_ids text[], new_transfers bigint[], in_chips boolean[], rakes bigint[]
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (SELECT FROM unnest(in_chips, rakes, new_transfers, table_ids) AS hand (is_chips, rake, new_transfer, table_id)
               WHERE (is_chips OR starts_with(table_id, 'host:')) AND rake <> 0 AND new_transfer IS NOT NULL) THEN
        PERFORM refuse('chips_are_kept', 'a hand of a tournament or a private table has a rake');
    END IF;
    INSERT INTO ledger_accounts (kind, table_id)
        SELECT DISTINCT 'rake:' || table_id, table_id
        FROM unnest(table_ids, rakes, new_transfers) AS hand (table_id, rake, new_transfer)
        WHERE rake <> 0 AND new_transfer IS NOT NULL
          AND NOT EXISTS (SELECT FROM ledger_accounts WHERE code = 'rake:' || hand.table_id)
        ORDER BY 1
        ON CONFLICT (code) DO NOTHING;
END $$;

-- Refuses if a hand that was settled before (null in `new_transfers`) has other changes than are given now. A past
-- owner is told that its epoch is over: it may have played the hand differently from the next owner. A hand of a
-- tournament has no legs; the changes of its players are compared.
CREATE OR REPLACE FUNCTION compare_settled(
    hand_ids text[], table_ids text[], epochs bigint[], new_transfers bigint[],
    in_hand integer[], players bigint[], deltas bigint[], rakes bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    other record;
BEGIN
    WITH settled AS (
        SELECT hand_id, n, transfers.id, transfers.kind
        FROM unnest(hand_ids, new_transfers) WITH ORDINALITY AS hand (hand_id, new_transfer, n)
        JOIN transfers ON key = 'hand:' || hand_id
        WHERE new_transfer IS NULL
    ), given AS (
        SELECT settled.n, 'stack:' || table_ids[settled.n] || ':' || account AS code, delta AS amount
        FROM unnest(in_hand, players, deltas) AS player (n, account, delta) JOIN settled USING (n)
        WHERE delta <> 0
        UNION ALL
        SELECT n, 'rake:' || table_ids[n], rakes[n] FROM settled WHERE rakes[n] <> 0
    ), written AS (
        SELECT settled.n, code, amount
        FROM settled JOIN legs ON transfer = settled.id JOIN ledger_accounts ON ledger_account = ledger_accounts.id
        UNION ALL
        SELECT settled.n, 'stack:' || table_ids[settled.n] || ':' || account, delta
        FROM settled
        JOIN (SELECT DISTINCT tournament, account FROM tournament_entries
              WHERE tournament IN (SELECT tournament_at(table_id) FROM unnest(table_ids) AS table_id)) AS player
          ON tournament = tournament_at(table_ids[settled.n])
        JOIN hand_players USING (account)
        WHERE hand = settled.id AND delta <> 0
    )
    SELECT hand_id, n INTO other FROM settled
    WHERE kind <> 'hand' OR EXISTS (
        SELECT FROM (SELECT * FROM given WHERE given.n = settled.n) AS g
        FULL JOIN (SELECT * FROM written WHERE written.n = settled.n) AS w USING (code)
        WHERE g.amount IS DISTINCT FROM w.amount)
    ORDER BY n LIMIT 1;
    IF FOUND THEN
        PERFORM check_owner(table_ids[other.n], epochs[other.n]);
        PERFORM refuse('key_has_other_legs', format('hand %s was settled with other changes', other.hand_id));
    END IF;
END $$;

-- Moves the chips of the hands of a batch that belong to tournaments (true in `in_chips`). Returns the transfers of the heads
-- that they pay.
CREATE OR REPLACE FUNCTION settle_chips(
    table_ids text[], new_transfers bigint[], in_chips boolean[], in_hand integer[], players bigint[], deltas bigint[],
    out_in_hand integer[], out_accounts bigint[], winners bigint[]
) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    -- per hand; null where it is not of a tournament, or was settled before
    of_tournaments text[] := ARRAY(
        SELECT CASE WHEN is_chips AND new_transfer IS NOT NULL THEN tournament_at(table_id) END
        FROM unnest(table_ids, in_chips, new_transfers) WITH ORDINALITY AS hand (table_id, is_chips, new_transfer, n) ORDER BY n);
    wrong   text;
    dealt   bigint;
    changed bigint;
BEGIN
    PERFORM FROM tournaments WHERE id = ANY (of_tournaments) ORDER BY id FOR SHARE;
    SELECT id INTO wrong FROM tournaments WHERE id = ANY (of_tournaments) AND phase <> 'running';
    IF FOUND THEN
        PERFORM refuse('hand_is_of_running_tournament', format('tournament %s is not running', wrong));
    END IF;
    SELECT table_ids[n] INTO wrong FROM unnest(in_hand, deltas) AS player (n, delta)
        WHERE of_tournaments[n] IS NOT NULL GROUP BY n HAVING sum(delta) <> 0 LIMIT 1;
    IF FOUND THEN
        PERFORM refuse('chips_are_kept', format('the changes of a hand at %s do not sum to zero', wrong));
    END IF;
    IF (SELECT count(table_id) <> count(DISTINCT table_id) FROM unnest(table_ids, of_tournaments) AS hand (table_id, tournament)
        WHERE tournament IS NOT NULL) THEN
        PERFORM refuse('hands_come_one_by_one', 'a batch has two hands of one table of a tournament');
    END IF;
    SELECT count(*) INTO dealt FROM unnest(in_hand) AS player (n) WHERE of_tournaments[n] IS NOT NULL;
    UPDATE tournament_entries AS entry
        SET chips = chips + delta, chips_before = chips, hands = hands + 1,
            out_in = CASE WHEN chips + delta = 0 THEN new_transfers[n] END
        FROM unnest(in_hand, players, deltas) AS player (n, player_account, delta)
        WHERE entry.tournament = of_tournaments[n] AND entry.account = player_account AND entry.chips > 0
          AND table_of_seat(entry.seat) = table_number(table_ids[n]);
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> dealt THEN
        PERFORM refuse('account_has_seat', 'a hand names an account that is not at its table of the tournament');
    END IF;
    UPDATE tournament_tables AS t SET hands = hands + 1
        FROM unnest(table_ids, of_tournaments) AS hand (table_id, of_tournament)
        WHERE t.tournament = of_tournament AND t.number = table_number(table_id);
    IF EXISTS (SELECT FROM tournaments WHERE id = ANY (of_tournaments) AND bounty > 0) THEN
        RETURN settle_bounties(of_tournaments, new_transfers, out_in_hand, out_accounts, winners);
    END IF;
    RETURN '{}';
END $$;
