-- Adjustments: what an operator moves between a source of the cashier and a wallet, alone or with another one's approval.

CREATE TABLE adjustments (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account     bigint NOT NULL REFERENCES accounts,
    key         text NOT NULL CHECK (length(key) BETWEEN 1 AND 40),
    amount      bigint NOT NULL CHECK (amount <> 0),  -- to the wallet; negative: from it
    source      text NOT NULL REFERENCES cash_sources,
    state       text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'made', 'refused')),
    proposed    timestamptz NOT NULL DEFAULT now(),
    proposed_by text NOT NULL,
    reason      text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    decided     timestamptz,
    decided_by  text,
    CONSTRAINT adjustment_key_is_used_once UNIQUE (account, key),
    CONSTRAINT decided_is_not_proposed CHECK (
        (decided IS NULL) = (state = 'proposed') AND (decided_by IS NULL) = (state = 'proposed'))
);
CREATE INDEX adjustments_that_wait ON adjustments (number) WHERE state = 'proposed';

-- What the settings of the room say about operators' money; the commands do not read the settings.
CREATE TABLE cashier_settings (
    id        integer PRIMARY KEY CHECK (id = 1),
    four_eyes boolean NOT NULL  -- an adjustment needs two operators
);
INSERT INTO cashier_settings VALUES (1, false);

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check, ADD CONSTRAINT transfers_kind_check CHECK (
    kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand', 'entry', 'entry_return', 'fees', 'prize',
             'cancellation', 'roll_back')
    OR kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')
    OR kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return', 'adjustment'));

CREATE FUNCTION adjustment_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE TRIGGER adjustments_stay BEFORE DELETE OR TRUNCATE ON adjustments
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER adjustment_goes_on BEFORE UPDATE ON adjustments FOR EACH ROW EXECUTE FUNCTION adjustment_goes_on();
