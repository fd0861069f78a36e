-- The second factor of an account: a secret that its authenticator app shares with the room.

CREATE TABLE second_factors (
    account   bigint PRIMARY KEY REFERENCES accounts,
    sealed    bytea NOT NULL,                  -- the secret, encrypted with a key that the database does not have
    confirmed boolean NOT NULL DEFAULT false,  -- a code of it was right: log-ins ask for one
    last_step bigint NOT NULL DEFAULT 0        -- the step of the last code: no code is taken twice
);
