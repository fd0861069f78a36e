-- What the chain of transfers hashes. One node links what was committed since the last checkpoint, and signs a new one
-- (ledger/checkpoints.py). `pokerroom/verifier` reads the same bytes from a dump; it shares no code with this file.
--
-- Settling writes nothing here. A link in the same transaction would cost each settlement time, and would prove no more:
-- without a signature, an attacker who can write makes a new chain.

-- A field of the hashed text. Each begins with its length, so that no two rows have the same text. PostgreSQL writes this
-- into the query if all of it is immutable, as a cast to text is and `integer || text` is not; a call costs ten times as
-- much. A long value is computed in a column first, or it would be computed twice.
CREATE OR REPLACE FUNCTION chain_field(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(octet_length(value)::text || ':' || value || ',', '-,')
$$;

-- Microseconds since 1970; of a time that no room writes one number. An infinite time has no other, and would end every link.
CREATE OR REPLACE FUNCTION chain_time(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN moment >= timestamptz '0001-01-01' AND moment < timestamptz '10000-01-01'
        THEN (extract(epoch FROM moment) * 1000000)::bigint ELSE -9223372036854775808 END::text
$$;

-- The stream of what happened at a table. A name that is longer than a room has would not fit into the index of the links.
CREATE OR REPLACE FUNCTION chain_stream(at_table text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN octet_length(at_table) <= 1000 THEN 'table:' || at_table ELSE 'transfers' END
$$;

CREATE OR REPLACE FUNCTION chain_hash(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT encode(sha256(convert_to(value, 'UTF8')), 'hex')
$$;

-- One look for all links of a statement: a foreign key would cost a look for each.
CREATE OR REPLACE FUNCTION links_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT max(transfer) FROM written) > (SELECT max(id) FROM transfers) THEN
        PERFORM refuse('link_is_of_a_transfer', 'a link is of a transfer that there is not yet');
    END IF;
    RETURN NULL;
END $$;

-- The next transfers without a link, in their order: the stream of each and the hash of its content. The record of a hand
-- is hashed as it is after its hidden cards were erased, and `sealed` is the hash of the encrypted ones. Clear cards that
-- were never shown, of older builds, are in neither: there are so few of them that a hash would tell them. A record in an
-- archive has left its hash.
--
-- Most of the time goes into writing each record as text, so that is done once: `hidden` is looked up once, and cut out of
-- the text. Its name is always followed by a longer one, as `hand_id`. Rows are looked up by their transfer (LATERAL,
-- OFFSET 0): the planner does not know how many there are, and would read whole tables or compare each transfer with each.
CREATE OR REPLACE FUNCTION transfers_to_link(complete_to bigint, at_most integer)
RETURNS TABLE (transfer bigint, stream text, content bytea, sealed bytea)
LANGUAGE sql STABLE SET enable_seqscan = off SET enable_nestloop = off SET jit = off AS $$
    WITH next AS MATERIALIZED (
        SELECT id, id::text AS number, key, kind, chain_time(created) AS at FROM transfers
        WHERE id > complete_to AND NOT EXISTS (
            SELECT FROM chain_links WHERE chain_links.transfer = id AND chain_links.transfer > complete_to)
        ORDER BY id LIMIT at_most
    ), moved AS MATERIALIZED (
        SELECT id, string_agg(chain_field('leg') || chain_field(code) || chain_field(amount), '') AS fields
        FROM (SELECT next.id, code, amount FROM next,
                LATERAL (SELECT ledger_account, amount::text AS amount FROM legs WHERE legs.transfer = next.id OFFSET 0) AS leg,
                LATERAL (SELECT code FROM ledger_accounts WHERE ledger_accounts.id = ledger_account OFFSET 0) AS named
              ORDER BY next.id, code COLLATE "C") AS sorted
        GROUP BY id
    )
    SELECT next.id, chain_stream(coalesce(played.table_id, begun.table_id, over.table_id)),
        sha256(convert_to(
            chain_field('pokerroom transfer 1') || chain_field(next.number) || chain_field(key) || chain_field(kind)
            || chain_field(next.at)
            || coalesce(moved.fields, '')
            || CASE WHEN played.table_id IS NULL THEN '' ELSE
                chain_field('hand') || chain_field(hand_id) || chain_field(played.table_id) || chain_field(played.epoch)
                || chain_field(began) || chain_field(played.ended) || chain_field(rake)
                || chain_field(visible) || chain_field(encode(hidden, 'hex')) END
            || coalesce(begun.fields, '') || coalesce(over.fields, ''),
            'UTF8')),
        played.hidden
    FROM next
    LEFT JOIN moved ON moved.id = next.id
    LEFT JOIN LATERAL (
        SELECT hand_id, table_id, epoch, began, ended, rake,
            CASE WHEN record ? 'archive' THEN record ->> 'digest' ELSE encode(sha256(convert_to(CASE
                WHEN cards IS NOT NULL THEN replace(record::text, '"hidden": ' || cards::text || ', ', '')
                WHEN jsonb_typeof(record) = 'object' AND coalesce((record -> 'version')::text, '1') = '1'
                    THEN without_hidden_cards(record)::text
                ELSE record::text END, 'UTF8')), 'hex') END AS visible,
            CASE WHEN cards IS NOT NULL THEN sha256(convert_to(
                chain_field('pokerroom hidden 1') || chain_field(cards_text), 'UTF8')) END AS hidden
        FROM (SELECT hand_id, table_id, epoch::text AS epoch, chain_time(started) AS began, chain_time(ended) AS ended,
                  rake::text AS rake, record, cards, cards #>> '{}' AS cards_text
              FROM (SELECT *, record -> 'hidden' AS cards  -- only an object has such a member
                    FROM hands WHERE hands.transfer = next.id OFFSET 0) AS settled
              OFFSET 0) AS hand
        OFFSET 0
    ) AS played ON true
    LEFT JOIN LATERAL (
        SELECT table_id, chain_field('round') || chain_field(round_id) || chain_field(table_id)
            || chain_field(epoch::text) || chain_field(chain_time(started)) AS fields
        FROM rounds WHERE rounds.transfer = next.id OFFSET 0
    ) AS begun ON true
    LEFT JOIN LATERAL (
        SELECT (SELECT table_id FROM rounds WHERE rounds.transfer = round) AS table_id,
            chain_field('end') || chain_field(round::text) || chain_field(epoch::text)
            || chain_field(chain_time(ended)) || chain_field(void::text) || chain_field(house::text)
            || chain_field(fed::text) || chain_field(paid::text) || chain_field(reseeded::text)
            || chain_field(tronc::text) || chain_field(CASE WHEN record ? 'archive' THEN record ->> 'digest' ELSE chain_hash(record::text) END)
            || coalesce((
                SELECT string_agg(
                    chain_field('stake') || chain_field(stake.transfer::text) || chain_field(account::text)
                    || chain_field(stake.kind) || chain_field(amount::text), '' ORDER BY stake.transfer, account)
                FROM round_stakes AS stake WHERE stake.round = round_ends.round), '') AS fields
        FROM round_ends WHERE round_ends.transfer = next.id OFFSET 0
    ) AS over ON true
    ORDER BY next.id
$$;

-- The last transfer that is older than `open_s` seconds, 0 for none: no transaction of a room is open for so long, so no
-- transfer with a lower number can appear any more.
CREATE OR REPLACE FUNCTION transfers_complete_to(open_s integer) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (SELECT id FROM transfers WHERE created < now() - make_interval(secs => open_s) ORDER BY id DESC LIMIT 1), 0)
$$;
