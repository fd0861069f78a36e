-- Deals at the final table: what each player that was left gets with the place, in place of the prizes of the places.

CREATE TABLE tournament_deals (
    tournament     text PRIMARY KEY REFERENCES tournaments,
    proposer       bigint NOT NULL REFERENCES accounts,
    kind           text NOT NULL CHECK (kind IN ('icm', 'chips')),
    for_the_winner bigint NOT NULL CHECK (for_the_winner >= 0),  -- of the first prize, beside the own amount
    hands          integer NOT NULL,   -- so many had the final table settled
    accounts       bigint[] NOT NULL,  -- from the first left of the button; the others are in this order
    stacks         bigint[] NOT NULL,
    amounts        bigint[] NOT NULL CHECK (0 <= ALL (amounts)),
    accepted_ms    bigint[] NOT NULL,  -- when each player accepted, Unix milliseconds
    agreed         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT deal_is_of_its_players CHECK (
        cardinality(accounts) >= 2 AND proposer = ANY (accounts) AND cardinality(stacks) = cardinality(accounts)
        AND cardinality(amounts) = cardinality(accounts) AND cardinality(accepted_ms) = cardinality(accounts))
);

CREATE TRIGGER tournament_deals_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON tournament_deals
    EXECUTE FUNCTION refuse_change('what was written stays');
