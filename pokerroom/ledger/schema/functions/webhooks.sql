-- Webhooks: what operators' programs are told. A message is written in the transaction of its fact, for each endpoint that
-- is on and wants the kind; without one nothing is written. It has a reference to the fact and no copy of it, so a settlement
-- costs little, and a message tells of a deleted account what the ledger still knows (`ledger/webhooks.py`).

-- Writes the message of a fact.
CREATE OR REPLACE FUNCTION tell_webhooks(new_kind text, new_reference text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO webhook_messages (endpoint, kind, reference)
        SELECT number, new_kind, new_reference FROM webhook_endpoints WHERE is_on AND new_kind = ANY (kinds)
$$;

-- Accounts of house bots are no players.
CREATE OR REPLACE FUNCTION tell_new_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.password_hash <> '!house' THEN
        PERFORM tell_webhooks('account.made', NEW.id::text);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_cash_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_webhooks('cash.requested', NEW.number::text);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_tournament_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_webhooks('tournament.ended', NEW.id);
    RETURN NULL;
END $$;

-- Whether a line of the operators' log is a significant event (`SIGNIFICANT` in `ledger/operator_log.py`). An order that is
-- only about to be carried out is none, and so is the end of a ticket that the room ends by itself.
CREATE OR REPLACE FUNCTION is_significant(verb text, who text, result text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT result = 'done' AND (verb IN (
        'account.delete', 'account.exclude', 'account.lock', 'account.recovery_code', 'account.unlock', 'audit.failed',
        'cashier.adjust', 'cashier.approve_adjustment', 'cashier.close', 'cashier.four_eyes', 'cashier.fund',
        'cashier.give_ticket', 'cashier.open',
        'offer.change', 'operator.add', 'operator.revoke', 'operator.token', 'sng.cancel', 'sng.roll_back', 'sng.roll_forward',
        'table.fault', 'table.freeze', 'table.move', 'table.resume', 'table.void', 'table.void_complete', 'webhook.add',
        'wallet.link', 'wallet.unlink', 'webhook.off', 'webhook.remove')
        OR verb = 'cashier.end_ticket' AND who <> 'room')
$$;

CREATE OR REPLACE FUNCTION tell_logged_act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF is_significant(NEW.verb, NEW.who, NEW.result) THEN
        PERFORM tell_webhooks('significant', 'line:' || NEW.n);
    END IF;
    RETURN NULL;
END $$;

-- Writes the messages of a batch of hands, with its arrays (`settle_hands`). A big win is one of money. The plans are kept.
CREATE OR REPLACE FUNCTION tell_hands(
    hand_ids text[], new_transfers bigint[], in_chips boolean[], in_hand integer[], players bigint[], deltas bigint[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    INSERT INTO webhook_messages (endpoint, kind, reference)
        SELECT number, 'hand.ended', hand_id
        FROM unnest(hand_ids, new_transfers) AS hand (hand_id, new_transfer) CROSS JOIN webhook_endpoints
        WHERE is_on AND 'hand.ended' = ANY (kinds) AND new_transfer IS NOT NULL
        UNION ALL
        SELECT number, 'significant', 'win:' || hand_ids[n] || ':' || account
        FROM unnest(in_hand, players, deltas) AS player (n, account, delta) CROSS JOIN webhook_endpoints
        WHERE is_on AND 'significant' = ANY (kinds) AND delta >= big_win AND new_transfers[n] IS NOT NULL AND NOT in_chips[n];
END $$;

-- Stores an endpoint and returns its number. The lock keeps two orders from both taking the last place.
CREATE OR REPLACE FUNCTION add_webhook(
    new_url text, new_kinds text[], new_note text, new_big_win bigint, new_secret bytea, at_most integer, actor acting
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    added bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('webhooks', 0));
    IF (SELECT count(*) FROM webhook_endpoints) >= at_most THEN
        PERFORM refuse('webhooks_are_few', format('there are %s webhooks already: remove one first', at_most));
    END IF;
    INSERT INTO webhook_endpoints (url, kinds, note, big_win, secret)
        VALUES (new_url, new_kinds, new_note, new_big_win, new_secret) RETURNING number INTO added;
    PERFORM log_act(actor, 'webhook.add', 'webhook:' || added, json_build_object(
        'host', substring(new_url FROM '^[a-z]+://([^/?#]*)'), 'kinds', array_to_string(new_kinds, ' ')));
    RETURN added;
END $$;

CREATE OR REPLACE FUNCTION check_webhook(of_number bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM webhook_endpoints WHERE number = of_number FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('webhook_exists', format('there is no webhook %s: list them, and choose one', of_number));
    END IF;
END $$;

-- Removes an endpoint with its messages.
CREATE OR REPLACE FUNCTION remove_webhook(of_number bigint, actor acting) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dropped bigint;
BEGIN
    PERFORM check_webhook(of_number);
    DELETE FROM webhook_endpoints WHERE number = of_number;
    DELETE FROM webhook_messages WHERE endpoint = of_number;
    GET DIAGNOSTICS dropped = ROW_COUNT;
    PERFORM log_act(actor, 'webhook.remove', 'webhook:' || of_number, json_build_object('messages', dropped));
END $$;

-- Switches an endpoint on or off. What holds already has no line.
CREATE OR REPLACE FUNCTION switch_webhook(of_number bigint, wanted boolean, why text, actor acting) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_webhook(of_number);
    UPDATE webhook_endpoints SET is_on = wanted, why_off = CASE WHEN wanted THEN '' ELSE why END
        WHERE number = of_number AND is_on <> wanted;
    IF FOUND THEN
        PERFORM log_act(actor, CASE WHEN wanted THEN 'webhook.on' ELSE 'webhook.off' END, 'webhook:' || of_number,
                        json_build_object('why', why));
    END IF;
END $$;

-- Takes the next messages of an endpoint, in the order in which they are due. The caller delivers them within `lease_s`
-- seconds; of one that does not come back, they are due again then.
CREATE OR REPLACE FUNCTION claim_webhook_messages(of_endpoint bigint, at_most integer, lease_s integer)
RETURNS SETOF webhook_messages LANGUAGE sql AS $$
    WITH claimed AS (
        UPDATE webhook_messages SET tries = tries + 1, due = now() + make_interval(secs => lease_s)
        WHERE number IN (
            SELECT number FROM webhook_messages
            WHERE endpoint = of_endpoint AND due <= now()
              AND EXISTS (SELECT FROM webhook_endpoints AS e WHERE e.number = of_endpoint AND is_on)
            ORDER BY due, number LIMIT at_most FOR UPDATE SKIP LOCKED)
        RETURNING *
    )
    SELECT * FROM claimed ORDER BY number
$$;

-- Notes that a message was delivered, whoever has claimed it meanwhile.
CREATE OR REPLACE FUNCTION end_webhook_message(of_number bigint) RETURNS void LANGUAGE sql AS $$
    WITH gone AS (DELETE FROM webhook_messages WHERE number = of_number RETURNING endpoint)
    UPDATE webhook_endpoints SET delivered = delivered + 1, delivered_at = now() FROM gone WHERE number = gone.endpoint
$$;

-- Notes that a try failed: the next one is after `pause_s` seconds; null: the message is dead. An older try than the last one
-- decides nothing.
CREATE OR REPLACE FUNCTION fail_webhook_message(of_number bigint, of_try integer, why text, pause_s integer) RETURNS void
LANGUAGE sql AS $$
    WITH failed AS (
        UPDATE webhook_messages SET due = now() + make_interval(secs => pause_s), failure = why
        WHERE number = of_number AND tries = of_try RETURNING endpoint
    )
    UPDATE webhook_endpoints SET failed_at = now(), failure = why FROM failed WHERE number = failed.endpoint
$$;

-- Gives a claimed message back: it is due at once, and the try does not count.
CREATE OR REPLACE FUNCTION return_webhook_message(of_number bigint, of_try integer) RETURNS void LANGUAGE sql AS $$
    UPDATE webhook_messages SET tries = tries - 1, due = now() WHERE number = of_number AND tries = of_try
$$;

-- Dead messages of an endpoint, or one of them: tried again from the first try on, or dropped. Returns how many.
CREATE OR REPLACE FUNCTION decide_dead_webhooks(of_endpoint bigint, of_number bigint, again boolean, actor acting)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    decided bigint;
BEGIN
    PERFORM check_webhook(of_endpoint);
    IF again THEN
        UPDATE webhook_messages SET due = now(), tries = 0, is_retried = true
            WHERE endpoint = of_endpoint AND due IS NULL AND number = coalesce(of_number, number);
    ELSE
        DELETE FROM webhook_messages
            WHERE endpoint = of_endpoint AND due IS NULL AND number = coalesce(of_number, number);
    END IF;
    GET DIAGNOSTICS decided = ROW_COUNT;
    IF decided > 0 THEN
        PERFORM log_act(actor, CASE WHEN again THEN 'webhook.retry' ELSE 'webhook.drop' END, 'webhook:' || of_endpoint,
                        json_build_object('messages', decided));
    END IF;
    RETURN decided;
END $$;

-- Switches off the endpoints for which more than `at_most` messages wait: a queue must not fill the disk. Dead messages that
-- are tried again do not count: they were there before.
CREATE OR REPLACE FUNCTION close_full_webhooks(at_most bigint, actor acting) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    full_one bigint;
    closed   bigint := 0;
BEGIN
    FOR full_one IN
        SELECT number FROM webhook_endpoints WHERE is_on AND EXISTS (
            SELECT FROM webhook_messages WHERE endpoint = webhook_endpoints.number AND due IS NOT NULL
              AND NOT is_retried OFFSET at_most)
        ORDER BY number
    LOOP
        PERFORM switch_webhook(full_one, false, format('more than %s messages waited', at_most), actor);
        closed := closed + 1;
    END LOOP;
    RETURN closed;
END $$;

-- Removes messages that are dead for so many days, and those of endpoints that are removed, at most so many. Those of an
-- endpoint that is off wait for it as long.
CREATE OR REPLACE FUNCTION remove_old_webhook_messages(days integer, at_most integer, actor acting) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    removed integer;
BEGIN
    DELETE FROM webhook_messages WHERE number IN (
        SELECT message.number FROM webhook_messages AS message
        LEFT JOIN webhook_endpoints AS target ON target.number = message.endpoint
        WHERE target.number IS NULL
           OR (message.due IS NULL OR NOT is_on) AND message.at < now() - make_interval(days => days)
        LIMIT at_most FOR UPDATE OF message SKIP LOCKED);
    GET DIAGNOSTICS removed = ROW_COUNT;
    IF removed > 0 THEN
        PERFORM log_act(actor, 'retention.webhooks', '', json_build_object('messages', removed));
    END IF;
    RETURN removed;
END $$;

-- What a message tells, as JSON, and for a hand its record, from which the caller removes the hidden cards. Names are those
-- of today. Null if the fact is not there.
CREATE OR REPLACE FUNCTION webhook_fact(of_kind text, of_reference text, OUT fact json, OUT record text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    of_hand    text;
    of_account bigint;
BEGIN
    CASE
    WHEN of_kind = 'account.made' THEN
        SELECT json_build_object('account', id, 'name', name) INTO fact FROM accounts WHERE id = of_reference::bigint;
    WHEN of_kind = 'cash.requested' THEN
        SELECT json_build_object('number', number, 'account', account, 'name', name, 'kind', kind, 'amount', amount,
                                 'source', source) INTO fact
        FROM cash_requests JOIN accounts ON accounts.id = account WHERE number = of_reference::bigint;
    WHEN of_kind = 'tournament.ended' THEN
        SELECT json_build_object(
            'tournament', id, 'offer', offer, 'number', number, 'outcome', phase, 'buy_in', buy_in, 'fee', fee,
            'bounty', bounty, 'entries', entries_of(id), 'players', players_of(id),
            'sales', (
                SELECT coalesce(json_agg(json_build_object(
                    'kind', kind, 'price', prize + sale.fee, 'fee', sale.fee, 'sold', (
                        SELECT count(*) FROM tournament_purchases AS bought
                        WHERE (bought.tournament, bought.kind) = (sale.tournament, sale.kind)))
                    ORDER BY kind DESC), '[]')
                FROM tournament_sales AS sale WHERE sale.tournament = tournaments.id),
            'deal', (
                SELECT json_build_object('kind', kind, 'for_the_winner', for_the_winner, 'shares', (
                    SELECT json_agg(json_build_object('account', account, 'name', name, 'amount', amount) ORDER BY place)
                    FROM unnest(deal.accounts, deal.amounts) WITH ORDINALITY AS share (account, amount, place)
                    JOIN accounts ON accounts.id = account))
                FROM tournament_deals AS deal WHERE deal.tournament = tournaments.id),
            'satellite', CASE WHEN ticket_value > 0 THEN json_build_object('offer', ticket_offer, 'value', ticket_value) END,
            'places', (
                SELECT coalesce(json_agg(json_build_object(
                    'place', place, 'account', account, 'name', name, 'prize', prize, 'bounties', (
                        SELECT coalesce(sum(cash), 0)::bigint FROM tournament_bounties AS won
                        WHERE won.tournament = tournaments.id AND winner = given.account))
                    ORDER BY place, given.number DESC), '[]')
                FROM tournament_places AS given JOIN accounts ON accounts.id = account
                WHERE given.tournament = tournaments.id)) INTO fact
        FROM tournaments WHERE id = of_reference;
    WHEN of_kind = 'hand.ended' THEN
        SELECT json_build_object('names', (
                   SELECT json_object_agg(accounts.id, name) FROM hand_players JOIN accounts ON accounts.id = account
                   WHERE hand = hands.transfer),
                   'in_chips', EXISTS (SELECT FROM tournaments WHERE id = tournament_at(table_id))),
               hands.record::text INTO fact, record
        FROM hands WHERE hand_id = of_reference;
    WHEN of_reference LIKE 'win:%' THEN
        of_hand := substring(of_reference FROM '^win:(.*):[0-9]+$');
        of_account := substring(of_reference FROM '[0-9]+$')::bigint;
        SELECT json_build_object('event', 'big_win', 'hand_id', hand_id, 'table', table_id, 'account', of_account, 'name', name,
                                 'amount', delta) INTO fact
        FROM hands JOIN hand_players ON hand = transfer AND account = of_account JOIN accounts ON accounts.id = account
        WHERE hand_id = of_hand;
    WHEN of_reference LIKE 'line:%' THEN
        SELECT json_build_object('event', verb, 'line', n, 'who', who, 'subject', subject, 'arguments', args) INTO fact
        FROM operator_log WHERE n = substring(of_reference FROM 6)::bigint;
    ELSE
        NULL;
    END CASE;
END $$;
