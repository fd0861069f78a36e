-- Counting of statistics. Settling writes nothing here: one node follows the numbers of the ledger. It locks the mark, reads
-- the next hands, and adds what they count, with the new mark, in the same transaction. So every hand is counted once,
-- whatever node stops where.

-- The number up to which nothing more can appear; null if writers do not end in time. Numbers come from a sequence, so a
-- transaction may commit after one with a higher number. A writer locks the table before it takes a number, and gives
-- the lock up when its rows can be seen: when all who had the lock have ended, the numbers seen before are complete.
CREATE OR REPLACE FUNCTION statistics_complete_to() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    last    bigint := coalesce((SELECT max(id) FROM transfers), 0);
    tables  oid[] := ARRAY['transfers'::regclass, 'account_history'::regclass]::oid[];
    writers text[];
BEGIN
    SELECT array_agg(virtualtransaction) INTO writers FROM pg_locks
        WHERE locktype = 'relation' AND relation = ANY (tables) AND mode = 'RowExclusiveLock' AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    FOR attempt IN 1..20 LOOP
        IF writers IS NULL OR NOT EXISTS (SELECT FROM pg_locks WHERE virtualtransaction = ANY (writers)
                                          AND locktype = 'relation' AND relation = ANY (tables)) THEN
            RETURN last;
        END IF;
        PERFORM pg_sleep(0.01);
    END LOOP;
    RETURN NULL;
END $$;

-- What the tournaments count that ended after `mark`, up to `new_mark`. The place with number 1 is given last: what the
-- tournament gave to all of its players counts with it.
CREATE OR REPLACE FUNCTION tournaments_counted(mark bigint, new_mark bigint) RETURNS SETOF tournament_statistics
LANGUAGE sql STABLE AS $$
    SELECT given.account, to_char(over.ended AT TIME ZONE 'UTC', 'YYYYMM')::integer, buy_in,
           sum(bought.times)::integer, count(*) FILTER (WHERE given.prize > 0)::integer, 
           sum(given.prize + bounties_won(given.tournament, given.account))::bigint
    FROM account_history AS over
    JOIN tournament_places AS first ON first.tournament = over.tournament AND first.account = over.account AND first.number = 1
    JOIN tournaments ON tournaments.id = over.tournament
    JOIN tournament_places AS given ON given.tournament = over.tournament
    CROSS JOIN LATERAL (SELECT count(*) AS times FROM tournament_entries AS entry
                        WHERE entry.tournament = given.tournament AND entry.account = given.account AND NOT returned) AS bought
    WHERE over.tournament IS NOT NULL AND over.number > mark AND over.number <= new_mark
    GROUP BY 1, 2, 3
$$;

