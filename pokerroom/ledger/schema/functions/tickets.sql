-- Tickets: an entry to a tournament of an offer, paid in advance. A satellite pays them as prizes, or an operator gives one
-- from a source of the cashier. A player's unused tickets are in the account `tickets:<account>`; entering a tournament of the
-- offer uses one by itself. The value of a ticket that cannot be used any more goes to the wallet, or back to its source.

-- A ticket keeps its terms. It pays an entry until that is returned, and is over once.
CREATE OR REPLACE FUNCTION ticket_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.number, NEW.account, NEW.offer, NEW.value, NEW.given, NEW.source, NEW.expires)
       IS DISTINCT FROM (OLD.number, OLD.account, OLD.offer, OLD.value, OLD.given, OLD.source, OLD.expires)
       OR OLD.ended IS NOT NULL
       OR OLD.tournament IS NOT NULL AND NEW.tournament IS NOT NULL
       OR OLD.tournament IS NOT NULL AND NOT EXISTS (
           SELECT FROM tournament_entries AS entry JOIN tournaments ON tournaments.id = entry.tournament
           WHERE (entry.tournament, entry.account, entry.number) = (OLD.tournament, OLD.account, OLD.entry)
             AND (returned OR phase = 'rolled_back'))
    THEN
        RAISE EXCEPTION 'ticket % keeps its terms and pays one entry', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- What the unused tickets of an account are worth.
CREATE OR REPLACE FUNCTION tickets_owed(of_account bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(value), 0)::bigint FROM tickets WHERE account = of_account AND tournament IS NULL AND ended IS NULL
$$;

CREATE OR REPLACE FUNCTION check_tickets() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_account bigint := CASE TG_TABLE_NAME WHEN 'tickets' THEN to_jsonb(NEW) ->> 'account' ELSE to_jsonb(NEW) ->> 'owner' END;
    held       bigint;
BEGIN
    SELECT balance INTO held FROM ledger_accounts WHERE code = 'tickets:' || of_account;
    IF coalesce(held, 0) <> tickets_owed(of_account) THEN
        RAISE EXCEPTION 'the account of the tickets of account % holds %, they are worth %', of_account, held,
            tickets_owed(of_account)
            USING ERRCODE = 'check_violation', CONSTRAINT = 'tickets_are_held', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;

