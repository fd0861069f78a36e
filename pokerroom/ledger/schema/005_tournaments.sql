-- Sit-and-gos: who has entered, what is held for them, who finished where and was paid.
--
-- Each tournament has an escrow. Entries go into it; the house's fees leave it at the start, for an account of their
-- own; the prizes leave it place by place. What it must hold follows at any moment from phase, entries and places, and
-- no transaction can end with it holding anything else (`escrow_is_what_is_owed`). So at the end it is empty.
--
-- What the owner of a running tournament says of it names his epoch, as for tables: a tournament's id is its table's.
-- Entries and payouts are anybody's: they move what the tournament says, once.
--
-- Locks, as a whole: the tournament, transfer keys (sorted), owners (shared), the account that buys in or enters, the seat,
-- ledger accounts (by id). Keys of tournaments are written under the lock of their tournament alone.

-- A code for escrows, and the fees as an account beside what else the house earns. PostgreSQL 14 cannot change how a
-- column is generated without writing the table anew, which would take long where there are many, and leave it with
-- figures that make the planner read all of it for a hand. So a trigger fills the code in, and a check sees that it did.
CREATE FUNCTION ledger_code(of_kind text, of_owner bigint, of_table text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE of_kind
        WHEN 'wallet' THEN 'wallet:' || of_owner
        WHEN 'stack' THEN 'stack:' || of_table || ':' || of_owner
        WHEN 'escrow' THEN 'escrow:' || of_table
        ELSE of_kind
    END
$$;
CREATE FUNCTION fill_in_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.code := ledger_code(NEW.kind, NEW.owner, NEW.table_id);
    RETURN NEW;
END $$;
ALTER TABLE ledger_accounts
    ALTER COLUMN code DROP EXPRESSION,
    DROP CONSTRAINT ledger_accounts_kind_check,
    DROP CONSTRAINT ledger_account_table;
ALTER TABLE ledger_accounts
    ADD CONSTRAINT ledger_accounts_kind_check
        CHECK (kind IN ('issuer', 'bank', 'house', 'fees', 'wallet', 'stack', 'escrow')),
    ADD CONSTRAINT ledger_account_table CHECK ((table_id IS NOT NULL) = (kind IN ('stack', 'escrow'))),
    ADD CONSTRAINT ledger_account_code CHECK (code = ledger_code(kind, owner, table_id));
CREATE TRIGGER code_is_filled_in BEFORE INSERT ON ledger_accounts FOR EACH ROW EXECUTE FUNCTION fill_in_code();
INSERT INTO ledger_accounts (kind) VALUES ('fees');

ALTER TABLE transfers
    DROP CONSTRAINT transfers_kind_check,
    ADD CONSTRAINT transfers_kind_check CHECK (kind IN (
        'genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand',
        'entry', 'entry_return', 'fees', 'prize', 'cancellation', 'roll_back'));

-- Tournaments ------------------------------------------------------------------------------------------------------

CREATE FUNCTION sum_of(amounts bigint[]) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(sum(amount), 0)::bigint FROM unnest(amounts) AS amount $$;

CREATE TABLE tournaments (
    id      text PRIMARY KEY,
    offer   text NOT NULL,
    number  integer NOT NULL CHECK (number > 0),  -- of the offer
    seats   smallint NOT NULL CHECK (seats BETWEEN 2 AND 10),
    buy_in  bigint NOT NULL CHECK (buy_in > 0),
    fee     bigint NOT NULL,      -- of it, the house's
    prizes  bigint[] NOT NULL,    -- the best place first
    terms   json NOT NULL,        -- all that it is played by, as it was when it opened
    phase   text NOT NULL DEFAULT 'registering'
        CHECK (phase IN ('registering', 'running', 'finished', 'cancelled', 'rolled_back', 'rolled_forward')),
    created timestamptz NOT NULL DEFAULT now(),
    started timestamptz,
    ended   timestamptz,
    CONSTRAINT tournament_number_is_unique UNIQUE (offer, number),
    CONSTRAINT tournament_fee CHECK (fee >= 0 AND fee < buy_in),
    CONSTRAINT prizes_are_the_pool CHECK (
        sum_of(prizes) = seats * (buy_in - fee) AND cardinality(prizes) BETWEEN 1 AND seats AND 1 <= ALL (prizes)),
    CONSTRAINT tournament_times CHECK (
        (started IS NOT NULL) = (phase NOT IN ('registering', 'cancelled'))
        AND (ended IS NOT NULL) = (phase NOT IN ('registering', 'running')))
);
CREATE INDEX tournaments_that_go_on ON tournaments (offer, number) WHERE phase IN ('registering', 'running');

-- An account may enter, leave and enter again until the start; each time has its number, and each number two keys.
CREATE TABLE tournament_entries (
    tournament text NOT NULL REFERENCES tournaments,
    account    bigint NOT NULL REFERENCES accounts,
    number     integer NOT NULL CHECK (number > 0),
    id         bigint GENERATED ALWAYS AS IDENTITY,  -- the order in which they came
    returned   boolean NOT NULL DEFAULT false,
    seat       smallint CHECK (seat > 0),            -- drawn at the start
    PRIMARY KEY (tournament, account, number),
    CONSTRAINT entry_seat_is_unique UNIQUE (tournament, seat),
    CONSTRAINT returned_entry_has_no_seat CHECK (NOT returned OR seat IS NULL)
);
CREATE INDEX entries_of_account ON tournament_entries (account) WHERE NOT returned;
CREATE UNIQUE INDEX account_is_entered_once ON tournament_entries (tournament, account) WHERE NOT returned;

-- Who finished where. `number` is one player's own, `place` is shared by who tie.
CREATE TABLE tournament_places (
    tournament text NOT NULL REFERENCES tournaments,
    number     smallint NOT NULL CHECK (number > 0),
    place      smallint NOT NULL,
    account    bigint NOT NULL REFERENCES accounts,
    prize      bigint NOT NULL CHECK (prize >= 0),
    paid       bigint REFERENCES transfers,
    PRIMARY KEY (tournament, number),
    CONSTRAINT account_has_one_place UNIQUE (tournament, account),
    CONSTRAINT tie_begins_at_its_place CHECK (place BETWEEN 1 AND number),
    CONSTRAINT nothing_is_not_paid CHECK (paid IS NULL OR prize > 0)
);
CREATE INDEX places_to_be_paid ON tournament_places (tournament, number) WHERE paid IS NULL AND prize > 0;

-- Enforcement ------------------------------------------------------------------------------------------------------

CREATE TRIGGER tournaments_stay BEFORE DELETE OR TRUNCATE ON tournaments
    EXECUTE FUNCTION refuse_change('money was booked under it');
CREATE TRIGGER entries_stay BEFORE DELETE OR TRUNCATE ON tournament_entries
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER places_stay BEFORE DELETE OR TRUNCATE ON tournament_places
    EXECUTE FUNCTION refuse_change('what was written stays');

-- Each row goes one way: all that it was stays, but for what its life changes.
CREATE FUNCTION tournament_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.offer, NEW.number, NEW.seats, NEW.buy_in, NEW.fee, NEW.prizes, NEW.terms::text, NEW.created)
           IS DISTINCT FROM
       (OLD.id, OLD.offer, OLD.number, OLD.seats, OLD.buy_in, OLD.fee, OLD.prizes, OLD.terms::text, OLD.created)
       OR (OLD.phase, NEW.phase) NOT IN (
           ('registering', 'running'), ('registering', 'cancelled'),
           ('running', 'finished'), ('running', 'rolled_back'), ('running', 'rolled_forward'))
       OR OLD.started IS DISTINCT FROM NEW.started AND OLD.started IS NOT NULL
    THEN
        RAISE EXCEPTION 'tournament % goes from % on, and keeps its terms', OLD.id, OLD.phase
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tournament_goes_on BEFORE UPDATE ON tournaments FOR EACH ROW EXECUTE FUNCTION tournament_goes_on();

