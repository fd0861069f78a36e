-- Links by which players share hands: see `ledger/shared_hands.py`. The account is locked before its links are counted.

-- Holds a settled hand of an account until the end of the transaction, so that its record goes to no archive meanwhile, or waits
-- until it is there. The room may not change hands, so it may not lock one either: this runs as the owner of the tables.
CREATE OR REPLACE FUNCTION hold_hand(of_account bigint, of_hand text, OUT hand_number bigint, OUT is_away boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    SELECT hands.transfer, is_archived(record) INTO hand_number, is_away
        FROM hands JOIN hand_players ON hand_players.hand = hands.transfer
        WHERE hand_id = of_hand AND account = of_account FOR SHARE OF hands;
END $$;

REVOKE ALL ON FUNCTION hold_hand(bigint, text) FROM PUBLIC;

-- Returns the sealed code of the account's link to a hand with these options. Makes the link if there is none.
CREATE OR REPLACE FUNCTION share_hand(
    of_account bigint, of_hand text, with_names text, with_cards boolean, new_hash bytea, new_sealed bytea, own_max integer
) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    hand_number bigint;
    is_away     boolean;
    known       bytea;
BEGIN
    -- first, since it may wait for an archive: the account plays on meanwhile
    SELECT held.hand_number, held.is_away INTO hand_number, is_away FROM hold_hand(of_account, of_hand) AS held;
    PERFORM lock_account(of_account);
    PERFORM check_not_locked(of_account);
    IF hand_number IS NULL THEN
        PERFORM refuse('shared_hand_was_played', format('account %s was not dealt into a hand %s', of_account, of_hand));
    END IF;
    IF is_away THEN
        PERFORM refuse('records_are_here', format('the record of hand %s is in an archive', of_hand));
    END IF;
    SELECT sealed INTO known FROM shared_hands
        WHERE account = of_account AND hand = hand_number AND names = with_names AND own_cards = with_cards;
    IF FOUND THEN
        RETURN known;
    END IF;
    IF (SELECT count(*) FROM shared_hands WHERE account = of_account) >= own_max THEN
        PERFORM refuse('shared_hands_are_few', format('account %s has %s links to hands', of_account, own_max));
    END IF;
    INSERT INTO shared_hands (account, hand, names, own_cards, code_hash, sealed)
        VALUES (of_account, hand_number, with_names, with_cards, new_hash, new_sealed);
    RETURN new_sealed;
END $$;
