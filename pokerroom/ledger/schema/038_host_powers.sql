-- Hosts approve seats, give chips, and keep a removed guest out. `hosted_tables.sql` explains it.

ALTER TABLE hosted_tables ADD COLUMN approves boolean NOT NULL DEFAULT false;  -- a guest needs the host's word for a seat
ALTER TABLE hosted_guests
    ADD COLUMN seat text CHECK (seat IN ('asked', 'accepted', 'refused')),
    ADD COLUMN address bytea;  -- a hash of the table and the address, so that the row does not tell the address

-- Chips from the wallet of a host to that of a guest. Rows are permanent.
CREATE TABLE hosted_gifts (
    table_id text NOT NULL REFERENCES hosted_tables,
    giver    bigint NOT NULL REFERENCES accounts,
    key      text NOT NULL CHECK (length(key) BETWEEN 1 AND 40),
    taker    bigint NOT NULL REFERENCES accounts,
    amount   bigint NOT NULL CHECK (amount > 0),
    CONSTRAINT gift_key_is_used_once PRIMARY KEY (giver, key),
    CHECK (giver <> taker)
);
CREATE INDEX hosted_gifts_of_table ON hosted_gifts (table_id, taker);

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check, ADD CONSTRAINT transfers_kind_check CHECK (
    kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand', 'entry', 'entry_return', 'fees', 'prize',
             'cancellation', 'roll_back')
    OR kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')
    OR kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return', 'adjustment', 'gift'));

DROP FUNCTION IF EXISTS join_hosted_table(text, bigint, integer);
DROP FUNCTION IF EXISTS remove_guest(text, bigint, text);
