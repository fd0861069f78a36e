-- Adjustments: money that an operator moves between a source and a wallet, at once or after another operator's approval.

-- An adjustment is decided once, and its terms stay.
CREATE OR REPLACE FUNCTION adjustment_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'proposed'
        OR (NEW.number, NEW.account, NEW.key, NEW.amount, NEW.source, NEW.proposed, NEW.proposed_by, NEW.reason)
            IS DISTINCT FROM
           (OLD.number, OLD.account, OLD.key, OLD.amount, OLD.source, OLD.proposed, OLD.proposed_by, OLD.reason)
    THEN
        RAISE EXCEPTION 'adjustment % is decided once and keeps its terms', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- Writes the line of a step.
CREATE OR REPLACE FUNCTION log_adjustment(adjustment adjustments, verb text, result text, actor acting) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_act(
        actor, verb, 'account:' || adjustment.account,
        json_build_object('amount', adjustment.amount, 'key', adjustment.key, 'number', adjustment.number,
                          'source', adjustment.source), result);
END $$;

-- Moves the money of an adjustment, from the source or to it.
CREATE OR REPLACE FUNCTION make_adjustment(adjustment adjustments, actor acting) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    source       bigint := ledger_account_of('source:' || adjustment.source);
    wallet       bigint := ledger_account_of('wallet:' || adjustment.account);
    moved        bigint := abs(adjustment.amount);
    debited      bigint := CASE WHEN adjustment.amount > 0 THEN source ELSE wallet END;
    credited     bigint := CASE WHEN adjustment.amount > 0 THEN wallet ELSE source END;
    new_transfer bigint;
BEGIN
    new_transfer := begin_transfer(
        format('adjust:%s:%s', adjustment.account, adjustment.key), 'adjustment', debited, credited, moved);
    PERFORM FROM ledger_accounts WHERE id IN (debited, credited) ORDER BY id FOR NO KEY UPDATE;
    IF debited = source AND (SELECT balance FROM ledger_accounts WHERE id = debited) < moved THEN
        PERFORM refuse('source_holds_it', format('the source %s does not hold %s', adjustment.source, moved));
    END IF;
    INSERT INTO legs VALUES (new_transfer, debited, -moved), (new_transfer, credited, moved);
    UPDATE adjustments SET state = 'made', decided = now(), decided_by = actor.who WHERE number = adjustment.number;
END $$;

-- Whether an operator needs another one to move money by hand.
CREATE OR REPLACE FUNCTION four_eyes() RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT four_eyes FROM cashier_settings $$;

CREATE OR REPLACE FUNCTION set_four_eyes(wanted boolean, actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cashier_settings SET four_eyes = wanted WHERE four_eyes <> wanted;
    IF FOUND THEN
        PERFORM log_act(actor, 'cashier.four_eyes', '', json_build_object('on', wanted));
    END IF;
END $$;

-- Two users of a machine may be one person, and so may a user and an operator: with four eyes only operators count.
CREATE OR REPLACE FUNCTION check_operator(actor acting) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM operators WHERE name = actor.who AND revoked IS NULL) THEN
        PERFORM refuse('adjustment_has_operators', 'with four eyes an operator needs a token: set POKERROOM_OPERATOR_TOKEN');
    END IF;
END $$;

-- Makes an adjustment, or with four eyes proposes it. Returns its number; the same number for the same key and terms.
CREATE OR REPLACE FUNCTION adjust_wallet(
    of_account bigint, new_key text, new_amount bigint, of_source text, actor acting) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    found_one adjustments;
    alone     boolean := NOT four_eyes();
BEGIN
    PERFORM lock_account(of_account);
    SELECT * INTO found_one FROM adjustments WHERE account = of_account AND key = new_key;
    IF FOUND THEN
        IF (found_one.amount, found_one.source) <> (new_amount, of_source) THEN
            PERFORM refuse('cash_key_is_used_once', format('the key %s was used for another adjustment', new_key));
        END IF;
        RETURN found_one.number;
    END IF;
    IF NOT alone THEN
        PERFORM check_operator(actor);
    END IF;
    PERFORM check_source(of_source);
    INSERT INTO adjustments (account, key, amount, source, proposed_by, reason)
        VALUES (of_account, new_key, new_amount, of_source, actor.who, actor.reason) RETURNING * INTO found_one;
    IF alone THEN
        PERFORM make_adjustment(found_one, actor);
    END IF;
    PERFORM log_adjustment(found_one, 'cashier.adjust', CASE WHEN alone THEN 'done' ELSE 'proposed' END, actor);
    RETURN found_one.number;
END $$;

-- Approves or refuses a proposal. Another operator approves, in time; everyone may refuse. The same decision again changes
-- nothing.
CREATE OR REPLACE FUNCTION decide_adjustment(of_number bigint, approves boolean, valid_s bigint, actor acting) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    found_one adjustments;
    decision  text := CASE WHEN approves THEN 'made' ELSE 'refused' END;
BEGIN
    SELECT * INTO found_one FROM adjustments WHERE number = of_number FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM refuse('adjustment_exists', format('there is no adjustment %s', of_number));
    ELSIF found_one.state = decision THEN
        RETURN;
    ELSIF found_one.state <> 'proposed' THEN
        PERFORM refuse('cash_is_decided_once', format('adjustment %s is %s already', of_number, found_one.state));
    ELSIF approves AND found_one.proposed_by = actor.who THEN
        PERFORM refuse('adjustment_has_two_operators', format('another operator than %s must approve', actor.who));
    ELSIF approves AND found_one.proposed <= now() - make_interval(secs => valid_s) THEN
        PERFORM refuse('adjustment_is_recent', format('adjustment %s has expired: propose it again', of_number));
    ELSIF approves THEN
        PERFORM check_operator(actor);
        PERFORM make_adjustment(found_one, actor);
        PERFORM log_adjustment(found_one, 'cashier.approve_adjustment', 'done', actor);
    ELSE
        UPDATE adjustments SET state = 'refused', decided = now(), decided_by = actor.who WHERE number = of_number;
        PERFORM log_adjustment(found_one, 'cashier.refuse_adjustment', 'done', actor);
    END IF;
END $$;
