-- Retention: what is erased after the days of the settings.

-- A record without the hole cards that were not turned up, sealed or (of older builds) in clear. What everybody saw stays.
CREATE OR REPLACE FUNCTION without_hidden_cards(record jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN jsonb_typeof(record -> 'seats') = 'array' AND jsonb_typeof(record -> 'events') = 'array' THEN
        jsonb_set(record - 'hidden', '{seats}', (
            SELECT coalesce(jsonb_agg(
                CASE WHEN seat -> 'seat' IN (
                    SELECT event -> 1 FROM jsonb_array_elements(record -> 'events') AS event WHERE event ->> 0 = 'show')
                THEN seat ELSE seat || '{"cards": null}' END ORDER BY n), '[]')
            FROM jsonb_array_elements(record -> 'seats') WITH ORDINALITY AS one (seat, n)))
    WHEN jsonb_typeof(record) = 'object' THEN record - 'hidden'
    ELSE record END  -- of a forger: it may not end the erasing of the others
$$;

-- When a hand must have been settled for its hidden cards to be erased now; null: never. The ledger's time counts: a hand of
-- a node with a wrong clock has ended in some other year.
CREATE OR REPLACE FUNCTION cards_kept_since() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT now() - make_interval(days => hands_days) FROM retention WHERE hands_days > 0
$$;

-- Trigger of hands: of an old one the hidden cards may go, or its record to an archive, and nothing else changes, whoever
-- writes.
CREATE OR REPLACE FUNCTION lose_old_cards_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF is_archived(NEW.record) THEN  -- asked first: the other question takes longer
        IF goes_to_archive(to_jsonb(OLD), to_jsonb(NEW), false) THEN
            RETURN NEW;
        END IF;
    ELSIF (SELECT created FROM transfers WHERE id = OLD.transfer) < cards_kept_since() AND NEW.record = without_hidden_cards(OLD.record)
            AND to_jsonb(NEW) - 'record' = to_jsonb(OLD) - 'record' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'update of % is refused: what was written stays', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- Erases the hidden cards of the next old hands, at most of so many, in the order in which they were settled. Returns how
-- many hands it has looked at, 0 if there are no more, and how many had hidden cards. The room cannot change hands: this
-- runs as the owner of the tables. The lock lets one node at a time erase.
CREATE OR REPLACE FUNCTION erase_cards(at_most integer, actor acting, OUT looked integer, OUT erased integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    since timestamptz := cards_kept_since();
    begun bigint;
    last  bigint;
BEGIN
    SELECT erased_to INTO STRICT begun FROM retention FOR UPDATE;
    -- Up to the first hand that is not old yet: numbers and times of transfers grow together, but for those at the same time.
    SELECT count(*), max(transfer) INTO looked, last FROM (
        SELECT transfer, bool_and(created < since) OVER (ORDER BY transfer) AS is_old
        FROM (SELECT transfer, created FROM hands JOIN transfers ON transfers.id = transfer
              WHERE transfer > begun ORDER BY transfer LIMIT at_most) AS next) AS found
    WHERE is_old;
    erased := 0;
    IF looked = 0 THEN
        RETURN;
    END IF;
    UPDATE hands SET record = without_hidden_cards(record)
        WHERE transfer > begun AND transfer <= last AND record <> without_hidden_cards(record);
    GET DIAGNOSTICS erased = ROW_COUNT;
    -- Those in an archive lose them when its file is written again; the line tells of them, too.
    erased := erased + (SELECT count(*) FROM hands JOIN chain_links USING (transfer)
                        WHERE transfer > begun AND transfer <= last AND is_archived(record) AND sealed IS NOT NULL);
    UPDATE retention SET erased_to = last;
    IF erased > 0 THEN
        PERFORM log_act(actor, 'retention.hands', '', json_build_object('hands', erased));
    END IF;
END $$;

REVOKE ALL ON FUNCTION erase_cards(integer, acting) FROM PUBLIC;

-- Removes log-ins that are over and were last used so many days ago, at most so many, with their devices and addresses.
CREATE OR REPLACE FUNCTION remove_old_sessions(
    idle_s bigint, absolute_s bigint, unused_days integer, at_most integer, actor acting
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    removed integer;
BEGIN
    DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions
        WHERE NOT is_valid_session(seen, created, idle_s, absolute_s) AND seen < now() - make_interval(days => unused_days)
        LIMIT at_most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS removed = ROW_COUNT;
    IF removed > 0 THEN
        PERFORM log_act(actor, 'retention.sessions', '', json_build_object('sessions', removed));
    END IF;
    RETURN removed;
END $$;
