-- Bounties: the head of each entry, which is paid by the hand that takes its last chips.
--
-- Heads are in the account `bounties:<tournament>`: what they sum to is what it holds (`bounties_are_the_heads` in
-- `tournament_rules.sql`). The head of an entry is paid once, under its key `sng:<tournament>:bounty:<account>:<number>`.

-- Pays the heads of the entries that are out in the new hands of a batch, and returns the transfers, which the caller gives
-- their legs (`bounty_legs`). The last three arrays have one element per winner of a player that is out: the number of the
-- hand, the player, the winner, who is a later one the further left of the button. Winners share a head equally, odd units
-- go to the first of them; of each share the tournament's part is paid at once, and the rest goes on the winner's own head.
-- All heads count as before the batch: a player is in one of its hands only.
CREATE OR REPLACE FUNCTION settle_bounties(
    of_tournaments text[], new_transfers bigint[], out_in_hand integer[], out_accounts bigint[], winners bigint[]
) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    paid  bigint[];
    heads bigint;
BEGIN
    WITH given AS (
        SELECT tournaments.id AS tournament, entry.account, entry.number, winner, head, bounty_cash_bps, at,
               count(*) OVER (PARTITION BY out.n, out.account) AS ways,
               row_number() OVER (PARTITION BY out.n, out.account ORDER BY at) AS position
        FROM unnest(out_in_hand, out_accounts, winners) WITH ORDINALITY AS out (n, account, winner, at)
        JOIN tournaments ON tournaments.id = of_tournaments[out.n] AND bounty > 0
        JOIN tournament_entries AS entry
            ON entry.tournament = tournaments.id AND entry.account = out.account AND out_in = new_transfers[out.n] AND head > 0
    ), shared AS (
        SELECT *, head / ways + CASE WHEN position <= head % ways THEN 1 ELSE 0 END AS share FROM given
    ), cashed AS (
        SELECT *, div(share::numeric * bounty_cash_bps, 10000)::bigint AS cash FROM shared
    ), written AS (
        INSERT INTO transfers (key, kind)
            SELECT DISTINCT format('sng:%s:bounty:%s:%s', tournament, account, number), 'bounty' FROM cashed ORDER BY 1
            RETURNING id, key
    ), booked AS (
        INSERT INTO tournament_bounties (tournament, account, number, winner, position, cash, on_head, transfer)
            SELECT tournament, account, number, winner, position, cash, share - cash, written.id
            FROM cashed JOIN written ON key = format('sng:%s:bounty:%s:%s', tournament, account, number)
            RETURNING transfer
    )
    SELECT array_agg(DISTINCT transfer) INTO paid FROM booked;

    -- One statement, so that the sums of heads of all tournaments are locked in one order.
    UPDATE tournament_entries AS entry SET head = CASE WHEN out IS NULL THEN head + on_head ELSE 0 END
        FROM (SELECT tournament, winner AS account, NULL::integer AS out, sum(on_head) AS on_head
              FROM tournament_bounties WHERE transfer = ANY (paid) GROUP BY tournament, winner HAVING sum(on_head) > 0
              UNION ALL
              SELECT DISTINCT tournament, account, number, 0 FROM tournament_bounties WHERE transfer = ANY (paid)) AS change
        WHERE entry.tournament = change.tournament AND entry.account = change.account
          AND CASE WHEN out IS NULL THEN chips > 0 ELSE number = out END;

    SELECT count(*) INTO heads FROM tournament_entries AS entry
        WHERE entry.tournament = ANY (of_tournaments) AND out_in = ANY (new_transfers) AND head > 0;
    IF heads > 0 OR EXISTS (
        SELECT FROM unnest(out_in_hand, out_accounts) AS out (n, account)
        JOIN tournaments ON tournaments.id = of_tournaments[out.n] AND bounty > 0
        WHERE NOT EXISTS (SELECT FROM tournament_entries AS entry
                          WHERE entry.tournament = tournaments.id AND entry.account = out.account AND out_in = new_transfers[out.n]))
       OR EXISTS (
        SELECT FROM tournament_bounties AS won JOIN tournament_entries AS entry USING (tournament, account, number)
        WHERE transfer = ANY (paid)
          AND NOT EXISTS (SELECT FROM hand_players JOIN tournament_entries AS winning USING (account)
                          WHERE hand = entry.out_in AND account = won.winner AND winning.tournament = won.tournament
                            AND NOT replaced AND chips > 0))
    THEN
        PERFORM refuse('heads_are_won', 'a hand does not say which of its players won the head of one that is out');
    END IF;
    RETURN coalesce(paid, '{}');
END $$;

-- The legs of the transfers that pay heads.
CREATE OR REPLACE FUNCTION bounty_legs(paid bigint[]) RETURNS TABLE (transfer bigint, ledger_account bigint, amount bigint)
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
    SELECT won.transfer, wallet.id, cash FROM tournament_bounties AS won
    JOIN ledger_accounts AS wallet ON code = 'wallet:' || winner
    WHERE won.transfer = ANY (paid) AND cash > 0
    UNION ALL
    SELECT won.transfer, heads.id, -sum(cash)::bigint FROM tournament_bounties AS won
    JOIN ledger_accounts AS heads ON code = 'bounties:' || tournament
    WHERE won.transfer = ANY (paid) GROUP BY won.transfer, heads.id HAVING sum(cash) > 0
$$;

-- What a player got of heads in a tournament.
CREATE OR REPLACE FUNCTION bounties_won(in_tournament text, player bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(cash), 0)::bigint FROM tournament_bounties AS won
    WHERE winner = player AND won.tournament = in_tournament
$$;

-- Pays each head that is left to its own player, at the end of a tournament.
CREATE OR REPLACE FUNCTION pay_own_heads(tournament tournaments) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    paid bigint[];
BEGIN
    IF tournament.bounty = 0 THEN
        RETURN;
    END IF;
    WITH written AS (
        INSERT INTO transfers (key, kind)
            SELECT format('sng:%s:bounty:%s:%s', tournament.id, account, number), 'bounty'
            FROM tournament_entries AS entry WHERE entry.tournament = tournament.id AND head > 0 ORDER BY 1
            RETURNING id, key
    ), booked AS (
        INSERT INTO tournament_bounties (tournament, account, number, winner, position, cash, on_head, transfer)
            SELECT tournament.id, account, number, account, 1, head, 0, written.id
            FROM tournament_entries AS entry
            JOIN written ON key = format('sng:%s:bounty:%s:%s', tournament.id, account, number)
            WHERE entry.tournament = tournament.id
            RETURNING transfer
    )
    SELECT array_agg(transfer) INTO paid FROM booked;
    UPDATE tournament_entries AS entry SET head = 0 WHERE entry.tournament = tournament.id AND head > 0;
    INSERT INTO legs (transfer, ledger_account, amount) SELECT * FROM bounty_legs(paid);
END $$;
