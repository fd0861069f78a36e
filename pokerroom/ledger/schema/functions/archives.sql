-- Archives: files that hold the records of old hands and rounds (ledger/archive_files.py). In the ledger a record becomes an
-- object of its hash, the number of its file, and for a hand its game. Transfers, legs, players and links of the chain stay,
-- so balances and checkpoints are proven without the files.
--
-- The owner of the tables alone can do this. A record goes only after the caller has read it back from a file that is durable,
-- and has named its hash here. A file may be written again, without cards that were erased since.
--
-- The database sees no files: the owner could name one that was never written. What it can see it checks, whoever writes: the row
-- of an archive and its records are of one transaction, and the row says how many they are. The audit compares the files.

-- The hash of a hand's record as the chain has it: without its hidden cards, of which the link has a hash of its own.
CREATE OR REPLACE FUNCTION archive_digest(record jsonb, is_round boolean) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN chain_hash(CASE
        WHEN is_round THEN record::text
        WHEN record ? 'hidden' THEN replace(record::text, '"hidden": ' || (record -> 'hidden')::text || ', ', '')
        WHEN coalesce((record -> 'version')::text, '1') = '1' THEN without_hidden_cards(record)::text
        ELSE record::text END);
END $$;

-- What is left of a record in the ledger. The keys have this order in `jsonb`.
CREATE OR REPLACE FUNCTION archived_record(record jsonb, is_round boolean, in_archive integer) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN jsonb_build_object('digest', archive_digest(record, is_round), 'archive', in_archive)
        || CASE WHEN is_round THEN '{}' ELSE jsonb_build_object('game', record ->> 'game') END;
END $$;

