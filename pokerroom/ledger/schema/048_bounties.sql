-- Knockout and progressive bounties: a part of each buy-in is the head of its entry, which is paid when the entry is out.

ALTER TABLE tournaments
    ADD COLUMN bounty          bigint NOT NULL DEFAULT 0,  -- the part of the buy-in that is the head
    ADD COLUMN bounty_cash_bps integer NOT NULL DEFAULT 10000 CHECK (bounty_cash_bps BETWEEN 0 AND 10000),  -- paid at once
    DROP CONSTRAINT tournament_fee,
    ADD CONSTRAINT tournament_fee CHECK (fee >= 0 AND bounty >= 0 AND fee + bounty < buy_in),
    DROP CONSTRAINT prizes_are_the_pool,
    ADD CONSTRAINT prizes_are_the_pool CHECK (
        1 <= ALL (prizes) AND CASE
            WHEN starts_ms IS NULL THEN
                sum_of(prizes) = seats * (buy_in - fee - bounty) AND cardinality(prizes) BETWEEN 1 AND seats
            ELSE (cardinality(prizes) > 0) = (closed IS NOT NULL) END);

ALTER TABLE tournament_entries
    ADD COLUMN head bigint NOT NULL DEFAULT 0 CONSTRAINT head_is_not_negative CHECK (head >= 0);  -- 0 once it is paid

-- What a winner got of the head of an entry: cash, the rest onto the own head. The hand is that in which the entry was out.
-- Who is left at the end is the winner of the own head.
CREATE TABLE tournament_bounties (
    tournament text NOT NULL REFERENCES tournaments,
    account    bigint NOT NULL,   -- with the number: the entry that is out
    number     integer NOT NULL,
    winner     bigint NOT NULL REFERENCES accounts,
    position   smallint NOT NULL, -- of the winner, from the first left of the button
    cash       bigint NOT NULL CHECK (cash >= 0),
    on_head    bigint NOT NULL CHECK (on_head >= 0),
    transfer   bigint NOT NULL REFERENCES transfers,
    PRIMARY KEY (tournament, account, number, winner),
    FOREIGN KEY (tournament, account, number) REFERENCES tournament_entries,
    CONSTRAINT own_head_is_paid CHECK (winner <> account OR on_head = 0)
);
CREATE INDEX bounties_of_winner ON tournament_bounties (winner, tournament);

CREATE TRIGGER tournament_bounties_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON tournament_bounties
    EXECUTE FUNCTION refuse_change('what was written stays');

-- The account `bounties:<tournament>` holds the heads of all entries, at the end of every transaction.
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_kind_check, ADD CONSTRAINT ledger_accounts_kind_check CHECK (
    kind IN ('issuer', 'bank', 'house', 'fees', 'wallet', 'stack', 'escrow', 'bounties')
    OR kind = 'tronc'
    OR coalesce(kind = 'stakes:' || table_id OR kind = 'house:' || table_id OR kind = 'meter:' || table_id, false)
    OR coalesce(kind = 'rake:' || table_id, false)
    OR kind = 'held'
    OR coalesce(kind = 'source:' || table_id, false)
    OR coalesce(kind = 'club:' || table_id, false)
    OR kind ~ '^chips:[a-z0-9]+$');
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_account_table, ADD CONSTRAINT ledger_account_table CHECK (
    (table_id IS NOT NULL) = (kind IN ('stack', 'escrow', 'bounties'))
    OR (table_id IS NOT NULL AND kind LIKE '%:%'));

CREATE FUNCTION check_bounties() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE CONSTRAINT TRIGGER bounties_are_the_heads AFTER UPDATE OF balance ON ledger_accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'bounties') EXECUTE FUNCTION check_bounties();
CREATE CONSTRAINT TRIGGER bounties_are_the_heads AFTER INSERT ON tournament_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.head <> 0) EXECUTE FUNCTION check_bounties();
CREATE CONSTRAINT TRIGGER heads_are_the_bounties AFTER UPDATE OF head ON tournament_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.head <> OLD.head) EXECUTE FUNCTION check_bounties();

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check, ADD CONSTRAINT transfers_kind_check CHECK (
    kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand', 'entry', 'entry_return', 'fees', 'prize',
             'cancellation', 'roll_back')
    OR kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')
    OR kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return', 'adjustment', 'gift')
    OR kind IN ('late_entry', 'overlay', 'bounty')
    OR kind IN ('club_issue', 'club_take'));

-- The new functions are in functions/.
DROP FUNCTION IF EXISTS open_tournament(
    text, text, integer, smallint, bigint, bigint, bigint[], json, bigint, integer, integer, bigint);
DROP FUNCTION IF EXISTS settle_hands(
    text[], text[], bigint[], bigint[], bigint[], bytea[], integer[], bigint[], bigint[], boolean[], bigint[]);
DROP FUNCTION IF EXISTS settle_chips(text[], bigint[], boolean[], integer[], bigint[], bigint[]);
