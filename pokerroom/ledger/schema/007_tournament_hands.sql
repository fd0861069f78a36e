-- Hands at the tables of sit-and-gos: they are settled as those of cash tables are, but move no money. The chips of
-- each player stand with his entry; together they are what all began with. And a table that is over is not looked at
-- any more when somebody asks who owns which.
--
-- Locks, as a whole: those of 004 and 005; a batch of hands locks their tournaments (shared) once it has written its
-- transfer keys, which nobody writes under the lock of a tournament.

-- Owners -----------------------------------------------------------------------------------------------------------

-- `over`: nobody will ever take it again but by a mistake, which does not last.
ALTER TABLE table_owners ADD COLUMN over boolean NOT NULL DEFAULT false;
CREATE INDEX owners_of_tables_that_go_on ON table_owners (table_id) WHERE NOT over;

CREATE OR REPLACE FUNCTION release_table(at_table text, of_epoch bigint) RETURNS void
LANGUAGE sql AS $$
    UPDATE table_owners
    SET node = NULL,
        over = EXISTS (SELECT FROM tournaments WHERE id = at_table AND phase NOT IN ('registering', 'running'))
    WHERE table_id = at_table AND epoch = of_epoch
$$;

-- Chips ------------------------------------------------------------------------------------------------------------

-- Each player begins with `stack` chips; null before the start.
ALTER TABLE tournaments
    ADD COLUMN stack bigint CHECK (stack > 0),
    ADD CONSTRAINT tournament_stack CHECK ((stack IS NOT NULL) = (started IS NOT NULL));

-- As in 005, and nobody begins with more.
CREATE FUNCTION stack_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'tournament % was started with % chips each', OLD.id, OLD.stack
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;
CREATE TRIGGER stack_stays BEFORE UPDATE ON tournaments
    FOR EACH ROW WHEN (OLD.stack IS NOT NULL AND NEW.stack IS DISTINCT FROM OLD.stack) EXECUTE FUNCTION stack_stays();

-- As of the last settled hand; `chips_before` at its start, by which those are placed who went out in it (I2).
ALTER TABLE tournament_entries
    ADD COLUMN chips        bigint,
    ADD COLUMN chips_before bigint,
    ADD COLUMN hands        integer NOT NULL DEFAULT 0,  -- so many he has been dealt in
    ADD CONSTRAINT chips_are_not_negative CHECK (chips >= 0),
    ADD CONSTRAINT player_has_chips CHECK (
        (chips IS NOT NULL) = (seat IS NOT NULL) AND (chips_before IS NOT NULL) = (seat IS NOT NULL));

-- The escrow follows from what is given back; chips change with every hand.
DROP TRIGGER escrow_is_what_is_owed ON tournament_entries;
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE OF returned ON tournament_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();

