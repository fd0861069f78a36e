-- HANDS more hands after transfer LAST, with legs and links. `pool` has the records. Player k of hand i is one of 20,000: their
-- numbers begin at ACCOUNTS, their ledger accounts at LEDGER.
INSERT INTO transfers (id, key, kind, created) OVERRIDING SYSTEM VALUE
    SELECT LAST + i, 'hand:' || lpad(to_hex(LAST + i), 16, '0'), 'hand', now() FROM generate_series(1, HANDS) AS i;
INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record)
    SELECT LAST + i, lpad(to_hex(LAST + i), 16, '0'), 'G' || i % 1000, 1, now() - interval '1 minute', now(), record
    FROM generate_series(1, HANDS) AS i JOIN pool ON n = i % (SELECT count(*) FROM pool);
CREATE TABLE moved AS
    SELECT LAST + i AS transfer, ((LAST + i::bigint) * 7919 + key::bigint * 1999) % 20000 AS player, value::bigint AS delta
    FROM generate_series(1, HANDS) AS i JOIN pool ON n = i % (SELECT count(*) FROM pool), jsonb_each_text(deltas);
INSERT INTO hand_players (account, hand, delta) SELECT ACCOUNTS + player, transfer, delta FROM moved;
INSERT INTO legs (transfer, ledger_account, amount) SELECT transfer, LEDGER + player, delta FROM moved WHERE delta <> 0;
DROP TABLE moved;
INSERT INTO chain_links (transfer, stream, n, sealed, hash)
    SELECT LAST + i, 'table:G' || i % 1000, LAST + i, sha256(i::text::bytea), sha256((LAST + i)::text::bytea)
    FROM generate_series(1, HANDS) AS i;
SELECT setval(pg_get_serial_sequence('transfers', 'id'), LAST + HANDS)