CREATE OR REPLACE FUNCTION is_archived(record jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT record ? 'archive'
$$;

-- A row that goes into the hash of an archive (`archives.players`): a player of a hand, an all-in by the clock, or what is left
-- of a record. Players are compared with their record when it goes; afterwards this hash tells what they were.
CREATE OR REPLACE FUNCTION archive_line(of_hand bigint, what text, account bigint, value text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT of_hand::text || ':' || what || ':' || account::text || ':' || value
$$;

-- Up to which transfer records may be archived, of those booked before a time: all are counted in the statistics, are signed
-- by a checkpoint, and have lost the hidden cards that the settings let them lose.
CREATE OR REPLACE FUNCTION archive_bound(before timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    kept_days integer;
    erased    bigint;
BEGIN
    SELECT hands_days, erased_to INTO STRICT kept_days, erased FROM retention;
    RETURN least(
        number_booked_at(before) - 1,
        CASE WHEN kept_days > 0 THEN archive_without_hands(erased) END,
        (SELECT counted_to FROM statistics_mark),
        coalesce((SELECT (body::json ->> 'complete_to')::bigint FROM checkpoints ORDER BY number DESC LIMIT 1), 0));
END $$;

-- The last transfer before the next hand that has not lost its cards: rounds up to there do not wait for it.
CREATE OR REPLACE FUNCTION archive_without_hands(erased bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT min(transfer) - 1 FROM hands WHERE transfer > erased), 9223372036854775807)
$$;

-- Whether the players of a hand are those of its record, with the same changes: afterwards only the hash of both is left.
CREATE OR REPLACE FUNCTION archive_fits(of_hand bigint, record jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
    RETURN jsonb_typeof(record -> 'seats') = 'array' AND jsonb_typeof(record -> 'game') = 'string' AND (
        SELECT count(*) > 0 AND count(*) = count(delta)
        FROM jsonb_array_elements(CASE jsonb_typeof(record -> 'seats') WHEN 'array' THEN record -> 'seats' ELSE '[]' END) AS seat
        LEFT JOIN hand_players AS player ON player.hand = of_hand
            AND player.account = CASE WHEN seat ->> 'account' ~ '^\d{1,18}$' THEN (seat ->> 'account')::bigint END
            AND player.delta = CASE WHEN seat ->> 'end' ~ '^\d{1,18}$' AND seat ->> 'stack' ~ '^\d{1,18}$'
                THEN (seat ->> 'end')::bigint - (seat ->> 'stack')::bigint END);
END $$;

-- Whether a hand up to the bound may be archived. One of a tournament that goes on stays, as does one that a player shares.
CREATE OR REPLACE FUNCTION hand_may_go(one hands) RETURNS boolean LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
    RETURN NOT is_archived(one.record) AND archive_fits(one.transfer, one.record)
        AND EXISTS (SELECT FROM chain_links WHERE transfer = one.transfer)
        AND NOT EXISTS (SELECT FROM shared_hands WHERE hand = one.transfer)
        AND NOT EXISTS (SELECT FROM tournaments WHERE id = tournament_at(one.table_id) AND ended IS NULL);
END $$;

CREATE OR REPLACE FUNCTION round_may_go(one round_ends) RETURNS boolean LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
    RETURN jsonb_typeof(one.record) = 'object' AND NOT is_archived(one.record)
        AND EXISTS (SELECT FROM chain_links WHERE transfer = one.transfer);
END $$;

-- The next records to archive after a transfer and up to another, by the transfers that have settled them.
CREATE OR REPLACE FUNCTION records_to_archive(after bigint, until bigint, at_most integer)
RETURNS TABLE (transfer bigint, is_round boolean, digest text, record text)
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY
        SELECT next.transfer, next.is_round, archive_digest(next.record, next.is_round), next.record::text
        FROM (
            (SELECT hands.transfer, false AS is_round, hands.record FROM hands
             WHERE hands.transfer > after AND hands.transfer <= until AND hand_may_go(hands) ORDER BY 1 LIMIT at_most)
            UNION ALL
            (SELECT round_ends.transfer, true, round_ends.record FROM round_ends
             WHERE round_ends.transfer > after AND round_ends.transfer <= until AND round_may_go(round_ends)
             ORDER BY 1 LIMIT at_most)
            ORDER BY 1 LIMIT at_most) AS next;
END $$;

-- Moves records to an archive: all of them, or none if one is no more what its file has. `texts` are the hashes of what was read
-- back, and `new_last` is the transfer up to which the file was filled. Locks no row that live play writes.
CREATE OR REPLACE FUNCTION archive_records(
    new_number integer, new_file text, new_sha256 bytea, new_last bigint, of_transfers bigint[], texts bytea[], actor acting
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    went_hands  bigint[];
    left_hands  text[];  -- of each of them
    went_rounds bigint[];
    left_rounds text[];
    new_players bytea;
BEGIN
    PERFORM FROM retention FOR UPDATE;  -- no cards are erased meanwhile
    LOCK TABLE archives IN SHARE ROW EXCLUSIVE MODE;
    IF new_number <> (SELECT coalesce(max(number), 0) + 1 FROM archives) OR new_last > archive_bound(now() - interval '1 day')
            OR new_last < (SELECT max(of_transfer) FROM unnest(of_transfers) AS of_transfer) THEN
        PERFORM refuse('archive_is_the_next', format('archive %s is not the next one', new_number));
    END IF;
    SELECT array_agg(hands.transfer), array_agg(archived_record(record, false, new_number)::text) INTO went_hands, left_hands
        FROM unnest(of_transfers, texts) AS written (transfer, hash) JOIN hands USING (transfer)
        WHERE sha256(convert_to(record::text, 'UTF8')) = hash AND hand_may_go(hands);
    SELECT array_agg(round_ends.transfer), array_agg(archived_record(record, true, new_number)::text)
        INTO went_rounds, left_rounds
        FROM unnest(of_transfers, texts) AS written (transfer, hash) JOIN round_ends USING (transfer)
        WHERE sha256(convert_to(record::text, 'UTF8')) = hash AND round_may_go(round_ends);
    went_hands := coalesce(went_hands, '{}');
    went_rounds := coalesce(went_rounds, '{}');
    IF cardinality(went_hands) + cardinality(went_rounds) <> cardinality(of_transfers) THEN
        PERFORM refuse('archive_has_its_records', format('the records of archive %s are not those of the ledger', new_number));
    END IF;
    SELECT sha256(convert_to(string_agg(line, ',' ORDER BY hand, what COLLATE "C", account), 'UTF8')) INTO new_players FROM (
        SELECT hand, 'player' AS what, account, archive_line(hand, 'player', account, delta::text) AS line
        FROM (SELECT hands.transfer AS hand, (seat ->> 'account')::bigint AS account
              FROM hands, jsonb_array_elements(record -> 'seats') AS seat WHERE hands.transfer = ANY (went_hands)) AS seated
        JOIN hand_players USING (account, hand)
        UNION ALL
        SELECT hand, 'late', account, archive_line(hand, 'late', account, '')
        FROM hands JOIN timeout_all_ins AS late ON late.ended = hands.ended AND hand = hands.transfer
        WHERE hands.transfer = ANY (went_hands)
        UNION ALL
        SELECT went, 'record', 0, archive_line(went, 'record', 0, of_it)
        FROM unnest(went_hands || went_rounds, left_hands || left_rounds) AS left_over (went, of_it)) AS lines;
    INSERT INTO archives (number, file, sha256, last, hands, rounds, players)
        VALUES (new_number, new_file, new_sha256, new_last, cardinality(went_hands), cardinality(went_rounds), new_players);
    UPDATE hands SET record = of_it::jsonb FROM unnest(went_hands, left_hands) AS left_over (went, of_it) WHERE transfer = went;
    -- The update has waited for those that hold a hand (`hold_hand`): their links are seen now, and later ones see what is left.
    IF EXISTS (SELECT FROM shared_hands WHERE hand = ANY (went_hands)) THEN
        PERFORM refuse('archive_has_its_records', format('a hand of archive %s was shared', new_number));
    END IF;
    UPDATE round_ends SET record = of_it::jsonb FROM unnest(went_rounds, left_rounds) AS left_over (went, of_it)
        WHERE transfer = went;
    PERFORM log_archive('archive.write', new_number, actor);
END $$;

-- Names another file for an archive: the same records without the cards that were erased. The caller has read it back, and
-- compared each record.
CREATE OR REPLACE FUNCTION archive_again(of_number integer, old_file text, new_file text, new_sha256 bytea, actor acting)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE archives IN SHARE ROW EXCLUSIVE MODE;
    UPDATE archives SET file = new_file, sha256 = new_sha256 WHERE number = of_number AND file = old_file;
    IF NOT FOUND THEN
        PERFORM refuse('archive_has_its_records', format('archive %s has another file than %s', of_number, old_file));
    END IF;
    PERFORM log_archive('archive.again', of_number, actor);
END $$;

-- Writes the line of an archive, with all that its row says. The audit compares the row with the last one.
CREATE OR REPLACE FUNCTION log_archive(verb text, of_number integer, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_act(actor, verb, 'archive:' || of_number, (
        SELECT json_build_object('file', file, 'sha256', encode(sha256, 'hex'), 'last', last, 'hands', hands, 'rounds', rounds,
            'players', encode(players, 'hex')) FROM archives WHERE number = of_number));
END $$;

-- Whether a record may become what is left of it, in a row that is as it was otherwise: it is old and signed, and the archive was
-- written in this transaction (in no savepoint). Triggers ask, whoever writes.
CREATE OR REPLACE FUNCTION goes_to_archive(was jsonb, becomes jsonb, is_round boolean) RETURNS boolean
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
    was_record     jsonb := was -> 'record';
    becomes_record jsonb := becomes -> 'record';
BEGIN
    RETURN was - 'record' = becomes - 'record' AND NOT is_archived(was_record)
        AND jsonb_typeof(becomes_record -> 'archive') = 'number'
        AND EXISTS (SELECT FROM archives WHERE number = (becomes_record -> 'archive')::integer
                    AND last >= (was -> 'transfer')::bigint AND archives.xmin = pg_current_xact_id()::xid)
        AND becomes_record = archived_record(was_record, is_round, (becomes_record -> 'archive')::integer)
        AND EXISTS (SELECT FROM chain_links WHERE transfer = (was -> 'transfer')::bigint)
        AND (SELECT created < now() - interval '1 day' FROM transfers WHERE id = (was -> 'transfer')::bigint);
END $$;

-- Trigger of the ends of rounds: their records may go to an archive, and nothing else changes.
CREATE OR REPLACE FUNCTION round_goes_to_archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF goes_to_archive(to_jsonb(OLD), to_jsonb(NEW), true) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'update of % is refused: what was written stays', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- Trigger of archives, at the end of the transaction: so many records are marked as its own as it says.
CREATE OR REPLACE FUNCTION check_archive() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    before bigint := coalesce((SELECT last FROM archives WHERE number = NEW.number - 1), 0);
    mark   jsonb  := to_jsonb(NEW.number);
BEGIN
    IF (NEW.hands, NEW.rounds) <> (
            (SELECT count(*) FROM hands WHERE transfer > before AND transfer <= NEW.last AND record -> 'archive' = mark),
            (SELECT count(*) FROM round_ends WHERE transfer > before AND transfer <= NEW.last AND record -> 'archive' = mark)) THEN
        PERFORM refuse('archive_has_its_count', format('archive %s has other records than its row says', NEW.number));
    END IF;
    RETURN NULL;
END $$;

-- Trigger of archives: the file may be written again, without the cards that were erased.
CREATE OR REPLACE FUNCTION archive_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(NEW) - '{file,sha256}'::text[] = to_jsonb(OLD) - '{file,sha256}'::text[] THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'update of % is refused: what was written stays', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

REVOKE ALL ON FUNCTION archive_records(integer, text, bytea, bigint, bigint[], bytea[], acting) FROM PUBLIC;
REVOKE ALL ON FUNCTION archive_again(integer, text, text, bytea, acting) FROM PUBLIC;
