-- Tables that players open for their guests. `hosted_tables.sql` explains them.

CREATE TABLE hosted_tables (
    table_id text PRIMARY KEY CHECK (table_id LIKE 'host:%'),
    host     bigint NOT NULL REFERENCES accounts,
    terms    jsonb NOT NULL,
    code     text,  -- the secret of the link; null: closed for good
    paused   boolean NOT NULL DEFAULT false,
    version  bigint NOT NULL DEFAULT 1,
    number   bigint GENERATED ALWAYS AS IDENTITY,
    opened   timestamptz NOT NULL DEFAULT now(),
    used     timestamptz NOT NULL DEFAULT now(),  -- when a seat was last found to be held
    closing  timestamptz,
    closed   timestamptz,
    CONSTRAINT hosted_code_is_unique UNIQUE (code),
    CONSTRAINT closed_table_has_no_code CHECK ((code IS NULL) = (closed IS NOT NULL)),
    CONSTRAINT closed_table_was_closing CHECK (closed >= closing)
);
CREATE INDEX hosted_tables_that_are_open ON hosted_tables (host) WHERE closed IS NULL;

-- The accounts that have used the code. Rows go when the table is closed for good.
CREATE TABLE hosted_guests (
    table_id text NOT NULL REFERENCES hosted_tables,
    account  bigint NOT NULL REFERENCES accounts,
    joined   timestamptz NOT NULL DEFAULT now(),
    removed  timestamptz,  -- by the host, for ever
    PRIMARY KEY (table_id, account)
);
CREATE INDEX hosted_guests_of_account ON hosted_guests (account);
