-- Owners of tables, and the fence: a node that changes seats or stacks names its epoch, and any other epoch than the
-- table's is refused. A tournament has an owner of its own, under the id `tournament:<tournament>`. A key that was used before is answered before the epoch is checked: that answer changes nothing.
--
-- Only `take_table` and `release_table` lock the row of an owner exclusively. They lock one row and nothing else: they
-- wait for the writes of the last owner that are under way, and cannot be part of a deadlock.

-- The tournament of a table, and the number of the table there: `six.1` and `six.1-2` are tables of `six.1`. The id of any
-- other table is returned as it is.
CREATE OR REPLACE FUNCTION tournament_at(table_id text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT regexp_replace(table_id, '(\.[0-9]+)-[0-9]+$', '\1') $$;

CREATE OR REPLACE FUNCTION table_number(table_id text) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(substring(table_id FROM '\.[0-9]+-([0-9]+)$')::integer, 1) $$;

-- An epoch is used once: it grows with every owner.
CREATE OR REPLACE FUNCTION refuse_used_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.table_id <> OLD.table_id OR NEW.epoch < OLD.epoch OR (NEW.epoch = OLD.epoch AND NEW.node IS NOT NULL) THEN
        RAISE EXCEPTION 'epoch % of % was used before', NEW.epoch, OLD.table_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- Returns the new epoch, or null if `last_epoch` (0: never owned) is no longer the epoch of the table. The same node
-- gets the same answer when it asks again. It waits for writes of the last owner that are under way. If one does not
-- end (the process was stopped in the middle of a message), this call fails after the lock timeout.
CREATE OR REPLACE FUNCTION take_table(at_table text, new_node text, last_epoch bigint) RETURNS bigint
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
    taken bigint;
BEGIN
    IF last_epoch = 0 THEN
        INSERT INTO table_owners VALUES (at_table, 1, new_node)
            ON CONFLICT (table_id) DO NOTHING RETURNING epoch INTO taken;
    ELSE
        UPDATE table_owners SET epoch = epoch + 1, node = new_node
            WHERE table_id = at_table AND epoch = last_epoch RETURNING epoch INTO taken;
    END IF;
    IF taken IS NULL THEN
        SELECT epoch INTO taken FROM table_owners
            WHERE table_id = at_table AND epoch = last_epoch + 1 AND node = new_node;
    END IF;
    RETURN taken;
END $$;

CREATE OR REPLACE FUNCTION release_table(at_table text, of_epoch bigint) RETURNS void
LANGUAGE sql AS $$
    UPDATE table_owners
    SET node = NULL,
        over = EXISTS (SELECT FROM tournaments WHERE id = tournament_at(regexp_replace(at_table, '^tournament:', ''))
                       AND phase NOT IN ('registering', 'running'))
            OR EXISTS (SELECT FROM tournament_tables
                       WHERE tournament = tournament_at(at_table) AND number = table_number(at_table) AND closed)
    WHERE table_id = at_table AND epoch = of_epoch
$$;

-- Refuses any other epoch than the table's, and keeps the owner unchanged until the transaction ends.
CREATE OR REPLACE FUNCTION check_owner(at_table text, of_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM table_owners WHERE table_id = at_table AND epoch = of_epoch AND node IS NOT NULL FOR SHARE;
    IF NOT FOUND THEN
        PERFORM refuse('table_has_other_owner', format('epoch %s of %s is over', of_epoch, at_table));
    END IF;
END $$;
