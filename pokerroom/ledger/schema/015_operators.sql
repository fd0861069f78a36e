-- The accounts of operators, apart from those of players. A row stays for ever: its name is in the log.

CREATE TABLE operators (
    name       text COLLATE "C" PRIMARY KEY CONSTRAINT operator_has_a_name CHECK (name ~ '^[a-z][a-z0-9._-]{0,31}$'),
    role       text NOT NULL CONSTRAINT operator_has_a_role
               CHECK (role IN ('viewer', 'support', 'floor', 'cashier', 'admin')),
    token_hash bytea NOT NULL,  -- SHA-256; the token is never stored
    created    timestamptz NOT NULL DEFAULT now(),
    expires    timestamptz,     -- of the token; null: it does not end by itself
    revoked    timestamptz,
    CONSTRAINT operator_token_is_unique UNIQUE (token_hash)
);
