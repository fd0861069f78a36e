-- What tournaments, entries, tables and places keep, whatever function writes them; and the figures that follow from them.

-- The table of a seat, by its number in the tournament: ten for each table.
CREATE OR REPLACE FUNCTION table_of_seat(seat integer) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT (seat - 1) / 10 + 1 $$;

CREATE OR REPLACE FUNCTION sum_of(amounts bigint[]) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(sum(amount), 0)::bigint FROM unnest(amounts) AS amount $$;

-- A tournament keeps its terms, and its phases follow each other. A running one may be paused.
CREATE OR REPLACE FUNCTION tournament_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.offer, NEW.number, NEW.seats, NEW.buy_in, NEW.fee, NEW.terms::text, NEW.created,
        NEW.entries_max, NEW.guarantee, NEW.bounty, NEW.bounty_cash_bps,
        NEW.ticket_offer, NEW.ticket_value, NEW.ticket_days)
           IS DISTINCT FROM
       (OLD.id, OLD.offer, OLD.number, OLD.seats, OLD.buy_in, OLD.fee, OLD.terms::text, OLD.created,
        OLD.entries_max, OLD.guarantee, OLD.bounty, OLD.bounty_cash_bps,
        OLD.ticket_offer, OLD.ticket_value, OLD.ticket_days)
       -- a private sit-and-go starts when it is full, or at the word of its host (`begin_private`)
       OR (NEW.starts_ms, NEW.players_min) IS DISTINCT FROM (OLD.starts_ms, OLD.players_min)
          AND NOT (is_private(OLD.id) AND (OLD.phase, NEW.phase) = ('registering', 'registering')
                   AND NEW.starts_ms <= OLD.starts_ms AND NEW.players_min <= OLD.players_min)
       OR (NEW.prizes, NEW.closed) IS DISTINCT FROM (OLD.prizes, OLD.closed)
          AND (OLD.closed IS NOT NULL OR OLD.starts_ms IS NULL OR (OLD.phase, NEW.phase) <> ('running', 'running'))
       OR (OLD.phase, NEW.phase) NOT IN (
           ('registering', 'running'), ('registering', 'cancelled'), ('running', 'running'),
           ('running', 'finished'), ('running', 'rolled_back'), ('running', 'rolled_forward'))
          AND NOT (is_private(OLD.id) AND (OLD.phase, NEW.phase) = ('registering', 'registering'))
       OR OLD.started IS DISTINCT FROM NEW.started AND OLD.started IS NOT NULL
       OR OLD.has_deal AND NOT NEW.has_deal
    THEN
        RAISE EXCEPTION 'tournament % keeps its terms and does not go from % to this phase', OLD.id, OLD.phase
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- A tournament keeps the stack it was started with.
CREATE OR REPLACE FUNCTION stack_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'tournament % was started with % chips each', OLD.id, OLD.stack
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- An entry is returned once, or gets a seat once. A seated entry then changes by one hand or one move at a time. One
-- without chips may be replaced by another one of its account, or loses the right to a rebuy. Its head grows, or is paid;
-- its chips grow by what it has bought.
CREATE OR REPLACE FUNCTION entry_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.account, NEW.number, NEW.id) IS DISTINCT FROM
       (OLD.tournament, OLD.account, OLD.number, OLD.id)
       OR OLD.returned OR OLD.replaced
       OR OLD.seat IS NOT NULL AND OLD.bought <> NEW.bought
          AND (NEW.chips = OLD.chips + NEW.bought - OLD.bought AND NEW.bought > OLD.bought
              AND (NEW.seat, NEW.returned, NEW.replaced, NEW.chips_before, NEW.hands, NEW.out_in, NEW.head, NEW.gone, OLD.gone)
              IS NOT DISTINCT FROM
              (OLD.seat, OLD.returned, OLD.replaced, OLD.chips_before, OLD.hands, NULL::bigint, OLD.head, false, false)) IS NOT TRUE
       OR OLD.seat IS NOT NULL AND OLD.gone <> NEW.gone
          AND (NEW.gone AND OLD.chips = 0
              AND (NEW.seat, NEW.returned, NEW.replaced, NEW.chips, NEW.chips_before, NEW.hands, NEW.out_in, NEW.head, NEW.bought)
              IS NOT DISTINCT FROM (OLD.seat, OLD.returned, OLD.replaced, OLD.chips, OLD.chips_before, OLD.hands, OLD.out_in,
                                    OLD.head, OLD.bought)) IS NOT TRUE
       OR OLD.seat IS NULL AND (NEW.bought <> 0 OR NEW.gone)
       OR OLD.seat IS NOT NULL AND OLD.bought = NEW.bought AND OLD.gone = NEW.gone
          AND (NEW.seat, NEW.returned, NEW.replaced, NEW.chips_before, NEW.hands, OLD.out_in, NEW.head) IS DISTINCT FROM
              (OLD.seat, OLD.returned, OLD.replaced, OLD.chips, OLD.hands + 1, NULL::bigint, OLD.head)
          AND (OLD.chips > 0 AND (NEW.returned, NEW.replaced, NEW.chips, NEW.chips_before, NEW.hands, NEW.out_in, NEW.head)
              IS NOT DISTINCT FROM
              (OLD.returned, OLD.replaced, OLD.chips, OLD.chips_before, OLD.hands, OLD.out_in, OLD.head)) IS NOT TRUE
          AND (OLD.chips = 0
              AND (NEW.seat, NEW.returned, NEW.replaced, NEW.chips, NEW.chips_before, NEW.hands, NEW.out_in, NEW.head)
              IS NOT DISTINCT FROM
              (OLD.seat, OLD.returned, true, OLD.chips, OLD.chips_before, OLD.hands, OLD.out_in, OLD.head)) IS NOT TRUE
          AND ((NEW.head = 0 OR OLD.chips > 0 AND NEW.head > OLD.head)
              AND (NEW.seat, NEW.returned, NEW.replaced, NEW.chips, NEW.chips_before, NEW.hands, NEW.out_in)
              IS NOT DISTINCT FROM
              (OLD.seat, OLD.returned, OLD.replaced, OLD.chips, OLD.chips_before, OLD.hands, OLD.out_in)) IS NOT TRUE
    THEN
        RAISE EXCEPTION 'the entry of account % is returned once, or seated once', OLD.account
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- What a tournament sells stays as it was opened; it is on sale or not.
CREATE OR REPLACE FUNCTION sale_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.kind, NEW.prize, NEW.fee, NEW.chips, NEW.most)
       IS DISTINCT FROM (OLD.tournament, OLD.kind, OLD.prize, OLD.fee, OLD.chips, OLD.most) THEN
        RAISE EXCEPTION 'what % sells stays', OLD.tournament
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- The chips of a purchase are given once.
CREATE OR REPLACE FUNCTION purchase_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.account, NEW.kind, NEW.number, NEW.entry, NEW.id) IS DISTINCT FROM
       (OLD.tournament, OLD.account, OLD.kind, OLD.number, OLD.entry, OLD.id) OR OLD.table_number IS NOT NULL THEN
        RAISE EXCEPTION 'the chips of a purchase of account % are given once', OLD.account
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- A table is closed once, and its hands are counted one by one.
CREATE OR REPLACE FUNCTION tournament_table_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.number) IS DISTINCT FROM (OLD.tournament, OLD.number) OR OLD.closed
       OR NEW.hands NOT IN (OLD.hands, OLD.hands + 1) THEN
        RAISE EXCEPTION 'table % of % is closed once, and counts its hands', OLD.number, OLD.tournament
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- A place is given once and paid once.
CREATE OR REPLACE FUNCTION place_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.tournament, NEW.number, NEW.place, NEW.account, NEW.prize) IS DISTINCT FROM
       (OLD.tournament, OLD.number, OLD.place, OLD.account, OLD.prize)
       OR OLD.paid IS NOT NULL
    THEN
        RAISE EXCEPTION 'place % of % is given once and paid once', OLD.number, OLD.tournament
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- The number of entries that were not returned, those that were replaced among them.
CREATE OR REPLACE FUNCTION entries_of(of_tournament text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM tournament_entries AS entry WHERE entry.tournament = of_tournament AND NOT returned
$$;

-- The number of players: a re-entry makes no new one.
CREATE OR REPLACE FUNCTION players_of(of_tournament text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM tournament_entries AS entry
    WHERE entry.tournament = of_tournament AND NOT returned AND NOT replaced
$$;

-- The part of the price of all rebuys and add-ons that is for the prizes.
CREATE OR REPLACE FUNCTION sold_prizes_of(of_tournament text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(prize), 0)::bigint FROM tournament_purchases AS bought JOIN tournament_sales USING (tournament, kind)
    WHERE bought.tournament = of_tournament
$$;

-- The fees of all rebuys and add-ons.
CREATE OR REPLACE FUNCTION sold_fees_of(of_tournament text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(fee), 0)::bigint FROM tournament_purchases AS bought JOIN tournament_sales USING (tournament, kind)
    WHERE bought.tournament = of_tournament
$$;

-- What entries, rebuys and add-ons bring to the prizes.
CREATE OR REPLACE FUNCTION brought_to(tournament tournaments) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT entries_of(tournament.id) * (tournament.buy_in - tournament.fee - tournament.bounty) + sold_prizes_of(tournament.id)
$$;

-- What the escrow of a tournament must hold: before the start the entries, after it the prizes that are not paid. While
-- entries are open the prizes are not fixed: it holds what entries, rebuys and add-ons bring.
CREATE OR REPLACE FUNCTION escrow_owed(of_tournament text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN phase = 'registering' THEN (buy_in - bounty) * entries_of(id)
        WHEN phase IN ('cancelled', 'rolled_back') THEN 0
        WHEN starts_ms IS NOT NULL AND closed IS NULL THEN brought_to(tournaments)
        ELSE sum_of(prizes) - (
            SELECT coalesce(sum(prize), 0)::bigint FROM tournament_places AS given
            WHERE given.tournament = tournaments.id AND paid IS NOT NULL)
        END
    FROM tournaments WHERE id = of_tournament
$$;

-- What the account of the heads of a tournament must hold: `tournament_heads` added up again.
CREATE OR REPLACE FUNCTION bounties_owed(of_tournament text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(head), 0)::bigint FROM tournament_entries AS entry WHERE entry.tournament = of_tournament
$$;

-- Adds the change of the heads to the sums of their tournaments, in the order of their names: two batches of hands cannot
-- wait for each other. The room may not write the sums: this runs as the owner of the tables.
CREATE OR REPLACE FUNCTION sum_up_heads() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO tournament_heads AS kept (tournament, heads)
            SELECT tournament, sum(head) FROM entries_now WHERE head <> 0 GROUP BY tournament ORDER BY tournament
            ON CONFLICT (tournament) DO UPDATE SET heads = kept.heads + EXCLUDED.heads;
        RETURN NULL;
    END IF;
    INSERT INTO tournament_heads AS kept (tournament, heads)
        SELECT tournament, sum(head) FROM (
            SELECT tournament, head FROM entries_now WHERE head <> 0
            UNION ALL
            SELECT tournament, -head FROM entries_before WHERE head <> 0) AS change
        GROUP BY tournament HAVING sum(head) <> 0 ORDER BY tournament
        ON CONFLICT (tournament) DO UPDATE SET heads = kept.heads + EXCLUDED.heads;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION sum_up_heads() FROM PUBLIC;

CREATE OR REPLACE FUNCTION check_bounties() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_tournament text := CASE TG_TABLE_NAME
        WHEN 'ledger_accounts' THEN to_jsonb(NEW) ->> 'table_id' ELSE to_jsonb(NEW) ->> 'tournament' END;
    held          bigint;
    kept          bigint;
BEGIN
    SELECT (SELECT balance FROM ledger_accounts WHERE code = 'bounties:' || of_tournament),
           (SELECT heads FROM tournament_heads WHERE tournament = of_tournament) INTO held, kept;
    IF coalesce(held, 0) <> coalesce(kept, 0) THEN
        RAISE EXCEPTION 'the bounties of % are %, its heads are %', of_tournament, held, kept
            USING ERRCODE = 'check_violation', CONSTRAINT = 'bounties_are_the_heads', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;

-- An entry that was returned, or is out, has no head at the end of the transaction.
CREATE OR REPLACE FUNCTION check_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM tournament_entries AS entry
               WHERE (tournament, account, number) = (NEW.tournament, NEW.account, NEW.number)
                 AND head > 0 AND (returned OR chips = 0))
    THEN
        RAISE EXCEPTION 'entry % of account % in % is over, and has a head', NEW.number, NEW.account, NEW.tournament
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION check_escrow() RETURNS trigger LANGUAGE plpgsql AS $$
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
        RAISE EXCEPTION 'the escrow of % holds %, and must hold %', of_tournament, held, escrow_owed(of_tournament)
            USING ERRCODE = 'check_violation', CONSTRAINT = 'escrow_is_what_is_owed', TABLE = TG_TABLE_NAME;
    END IF;
    SELECT * INTO ended FROM tournaments WHERE id = of_tournament AND phase IN ('finished', 'rolled_forward');
    IF FOUND THEN
        SELECT count(*), coalesce(sum(prize), 0) INTO placed, won
        FROM tournament_places WHERE tournament = of_tournament;
        IF placed <> players_of(of_tournament) OR won <> sum_of(ended.prizes) OR bounties_owed(of_tournament) <> 0 THEN
            RAISE EXCEPTION '% ended with % places and prizes of %', of_tournament, placed, won
                USING ERRCODE = 'check_violation', CONSTRAINT = 'all_places_are_given', TABLE = TG_TABLE_NAME;
        END IF;
    END IF;
    RETURN NULL;
END $$;
