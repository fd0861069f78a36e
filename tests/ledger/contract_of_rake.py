"""What every adapter of the ledger must do with the rake of hands, and what its report says."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.hosted_tables import HostedLimits
from pokerroom.ledger.rake import RakeRow
from tests.ledger.contract import MIDNIGHT_MS, AddsUp, buy_in, hand, seated, stacks

EVER_MS = 4_000_000_000_000


class Raking(AddsUp):
    """Hands with a rake."""

    def test_the_rake_leaves_the_stacks_and_stays_in_the_room(self, run, ledger):
        """The stacks lose what the room takes; all money together is as it was."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(
            ledger.settle(
                [hand("h1", {alice: 95, bob: -100}, rake=5), hand("h2", {alice: 0, bob: -1}, rake=1)]
            )
        )
        assert stacks(run, ledger) == {alice: 1_095, bob: 899}
        (row,) = run(ledger.rake_by_day(0, EVER_MS))
        assert (row.table, row.hands, row.rake) == ("T1", 2, 6)

    def test_a_hand_with_a_rake_is_settled_once(self, run, ledger):
        """The same settlement again, alone, among new ones, or twice in one batch, takes nothing more."""
        alice, bob = seated(run, ledger, "alice", "bob")
        first, second = hand("h1", {alice: 95, bob: -100}, rake=5), hand("h2", {alice: -10, bob: 8}, rake=2)
        run(ledger.settle([first, first]))
        run(ledger.settle([second, first]))
        run(ledger.settle([first]))
        assert stacks(run, ledger) == {alice: 1_085, bob: 908}
        assert [row.rake for row in run(ledger.rake_by_day(0, EVER_MS))] == [7]

    @pytest.mark.parametrize(("deltas", "rake"), [((95, -101), 6), ((100, -100), 0), ((94, -100), 6)])
    def test_a_hand_with_another_rake_is_a_conflict(self, run, ledger, deltas, rake):
        """A used hand id with another rake refuses the whole batch, also with no rake."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 95, bob: -100}, rake=5)]))
        other = hand("h1", dict(zip((alice, bob), deltas, strict=True)), rake=rake)
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h2", {alice: 1, bob: -1}), other]))
        assert stacks(run, ledger) == {alice: 1_095, bob: 900}
        assert [row.rake for row in run(ledger.rake_by_day(0, EVER_MS))] == [5]

    def test_a_private_table_takes_no_rake(self, run, ledger):
        """What friends play for stays with them: a rake there refuses the whole batch."""
        host, guest = seated(run, ledger, "host", "guest")
        run(
            ledger.open_hosted_table(
                "host:1", host, {"name": "Friday"}, "code", HostedLimits(per_account=1, in_room=1)
            )
        )
        run(ledger.join_hosted_table("code", guest))
        run(ledger.take_table("host:1", "n1", 0))
        for seat, account in enumerate((host, guest), start=1):
            run(buy_in(ledger, f"k{seat}", "host:1", seat, account, Money(500)))
        friends = hand("h2", {host: 95, guest: -100}, table="host:1", rake=5)
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h1", {host: 95, guest: -100}, rake=5), friends]))
        assert run(ledger.rake_by_day(0, EVER_MS)) == []
        run(ledger.settle([hand("h2", {host: 100, guest: -100}, table="host:1")]))

    def test_a_report_has_a_row_for_each_day_and_table(self, run, ledger):
        """A hand counts on the day (UTC) on which it ended; hands without rake do not count."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(buy_in(ledger, "k1", "T10", 1, alice, Money(500)))
        run(buy_in(ledger, "k2", "T10", 2, bob, Money(500)))
        ends = {"h1": MIDNIGHT_MS - 1, "h2": MIDNIGHT_MS, "h3": MIDNIGHT_MS + 1}
        for hand_id, ended_ms in ends.items():
            run(ledger.settle([hand(hand_id, {alice: 10, bob: -12}, rake=2, ended_ms=ended_ms)]))
        run(
            ledger.settle(
                [
                    hand("h4", {alice: 10, bob: -13}, table="T10", rake=3, ended_ms=MIDNIGHT_MS),
                    hand("h5", {alice: 10, bob: -10}, table="T10", ended_ms=MIDNIGHT_MS),
                ]
            )
        )
        first = RakeRow(day="2023-11-14", table="T1", hands=1, rake=Money(2))
        assert run(ledger.rake_by_day(0, EVER_MS)) == [
            first,
            RakeRow(day="2023-11-15", table="T1", hands=2, rake=Money(4)),
            RakeRow(day="2023-11-15", table="T10", hands=1, rake=Money(3)),
        ]
        assert run(ledger.rake_by_day(0, MIDNIGHT_MS)) == [first]
        assert run(ledger.rake_by_day(MIDNIGHT_MS - 1, MIDNIGHT_MS)) == [first]
        assert [row.hands for row in run(ledger.rake_by_day(MIDNIGHT_MS + 1, EVER_MS))] == [1]