-- The ledger account of the tickets of an account, which is made with the first one.
CREATE OR REPLACE FUNCTION ticket_account_of(of_account bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_accounts (kind, owner) SELECT 'tickets', of_account
        WHERE ledger_account_of('tickets:' || of_account) IS NULL ON CONFLICT DO NOTHING;
    RETURN ledger_account_of('tickets:' || of_account);
END $$;

-- The ticket with which an account enters a tournament: of those that pay it the first to expire; or null. The caller has
-- locked the account.
CREATE OR REPLACE FUNCTION ticket_for(tournament tournaments, player bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT number FROM tickets AS t
    WHERE account = player AND t.tournament IS NULL AND ended IS NULL AND offer = tournament.offer
      AND value = tournament.buy_in AND expires > clock_timestamp()
    ORDER BY expires, number LIMIT 1
$$;

-- What an entry was paid from: the code of the ledger account.
CREATE OR REPLACE FUNCTION payer_of(of_tournament text, player bigint, of_entry integer) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM tickets WHERE (tournament, account, entry) = (of_tournament, player, of_entry))
                THEN 'tickets:' ELSE entry_purse(of_tournament) END || player
$$;

-- The ticket pays nothing any more: its value goes back to its source, or to the wallet. Once.
CREATE OR REPLACE FUNCTION end_ticket(of_number bigint, actor acting) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ticket       tickets;
    new_transfer bigint;
BEGIN
    SELECT * INTO ticket FROM tickets WHERE number = of_number;
    IF NOT FOUND THEN
        PERFORM refuse('ticket_exists', format('there is no ticket %s', of_number));
    END IF;
    PERFORM lock_account(ticket.account);
    SELECT * INTO ticket FROM tickets WHERE number = of_number FOR NO KEY UPDATE;
    IF ticket.ended IS NOT NULL THEN
        RETURN;
    ELSIF ticket.tournament IS NOT NULL THEN
        PERFORM refuse('ticket_is_unused', format('ticket %s pays an entry to %s', of_number, ticket.tournament));
    END IF;
    INSERT INTO transfers (key, kind) VALUES (format('ticket_end:%s:%s', ticket.account, of_number), 'ticket_end')
        RETURNING id INTO new_transfer;
    INSERT INTO legs VALUES
        (new_transfer, ledger_account_of('tickets:' || ticket.account), -ticket.value),
        (new_transfer, ledger_account_of(coalesce('source:' || ticket.source, 'wallet:' || ticket.account)), ticket.value);
    UPDATE tickets SET ended = new_transfer WHERE number = of_number;
    PERFORM log_act(actor, 'cashier.end_ticket', 'account:' || ticket.account,
                    json_build_object('number', of_number, 'offer', ticket.offer, 'value', ticket.value));
END $$;

-- An operator gives a ticket from a source, for so many days. Returns its number; the same number for the same key and terms.
-- It is worth the buy-in of the offer's last tournament with a start.
CREATE OR REPLACE FUNCTION give_ticket(
    of_account bigint, new_key text, of_offer text, days integer, of_source text, actor acting
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    transfer_key text := format('ticket:%s:%s', of_account, new_key);
    source_code  text := 'source:' || of_source;
    known        tickets;
    new_value    bigint;
    new_number   bigint;
    new_transfer bigint;
BEGIN
    PERFORM lock_account(of_account);
    SELECT tickets.* INTO known FROM tickets JOIN transfers ON transfers.id = given WHERE key = transfer_key;
    IF FOUND THEN
        IF (known.offer, known.source) <> (of_offer, of_source) THEN
            PERFORM refuse('cash_key_is_used_once', format('the key %s was used for another ticket', new_key));
        END IF;
        RETURN known.number;
    ELSIF four_eyes() THEN
        PERFORM refuse('cash_has_two_operators', 'two operators must agree: propose the amount by `pokerroom cashier adjust`');
    END IF;
    PERFORM check_not_locked(of_account);
    PERFORM check_source(of_source);
    SELECT buy_in INTO new_value FROM tournaments WHERE offer = of_offer AND starts_ms IS NOT NULL ORDER BY number DESC LIMIT 1;
    IF NOT FOUND THEN
        PERFORM refuse('ticket_has_a_target',
                       format('no tournament of the offer %s was announced: see `pokerroom offer list`', of_offer));
    END IF;
    PERFORM ticket_account_of(of_account);
    PERFORM FROM ledger_accounts WHERE code IN (source_code, 'tickets:' || of_account) ORDER BY id FOR NO KEY UPDATE;
    IF (SELECT balance FROM ledger_accounts WHERE code = source_code) < new_value THEN
        PERFORM refuse('source_holds_it', format('the source %s does not hold %s', of_source, new_value));
    END IF;
    INSERT INTO transfers (key, kind) VALUES (transfer_key, 'ticket') RETURNING id INTO new_transfer;
    INSERT INTO legs VALUES
        (new_transfer, ledger_account_of(source_code), -new_value),
        (new_transfer, ledger_account_of('tickets:' || of_account), new_value);
    INSERT INTO tickets (account, offer, value, given, source, expires)
        VALUES (of_account, of_offer, new_value, new_transfer, of_source, now() + make_interval(days => days))
        RETURNING number INTO new_number;
    PERFORM log_act(actor, 'cashier.give_ticket', 'account:' || of_account,
                    json_build_object('days', days, 'key', new_key, 'number', new_number, 'offer', of_offer,
                                      'source', of_source, 'value', new_value));
    RETURN new_number;
END $$;

-- The unused tickets that pay nothing any more: they have expired, or no tournament of the offer is to come at this price.
CREATE OR REPLACE FUNCTION tickets_due(offers text[], buy_ins bigint[]) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT number FROM tickets AS t
    WHERE t.tournament IS NULL AND ended IS NULL AND (
        expires <= now()
        OR NOT EXISTS (SELECT FROM unnest(offers, buy_ins) AS target (offer, buy_in)
                       WHERE (target.offer, target.buy_in) = (t.offer, t.value))
           AND NOT EXISTS (SELECT FROM tournaments AS other
                           WHERE (other.offer, other.buy_in) = (t.offer, t.value) AND phase IN ('registering', 'running')))
    ORDER BY number
$$;
