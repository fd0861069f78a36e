-- The keys that operators' programs give their orders. `order_keys.sql` explains them.

CREATE TABLE order_keys (
    operator text NOT NULL CHECK (length(operator) BETWEEN 1 AND 100),
    key      text NOT NULL CHECK (length(key) BETWEEN 1 AND 64),
    request  bytea NOT NULL,             -- SHA-256 of what was asked
    for_ever boolean NOT NULL,           -- the order moves money
    status   integer,                    -- of the answer; null until it is known
    answer   text,                       -- null: not known, or not kept
    begun    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (operator, key),
    CHECK (answer IS NULL OR status IS NOT NULL)
);

CREATE INDEX order_keys_that_end ON order_keys (begun) WHERE NOT for_ever;
