-- Webhooks: the endpoints of the operator, and the messages that wait for them. `webhooks.sql` explains them.

CREATE TABLE webhook_endpoints (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    url          text NOT NULL CHECK (length(url) BETWEEN 1 AND 500),
    kinds        text[] NOT NULL CHECK (cardinality(kinds) BETWEEN 1 AND 20),
    note         text NOT NULL CHECK (length(note) <= 200),
    big_win      bigint CHECK (big_win > 0),  -- a win of so much in a hand is a significant event; null: none is
    secret       bytea NOT NULL,              -- encrypted by the room
    is_on        boolean NOT NULL DEFAULT true,
    why_off      text NOT NULL DEFAULT '' CHECK (length(why_off) <= 200),
    created      timestamptz NOT NULL DEFAULT now(),
    delivered    bigint NOT NULL DEFAULT 0,   -- messages
    delivered_at timestamptz,
    failed_at    timestamptz,
    failure      text NOT NULL DEFAULT '' CHECK (length(failure) <= 200)
);

-- One row for each endpoint that is to be told; it is removed when that is done. There is no foreign key: each would lock the
-- row of the endpoint, and settlements of all tables write here.
-- Each settlement asks whether there is one: without an index that is a sequential scan, which its functions forbid.
CREATE INDEX webhook_endpoints_on ON webhook_endpoints (number) WHERE is_on;

CREATE TABLE webhook_messages (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id        uuid NOT NULL DEFAULT gen_random_uuid(),
    endpoint  bigint NOT NULL,
    kind      text NOT NULL,
    reference text NOT NULL,                     -- to the fact: the message has no copy of it
    at        timestamptz NOT NULL DEFAULT now(),
    tries     integer NOT NULL DEFAULT 0,
    due       timestamptz DEFAULT now(),         -- when it is tried next; null: it is dead
    failure   text NOT NULL DEFAULT '' CHECK (length(failure) <= 200)
);
CREATE INDEX webhook_messages_in_turn ON webhook_messages (endpoint, due, number);

CREATE FUNCTION tell_new_account() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION tell_cash_request() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION tell_tournament_end() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION tell_logged_act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE TRIGGER account_is_told AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION tell_new_account();
CREATE TRIGGER cash_request_is_told AFTER INSERT ON cash_requests FOR EACH ROW EXECUTE FUNCTION tell_cash_request();
CREATE TRIGGER tournament_end_is_told AFTER UPDATE OF phase ON tournaments
    FOR EACH ROW WHEN (OLD.ended IS NULL AND NEW.ended IS NOT NULL) EXECUTE FUNCTION tell_tournament_end();
CREATE TRIGGER logged_act_is_told AFTER INSERT ON operator_log
    FOR EACH ROW WHEN (NEW.result = 'done') EXECUTE FUNCTION tell_logged_act();
