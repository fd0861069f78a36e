-- beside 73
-- An entry to a private sit-and-go may be free. It has no prizes then: the one prize is 0.

ALTER TABLE tournaments DROP CONSTRAINT tournaments_buy_in_check, ADD CONSTRAINT tournaments_buy_in_check
    CHECK (buy_in > 0 OR buy_in = 0 AND starts_with(id, 'private:'));
ALTER TABLE tournaments DROP CONSTRAINT tournament_fee, ADD CONSTRAINT tournament_fee
    CHECK (fee >= 0 AND bounty >= 0 AND (fee + bounty < buy_in OR buy_in = 0 AND fee + bounty = 0));
ALTER TABLE tournaments DROP CONSTRAINT prizes_are_the_pool, ADD CONSTRAINT prizes_are_the_pool CHECK (
    (1 <= ALL (prizes) OR buy_in = 0 AND prizes = '{0}') AND CASE WHEN starts_ms IS NULL
        THEN sum_of(prizes) = seats * (buy_in - fee - bounty) AND cardinality(prizes) BETWEEN 1 AND seats
        ELSE (cardinality(prizes) > 0) = (closed IS NOT NULL) END);
