-- Hidden cards may be erased from the records of old hands, and nothing else of them.

-- For how long they are kept. The owner of the tables writes it from the settings of the room.
CREATE TABLE retention (
    id         integer PRIMARY KEY CHECK (id = 1),
    hands_days integer NOT NULL CHECK (hands_days >= 0),  -- 0: for ever
    erased_to  bigint NOT NULL                            -- hands.transfer: hands up to this one have no hidden cards left
);
INSERT INTO retention VALUES (1, 0, 0);

CREATE FUNCTION lose_old_cards_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

DROP TRIGGER hands_are_for_ever ON hands;
CREATE TRIGGER hands_are_for_ever BEFORE DELETE OR TRUNCATE ON hands
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER hands_lose_old_cards_only BEFORE UPDATE ON hands
    FOR EACH ROW EXECUTE FUNCTION lose_old_cards_only();
