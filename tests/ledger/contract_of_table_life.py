"""The part of every ledger's contract that a table's life needs: departures, and the clock's protection counted.

`TableLife` is mixed into `Contract`. A subclass provides the fixture `later(seconds)`, which makes time pass for the
ledger.
"""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, NotSeated
from tests.ledger.contract import ENDED_MS, buy_in, cash_out, hand, seated, top_up


class TableLife:
    """`left_with` and `timeout_all_ins` of `pokerroom.ledger.api.Ledger`."""

    # --- what an account left with

    def test_an_account_that_left_is_remembered_with_what_it_took(self, run, ledger):
        """The stack at the cash-out, wins and top-ups included, of this account at this table alone."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(top_up(ledger, "top", "T1", alice, Money(500)))
        run(ledger.settle([hand("h1", {alice: 250, bob: -250})]))
        assert run(ledger.left_with("T1", alice, 3_600)) is None, "the player is still there"
        run(cash_out(ledger, "out", "T1", alice))
        assert run(ledger.left_with("T1", alice, 3_600)) == 1_750
        assert run(ledger.left_with("T2", alice, 3_600)) is None
        assert run(ledger.left_with("T1", bob, 3_600)) is None
        assert run(ledger.left_with("T1", 99, 3_600)) is None

    def test_a_departure_is_forgotten_after_the_time(self, run, ledger, later):
        """Shortly before the time is over it is told, shortly after it is not; a time of zero asks for nothing."""
        (alice,) = seated(run, ledger, "alice")
        run(cash_out(ledger, "out", "T1", alice))
        assert run(ledger.left_with("T1", alice, 0)) is None
        later(3_000)
        assert run(ledger.left_with("T1", alice, 3_600)) == 1_000
        assert run(ledger.left_with("T1", alice, 3_000)) is None
        later(600)
        assert run(ledger.left_with("T1", alice, 3_600)) is None

    def test_only_the_last_departure_counts(self, run, ledger, later):
        """The last departure counts: a smaller amount, or none."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(cash_out(ledger, "out1", "T1", alice))
        run(buy_in(ledger, "in2", "T1", 1, alice, Money(300)))
        assert run(ledger.left_with("T1", alice, 3_600)) == 1_000
        later(3_000)
        run(cash_out(ledger, "out2", "T1", alice))
        assert run(ledger.left_with("T1", alice, 600)) == 300
        run(buy_in(ledger, "in3", "T1", 1, alice, Money(200)))
        run(ledger.settle([hand("h1", {alice: -200, bob: 200})]))
        run(cash_out(ledger, "out3", "T1", alice))
        assert run(ledger.left_with("T1", alice, 3_600)) is None

    def test_a_repeated_cash_out_is_no_new_departure(self, run, ledger, later):
        """The same key again after an unknown outcome leaves the time and the amount as they were."""
        (alice,) = seated(run, ledger, "alice")
        run(cash_out(ledger, "out", "T1", alice))
        later(3_000)
        run(cash_out(ledger, "out", "T1", alice))
        assert run(ledger.left_with("T1", alice, 2_900)) is None
        assert run(ledger.left_with("T1", alice, 3_600)) == 1_000

    def test_a_refused_cash_out_is_no_departure(self, run, ledger):
        """An account without a seat has no amount."""
        (alice,) = seated(run, ledger, "alice")
        run(cash_out(ledger, "out", "T1", alice))
        with pytest.raises(NotSeated):
            run(cash_out(ledger, "again", "T1", alice))
        assert run(ledger.left_with("T1", alice, 3_600)) == 1_000

    # --- all-in by the clock

    def test_h2_each_use_of_the_clocks_protection_is_counted(self, run, ledger):
        """Over hands and tables together, without accounts that have none."""
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        for account in (alice, bob):
            run(buy_in(ledger, f"k{account}", "T2", account, account, Money(500)))
        assert run(ledger.timeout_all_ins(0)) == {}
        run(
            ledger.settle(
                [
                    hand("h1", {alice: 0, bob: 10, carol: -10}, by_clock=[alice, carol]),
                    hand("h2", {alice: 5, bob: -5}, by_clock=[alice], table="T2"),
                    hand("h3", {bob: 5, carol: -5}),
                ]
            )
        )
        assert run(ledger.timeout_all_ins(0)) == {alice: 2, carol: 1}
        run(ledger.settle([hand("h4", {bob: -1, carol: 1}, by_clock=[bob])]))
        assert run(ledger.timeout_all_ins(0)) == {alice: 2, bob: 1, carol: 1}

    def test_h2_uses_are_counted_since_a_moment(self, run, ledger):
        """A hand that ended at that very millisecond counts, one that ended before does not."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(
            ledger.settle(
                [
                    hand("h1", {alice: 1, bob: -1}, by_clock=[alice], ended_ms=ENDED_MS - 1),
                    hand("h2", {alice: 1, bob: -1}, by_clock=[alice, bob], ended_ms=ENDED_MS),
                    hand("h3", {alice: 1, bob: -1}, by_clock=[alice], ended_ms=ENDED_MS + 86_400_000),
                ]
            )
        )
        assert run(ledger.timeout_all_ins(ENDED_MS - 1)) == {alice: 3, bob: 1}
        assert run(ledger.timeout_all_ins(ENDED_MS)) == {alice: 2, bob: 1}
        assert run(ledger.timeout_all_ins(ENDED_MS + 1)) == {alice: 1}
        assert run(ledger.timeout_all_ins(ENDED_MS + 86_400_001)) == {}

    def test_h2_a_settlement_repeated_counts_nothing_more(self, run, ledger):
        """Alone, twice in a batch, among new hands, or with another count: what was written first stays."""
        alice, bob = seated(run, ledger, "alice", "bob")
        first = hand("h1", {alice: 10, bob: -10}, by_clock=[bob])
        run(ledger.settle([first, first]))
        run(ledger.settle([first]))
        run(ledger.settle([hand("h2", {alice: 1, bob: -1}, by_clock=[alice]), first]))
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}, by_clock=[alice, bob])]))
        assert run(ledger.timeout_all_ins(0)) == {alice: 1, bob: 1}

    def test_h2_what_is_not_settled_is_not_counted(self, run, ledger):
        """The counts are written with the settlement: a batch that is refused counts nothing."""
        alice, bob = seated(run, ledger, "alice", "bob")
        with pytest.raises(LedgerConflict):
            run(
                ledger.settle(
                    [
                        hand("h1", {alice: 1, bob: -1}, by_clock=[alice]),
                        hand("h2", {alice: 5_000, bob: -5_000}),
                    ]
                )
            )
        assert run(ledger.timeout_all_ins(0)) == {}

    @pytest.mark.parametrize("by_clock", [[1, 1], [3], [99]], ids=["twice", "not in the hand", "no account"])
    def test_h3_an_account_that_is_counted_is_in_the_hand_once(self, run, ledger, by_clock):
        """A player is all-in by the clock once per hand: twice, or in a hand of others, is a bug."""
        alice, bob, _ = seated(run, ledger, "alice", "bob", "carol")
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h1", {alice: 1, bob: -1}, by_clock=by_clock)]))
        assert run(ledger.audit()).hands == 0
        assert run(ledger.timeout_all_ins(0)) == {}
