-- Leagues read the tournaments of an offer by the time of their ends.

CREATE INDEX tournaments_that_ended ON tournaments (offer, ended) WHERE ended IS NOT NULL;
