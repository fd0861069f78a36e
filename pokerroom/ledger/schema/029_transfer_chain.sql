-- The chain of what was settled, and its signed checkpoints. `transfer_chain.sql` explains both. History from before is linked
-- by the first checkpoints.

-- The place of each transfer in its stream. `hash` follows from the transfer and from the link before it. No foreign key,
-- as for legs.
CREATE TABLE chain_links (
    transfer bigint PRIMARY KEY,
    stream   text COLLATE "C" NOT NULL,
    n        bigint NOT NULL CHECK (n > 0),  -- from 1 in each stream, without gaps
    sealed   bytea CHECK (length(sealed) = 32),  -- hash of the encrypted cards, which may be erased; null: there were none
    hash     bytea NOT NULL CHECK (length(hash) = 32),
    CONSTRAINT link_has_one_place UNIQUE (stream, n)
);

CREATE TABLE checkpoints (
    number    bigint PRIMARY KEY CHECK (number > 0),
    body      text NOT NULL,  -- JSON, as it was signed
    signature bytea NOT NULL CHECK (length(signature) = 64)
);

CREATE TRIGGER chain_links_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON chain_links
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER checkpoints_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints
    EXECUTE FUNCTION refuse_change('what was written stays');
