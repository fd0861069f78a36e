-- The history of an account: triggers add rounds and tournaments in the transaction that ends them, and what they cost.

CREATE OR REPLACE FUNCTION add_round_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, round)
        SELECT account, NEW.transfer, NEW.ended, NEW.round FROM round_players WHERE round = NEW.round;
    INSERT INTO play_results (account, lost)
        SELECT account, staked + tipped - paid FROM round_players WHERE round = NEW.round AND staked + tipped <> paid;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION add_place_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, tournament)
        VALUES (NEW.account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.tournament);
    INSERT INTO play_results (account, lost)
        SELECT NEW.account, paid - NEW.prize - bounties_won(NEW.tournament, NEW.account)
        FROM paid_into(NEW.tournament, NEW.account) AS paid
        WHERE paid <> NEW.prize + bounties_won(NEW.tournament, NEW.account);
    RETURN NULL;
END $$;

-- Adds the players that were in the tournament and have no place yet.
CREATE OR REPLACE FUNCTION add_roll_back_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_history (account, number, ended, tournament)
        SELECT account, nextval(pg_get_serial_sequence('transfers', 'id')), now(), NEW.id
        FROM (SELECT account FROM tournament_entries AS entry
              WHERE entry.tournament = NEW.id AND NOT returned AND NOT replaced ORDER BY id) AS entered
        ON CONFLICT (tournament, account) DO NOTHING;
    -- Those who had a place, without a prize, have their buy-in back, too.
    INSERT INTO play_results (account, lost)
        SELECT account, -brought FROM tournament_places AS given, paid_into(NEW.id, given.account) AS brought
        WHERE given.tournament = NEW.id AND brought <> 0;
    RETURN NULL;
END $$;

-- The record of a hand for an operator; the look is logged.
CREATE OR REPLACE FUNCTION read_hand(of_hand text, actor acting) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found_one text;
BEGIN
    SELECT record::text INTO found_one FROM hands WHERE hand_id = of_hand;
    IF FOUND THEN
        PERFORM log_act(actor, 'hand.read', of_hand, '{}');
    END IF;
    RETURN found_one;
END $$;

-- The numbers from this one on were booked at that time or later. Numbers grow with time, but for transactions that
-- overlapped: a caller leaves some room. No index has the times, because each transfer would pay for it.
CREATE OR REPLACE FUNCTION number_booked_at(at timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
    earlier bigint := 0;
    later   bigint := coalesce((SELECT max(id) FROM transfers), 0) + 1;
    middle  bigint;
    probe   record;
BEGIN
    WHILE later - earlier > 1 LOOP
        middle := earlier + (later - earlier) / 2;
        SELECT id, created INTO probe FROM transfers WHERE id >= middle ORDER BY id LIMIT 1;
        IF NOT FOUND OR probe.id >= later OR probe.created >= at THEN
            later := middle;
        ELSE
            earlier := probe.id;
        END IF;
    END LOOP;
    RETURN later;
END $$;

-- Between which numbers, both excluded, hands are that ended since then and until then (ms; `until` may be null), or are
-- of a tournament. A hand is settled after its end: at most a day later, and clocks differ by less than an hour.
CREATE OR REPLACE FUNCTION hand_numbers(
    of_account bigint, of_table text, since_ms bigint, until_ms bigint, OUT after bigint, OUT before bigint
) LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
    of_tournament tournaments;
BEGIN
    after := 0;
    before := 9223372036854775807;
    IF since_ms > 0 THEN
        after := number_booked_at(timestamptz 'epoch' + since_ms * interval '1 ms' - interval '1 hour') - 1;
    END IF;
    IF until_ms < extract(epoch FROM now() - interval '1 day') * 1000 THEN
        before := number_booked_at(timestamptz 'epoch' + until_ms * interval '1 ms' + interval '1 day');
    END IF;
    SELECT * INTO of_tournament FROM tournaments WHERE id = tournament_at(of_table);
    IF of_tournament.started IS NOT NULL THEN
        after := greatest(after, number_booked_at(of_tournament.started - interval '1 hour') - 1);
        IF of_tournament.phase <> 'running' THEN
            before := least(before, (SELECT max(number) FROM account_history
                                     WHERE tournament = of_tournament.id AND account = coalesce(of_account, account)));
        END IF;
    END IF;
END $$;
