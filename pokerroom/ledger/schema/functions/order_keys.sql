-- Keys of operators' orders: see `ledger/order_keys.py`.

-- Claims a key for an order; returns the order that has it already. Keys that have ended are removed first.
CREATE OR REPLACE FUNCTION claim_order_key(
    of_operator text, of_key text, asked bytea, stays boolean, kept_s integer
) RETURNS SETOF order_keys LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM order_keys WHERE NOT for_ever AND begun <= now() - make_interval(secs => kept_s);
    LOOP
        INSERT INTO order_keys (operator, key, request, for_ever) VALUES (of_operator, of_key, asked, stays)
            ON CONFLICT (operator, key) DO NOTHING;
        IF FOUND THEN
            RETURN;
        END IF;
        RETURN QUERY SELECT * FROM order_keys WHERE operator = of_operator AND key = of_key;
        IF FOUND THEN
            RETURN;
        END IF; -- it was released meanwhile
    END LOOP;
END $$;