-- As in 005; what is written of a player goes on with his hands.
CREATE OR REPLACE FUNCTION entry_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.account, NEW.number, NEW.id) IS DISTINCT FROM
       (OLD.tournament, OLD.account, OLD.number, OLD.id)
       OR OLD.returned
       OR OLD.seat IS NOT NULL AND (NEW.seat, NEW.returned, NEW.chips_before, NEW.hands) IS DISTINCT FROM
                                   (OLD.seat, OLD.returned, OLD.chips, OLD.hands + 1)
    THEN
        RAISE EXCEPTION 'the entry of account % is given back, or seated, once', OLD.account
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- As in 005, and each player has `new_stack` chips.
DROP FUNCTION start_tournament(text, bigint, bigint[]);
CREATE FUNCTION start_tournament(in_tournament text, of_epoch bigint, players bigint[], new_stack bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    drawn        bigint[];
    seated       bigint;
    taken        bigint;
    fees         bigint := tournament.seats * tournament.fee;
    new_transfer bigint;
BEGIN
    IF tournament.started IS NOT NULL THEN
        SELECT array_agg(account ORDER BY seat) INTO drawn FROM tournament_entries AS entry
        WHERE entry.tournament = in_tournament AND seat IS NOT NULL;
        IF drawn IS DISTINCT FROM players OR tournament.stack <> new_stack THEN
            PERFORM check_owner(in_tournament, of_epoch);
            PERFORM refuse('key_has_other_legs', format('%s was started with another draw', in_tournament));
        END IF;
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    PERFORM check_owner(in_tournament, of_epoch);
    SELECT count(*) INTO taken FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND NOT returned;
    IF taken <> tournament.seats THEN
        PERFORM refuse('tournament_is_full', format('%s has %s of %s players', in_tournament, taken, tournament.seats));
    END IF;
    UPDATE tournament_entries AS entry SET seat = n, chips = new_stack, chips_before = new_stack
        FROM unnest(players) WITH ORDINALITY AS player (drawn_account, n)
        WHERE entry.tournament = in_tournament AND account = drawn_account AND NOT returned;
    GET DIAGNOSTICS seated = ROW_COUNT;
    IF seated <> tournament.seats OR cardinality(players) <> tournament.seats THEN
        PERFORM refuse('draw_is_of_the_entries', format('the draw of %s is not of its players', in_tournament));
    END IF;
    INSERT INTO transfers (key, kind) VALUES (format('sng:%s:start', in_tournament), 'fees')
        RETURNING id INTO new_transfer;
    IF fees > 0 THEN
        INSERT INTO legs VALUES
            (new_transfer, ledger_account_of('escrow:' || in_tournament), -fees),
            (new_transfer, ledger_account_of('fees'), fees);
    END IF;
    UPDATE tournaments SET phase = 'running', started = now(), stack = new_stack WHERE id = in_tournament;
END $$;

-- Hands ------------------------------------------------------------------------------------------------------------

-- As in 004; of a hand that moved no money the players are compared, whom its tournament knows.
CREATE OR REPLACE FUNCTION compare_settled(
    hand_ids text[], table_ids text[], epochs bigint[], new_transfers bigint[],
    in_hand integer[], players bigint[], deltas bigint[]
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
    ), written AS (
        SELECT settled.n, code, amount
        FROM settled JOIN legs ON transfer = settled.id JOIN ledger_accounts ON ledger_account = ledger_accounts.id
        UNION ALL
        SELECT settled.n, 'stack:' || tournament || ':' || account, delta
        FROM settled
        JOIN (SELECT DISTINCT tournament, account FROM tournament_entries
              WHERE tournament = ANY (table_ids)) AS player ON tournament = table_ids[settled.n]
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
        PERFORM refuse('key_has_other_legs', format('hand %s was settled with other legs', other.hand_id));
    END IF;
END $$;

-- The hands of a batch that are of tournaments: `in_chips` says of each hand whether it is.
CREATE FUNCTION settle_chips(
    table_ids text[], new_transfers bigint[], in_chips boolean[], in_hand integer[], players bigint[], deltas bigint[]
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    wrong   text;
    dealt   bigint;
    changed bigint;
BEGIN
    PERFORM FROM tournaments WHERE id = ANY (table_ids) ORDER BY id FOR SHARE;
    SELECT id INTO wrong FROM tournaments WHERE id = ANY (table_ids) AND phase <> 'running'
        AND id IN (SELECT table_ids[n] FROM generate_subscripts(new_transfers, 1) AS n WHERE new_transfers[n] IS NOT NULL);
    IF FOUND THEN
        PERFORM refuse('hand_is_of_running_tournament', format('a hand at %s, which is not running', wrong));
    END IF;
    SELECT table_ids[n] INTO wrong FROM unnest(in_hand, deltas) AS player (n, delta)
        WHERE in_chips[n] AND new_transfers[n] IS NOT NULL GROUP BY n HAVING sum(delta) <> 0 LIMIT 1;
    IF FOUND THEN
        PERFORM refuse('chips_are_kept', format('a hand at %s makes or loses chips', wrong));
    END IF;
    SELECT count(*), count(DISTINCT (table_ids[n], account)) INTO dealt, changed
        FROM unnest(in_hand, players) AS player (n, account) WHERE in_chips[n] AND new_transfers[n] IS NOT NULL;
    IF dealt <> changed THEN
        PERFORM refuse('hands_come_one_by_one', 'two hands of a tournament come one after the other');
    END IF;
    UPDATE tournament_entries AS entry
        SET chips = chips + delta, chips_before = chips, hands = hands + 1
        FROM unnest(in_hand, players, deltas) AS player (n, who, delta)
        WHERE in_chips[n] AND new_transfers[n] IS NOT NULL
          AND entry.tournament = table_ids[n] AND entry.account = who AND entry.seat IS NOT NULL AND entry.chips > 0;
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> dealt THEN
        PERFORM refuse('account_has_seat', 'a hand names an account that does not play its tournament');
    END IF;
END $$;

-- As in 004, and hands of tournaments move chips instead of money.
CREATE OR REPLACE FUNCTION settle_hands(
    hand_ids text[], table_ids text[], epochs bigint[], started_ms bigint[], ended_ms bigint[], records bytea[],
    in_hand integer[], players bigint[], deltas bigint[], by_clock boolean[]
) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$  -- as for legs_written (001)
DECLARE
    new_transfers bigint[];  -- per hand; null where the key was there
    new_hands     bigint;
    in_chips      boolean[];  -- per hand: of a tournament
    in_money      bigint;    -- so many of the players are in hands that are not
    seated        bigint;
    lost          text;
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
        PERFORM compare_settled(hand_ids, table_ids, epochs, new_transfers, in_hand, players, deltas);
    END IF;
    IF new_hands = 0 THEN
        RETURN 0;
    END IF;

    WITH owned AS MATERIALIZED (
        SELECT table_id, epoch FROM table_owners
        WHERE table_id = ANY (table_ids) AND node IS NOT NULL FOR SHARE
    )
    SELECT table_id INTO lost
    FROM unnest(new_transfers, table_ids, epochs) AS hand (new_transfer, table_id, epoch)
    LEFT JOIN owned USING (table_id)
    WHERE new_transfer IS NOT NULL AND owned.epoch IS DISTINCT FROM hand.epoch
    LIMIT 1;
    IF FOUND THEN
        PERFORM refuse('table_has_other_owner', format('a hand at %s is of an epoch that is over', lost));
    END IF;

    SELECT array_agg(tournaments.id IS NOT NULL ORDER BY n) INTO in_chips
    FROM unnest(table_ids) WITH ORDINALITY AS hand (table_id, n) LEFT JOIN tournaments ON id = table_id;

    INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record)
        SELECT new_transfer, hand_id, table_id, epoch,
               timestamptz 'epoch' + started * interval '1 millisecond',
               timestamptz 'epoch' + ended * interval '1 millisecond',
               convert_from(record, 'UTF8')::jsonb
        FROM unnest(new_transfers, hand_ids, table_ids, epochs, started_ms, ended_ms, records)
            AS hand (new_transfer, hand_id, table_id, epoch, started, ended, record)
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
        PERFORM settle_chips(table_ids, new_transfers, in_chips, in_hand, players, deltas);
    END IF;

    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfers[n], ledger_accounts.id, delta
        FROM unnest(in_hand, players, deltas) AS player (n, account, delta)
        JOIN ledger_accounts ON code = 'stack:' || table_ids[n] || ':' || account
        WHERE delta <> 0 AND new_transfers[n] IS NOT NULL AND NOT in_chips[n];

    -- Asked only now that the stacks are locked: a cash-out frees the seat before it locks the stack, so either
    -- it waits for this hand and takes its result along, or it is over and seen here.
    SELECT count(*) INTO in_money FROM unnest(in_hand) AS player (n)
        WHERE new_transfers[n] IS NOT NULL AND NOT in_chips[n];
    SELECT count(*) INTO seated
    FROM unnest(in_hand, players) AS player (n, account)
    JOIN seats ON seats.account = player.account AND table_id = table_ids[n]
    WHERE new_transfers[n] IS NOT NULL AND NOT in_chips[n];
    IF seated <> in_money THEN
        PERFORM refuse('account_has_seat', 'a hand names an account that has no seat at its table');
    END IF;
    RETURN new_hands;
END $$;
