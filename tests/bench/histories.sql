-- A ledger in which account 1 was dealt into every hand: over two years, in sessions of 500 hands at 20 tables, with a
-- sit-and-go of 200 hands in the middle, and a table with 100 hands in the last tenth. `pool` has the records.
INSERT INTO transfers (id, key, kind, created) OVERRIDING SYSTEM VALUE
    SELECT 100 + 2 * n, 'hand:' || n, 'hand', now() - (HANDS - n) * interval '2 years' / HANDS
    FROM generate_series(1, HANDS) AS n;
INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record)
    SELECT 100 + 2 * i, i::text,
           CASE WHEN i BETWEEN HANDS / 2 AND HANDS / 2 + 199 THEN 'six.1'
                WHEN i BETWEEN 9 * (HANDS / 10) AND 9 * (HANDS / 10) + 99 THEN 'rare'
                ELSE 'T' || (i / 500) % 20 END,
           1, now() - (HANDS - i) * interval '2 years' / HANDS - interval '1 minute',
           now() - (HANDS - i) * interval '2 years' / HANDS - interval '50 ms', record
    FROM generate_series(1, HANDS) AS i JOIN pool ON n = i % (SELECT count(*) FROM pool);
INSERT INTO hand_players (account, hand, delta)
    SELECT key::bigint, 100 + 2 * i, value::bigint
    FROM generate_series(1, HANDS) AS i JOIN pool ON n = i % (SELECT count(*) FROM pool), jsonb_each_text(deltas);
INSERT INTO tournaments (id, offer, number, seats, buy_in, fee, prizes, terms, phase, created, started, ended, stack)
    SELECT 'six.1', 'six', 1, 6, 1000, 0, '{6000}', '{}', 'finished', first.started, first.started, last.ended, 1500
    FROM hands AS first, hands AS last
    WHERE first.hand_id = (HANDS / 2)::text AND last.hand_id = (HANDS / 2 + 199)::text;
INSERT INTO account_history (account, number, ended, tournament)
    SELECT account, 101 + 2 * (HANDS / 2 + 199), now(), 'six.1' FROM generate_series(1, 6) AS account;
INSERT INTO statistics_stakes (game, structure, in_chips, small_blind, big_blind)
    SELECT 'holdem', structure, false, 50 * size, 100 * size
    FROM unnest(ARRAY['no_limit', 'pot_limit', 'fixed_limit']) AS structure, generate_series(1, 4) AS size;
INSERT INTO player_statistics
    SELECT 1, 1, 202500 + 100 * (m / 12) + m % 12 + 1, id, position, 500, 490, 200, 90, 80, 9, 8, 4, 40, 30, 20, 9, 70, 60, 150, 40,
           20, 3, 1000, 1000000, 900000
    FROM generate_series(0, 23) AS m, statistics_stakes,
         unnest(ARRAY['early', 'middle', 'cutoff', 'button', 'small_blind', 'big_blind']) AS position;
INSERT INTO player_statistics
    SELECT 1, seen, 202500 + 100 * (m / 12) + m % 12 + 1, id, position, 500, 490, 200, 90, 80, 9, 8, 4, 40, 30, 20, 9, 70, 60, 150,
           40, 20, 3, 1000, 1000000, 900000
    FROM generate_series(2, 20000) AS seen, generate_series(0, 23) AS m, statistics_stakes,
         unnest(ARRAY['early', 'middle', 'cutoff', 'button', 'small_blind', 'big_blind']) AS position
    WHERE seen <= 10 OR (m + seen) % 12 = 0 AND id % 4 = 1;
INSERT INTO daily_results
    SELECT 1, extract(epoch FROM now())::bigint / 86400 - day, id, 100, 500, 400000 FROM generate_series(0, 730) AS day, statistics_stakes;
INSERT INTO tournament_statistics SELECT 1, 202500 + 100 * (m / 12) + m % 12 + 1, 500 * size, 40, 10, 9000
    FROM generate_series(0, 23) AS m, generate_series(1, 10) AS size
