-- Settings of an account, by key.

-- Changes these settings and returns all of the account.
CREATE OR REPLACE FUNCTION change_settings(of_account bigint, changes jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    result jsonb;
BEGIN
    PERFORM lock_account(of_account);
    INSERT INTO account_settings SELECT of_account, change.key, change.value FROM jsonb_each(changes) AS change
        ON CONFLICT (account, key) DO UPDATE SET value = excluded.value;
    SELECT coalesce(jsonb_object_agg(key, value), '{}') INTO result FROM account_settings WHERE account = of_account;
    IF (SELECT count(*) FROM jsonb_object_keys(result)) > 64 THEN
        PERFORM refuse('settings_are_few', format('account %s has too many settings', of_account));
    END IF;
    RETURN result;
END $$;
