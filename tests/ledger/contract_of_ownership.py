"""The part of every ledger's contract that keeps one owner at a table: epochs, and what a past owner is refused.

`Ownership` is mixed into `Contract`.
"""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import (
    AlreadySeated,
    LedgerConflict,
    NotOwner,
    OwnerRow,
    SeatOccupied,
    TooManyTables,
)
from tests.ledger.contract import buy_in, cash_out, hand, opened, seated, stacks, top_up


class Ownership:
    """Owners of tables, their epochs, and how many tables an account may have."""

    # --- owners

    def test_a_table_that_no_node_ever_owned_is_written_by_no_node(self, run, ledger):
        """Without an owner no chip goes to a table, whatever epoch is named."""
        assert run(ledger.owners()) == []
        (alice,) = opened(run, ledger, "alice")
        for epoch in (0, 1):
            with pytest.raises(NotOwner):
                run(buy_in(ledger, f"k{epoch}", "T5", 1, alice, Money(100), epoch=epoch))
        assert run(ledger.wallet(alice)) == 10_000

    def test_an_owner_takes_a_table_under_its_next_epoch(self, run, ledger):
        """The first epoch is 1; a caller that names the last epoch gets the next. Owners are listed by table."""
        assert run(ledger.take_table("T2", "a", 0)) == 1
        assert run(ledger.take_table("T10", "a", 0)) == 1
        assert run(ledger.take_table("T2", "b", 1)) == 2
        assert run(ledger.owners()) == [
            OwnerRow(table="T10", epoch=1, node="a"),
            OwnerRow(table="T2", epoch=2, node="b"),
        ]

    def test_of_two_who_take_a_table_one_gets_it(self, run, ledger):
        """A caller that names an older epoch is refused and changes nothing."""
        assert run(ledger.take_table("T1", "a", 0)) == 1
        assert run(ledger.take_table("T1", "b", 0)) is None
        assert run(ledger.take_table("T1", "b", 1)) == 2
        assert run(ledger.take_table("T1", "c", 1)) is None
        assert run(ledger.take_table("T1", "c", 7)) is None
        assert run(ledger.owners()) == [OwnerRow(table="T1", epoch=2, node="b")]

    def test_a_take_asked_again_is_the_same_take(self, run, ledger):
        """The same call again gives the same epoch, until another node has the table."""
        for _ in range(2):
            assert run(ledger.take_table("T1", "a", 0)) == 1
        for _ in range(2):
            assert run(ledger.take_table("T1", "b", 1)) == 2
        assert run(ledger.take_table("T1", "a", 0)) is None

    def test_a_released_table_is_no_nodes_until_it_is_taken(self, run, ledger):
        """Its epoch stays used: the next owner has the next one."""
        (alice,) = seated(run, ledger, "alice")
        run(ledger.release_table("T1", 1))
        run(ledger.release_table("T1", 1))
        assert OwnerRow(table="T1", epoch=1, node=None) in run(ledger.owners())
        with pytest.raises(NotOwner):
            run(top_up(ledger, "k1", "T1", alice, Money(100)))
        assert run(ledger.take_table("T1", "n1", 0)) is None
        assert run(ledger.take_table("T1", "n1", 1)) == 2
        run(top_up(ledger, "k1", "T1", alice, Money(100), epoch=2))
        assert stacks(run, ledger) == {alice: 1_100}

    def test_a_past_owner_releases_nothing(self, run, ledger):
        """Releasing a table that never had an owner changes nothing."""
        run(ledger.take_table("T1", "a", 0))
        run(ledger.take_table("T1", "b", 1))
        run(ledger.release_table("T1", 1))
        run(ledger.release_table("T2", 1))
        assert run(ledger.owners()) == [OwnerRow(table="T1", epoch=2, node="b")]

    # --- the fence

    @pytest.mark.parametrize("way", ["taken", "released", "never given"])
    def test_an_owner_whose_epoch_is_over_gets_every_write_refused(self, run, ledger, way):
        """Buy-in, top-up, cash-out and settlement: nothing moves, no seat changes, and no key is used up."""
        alice, bob, carol = seated(run, ledger, "alice", "bob") + opened(run, ledger, "carol")
        epoch = 2 if way == "never given" else 1
        if way == "taken":
            assert run(ledger.take_table("T1", "n2", 1)) == 2
        elif way == "released":
            run(ledger.release_table("T1", 1))
        before = run(ledger.seats()), run(ledger.audit())
        for write in (
            lambda: buy_in(ledger, "k1", "T1", 3, carol, Money(100), epoch=epoch),
            lambda: top_up(ledger, "k2", "T1", alice, Money(100), epoch=epoch),
            lambda: cash_out(ledger, "k3", "T1", bob, epoch=epoch),
            lambda: ledger.settle([hand("h1", {alice: 10, bob: -10}, epoch=epoch, by_clock=[bob])]),
            lambda: ledger.settle([hand("h2", {alice: 0, bob: 0}, epoch=epoch)]),
        ):
            with pytest.raises(NotOwner):
                run(write())
        assert (run(ledger.seats()), run(ledger.audit())) == before
        assert run(ledger.wallet(carol)) == 10_000
        assert run(ledger.timeout_all_ins(0)) == {}
        assert run(ledger.settled_hands(["h1", "h2"])) == frozenset()
        assert run(ledger.left_with("T1", bob, 3_600)) is None

    def test_the_next_owner_goes_on_with_the_same_keys(self, run, ledger):
        """The new owner carries out what the last one was refused under the same keys."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.take_table("T1", "n2", 1))
        with pytest.raises(NotOwner):
            run(ledger.settle([hand("h1", {alice: 10, bob: -10})]))
        with pytest.raises(NotOwner):
            run(cash_out(ledger, "out", "T1", bob))
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}, epoch=2)]))
        assert run(cash_out(ledger, "out", "T1", bob, epoch=2)) == 990
        assert stacks(run, ledger) == {alice: 1_010}

    def test_a_hand_is_settled_once_whoever_tries(self, run, ledger):
        """Past owner and present one may both repeat it after an unknown outcome: it has moved its chips once."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}, by_clock=[bob])]))
        assert run(ledger.take_table("T1", "n2", 1)) == 2
        for epoch in (2, 1, 2):
            run(ledger.settle([hand("h1", {alice: 10, bob: -10}, epoch=epoch, by_clock=[bob])]))
        run(ledger.settle([hand("h2", {alice: 3, bob: -3}, epoch=2)]))
        for epoch in (1, 2):
            run(ledger.settle([hand("h2", {alice: 3, bob: -3}, epoch=epoch)]))
        assert stacks(run, ledger) == {alice: 1_013, bob: 987}
        assert run(ledger.audit()).hands == 2
        assert run(ledger.timeout_all_ins(0)) == {bob: 1}

    def test_a_past_owner_that_has_played_a_hand_otherwise_is_told_that_it_is_one(self, run, ledger):
        """The hand stays as it was settled; other legs are a bug only if the present owner sends them."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 10, bob: -10})]))
        run(ledger.take_table("T1", "n2", 1))
        for epoch, refusal in ((1, NotOwner), (2, LedgerConflict)):
            with pytest.raises(refusal):
                run(ledger.settle([hand("h1", {alice: -10, bob: 10}, epoch=epoch)]))
        assert stacks(run, ledger) == {alice: 1_010, bob: 990}

    def test_a_repeated_key_is_answered_whoever_owns_the_table(self, run, ledger):
        """What was done before is told again to a past owner, and moves nothing."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(top_up(ledger, "more", "T1", alice, Money(50)))
        assert run(cash_out(ledger, "out", "T1", bob)) == 1_000
        run(ledger.take_table("T1", "n2", 1))
        run(buy_in(ledger, f"buyin:T1:{alice}", "T1", 1, alice, Money(1_000)))
        run(top_up(ledger, "more", "T1", alice, Money(50)))
        assert run(cash_out(ledger, "out", "T1", bob)) == 1_000
        with pytest.raises(LedgerConflict):
            run(top_up(ledger, "more", "T1", alice, Money(51)))
        assert stacks(run, ledger) == {alice: 1_050}

    def test_one_lost_table_refuses_its_whole_batch(self, run, ledger):
        """All or none: without that hand the others are settled."""
        alice, bob = seated(run, ledger, "alice", "bob")
        for seat, account in enumerate((alice, bob), 1):
            run(buy_in(ledger, f"T2:{account}", "T2", seat, account, Money(500)))
        settled = hand("h0", {alice: 1, bob: -1}, table="T2")
        run(ledger.settle([settled]))
        run(ledger.take_table("T2", "n2", 1))
        kept, lost = hand("h1", {alice: 5, bob: -5}), hand("h2", {alice: 7, bob: -7}, table="T2")
        with pytest.raises(NotOwner):
            run(ledger.settle([settled, kept, lost]))
        assert run(ledger.settled_hands(["h1", "h2"])) == frozenset()
        run(ledger.settle([settled, kept]))
        assert stacks(run, ledger) == {alice: 1_005, bob: 995}
        assert stacks(run, ledger, "T2") == {alice: 501, bob: 499}

    # --- an account's tables

    def test_the_tables_of_an_account_are_those_of_its_seats(self, run, ledger):
        """In order, for all owners, without tables that the account has left."""
        alice, bob = seated(run, ledger, "alice", "bob")
        assert run(ledger.tables_of(bob)) == ["T1"]
        for table in ("T2", "T10"):
            run(buy_in(ledger, f"in:{table}", table, 1, alice, Money(100)))
        run(ledger.take_table("T2", "n2", 1))
        assert run(ledger.tables_of(alice)) == ["T1", "T10", "T2"]
        run(cash_out(ledger, "out", "T1", alice))
        assert run(ledger.tables_of(alice)) == ["T10", "T2"]
        assert run(ledger.tables_of(99)) == []

    def test_an_account_has_seats_at_so_many_tables_at_most(self, run, ledger):
        """The one too many changes nothing; a seat that is free again, and a repeated buy-in, are no more."""
        (alice,) = seated(run, ledger, "alice")
        run(buy_in(ledger, "k2", "T2", 1, alice, Money(100), tables_max=2))
        with pytest.raises(TooManyTables):
            run(buy_in(ledger, "k3", "T3", 1, alice, Money(100), tables_max=2))
        assert run(ledger.wallet(alice)) == 8_900
        assert run(ledger.tables_of(alice)) == ["T1", "T2"]
        run(buy_in(ledger, "k2", "T2", 1, alice, Money(100), tables_max=2))
        run(cash_out(ledger, "out", "T1", alice))
        run(buy_in(ledger, "k3", "T3", 1, alice, Money(100), tables_max=2))
        assert run(ledger.tables_of(alice)) == ["T2", "T3"]

    def test_an_account_that_cannot_have_the_seat_is_told_that_first(self, run, ledger):
        """An occupied seat, or a seat of the account at this table, is reported before the limit on tables."""
        alice, bob = seated(run, ledger, "alice", "bob")
        with pytest.raises(AlreadySeated):
            run(buy_in(ledger, "k1", "T1", 3, alice, Money(100), tables_max=1))
        run(buy_in(ledger, "k2", "T2", 1, alice, Money(100)))
        with pytest.raises(SeatOccupied):
            run(buy_in(ledger, "k3", "T2", 1, bob, Money(100), tables_max=1))
        with pytest.raises(TooManyTables):
            run(buy_in(ledger, "k4", "T2", 2, bob, Money(100_000), tables_max=1))