CREATE FUNCTION entry_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.account, NEW.number, NEW.id) IS DISTINCT FROM
       (OLD.tournament, OLD.account, OLD.number, OLD.id)
       OR OLD.returned OR OLD.seat IS NOT NULL
    THEN
        RAISE EXCEPTION 'the entry of account % is given back, or seated, once', OLD.account
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entry_goes_on BEFORE UPDATE ON tournament_entries FOR EACH ROW EXECUTE FUNCTION entry_goes_on();

CREATE FUNCTION place_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.number, NEW.place, NEW.account, NEW.prize) IS DISTINCT FROM
       (OLD.tournament, OLD.number, OLD.place, OLD.account, OLD.prize)
       OR OLD.paid IS NOT NULL
    THEN
        RAISE EXCEPTION 'place % of % is given, and paid, once', OLD.number, OLD.tournament
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_goes_on BEFORE UPDATE ON tournament_places FOR EACH ROW EXECUTE FUNCTION place_goes_on();

-- What the escrow of a tournament must hold: the entries until the start, then what is not paid of the prizes.
CREATE FUNCTION escrow_owed(of_tournament text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN phase = 'registering' THEN buy_in * (
            SELECT count(*) FROM tournament_entries AS entry WHERE entry.tournament = tournaments.id AND NOT returned)
        WHEN phase IN ('cancelled', 'rolled_back') THEN 0
        ELSE sum_of(prizes) - (
            SELECT coalesce(sum(prize), 0)::bigint FROM tournament_places AS given
            WHERE given.tournament = tournaments.id AND paid IS NOT NULL)
        END
    FROM tournaments WHERE id = of_tournament
$$;

CREATE FUNCTION check_escrow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_tournament text := CASE TG_TABLE_NAME
        WHEN 'tournaments' THEN to_jsonb(NEW) ->> 'id'
        WHEN 'ledger_accounts' THEN to_jsonb(NEW) ->> 'table_id'
        ELSE to_jsonb(NEW) ->> 'tournament' END;
    held          bigint;
    ended         tournaments;
    placed        bigint;
    won           bigint;
BEGIN
    SELECT balance INTO held FROM ledger_accounts WHERE code = 'escrow:' || of_tournament;
    IF held IS DISTINCT FROM escrow_owed(of_tournament) THEN
        RAISE EXCEPTION 'the escrow of % holds %, and owes %', of_tournament, held, escrow_owed(of_tournament)
            USING ERRCODE = 'check_violation', CONSTRAINT = 'escrow_is_what_is_owed', TABLE = TG_TABLE_NAME;
    END IF;
    SELECT * INTO ended FROM tournaments WHERE id = of_tournament AND phase IN ('finished', 'rolled_forward');
    IF FOUND THEN
        SELECT count(*), coalesce(sum(prize), 0) INTO placed, won
        FROM tournament_places WHERE tournament = of_tournament;
        IF placed <> ended.seats OR won <> sum_of(ended.prizes) THEN
            RAISE EXCEPTION '% ended with % places and prizes of %', of_tournament, placed, won
                USING ERRCODE = 'check_violation', CONSTRAINT = 'all_places_are_given', TABLE = TG_TABLE_NAME;
        END IF;
    END IF;
    RETURN NULL;
END $$;
-- At the end of each transaction: in the middle of one, one thing is written before the other.
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER UPDATE OF balance ON ledger_accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'escrow') EXECUTE FUNCTION check_escrow();
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE ON tournaments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE ON tournament_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT OR UPDATE ON tournament_places
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();

