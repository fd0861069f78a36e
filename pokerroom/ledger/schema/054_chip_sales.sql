-- Rebuys and add-ons of tournaments: what each sells, and who has bought it. Functions are in functions/chip_sales.sql.

-- What a tournament sells beside its entries, at most `most` times to each account.
CREATE TABLE tournament_sales (
    tournament text NOT NULL REFERENCES tournaments,
    kind       text NOT NULL CHECK (kind IN ('rebuy', 'add_on')),
    prize      bigint NOT NULL CHECK (prize > 0),  -- of the price, for the prizes
    fee        bigint NOT NULL CHECK (fee >= 0),
    chips      bigint NOT NULL CHECK (chips > 0),
    most       integer NOT NULL CHECK (most > 0),
    is_open    boolean NOT NULL DEFAULT false,     -- whether it is sold now
    PRIMARY KEY (tournament, kind)
);

-- One rebuy or add-on. Its chips come to an entry of the account between two hands of the table.
CREATE TABLE tournament_purchases (
    tournament text NOT NULL REFERENCES tournaments,
    account    bigint NOT NULL,
    kind       text NOT NULL,
    number     integer NOT NULL CHECK (number > 0),  -- those of the account and the kind, from 1
    entry      integer NOT NULL,                     -- the number of the entry
    id         bigint GENERATED ALWAYS AS IDENTITY,  -- the order
    table_number integer,                            -- null: the chips are not given yet
    hands      integer,                              -- the settled hands of that table
    PRIMARY KEY (tournament, account, kind, number),
    FOREIGN KEY (tournament, kind) REFERENCES tournament_sales,
    FOREIGN KEY (tournament, account, entry) REFERENCES tournament_entries,
    CONSTRAINT chips_are_given_at_a_table CHECK ((table_number IS NULL) = (hands IS NULL))
);
CREATE INDEX purchases_without_chips ON tournament_purchases (tournament) WHERE table_number IS NULL;

ALTER TABLE tournament_entries
    ADD COLUMN bought bigint NOT NULL DEFAULT 0 CHECK (bought >= 0),  -- chips of rebuys and add-ons
    ADD COLUMN gone   boolean NOT NULL DEFAULT false,                 -- it has no chips, and can buy no rebuy
    ADD CONSTRAINT gone_entry_has_no_chips CHECK (NOT gone OR chips = 0);

ALTER TABLE tournaments ADD COLUMN late_open boolean NOT NULL DEFAULT true;  -- while it runs: whether players may enter

CREATE FUNCTION sale_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER tournament_sales_stay BEFORE DELETE OR TRUNCATE ON tournament_sales
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER sale_goes_on BEFORE UPDATE ON tournament_sales FOR EACH ROW EXECUTE FUNCTION sale_goes_on();

CREATE FUNCTION purchase_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER tournament_purchases_stay BEFORE DELETE OR TRUNCATE ON tournament_purchases
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER purchase_goes_on BEFORE UPDATE ON tournament_purchases
    FOR EACH ROW EXECUTE FUNCTION purchase_goes_on();
CREATE CONSTRAINT TRIGGER escrow_is_what_is_owed AFTER INSERT ON tournament_purchases
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_escrow();

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check, ADD CONSTRAINT transfers_kind_check CHECK (
    kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand', 'entry', 'entry_return', 'fees', 'prize',
             'cancellation', 'roll_back')
    OR kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')
    OR kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return', 'adjustment', 'gift')
    OR kind IN ('late_entry', 'overlay', 'bounty', 'rebuy', 'add_on')
    OR kind IN ('club_issue', 'club_take'));

DROP FUNCTION IF EXISTS open_tournament(
    text, text, integer, smallint, bigint, bigint, bigint[], json, bigint, integer, integer, bigint, bigint, integer);
DROP FUNCTION IF EXISTS refund(text, text, bigint[], bigint, text[], bigint[]);
