-- Codes with which a player sets a new password. A code that is used is deleted.

CREATE TABLE recovery_codes (
    account   bigint NOT NULL REFERENCES accounts,
    code_hash bytea NOT NULL,  -- SHA-256 of account and code; the code is never stored
    expires   timestamptz,     -- of a code of the operator; null: one of the player's own, which do not expire
    PRIMARY KEY (account, code_hash)
);