-- Before the start -------------------------------------------------------------------------------------------------

-- Opened again on the same terms it is the same tournament.
CREATE FUNCTION open_tournament(
    new_id text, of_offer text, new_number integer, new_seats smallint, new_buy_in bigint, new_fee bigint,
    new_prizes bigint[], new_terms json
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tournaments (id, offer, number, seats, buy_in, fee, prizes, terms)
        VALUES (new_id, of_offer, new_number, new_seats, new_buy_in, new_fee, new_prizes, new_terms)
        ON CONFLICT DO NOTHING;  -- of the id or the number: which one is met first is chance
    IF FOUND THEN
        INSERT INTO ledger_accounts (kind, table_id) VALUES ('escrow', new_id);
    ELSIF NOT EXISTS (
        SELECT FROM tournaments
        WHERE id = new_id
          AND (offer, number, seats, buy_in, fee, prizes, terms::text)
            = (of_offer, new_number, new_seats, new_buy_in, new_fee, new_prizes, new_terms::text))
    THEN
        PERFORM refuse('key_has_other_legs', format('tournament %s was opened on other terms', new_id));
    END IF;
END $$;

-- The tournament, locked until the transaction ends.
CREATE FUNCTION tournament_of(of_tournament text) RETURNS tournaments LANGUAGE plpgsql AS $$
DECLARE
    found_one tournaments;
BEGIN
    SELECT * INTO found_one FROM tournaments WHERE id = of_tournament FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('tournament_exists', format('there is no tournament %s', of_tournament));
    END IF;
    RETURN found_one;
END $$;

CREATE FUNCTION check_registering(tournament tournaments) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF tournament.phase <> 'registering' THEN
        PERFORM refuse('tournament_takes_entries', format('%s is %s', tournament.id, tournament.phase));
    END IF;
END $$;

-- The numbers of an account's entries go up, so that one whose sender was given up cannot come after the next.
CREATE FUNCTION enter_tournament(in_tournament text, player bigint, new_number integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    wallet       bigint := ledger_account_of('wallet:' || player);
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    new_transfer bigint;
    taken        bigint;
BEGIN
    IF wallet IS NULL THEN
        PERFORM refuse('account_exists', format('there is no account %s', player));
    END IF;
    new_transfer := begin_transfer(
        format('sng:%s:entry:%s:%s', in_tournament, player, new_number), 'entry', wallet, escrow, tournament.buy_in);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    -- Also of the offer's other tournaments that take entries: its entries come one after the other.
    PERFORM FROM accounts WHERE id = player FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM tournament_entries AS entry JOIN tournaments AS other ON other.id = entry.tournament
               WHERE account = player AND NOT returned AND offer = tournament.offer AND phase = 'registering') THEN
        PERFORM refuse('account_is_entered_once', format('account %s has entered %s', player, tournament.offer));
    END IF;
    IF EXISTS (SELECT FROM tournament_entries AS entry
               WHERE entry.tournament = in_tournament AND account = player AND number > new_number) THEN
        PERFORM refuse('entry_is_the_last', format('account %s has entered again since', player));
    END IF;
    SELECT count(*) INTO taken FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND NOT returned;
    IF taken >= tournament.seats THEN
        PERFORM refuse('tournament_has_seats', format('%s is full', in_tournament));
    END IF;
    INSERT INTO tournament_entries (tournament, account, number) VALUES (in_tournament, player, new_number);
    INSERT INTO legs VALUES (new_transfer, wallet, -tournament.buy_in), (new_transfer, escrow, tournament.buy_in);
END $$;

CREATE FUNCTION return_entry(in_tournament text, player bigint, of_number integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    wallet       bigint := ledger_account_of('wallet:' || player);
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    new_transfer bigint;
BEGIN
    new_transfer := begin_transfer(
        format('sng:%s:return:%s:%s', in_tournament, player, of_number), 'entry_return', escrow, wallet,
        tournament.buy_in);
    IF new_transfer IS NULL THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    UPDATE tournament_entries AS entry SET returned = true
        WHERE entry.tournament = in_tournament AND account = player AND number = of_number AND NOT returned;
    IF NOT FOUND THEN
        PERFORM refuse('account_is_entered', format('account %s has no such entry in %s', player, in_tournament));
    END IF;
    INSERT INTO legs VALUES (new_transfer, escrow, -tournament.buy_in), (new_transfer, wallet, tournament.buy_in);
END $$;

-- Each of the accounts gets back so much of what the others (escrow and fees) hold for them; all of it in one transfer.
CREATE FUNCTION refund(new_key text, new_kind text, players bigint[], each_gets bigint, sources text[], amounts bigint[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    new_transfer bigint;
BEGIN
    INSERT INTO transfers (key, kind) VALUES (new_key, new_kind) RETURNING id INTO new_transfer;
    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfer, ledger_account_of(source), -amount
        FROM unnest(sources, amounts) AS taken (source, amount) WHERE amount <> 0
        UNION ALL
        SELECT new_transfer, ledger_account_of('wallet:' || player), each_gets FROM unnest(players) AS player;
END $$;

CREATE FUNCTION cancel_tournament(in_tournament text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    players    bigint[];
BEGIN
    IF tournament.phase = 'cancelled' THEN
        RETURN;
    END IF;
    PERFORM check_registering(tournament);
    WITH given_back AS (
        UPDATE tournament_entries AS entry SET returned = true
        WHERE entry.tournament = in_tournament AND NOT returned RETURNING account)
    SELECT coalesce(array_agg(account), '{}') INTO players FROM given_back;
    PERFORM refund(
        format('sng:%s:cancel', in_tournament), 'cancellation', players, tournament.buy_in,
        ARRAY['escrow:' || in_tournament], ARRAY[cardinality(players) * tournament.buy_in]);
    UPDATE tournaments SET phase = 'cancelled', ended = now() WHERE id = in_tournament;
END $$;

-- While it runs: by its owner --------------------------------------------------------------------------------------

-- The n-th of the players has seat n. Started again with the same draw it is the same start.
CREATE FUNCTION start_tournament(in_tournament text, of_epoch bigint, players bigint[]) RETURNS void
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
        IF drawn IS DISTINCT FROM players THEN
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
    UPDATE tournament_entries AS entry SET seat = n
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
    UPDATE tournaments SET phase = 'running', started = now() WHERE id = in_tournament;
END $$;

-- Players who finish together, from number `best` on; who has number 1 ends the tournament, in `ending`. Their prizes
-- are those of their places, however they are shared. Given again they are the same places.
CREATE FUNCTION give_places(
    in_tournament text, of_epoch bigint, best smallint, new_places smallint[], players bigint[], new_prizes bigint[],
    ending text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    worst      smallint := best + cardinality(players) - 1;
    given      bigint;
    same       bigint;
BEGIN
    SELECT count(*) INTO given FROM tournament_places AS p WHERE p.tournament = in_tournament;
    IF EXISTS (SELECT FROM tournament_places AS p WHERE p.tournament = in_tournament AND number = best) THEN
        SELECT count(*) INTO same
        FROM unnest(new_places, players, new_prizes) WITH ORDINALITY AS new (place, account, prize, n)
        JOIN tournament_places AS p USING (place, account, prize)
        WHERE p.tournament = in_tournament AND number = best + n - 1;
        IF same <> cardinality(players) OR (best = 1 AND tournament.phase <> ending) THEN
            PERFORM check_owner(in_tournament, of_epoch);
            PERFORM refuse('key_has_other_legs', format('place %s of %s is given otherwise', best, in_tournament));
        END IF;
        RETURN;
    END IF;
    IF tournament.phase <> 'running' THEN
        PERFORM refuse('tournament_is_running', format('%s is %s', in_tournament, tournament.phase));
    END IF;
    PERFORM check_owner(in_tournament, of_epoch);
    IF best < 1 OR worst <> tournament.seats - given OR worst < best OR (ending = 'rolled_forward' AND best <> 1)
       OR cardinality(new_places) <> cardinality(players) OR cardinality(new_prizes) <> cardinality(players) THEN
        PERFORM refuse('places_come_in_order', format('places %s to %s of %s are not next', best, worst, in_tournament));
    END IF;
    IF sum_of(new_prizes) <> sum_of(tournament.prizes[best:worst]) THEN
        PERFORM refuse('places_have_their_prizes', format('places %s to %s of %s win otherwise', best, worst, in_tournament));
    END IF;
    INSERT INTO tournament_places (tournament, number, place, account, prize)
        SELECT in_tournament, best + n - 1, new.place, new.account, new.prize
        FROM unnest(new_places, players, new_prizes) WITH ORDINALITY AS new (place, account, prize, n)
        JOIN tournament_entries AS entry
            ON entry.tournament = in_tournament AND entry.account = new.account AND seat IS NOT NULL;
    GET DIAGNOSTICS same = ROW_COUNT;
    IF same <> cardinality(players) THEN
        PERFORM refuse('place_has_player', format('a place of %s is for somebody who does not play', in_tournament));
    END IF;
    IF best = 1 THEN
        UPDATE tournaments SET phase = ending, ended = now() WHERE id = in_tournament;
    END IF;
END $$;

CREATE FUNCTION roll_back_tournament(in_tournament text, of_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    players    bigint[];
BEGIN
    IF tournament.phase = 'rolled_back' THEN
        RETURN;
    END IF;
    IF tournament.phase <> 'running' THEN
        PERFORM refuse('tournament_is_running', format('%s is %s', in_tournament, tournament.phase));
    END IF;
    PERFORM check_owner(in_tournament, of_epoch);
    IF EXISTS (SELECT FROM tournament_places AS p WHERE p.tournament = in_tournament AND prize > 0) THEN
        PERFORM refuse('no_prize_is_won', format('a prize of %s is won', in_tournament));
    END IF;
    SELECT array_agg(account) INTO players FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND NOT returned;
    PERFORM refund(
        format('sng:%s:roll_back', in_tournament), 'roll_back', players, tournament.buy_in,
        ARRAY['escrow:' || in_tournament, 'fees'],
        ARRAY[sum_of(tournament.prizes), tournament.seats * tournament.fee]);
    UPDATE tournaments SET phase = 'rolled_back', ended = now() WHERE id = in_tournament;
END $$;

-- Payouts: by anybody ----------------------------------------------------------------------------------------------

-- Returns the prize of the place, paid now or before.
CREATE FUNCTION pay_place(in_tournament text, of_number smallint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    given        tournament_places;
    escrow       bigint := ledger_account_of('escrow:' || in_tournament);
    wallet       bigint;
    new_transfer bigint;
BEGIN
    SELECT * INTO given FROM tournament_places AS p WHERE p.tournament = in_tournament AND number = of_number;
    IF NOT FOUND THEN
        PERFORM refuse('place_is_given', format('place %s of %s is not given', of_number, in_tournament));
    END IF;
    IF given.prize > 0 AND given.paid IS NULL THEN
        wallet := ledger_account_of('wallet:' || given.account);
        INSERT INTO transfers (key, kind) VALUES (format('sng:%s:place:%s', in_tournament, of_number), 'prize')
            RETURNING id INTO new_transfer;
        INSERT INTO legs VALUES (new_transfer, escrow, -given.prize), (new_transfer, wallet, given.prize);
        UPDATE tournament_places AS p SET paid = new_transfer
            WHERE p.tournament = in_tournament AND number = of_number;
    END IF;
    RETURN given.prize;
END $$;