-- Adds what was counted of the hands up to `new_mark`, and the tournaments that ended up to there. `stakes` are those of
-- the batch, in the order to which the field `stake` of the other rows refers from 1; `played` is for `add_days`. The caller has locked the mark, and has
-- read it. A sequential scan without choice would have so high a cost that each statement is compiled: that takes longer
-- than the statement.
CREATE OR REPLACE FUNCTION add_statistics(
    new_mark bigint, stakes statistics_stakes[], players player_statistics[], days daily_results[], played daily_players[]
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    ids  integer[];
    mark bigint;
BEGIN
    INSERT INTO statistics_stakes (game, structure, in_chips, small_blind, big_blind)
        SELECT game, structure, in_chips, small_blind, big_blind
        FROM unnest(stakes) AS new
        WHERE NOT EXISTS (SELECT FROM statistics_stakes AS s WHERE (s.game, s.structure, s.in_chips, s.small_blind, s.big_blind)
                          = (new.game, new.structure, new.in_chips, new.small_blind, new.big_blind));
    SELECT array_agg(s.id ORDER BY new.id) INTO ids
        FROM unnest(stakes) AS new
        JOIN statistics_stakes AS s USING (game, structure, in_chips, small_blind, big_blind);

    INSERT INTO player_statistics AS p (account, seen, month, stake, position, hands, vpip_chances, vpip, pfr,
            three_bet_chances, three_bets, fold_to_three_bet_chances, folds_to_three_bet, c_bet_chances, c_bets,
            fold_to_c_bet_chances, folds_to_c_bet, bets, calls, flops, showdowns, showdowns_won, all_ins, won,
            won_squared, expected)
        SELECT account, seen, month, ids[stake], position, hands, vpip_chances, vpip, pfr, three_bet_chances, three_bets,
            fold_to_three_bet_chances, folds_to_three_bet, c_bet_chances, c_bets, fold_to_c_bet_chances, folds_to_c_bet,
            bets, calls, flops, showdowns, showdowns_won, all_ins, won, won_squared, expected
        FROM unnest(players)
        ON CONFLICT (account, seen, month, stake, position) DO UPDATE SET
            hands = p.hands + excluded.hands,
            vpip_chances = p.vpip_chances + excluded.vpip_chances,
            vpip = p.vpip + excluded.vpip,
            pfr = p.pfr + excluded.pfr,
            three_bet_chances = p.three_bet_chances + excluded.three_bet_chances,
            three_bets = p.three_bets + excluded.three_bets,
            fold_to_three_bet_chances = p.fold_to_three_bet_chances + excluded.fold_to_three_bet_chances,
            folds_to_three_bet = p.folds_to_three_bet + excluded.folds_to_three_bet,
            c_bet_chances = p.c_bet_chances + excluded.c_bet_chances,
            c_bets = p.c_bets + excluded.c_bets,
            fold_to_c_bet_chances = p.fold_to_c_bet_chances + excluded.fold_to_c_bet_chances,
            folds_to_c_bet = p.folds_to_c_bet + excluded.folds_to_c_bet,
            bets = p.bets + excluded.bets,
            calls = p.calls + excluded.calls,
            flops = p.flops + excluded.flops,
            showdowns = p.showdowns + excluded.showdowns,
            showdowns_won = p.showdowns_won + excluded.showdowns_won,
            all_ins = p.all_ins + excluded.all_ins,
            won = p.won + excluded.won,
            won_squared = p.won_squared + excluded.won_squared,
            expected = p.expected + excluded.expected;

    INSERT INTO daily_results AS d
        SELECT account, day, ids[stake], hands, won, expected FROM unnest(days)
        ON CONFLICT (account, day, stake) DO UPDATE SET
            hands = d.hands + excluded.hands, won = d.won + excluded.won, expected = d.expected + excluded.expected;

    SELECT counted_to INTO STRICT mark FROM statistics_mark;
    INSERT INTO tournament_statistics AS t
        SELECT * FROM tournaments_counted(mark, new_mark)
        ON CONFLICT (account, month, buy_in) DO UPDATE SET
            entries = t.entries + excluded.entries,
            in_the_money = t.in_the_money + excluded.in_the_money,
            returned = t.returned + excluded.returned;

    PERFORM add_days(mark, new_mark, played);

    UPDATE statistics_mark SET counted_to = new_mark;
END $$;

-- Forgets everything that was counted; it is then counted again from the first hand. Records in archives are not here to count.
CREATE OR REPLACE FUNCTION reset_statistics(actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM statistics_mark FOR UPDATE;
    IF EXISTS (SELECT FROM archives WHERE hands > 0) THEN
        PERFORM refuse('records_are_here', format('%s hands are in archives', (SELECT sum(hands) FROM archives)));
    END IF;
    DELETE FROM player_statistics;
    DELETE FROM daily_results;
    DELETE FROM tournament_statistics;
    DELETE FROM daily_players;
    DELETE FROM daily_games;
    DELETE FROM daily_tournaments;
    UPDATE statistics_mark SET counted_to = 0;
    PERFORM log_act(actor, 'statistics.rebuild', '', '{}');
END $$;
