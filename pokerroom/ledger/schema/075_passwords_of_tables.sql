-- A private table may have a password, which lets accounts in beside the link. `hosted_tables.sql` explains it.

ALTER TABLE hosted_tables
    ADD COLUMN guest_password_hash text,  -- a slow hash, as that of an account; null: the link alone lets accounts in
    ADD CONSTRAINT closed_table_has_no_password CHECK (guest_password_hash IS NULL OR closed IS NULL);
