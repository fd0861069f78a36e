-- Sessions get a number, a device, and tokens that are replaced. Those of older builds go on: their age counts from now.

ALTER TABLE sessions
    ADD COLUMN id            bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN client        text NOT NULL DEFAULT '',  -- the client's name for itself
    ADD COLUMN address       text NOT NULL DEFAULT '',  -- shortened
    ADD COLUMN rotated       timestamptz NOT NULL DEFAULT now(),  -- when `token_hash` was stored
    ADD COLUMN earlier_hash  bytea,
    ADD COLUMN earlier_until timestamptz,
    -- With it the token before leads to the present one. It is of no use without a token.
    ADD COLUMN salt          uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD CONSTRAINT session_id_is_unique UNIQUE (id),
    ADD CONSTRAINT earlier_token_is_unique UNIQUE (earlier_hash),
    ADD CONSTRAINT earlier_token_ends CHECK ((earlier_hash IS NULL) = (earlier_until IS NULL));
CREATE INDEX sessions_of_account ON sessions (account, seen);

UPDATE sessions SET created = now(), seen = now();
