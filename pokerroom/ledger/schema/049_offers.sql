-- Offers of tournaments that operators order. `offers.sql` explains them; rows are permanent.

CREATE TABLE offer_changes (
    number   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    offer    text NOT NULL CHECK (length(offer) BETWEEN 1 AND 24),
    standing text NOT NULL CHECK (standing IN ('offered', 'retired', 'settings')),
    kind     text NOT NULL CHECK (kind IN ('sit_and_go', 'tournament')),
    terms    text,                             -- JSON, with the keys of the settings
    before   text,                             -- those that held until then
    who      text NOT NULL,
    reason   text NOT NULL,
    at       timestamptz NOT NULL DEFAULT now(),
    CHECK ((standing = 'offered') = (terms IS NOT NULL))
);

CREATE INDEX offer_changes_of_offer ON offer_changes (offer, number DESC);
