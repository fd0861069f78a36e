-- Tournaments that start at a time: entries may come after the start, and prizes are fixed when entries close.

ALTER TABLE tournaments
    ADD COLUMN starts_ms   bigint,       -- Unix milliseconds; null: it starts when it is full
    ADD COLUMN players_min integer CHECK (players_min BETWEEN 2 AND seats),
    ADD COLUMN entries_max integer CHECK (entries_max >= 0),  -- of a player; 0: any number
    ADD COLUMN guarantee   bigint CHECK (guarantee >= 0),     -- the prizes together are no less
    ADD COLUMN closed      timestamptz,  -- when the entries of a running tournament with a start closed
    ADD CONSTRAINT scheduled_tournament_has_terms CHECK (
        (starts_ms IS NULL) = (players_min IS NULL) AND (starts_ms IS NULL) = (entries_max IS NULL)
        AND (starts_ms IS NULL) = (guarantee IS NULL)),
    ADD CONSTRAINT entries_close_after_start CHECK (
        closed IS NULL OR starts_ms IS NOT NULL AND started IS NOT NULL),
    DROP CONSTRAINT prizes_are_the_pool,
    ADD CONSTRAINT prizes_are_the_pool CHECK (
        1 <= ALL (prizes) AND CASE
            WHEN starts_ms IS NULL THEN
                sum_of(prizes) = seats * (buy_in - fee) AND cardinality(prizes) BETWEEN 1 AND seats
            ELSE (cardinality(prizes) > 0) = (closed IS NOT NULL) END);
CREATE UNIQUE INDEX tournament_starts_once ON tournaments (offer, starts_ms) WHERE starts_ms IS NOT NULL;
CREATE INDEX scheduled_tournaments ON tournaments (starts_ms) WHERE starts_ms IS NOT NULL;

-- A player that is out may enter again: the entry before is then replaced. It keeps its hands, and has no chips.
ALTER TABLE tournament_entries
    ADD COLUMN replaced boolean NOT NULL DEFAULT false,
    ADD COLUMN out_in   bigint REFERENCES transfers,  -- the hand in which the last chips were lost
    ADD CONSTRAINT replaced_entry_has_no_chips CHECK (NOT replaced OR chips = 0),
    ADD CONSTRAINT player_is_out_in_a_hand CHECK (out_in IS NULL OR chips = 0);
DROP INDEX account_is_entered_once;
CREATE UNIQUE INDEX account_is_entered_once ON tournament_entries (tournament, account) WHERE NOT returned AND NOT replaced;
CREATE INDEX entries_without_seat ON tournament_entries (tournament) WHERE seat IS NULL AND NOT returned;

DROP FUNCTION IF EXISTS open_tournament(text, text, integer, smallint, bigint, bigint, bigint[], json);

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check, ADD CONSTRAINT transfers_kind_check CHECK (
    kind IN ('genesis', 'opening', 'buy_in', 'top_up', 'cash_out', 'hand', 'entry', 'entry_return', 'fees', 'prize',
             'cancellation', 'roll_back')
    OR kind IN ('meter_seed', 'place', 'round_bets', 'round_play', 'round_tip', 'round', 'round_void')
    OR kind IN ('source_fund', 'deposit', 'withdrawal', 'withdrawal_paid', 'withdrawal_return', 'adjustment')
    OR kind IN ('late_entry', 'overlay'));
