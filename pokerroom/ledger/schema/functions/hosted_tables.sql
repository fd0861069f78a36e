-- Tables that players open for their guests: who may know of them, and their end.
--
-- The row of a table is locked before its guests change, and the account before its tables are counted. `version` grows
-- with every change, so that each node sees which tables it must read again.

-- Whether a table is open, or a sit-and-go not over: it counts for the limits.
CREATE OR REPLACE FUNCTION goes_on(hosted hosted_tables) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT hosted.closed IS NULL AND (hosted.tournament IS NULL OR EXISTS (
        SELECT FROM tournaments WHERE id = hosted.tournament AND phase IN ('registering', 'running')))
$$;

-- Opens a table, or a sit-and-go that there is, if the host and the room have fewer than they may, and the host has opened
-- fewer in a day: each leaves its row for ever.
CREATE OR REPLACE FUNCTION open_hosted_table(
    new_id text, of_host bigint, new_terms jsonb, new_code text, of_club text,
    own_max integer, day_max integer, room_max integer, new_tournament text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    own     bigint;
    in_room bigint;
BEGIN
    PERFORM lock_account(of_host);
    PERFORM check_not_locked(of_host);
    IF of_club IS NOT NULL THEN
        PERFORM club_role(of_club, of_host, 'member');
        IF EXISTS (SELECT FROM club_members WHERE club = of_club AND account = of_host AND leaving) THEN
            PERFORM refuse('club_role_is_held', format('account %s leaves %s', of_host, of_club));
        END IF;
    END IF;
    SELECT count(*) FILTER (WHERE host = of_host), count(*) INTO own, in_room FROM hosted_tables
        WHERE closed IS NULL AND goes_on(hosted_tables);
    IF own >= own_max OR in_room >= room_max OR (SELECT count(*) FROM hosted_tables
            WHERE host = of_host AND opened > now() - interval '1 day') >= day_max THEN
        PERFORM refuse('hosted_tables_are_few', format('account %s hosts %s tables, the room has %s', of_host, own, in_room));
    END IF;
    INSERT INTO hosted_tables (table_id, host, terms, code, club, tournament)
        VALUES (new_id, of_host, new_terms, new_code, of_club, new_tournament);
END $$;

-- What is stored of the address of a guest: it tells whether two guests of one table have the same. Null for none.
CREATE OR REPLACE FUNCTION address_mark(of_table text, address text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN address <> '' THEN sha256(convert_to(of_table || ' ' || address, 'UTF8')) END
$$;

-- Makes an account a guest of a table that is locked, unless it is one, or the host.
CREATE OR REPLACE FUNCTION add_guest(hosted hosted_tables, of_account bigint, mark bytea, guests_max integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF of_account = hosted.host
            OR EXISTS (SELECT FROM hosted_guests WHERE table_id = hosted.table_id AND account = of_account) THEN
        RETURN;
    END IF;
    IF (SELECT count(*) FROM hosted_guests WHERE table_id = hosted.table_id AND removed IS NULL) >= guests_max THEN
        PERFORM refuse('hosted_guests_are_few', format('%s has %s guests', hosted.table_id, guests_max));
    END IF;
    INSERT INTO hosted_guests (table_id, account, address) VALUES (hosted.table_id, of_account, mark);
    UPDATE hosted_tables SET version = version + 1 WHERE table_id = hosted.table_id;
END $$;

-- Makes an account a guest of a table that is locked; null: none was found. Returns the table. What is refused has the
-- name `refusal`. A table of a club admits members alone. An account that was opened after a guest of the same address
-- was removed is not admitted.
CREATE OR REPLACE FUNCTION admit_guest(
    hosted hosted_tables, of_account bigint, with_address text, guests_max integer, refusal text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    mark bytea;
BEGIN
    IF hosted.table_id IS NULL OR EXISTS (SELECT FROM hosted_guests
                            WHERE table_id = hosted.table_id AND account = of_account AND removed IS NOT NULL)
            OR (hosted.club IS NOT NULL AND NOT EXISTS (
                SELECT FROM club_members WHERE club = hosted.club AND account = of_account)) THEN
        PERFORM refuse(refusal, 'no open table admits the account by this');
    END IF;
    mark := address_mark(hosted.table_id, with_address);
    IF of_account <> hosted.host
            AND NOT EXISTS (SELECT FROM hosted_guests WHERE table_id = hosted.table_id AND account = of_account)
            AND EXISTS (SELECT FROM hosted_guests JOIN accounts ON accounts.id = of_account
                        WHERE table_id = hosted.table_id AND address = mark AND removed < accounts.created) THEN
        PERFORM refuse(refusal, 'a guest of this address was removed');
    END IF;
    PERFORM add_guest(hosted, of_account, mark, guests_max);
    RETURN hosted.table_id;
END $$;

-- Makes an account a guest by the code of the link.
CREATE OR REPLACE FUNCTION join_hosted_table(with_code text, of_account bigint, with_address text, guests_max integer)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables;
BEGIN
    PERFORM lock_account(of_account);
    PERFORM check_not_locked(of_account);
    SELECT * INTO hosted FROM hosted_tables WHERE code = with_code AND closing IS NULL FOR UPDATE;
    RETURN admit_guest(hosted, of_account, with_address, guests_max, 'hosted_code_is_valid');
END $$;

-- Makes an account a guest by the password, of which the room has looked at this hash.
CREATE OR REPLACE FUNCTION enter_hosted_table(
    of_table text, with_hash text, of_account bigint, with_address text, guests_max integer
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables;
BEGIN
    PERFORM lock_account(of_account);
    PERFORM check_not_locked(of_account);
    SELECT * INTO hosted FROM hosted_tables
        WHERE table_id = of_table AND guest_password_hash = with_hash AND closing IS NULL FOR UPDATE;
    PERFORM admit_guest(hosted, of_account, with_address, guests_max, 'table_password_is_right');
END $$;

-- Refuses an order of an account that is not the host. To an account that is no guest the table does not exist; null: there
-- is none.
CREATE OR REPLACE FUNCTION check_host(hosted hosted_tables, of_table text, of_host bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF hosted.table_id IS NULL OR (hosted.host <> of_host AND NOT EXISTS (
            SELECT FROM hosted_guests WHERE table_id = of_table AND account = of_host AND removed IS NULL)) THEN
        PERFORM refuse('hosted_table_is_known', format('there is no table %s for account %s', of_table, of_host));
    END IF;
    IF hosted.host <> of_host THEN
        PERFORM refuse('host_gives_orders', format('account %s is a guest of %s', of_host, of_table));
    END IF;
END $$;

-- Locks a table for an order of its host.
CREATE OR REPLACE FUNCTION hosted_table_of(of_table text, of_host bigint) RETURNS hosted_tables LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables;
BEGIN
    SELECT * INTO hosted FROM hosted_tables WHERE table_id = of_table AND tournament IS NULL AND closed IS NULL FOR UPDATE;
    PERFORM check_host(hosted, of_table, of_host);
    RETURN hosted;
END $$;

-- Carries out an order of the host; the same order again changes nothing.
CREATE OR REPLACE FUNCTION change_hosted_table(of_table text, of_host bigint, wanted text, new_code text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables := hosted_table_of(of_table, of_host);
BEGIN
    IF hosted.closing IS NOT NULL AND wanted <> 'close' THEN
        PERFORM refuse('hosted_table_stays_open', format('%s is closing', of_table));
    END IF;
    UPDATE hosted_tables SET
        version = version + 1,
        paused = CASE wanted WHEN 'pause' THEN true WHEN 'resume' THEN false ELSE paused END,
        approves = CASE wanted WHEN 'approve_seats' THEN true WHEN 'open_seats' THEN false ELSE approves END,
        code = CASE wanted WHEN 'new_link' THEN new_code ELSE code END,
        closing = CASE wanted WHEN 'close' THEN now() ELSE closing END
    WHERE table_id = of_table AND CASE wanted
        WHEN 'pause' THEN NOT paused WHEN 'resume' THEN paused WHEN 'close' THEN closing IS NULL
        WHEN 'approve_seats' THEN NOT approves WHEN 'open_seats' THEN approves ELSE true END;
    IF wanted = 'approve_seats' THEN
        UPDATE hosted_guests SET seat = 'accepted'
            WHERE table_id = of_table AND account IN (SELECT seats.account FROM seats WHERE seats.table_id = of_table);
    END IF;
END $$;

-- Sets the hash of the password of a table or a sit-and-go; null: none. Guests stay guests.
CREATE OR REPLACE FUNCTION set_table_password(of_table text, of_host bigint, new_hash text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables;
BEGIN
    SELECT * INTO hosted FROM hosted_tables WHERE table_id = of_table AND closed IS NULL FOR UPDATE;
    PERFORM check_host(hosted, of_table, of_host);
    IF hosted.closing IS NOT NULL THEN
        PERFORM refuse('hosted_table_stays_open', format('%s is closing', of_table));
    END IF;
    UPDATE hosted_tables SET version = version + 1, guest_password_hash = new_hash
        WHERE table_id = of_table AND guest_password_hash IS DISTINCT FROM new_hash;
END $$;

-- Gives a table other terms; the same terms again change nothing. While another account than the host has a seat, the amount
-- `stake` of the terms at most doubles, and rises once in `rest_s`.
CREATE OR REPLACE FUNCTION change_hosted_terms(of_table text, of_host bigint, new_terms jsonb, stake text, rest_s integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables := hosted_table_of(of_table, of_host);
    before bigint := hosted.terms ->> stake;
    wanted bigint := new_terms ->> stake;
BEGIN
    IF hosted.closing IS NOT NULL THEN
        PERFORM refuse('hosted_table_stays_open', format('%s is closing', of_table));
    END IF;
    IF wanted > before AND (wanted > 2 * before OR hosted.raised > now() - make_interval(secs => rest_s))
            AND EXISTS (SELECT FROM seats WHERE seats.table_id = of_table AND seats.account <> of_host) THEN
        PERFORM refuse('stakes_rise_slowly', format('others sit at %s', of_table));
    END IF;
    UPDATE hosted_tables SET version = version + 1, terms = new_terms,
        raised = CASE WHEN wanted > before THEN now() ELSE raised END
    WHERE table_id = of_table AND terms <> new_terms;
END $$;

-- The guest of this name, as for a log-in. The table is locked.
CREATE OR REPLACE FUNCTION guest_of(of_table text, of_host bigint, of_name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
BEGIN
    SELECT account INTO found FROM hosted_guests JOIN accounts ON accounts.id = account
        WHERE table_id = of_table AND removed IS NULL AND account <> of_host
            AND lower(name COLLATE "C") = lower(of_name COLLATE "C");
    IF found IS NULL THEN
        PERFORM refuse('guest_is_known', format('%s has no such guest', of_table));
    END IF;
    RETURN found;
END $$;

-- Locks a table for an order of its host about a guest. Returns the guest.
CREATE OR REPLACE FUNCTION guest_named(of_table text, of_host bigint, of_name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables := hosted_table_of(of_table, of_host);
BEGIN
    IF hosted.closing IS NOT NULL THEN
        PERFORM refuse('hosted_table_stays_open', format('%s is closing', of_table));
    END IF;
    RETURN guest_of(of_table, of_host, of_name);
END $$;

-- Removes a guest for ever; of a sit-and-go before its start, with the entry. The address is forgotten if it is that of the
-- host.
CREATE OR REPLACE FUNCTION remove_guest(of_table text, of_host bigint, of_name text, own_address text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    of_tournament text := (SELECT tournament FROM hosted_tables WHERE table_id = of_table);
    guest         bigint;
BEGIN
    guest := CASE WHEN of_tournament IS NULL THEN guest_named(of_table, of_host, of_name)
                  ELSE entrant_named(of_table, of_host, of_name) END;
    UPDATE hosted_guests SET removed = now(), address = nullif(address, address_mark(of_table, own_address))
        WHERE table_id = of_table AND account = guest;
    UPDATE hosted_tables SET version = version + 1 WHERE table_id = of_table;
END $$;

-- Notes that a guest asks for a seat, if the guest may ask.
CREATE OR REPLACE FUNCTION ask_seat(of_table text, of_account bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hosted hosted_tables;
BEGIN
    SELECT * INTO hosted FROM hosted_tables WHERE table_id = of_table AND tournament IS NULL AND closed IS NULL FOR UPDATE;
    IF NOT FOUND OR (hosted.host <> of_account AND NOT EXISTS (
            SELECT FROM hosted_guests WHERE table_id = of_table AND account = of_account AND removed IS NULL)) THEN
        PERFORM refuse('hosted_table_is_known', format('there is no table %s for account %s', of_table, of_account));
    ELSIF hosted.closing IS NOT NULL THEN
        PERFORM refuse('hosted_table_stays_open', format('%s is closing', of_table));
    END IF;
    UPDATE hosted_guests SET seat = 'asked'
        WHERE table_id = of_table AND account = of_account AND seat IS NULL AND hosted.approves AND account <> hosted.host;
    IF FOUND THEN
        UPDATE hosted_tables SET version = version + 1 WHERE table_id = of_table;
    END IF;
END $$;

-- Accepts or refuses a guest, who need not have asked.
CREATE OR REPLACE FUNCTION answer_seat(of_table text, of_host bigint, of_name text, accepts boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    guest  bigint := guest_named(of_table, of_host, of_name);
    answer text := CASE WHEN accepts THEN 'accepted' ELSE 'refused' END;
BEGIN
    UPDATE hosted_guests SET seat = answer
        WHERE table_id = of_table AND account = guest AND seat IS DISTINCT FROM answer;
    IF FOUND THEN
        UPDATE hosted_tables SET version = version + 1 WHERE table_id = of_table;
    END IF;
END $$;

-- Makes a guest the host, if it hosts fewer tables than it may; the host before is an accepted guest.
CREATE OR REPLACE FUNCTION give_host(of_table text, of_host bigint, of_name text, own_max integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    guest bigint;
BEGIN
    -- The account is locked before the table. Who has no such table hears nothing of the name.
    SELECT id INTO guest FROM accounts WHERE lower(name COLLATE "C") = lower(of_name COLLATE "C") FOR NO KEY UPDATE;
    guest := guest_named(of_table, of_host, of_name);
    PERFORM check_not_locked(guest);
    IF leaves_club(of_table, guest) THEN
        PERFORM refuse('guest_is_known', format('account %s leaves the club of %s', guest, of_table));
    END IF;
    IF (SELECT count(*) FROM hosted_tables WHERE host = guest AND goes_on(hosted_tables)) >= own_max THEN
        PERFORM refuse('hosted_tables_are_few', format('account %s hosts as many tables as it may', guest));
    END IF;
    UPDATE hosted_tables SET host = guest, version = version + 1 WHERE table_id = of_table;
    INSERT INTO hosted_guests (table_id, account, seat) VALUES (of_table, of_host, 'accepted')
        ON CONFLICT (table_id, account) DO UPDATE SET seat = 'accepted';
END $$;

-- Moves chips from the wallet of the host to that of a guest, once for each key. At a table of a club its managers issue chips.
CREATE OR REPLACE FUNCTION give_chips(of_table text, of_host bigint, of_name text, with_key text, moved bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    new_transfer bigint;
    guest        bigint;
BEGIN
    INSERT INTO transfers (key, kind) VALUES (format('gift:%s:%s:%s', of_table, of_host, with_key), 'gift')
        ON CONFLICT (key) DO NOTHING RETURNING id INTO new_transfer;
    IF new_transfer IS NULL THEN
        PERFORM FROM hosted_gifts JOIN accounts ON accounts.id = taker
            WHERE giver = of_host AND key = with_key AND table_id = of_table AND amount = moved
                AND lower(name COLLATE "C") = lower(of_name COLLATE "C");
        IF NOT FOUND THEN
            PERFORM refuse('gift_key_is_used_once', format('the key %s was used for another gift', with_key));
        END IF;
        PERFORM hosted_table_of(of_table, of_host);
        RETURN;
    END IF;
    PERFORM lock_account(of_host);
    PERFORM check_not_locked(of_host);
    guest := guest_named(of_table, of_host, of_name);
    IF EXISTS (SELECT FROM hosted_tables WHERE table_id = of_table AND club IS NOT NULL) THEN
        PERFORM refuse('club_role_is_held', format('%s is played for chips of a club', of_table));
    END IF;
    INSERT INTO hosted_gifts (table_id, giver, key, taker, amount) VALUES (of_table, of_host, with_key, guest, moved);
    INSERT INTO legs VALUES
        (new_transfer, ledger_account_of('wallet:' || of_host), -moved), (new_transfer, ledger_account_of('wallet:' || guest), moved);
    UPDATE hosted_tables SET version = version + 1 WHERE table_id = of_table;
END $$;

-- Closes a closing table for good, unless a seat is held. Returns whether it is closed for good.
CREATE OR REPLACE FUNCTION end_hosted_table(of_table text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM hosted_tables WHERE table_id = of_table AND closed IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN true;
    END IF;
    UPDATE hosted_tables SET closed = now(), code = NULL, guest_password_hash = NULL, version = version + 1
        WHERE table_id = of_table AND closing IS NOT NULL AND NOT EXISTS (SELECT FROM seats WHERE table_id = of_table);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM hosted_guests WHERE table_id = of_table;
    RETURN true;
END $$;

-- Refuses a seat to an account that is not admitted, or at a table that closes. Other tables are for everyone.
CREATE OR REPLACE FUNCTION check_hosted(of_table text, of_account bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF of_table LIKE 'host:%' AND NOT EXISTS (
            SELECT FROM hosted_tables AS hosted WHERE table_id = of_table AND closing IS NULL AND (
                host = of_account OR EXISTS (SELECT FROM hosted_guests AS guest WHERE guest.table_id = of_table
                                             AND account = of_account AND removed IS NULL))) THEN
        PERFORM refuse('hosted_table_is_known', format('there is no table %s for account %s', of_table, of_account));
    END IF;
    IF of_table LIKE 'host:%' AND NOT EXISTS (
            SELECT FROM hosted_tables WHERE table_id = of_table AND (NOT approves OR host = of_account OR EXISTS (
                SELECT FROM hosted_guests AS guest
                WHERE guest.table_id = of_table AND account = of_account AND seat = 'accepted')))
            OR leaves_club(of_table, of_account) THEN
        PERFORM refuse('seat_is_accepted', format('account %s is not accepted at %s', of_account, of_table));
    END IF;
END $$;

-- Lets the tables close at which no seat was found to be held for so long. Returns those that close now.
CREATE OR REPLACE FUNCTION close_idle_hosted_tables(idle_s integer) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    UPDATE hosted_tables SET used = now()
        WHERE closed IS NULL AND (EXISTS (SELECT FROM seats WHERE seats.table_id = hosted_tables.table_id)
                                  OR tournament IS NOT NULL AND goes_on(hosted_tables));
    RETURN QUERY UPDATE hosted_tables SET closing = now(), version = version + 1
        WHERE closed IS NULL AND closing IS NULL AND tournament IS NULL AND used <= now() - make_interval(secs => idle_s) RETURNING table_id;
END $$;

-- What each account has brought to a table, taken away and has there now, in the order of the accounts. Only its host and
-- its guests are told, of all, also of those who are guests no more; for a day after its end those who sat there. Stacks are as of the last settled hand. An hour is left
-- for a clock that was set back.
CREATE OR REPLACE FUNCTION hosted_results(of_table text, of_account bigint)
RETURNS TABLE (player bigint, player_name text, bought_in bigint, taken_out bigint, on_table bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    hosted hosted_tables;
BEGIN
    SELECT * INTO hosted FROM hosted_tables
        WHERE table_id = of_table AND tournament IS NULL AND (closed IS NULL AND (host = of_account OR EXISTS (
                SELECT FROM hosted_guests AS guest
                WHERE guest.table_id = of_table AND account = of_account AND removed IS NULL))
            OR closed > now() - interval '1 day' AND EXISTS (
                SELECT FROM ledger_accounts AS stack
                WHERE stack.table_id = of_table AND kind = 'stack' AND owner = of_account));
    IF NOT FOUND THEN
        PERFORM refuse('hosted_table_is_known', format('there is no table %s for account %s', of_table, of_account));
    END IF;
    RETURN QUERY
        SELECT accounts.id, accounts.name,
            coalesce(sum(leg.amount) FILTER (WHERE leg.amount > 0), 0)::bigint,
            coalesce(-sum(leg.amount) FILTER (WHERE leg.amount < 0), 0)::bigint,
            stack.balance
        FROM transfers
        -- OFFSET 0: one look into the index of the legs for each transfer, and of the accounts for each leg. The planner would
        -- read all legs of all hands, and all accounts.
        CROSS JOIN LATERAL (SELECT ledger_account, amount FROM legs WHERE legs.transfer = transfers.id OFFSET 0) AS leg
        CROSS JOIN LATERAL (SELECT owner, balance FROM ledger_accounts
            WHERE id = leg.ledger_account AND kind = 'stack' AND table_id = of_table OFFSET 0) AS stack
        JOIN accounts ON accounts.id = stack.owner
        WHERE transfers.kind IN ('buy_in', 'top_up', 'cash_out')
            AND transfers.created >= hosted.opened - interval '1 hour'
        GROUP BY accounts.id, stack.balance ORDER BY accounts.id;
END $$;
