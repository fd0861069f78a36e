-- Rebuys and add-ons: what tournaments sell beside their entries. Any node sells; the owner of the tournament gives the chips
-- between two hands, and says what is on sale.

-- What a tournament sells, by kind: kind, prize, fee, chips, most.
CREATE OR REPLACE FUNCTION sales_of(of_tournament text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_array(kind, prize, fee, chips, most) ORDER BY kind COLLATE "C"), '[]')
    FROM tournament_sales AS sale WHERE sale.tournament = of_tournament
$$;

-- What a tournament sells while it runs, and its entries are not closed.
CREATE OR REPLACE FUNCTION on_sale(tournament tournaments) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT ARRAY(SELECT kind FROM tournament_sales AS sale WHERE sale.tournament = tournament.id AND is_open)
        || CASE WHEN tournament.late_open THEN ARRAY['entry'] ELSE '{}' END
$$;

-- What an account has paid for its entries to a tournament that were not returned, for rebuys and for add-ons.
CREATE OR REPLACE FUNCTION paid_into(of_tournament text, player bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT (buy_in * (SELECT count(*) FROM tournament_entries AS entry
                      WHERE entry.tournament = of_tournament AND entry.account = player AND NOT returned)
            + (SELECT coalesce(sum(sale.prize + sale.fee), 0)
               FROM tournament_purchases AS bought JOIN tournament_sales AS sale USING (tournament, kind)
               WHERE bought.tournament = of_tournament AND bought.account = player))::bigint
    FROM tournaments WHERE id = of_tournament
$$;

-- Wallet to escrow, and the fee to the house. An account has one purchase without chips at a time, so a player cannot buy
-- more than a stack by asking twice.
CREATE OR REPLACE FUNCTION buy_chips(in_tournament text, player bigint, of_kind text, new_number integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    tournament   tournaments := tournament_of(in_tournament);
    sale         tournament_sales;
    own          tournament_entries;
    most         bigint := coalesce((tournament.terms ->> 'rebuy_below')::bigint, tournament.stack);  -- chips of a buyer
    bought       bigint;
    new_transfer bigint;
BEGIN
    IF EXISTS (SELECT FROM tournament_purchases AS p
               WHERE (p.tournament, p.account, p.kind, p.number) = (in_tournament, player, of_kind, new_number)) THEN
        RETURN;
    END IF;
    SELECT * INTO sale FROM tournament_sales AS s
    WHERE s.tournament = in_tournament AND s.kind = of_kind AND is_open;
    IF NOT FOUND OR tournament.phase <> 'running' OR tournament.closed IS NOT NULL THEN
        PERFORM refuse('chips_are_on_sale', format('%s sells no %s now', in_tournament, of_kind));
    END IF;
    PERFORM FROM accounts WHERE id = player FOR NO KEY UPDATE;
    SELECT * INTO own FROM tournament_entries AS entry
    WHERE entry.tournament = in_tournament AND account = player AND NOT returned AND NOT replaced AND seat IS NOT NULL
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('account_is_entered', format('account %s does not play %s', player, in_tournament));
    END IF;
    IF own.gone OR of_kind = 'add_on' AND own.chips = 0 THEN
        PERFORM refuse('chips_are_on_sale', format('account %s is out of %s', player, in_tournament));
    END IF;
    IF EXISTS (SELECT FROM tournament_purchases AS p
               WHERE p.tournament = in_tournament AND p.account = player AND table_number IS NULL) THEN
        PERFORM refuse('purchase_is_given', format('account %s waits for chips of %s', player, in_tournament));
    END IF;
    SELECT count(*) INTO bought FROM tournament_purchases AS p
    WHERE p.tournament = in_tournament AND p.account = player AND p.kind = of_kind;
    IF bought >= sale.most OR new_number <> bought + 1 THEN
        PERFORM refuse('purchases_are_left', format('account %s has bought %s times %s of %s', player, bought, of_kind, in_tournament));
    END IF;
    IF of_kind = 'rebuy' AND own.chips > most THEN
        PERFORM refuse('stack_is_small', format('account %s has more than %s chips in %s', player, most, in_tournament));
    END IF;
    PERFORM check_play(player, sale.prize + sale.fee);
    INSERT INTO tournament_purchases (tournament, account, kind, number, entry)
        VALUES (in_tournament, player, of_kind, new_number, own.number);
    INSERT INTO transfers (key, kind) VALUES (format('sng:%s:%s:%s:%s', in_tournament, of_kind, player, new_number), of_kind)
        RETURNING id INTO new_transfer;
    INSERT INTO legs (transfer, ledger_account, amount)
        SELECT new_transfer, ledger_account, amount FROM (VALUES
            (ledger_account_of('wallet:' || player), -sale.prize - sale.fee),
            (ledger_account_of('escrow:' || in_tournament), sale.prize),
            (ledger_account_of('fees'), sale.fee)) AS leg (ledger_account, amount)
        WHERE amount <> 0;
END $$;

-- Lets players out that have lost all chips, but for those that have bought a rebuy.
CREATE OR REPLACE FUNCTION mark_gone(in_tournament text, players bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE tournament_entries AS entry SET gone = true
    WHERE entry.tournament = in_tournament AND account = ANY (players) AND NOT returned AND NOT replaced AND chips = 0 AND NOT gone
      AND NOT EXISTS (SELECT FROM tournament_purchases AS p
                      WHERE p.tournament = in_tournament AND p.account = entry.account AND table_number IS NULL)
$$;

CREATE OR REPLACE FUNCTION decline_rebuy(in_tournament text, player bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tournament_of(in_tournament);
    IF NOT EXISTS (SELECT FROM tournament_entries AS entry
                   WHERE entry.tournament = in_tournament AND account = player AND NOT returned AND NOT replaced AND chips = 0)
    THEN
        PERFORM refuse('account_is_entered', format('account %s has nothing to decide in %s', player, in_tournament));
    END IF;
    PERFORM mark_gone(in_tournament, ARRAY[player]);
END $$;

CREATE OR REPLACE FUNCTION let_out(in_tournament text, of_epoch bigint, players bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_running(tournament_of(in_tournament), of_epoch);
    PERFORM mark_gone(in_tournament, players);
END $$;

CREATE OR REPLACE FUNCTION set_sales(in_tournament text, of_epoch bigint, kinds text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_running(tournament_of(in_tournament), of_epoch);
    UPDATE tournament_sales AS sale SET is_open = kind = ANY (kinds)
    WHERE sale.tournament = in_tournament AND is_open <> (kind = ANY (kinds));
    UPDATE tournaments SET late_open = 'entry' = ANY (kinds) WHERE id = in_tournament;
END $$;

-- Gives the chips of purchases; the tables of the players have no hand. A second call with the same changes nothing.
CREATE OR REPLACE FUNCTION add_chips(
    in_tournament text, of_epoch bigint, players bigint[], kinds text[], numbers integer[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tournament tournaments := tournament_of(in_tournament);
    given      bigint;
BEGIN
    SELECT count(*) INTO given FROM unnest(players, kinds, numbers) AS wanted (account, kind, number)
        JOIN tournament_purchases AS p USING (account, kind, number)
        WHERE p.tournament = in_tournament AND table_number IS NOT NULL;
    IF given = cardinality(players) THEN
        RETURN;
    END IF;
    PERFORM check_running(tournament, of_epoch);
    WITH granted AS (
        UPDATE tournament_purchases AS p SET table_number = t.number, hands = t.hands
            FROM unnest(players, kinds, numbers) AS wanted (account, kind, number)
            JOIN tournament_entries AS entry ON entry.tournament = in_tournament AND entry.account = wanted.account
            JOIN tournament_tables AS t ON t.tournament = in_tournament AND t.number = table_of_seat(entry.seat)
            WHERE (p.tournament, p.account, p.kind, p.number) = (in_tournament, wanted.account, wanted.kind, wanted.number)
              AND p.table_number IS NULL AND entry.number = p.entry AND NOT entry.replaced AND NOT t.closed
            RETURNING p.account, p.kind
    ), sums AS (
        SELECT granted.account, sum(sale.chips) AS chips FROM granted
        JOIN tournament_sales AS sale ON sale.tournament = in_tournament AND sale.kind = granted.kind GROUP BY granted.account
    )
    UPDATE tournament_entries AS entry
        SET chips = entry.chips + sums.chips, bought = entry.bought + sums.chips, out_in = NULL
        FROM sums WHERE entry.tournament = in_tournament AND entry.account = sums.account AND NOT returned AND NOT replaced;
    GET DIAGNOSTICS given = ROW_COUNT;
    IF given <> (SELECT count(DISTINCT account) FROM unnest(players) AS account) OR EXISTS (
        SELECT FROM unnest(players, kinds, numbers) AS wanted (account, kind, number)
        LEFT JOIN tournament_purchases AS p
            ON (p.tournament, p.account, p.kind, p.number) = (in_tournament, wanted.account, wanted.kind, wanted.number)
        WHERE p.table_number IS NULL)
       OR EXISTS (SELECT FROM tournament_entries AS entry WHERE entry.tournament = in_tournament AND chips > 0
                  GROUP BY seat HAVING count(*) > 1)
    THEN
        PERFORM refuse('chips_are_bought', format('chips of %s are of no purchase, or for a seat that is taken', in_tournament));
    END IF;
END $$;
