-- Links by which players share hands. `shared_hands.sql` explains them. A row goes when the link is taken back.

CREATE TABLE shared_hands (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account   bigint NOT NULL REFERENCES accounts,
    hand      bigint NOT NULL,  -- its transfer; no foreign key, because hands are permanent
    names     text NOT NULL CHECK (names IN ('none', 'own', 'all')),
    own_cards boolean NOT NULL,
    code_hash bytea NOT NULL CHECK (length(code_hash) = 32),  -- SHA-256 of the link's code
    sealed    bytea NOT NULL,  -- the code, encrypted by the room
    CONSTRAINT shared_hand_has_one_link UNIQUE (account, hand, names, own_cards),
    CONSTRAINT shared_code_is_unique UNIQUE (code_hash)
);
