-- Ordered offers: see `ledger/offers.py`.

-- Stores a change with its line of the log; returns the last one of the offer if that says the same.
CREATE OR REPLACE FUNCTION change_offer(
    of_offer text, new_standing text, new_kind text, new_terms text, old_terms text, actor acting
) RETURNS SETOF offer_changes LANGUAGE plpgsql AS $$
DECLARE
    stored offer_changes;
BEGIN
    -- two orders at once: the second compares with the first
    PERFORM pg_advisory_xact_lock(hashtextextended('offer:' || of_offer, 0));
    SELECT * INTO stored FROM offer_changes WHERE offer = of_offer ORDER BY number DESC LIMIT 1;
    IF NOT FOUND OR (stored.standing, stored.kind, stored.terms) IS DISTINCT FROM (new_standing, new_kind, new_terms) THEN
        INSERT INTO offer_changes (offer, standing, kind, terms, before, who, reason)
            VALUES (of_offer, new_standing, new_kind, new_terms, old_terms, actor.who, actor.reason) RETURNING * INTO stored;
        PERFORM log_act(
            actor, 'offer.change', of_offer, json_build_object('number', stored.number, 'standing', new_standing));
    END IF;
    RETURN NEXT stored;
END $$;

-- The last change of each offer, by offer.
CREATE OR REPLACE FUNCTION last_offer_changes() RETURNS SETOF offer_changes LANGUAGE sql STABLE AS $$
    SELECT DISTINCT ON (offer COLLATE "C") * FROM offer_changes ORDER BY offer COLLATE "C", number DESC
$$;
