"""The part of every ledger's contract for tables that players open. `Hosting` is mixed into `Contract`."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountInUse, AccountLocked, gone_name
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.hosted_tables import (
    GUESTS_MAX,
    PER_DAY,
    RESULTS_S,
    RISE_REST_S,
    HostedLimits,
    HostedTableClosing,
    NotHost,
    StakesTooHigh,
    TableResult,
    TooManyGuests,
    TooManyHostedTables,
    UnknownGuest,
    UnknownHostedTable,
    UnknownLink,
    WrongTablePassword,
)
from pokerroom.ledger.operator_log import THE_ROOM
from tests.ledger.contract import buy_in, cash_out, hand, opened, top_up

TERMS = {"name": "Friday", "small_blind": 50, "seats": 6, "chat": True}
OTHER_TERMS = TERMS | {"small_blind": 200}
FEW = HostedLimits(per_account=2, in_room=3)


def hosted(run, ledger, host, number=1, limits=FEW):
    """A table of this host, with the code `code-<number>`."""
    return run(ledger.open_hosted_table(f"host:{number}", host, TERMS, f"code-{number}", limits))


def all_of(run, ledger):
    """Everything that the ledger says about its hosted tables."""
    versions = dict(run(ledger.hosted_versions()))
    return versions, [run(ledger.hosted_table(table)) for table in versions]


class Hosting:
    """Alice is the host of what is opened."""

    @pytest.fixture
    def people(self, run, ledger):
        return opened(run, ledger, "alice", "bob", "carol")

    def test_a_table_has_its_terms_and_its_host(self, run, ledger, people):
        """It is there for its host and its guests, the newest first, until it is closed for good."""
        alice, bob, carol = people
        first = hosted(run, ledger, alice)
        assert (first.table, first.host, first.host_name, first.code) == ("host:1", alice, "alice", "code-1")
        assert (dict(first.terms), first.paused, first.closing, set(first.guests)) == (
            TERMS,
            False,
            False,
            set(),
        )
        assert run(ledger.hosted_table("host:1")) == first
        joined = run(ledger.join_hosted_table("code-1", bob))
        assert (set(joined.guests), joined.version > first.version) == ({bob}, True)
        second = hosted(run, ledger, alice, 2)
        assert [row.table for row in run(ledger.hosted_tables_of(alice))] == ["host:2", "host:1"]
        assert run(ledger.hosted_tables_of(bob)) == [joined]
        assert run(ledger.hosted_tables_of(carol)) == []
        assert run(ledger.hosted_versions()) == {"host:1": joined.version, "host:2": second.version}
        assert run(ledger.hosted_table("host:9")) is None

    def test_host_and_room_have_a_maximum_of_tables(self, run, ledger, people):
        """A table that is closed for good counts no more; an id or a code is used once."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        before = all_of(run, ledger)
        for table, code in (("host:1", "other"), ("host:9", "code-1")):
            with pytest.raises(LedgerConflict):
                run(ledger.open_hosted_table(table, bob, TERMS, code, FEW))
        with pytest.raises(LookupError):
            hosted(run, ledger, 99, 9)
        assert all_of(run, ledger) == before
        hosted(run, ledger, alice, 2)
        with pytest.raises(TooManyHostedTables):
            hosted(run, ledger, alice, 3)
        hosted(run, ledger, bob, 3)
        with pytest.raises(TooManyHostedTables):
            hosted(run, ledger, carol, 4)
        run(ledger.change_hosted_table("host:1", alice, "close", ""))
        with pytest.raises(TooManyHostedTables):
            hosted(run, ledger, carol, 4)
        assert run(ledger.end_hosted_table("host:1"))
        hosted(run, ledger, carol, 4)

    def test_an_account_opens_few_tables_in_a_day(self, run, ledger, people, later):
        """Also if it closes each; a day later it may again."""
        alice, bob, _ = people
        for number in range(PER_DAY):
            hosted(run, ledger, alice, number)
            run(ledger.change_hosted_table(f"host:{number}", alice, "close", ""))
            assert run(ledger.end_hosted_table(f"host:{number}"))
        with pytest.raises(TooManyHostedTables):
            hosted(run, ledger, alice, PER_DAY)
        hosted(run, ledger, bob, PER_DAY)
        later(86_400)
        hosted(run, ledger, alice, PER_DAY + 1)

    def test_the_link_makes_a_guest_once(self, run, ledger, people):
        """The host is no guest, and an unknown code admits no account."""
        alice, bob, _ = people
        hosted(run, ledger, alice)
        joined = run(ledger.join_hosted_table("code-1", bob))
        assert run(ledger.join_hosted_table("code-1", bob)) == joined
        assert run(ledger.join_hosted_table("code-1", alice)) == joined
        for code in ("", "code-2", "CODE-1"):
            with pytest.raises(UnknownLink):
                run(ledger.join_hosted_table(code, bob))

    def test_a_new_link_ends_the_old_one(self, run, ledger, people):
        """Guests stay guests."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        run(ledger.join_hosted_table("code-1", bob))
        changed = run(ledger.change_hosted_table("host:1", alice, "new_link", "code-2"))
        assert (changed.code, set(changed.guests)) == ("code-2", {bob})
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-1", carol))
        assert set(run(ledger.join_hosted_table("code-2", carol)).guests) == {bob, carol}

    def test_the_password_makes_a_guest_too(self, run, ledger, people):
        """Once the host has set one, and while it is the present one; its hash is told by its own question alone."""
        alice, bob, carol = people
        plain = hosted(run, ledger, alice)
        assert (plain.has_password, run(ledger.table_password("host:1"))) == (False, None)
        assert run(ledger.table_password("host:9")) is None
        row = run(ledger.set_table_password("host:1", alice, "hash-1"))
        assert (row.has_password, row.version > plain.version, row.code) == (True, True, plain.code)
        assert "hash-1" not in repr(row)
        assert run(ledger.set_table_password("host:1", alice, "hash-1")) == row
        assert run(ledger.table_password("host:1")) == "hash-1"
        joined = run(ledger.enter_hosted_table("host:1", "hash-1", bob))
        assert (set(joined.guests), joined.version > row.version) == ({bob}, True)
        for again in (bob, alice):
            assert run(ledger.enter_hosted_table("host:1", "hash-1", again)) == joined
        run(ledger.set_table_password("host:1", alice, "hash-2"))
        for table, password_hash in (("host:1", "hash-1"), ("host:1", ""), ("host:9", "hash-2")):
            with pytest.raises(WrongTablePassword):
                run(ledger.enter_hosted_table(table, password_hash, carol))
        without = run(ledger.set_table_password("host:1", alice, None))
        assert (without.has_password, set(without.guests)) == (False, {bob})
        with pytest.raises(WrongTablePassword):
            run(ledger.enter_hosted_table("host:1", "hash-2", carol))
        assert set(run(ledger.join_hosted_table("code-1", carol)).guests) == {bob, carol}

    def test_the_host_alone_sets_a_password(self, run, ledger, people):
        """A guest is not the host, a stranger knows no table; a table that closes has no password for long."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        run(ledger.join_hosted_table("code-1", bob))
        run(ledger.set_table_password("host:1", alice, "hash"))
        before = all_of(run, ledger)
        for account, refusal in ((bob, NotHost), (carol, UnknownHostedTable)):
            for password_hash in ("other", None):
                with pytest.raises(refusal):
                    run(ledger.set_table_password("host:1", account, password_hash))
        assert (all_of(run, ledger), run(ledger.table_password("host:1"))) == (before, "hash")
        run(ledger.give_host("host:1", alice, "bob", FEW))
        run(ledger.set_table_password("host:1", bob, "of bob"))
        run(ledger.change_hosted_table("host:1", bob, "close", ""))
        assert run(ledger.table_password("host:1")) is None
        with pytest.raises(WrongTablePassword):
            run(ledger.enter_hosted_table("host:1", "of bob", carol))
        with pytest.raises(HostedTableClosing):
            run(ledger.set_table_password("host:1", bob, "late"))
        assert run(ledger.end_hosted_table("host:1"))
        with pytest.raises(WrongTablePassword):
            run(ledger.enter_hosted_table("host:1", "of bob", carol))

    def test_the_password_lets_no_removed_guest_in(self, run, ledger, people, later):
        """Nor a new account of the guest's address; nor one account more than a table may have."""
        alice, bob, _ = people
        hosted(run, ledger, alice)
        run(ledger.set_table_password("host:1", alice, "hash"))
        run(ledger.enter_hosted_table("host:1", "hash", bob, "192.0.2.7"))
        later(1)
        run(ledger.remove_guest("host:1", alice, "bob"))
        later(1)
        dave = run(ledger.create_account("dave", "-", Money(0))).account
        for account, address in ((bob, ""), (dave, "192.0.2.7")):
            with pytest.raises(WrongTablePassword):
                run(ledger.enter_hosted_table("host:1", "hash", account, address))
        assert set(run(ledger.enter_hosted_table("host:1", "hash", dave, "192.0.2.8")).guests) == {dave}
        run(ledger.lock_out(dave, by=THE_ROOM))
        with pytest.raises(AccountLocked):
            run(ledger.enter_hosted_table("host:1", "hash", dave))

    def test_a_table_has_a_maximum_of_guests(self, run, ledger, people):
        """One more is refused; a guest who returns is not."""
        alice, *_ = people
        hosted(run, ledger, alice)
        guests = [
            run(ledger.create_account(f"g{n}", "hash", Money(0))).account for n in range(GUESTS_MAX + 1)
        ]
        for guest in guests[:-1]:
            run(ledger.join_hosted_table("code-1", guest))
        with pytest.raises(TooManyGuests):
            run(ledger.join_hosted_table("code-1", guests[-1]))
        assert len(run(ledger.join_hosted_table("code-1", guests[0])).guests) == GUESTS_MAX

    def test_a_removed_guest_stays_out(self, run, ledger, people):
        """By the old link and by a new one, and may have no seat. Names are as for a log-in."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        run(ledger.take_table("host:1", "n1", 0))
        run(ledger.join_hosted_table("code-1", bob))
        assert run(ledger.remove_guest("host:1", alice, "BOB")).guests == {}
        run(ledger.change_hosted_table("host:1", alice, "new_link", "code-2"))
        for code in ("code-1", "code-2"):
            with pytest.raises(UnknownLink):
                run(ledger.join_hosted_table(code, bob))
        before = all_of(run, ledger)
        for account in (bob, carol):
            with pytest.raises(UnknownHostedTable):
                run(buy_in(ledger, f"buyin:{account}", "host:1", 1, account, Money(100)))
            assert run(ledger.hosted_tables_of(account)) == []
        for name in ("bob", "alice", "carol", "dora"):
            with pytest.raises(UnknownGuest):
                run(ledger.remove_guest("host:1", alice, name))
        assert all_of(run, ledger) == before

    def test_a_guest_of_one_table_has_no_seat_at_another(self, run, ledger, people):
        """Nor has the host of another one; where each belongs there is a seat."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        hosted(run, ledger, bob, 2)
        for table in ("host:1", "host:2"):
            run(ledger.take_table(table, "n1", 0))
        run(ledger.join_hosted_table("code-1", carol))
        for number, table, account in ((1, "host:2", carol), (2, "host:2", alice), (3, "host:1", bob)):
            with pytest.raises(UnknownHostedTable):
                run(buy_in(ledger, f"b{number}", table, 1, account, Money(400)))
        run(buy_in(ledger, "b4", "host:1", 1, carol, Money(400)))
        run(buy_in(ledger, "b5", "host:2", 1, bob, Money(400)))
        assert [(row.table, row.account) for row in run(ledger.seats())] == [
            ("host:1", carol),
            ("host:2", bob),
        ]

    def test_the_host_alone_gives_orders(self, run, ledger, people):
        """To other accounts than guests the table does not exist; nothing changes."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        run(ledger.join_hosted_table("code-1", bob))
        before = all_of(run, ledger)
        for account, refusal in ((bob, NotHost), (carol, UnknownHostedTable)):
            for order in ("pause", "resume", "new_link", "close"):
                with pytest.raises(refusal):
                    run(ledger.change_hosted_table("host:1", account, order, "code-2"))
            with pytest.raises(refusal):
                run(ledger.remove_guest("host:1", account, "bob"))
            with pytest.raises(refusal):
                run(ledger.change_hosted_terms("host:1", account, OTHER_TERMS, "small_blind"))
        with pytest.raises(UnknownHostedTable):
            run(ledger.change_hosted_table("host:9", alice, "pause", ""))
        assert all_of(run, ledger) == before

    def test_the_same_order_again_changes_nothing(self, run, ledger, people):
        """Pausing is noted until it is resumed."""
        alice, *_ = people
        hosted(run, ledger, alice)
        paused = run(ledger.change_hosted_table("host:1", alice, "pause", ""))
        assert paused.paused
        assert run(ledger.change_hosted_table("host:1", alice, "pause", "")) == paused
        resumed = run(ledger.change_hosted_table("host:1", alice, "resume", ""))
        assert (resumed.paused, resumed.version > paused.version) == (False, True)

    def test_the_host_gives_the_table_other_terms(self, run, ledger, people):
        """All else of the table stays; the same terms again change nothing."""
        alice, *_ = people
        before = hosted(run, ledger, alice)
        changed = run(ledger.change_hosted_terms("host:1", alice, OTHER_TERMS, "small_blind"))
        assert dict(changed.terms) == OTHER_TERMS
        assert changed.version > before.version
        assert replace(changed, terms=TERMS, version=before.version) == before
        assert run(ledger.hosted_table("host:1")) == changed
        assert run(ledger.change_hosted_terms("host:1", alice, OTHER_TERMS, "small_blind")) == changed

    @pytest.mark.parametrize("stake", ["small_blind", "small_bet"])
    def test_stakes_rise_slowly_while_others_sit(self, run, ledger, people, later, stake):
        """They at most double, and not again for a minute; alone, and downwards, the host does as it likes."""
        alice, bob, _ = people
        run(ledger.open_hosted_table("host:1", alice, {stake: 50}, "code-1", FEW))
        run(ledger.join_hosted_table("code-1", bob))
        run(ledger.take_table("host:1", "n1", 0))
        run(buy_in(ledger, "b1", "host:1", 1, alice, Money(100)))

        def change(amount):
            return run(ledger.change_hosted_terms("host:1", alice, {stake: amount}, stake))

        change(5_000)
        change(50)
        later(RISE_REST_S + 1)
        run(buy_in(ledger, "b2", "host:1", 2, bob, Money(100)))
        before = all_of(run, ledger)
        for amount in (101, 5_000):
            with pytest.raises(StakesTooHigh):
                change(amount)
        assert all_of(run, ledger) == before
        change(100)
        for lower, again in ((100, 101), (90, 100)):
            change(lower)
            with pytest.raises(StakesTooHigh):
                change(again)
        later(RISE_REST_S + 1)
        change(180)
        run(cash_out(ledger, "c2", "host:1", bob))
        change(5_000)

    def test_a_closing_table_is_closed_for_good_once_its_seats_are_free(self, run, ledger, people):
        """Until then it takes no guest, no seat and no other order; afterwards it is as if it had never been."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        run(ledger.join_hosted_table("code-1", bob))
        run(ledger.take_table("host:1", "n1", 0))
        run(buy_in(ledger, "b1", "host:1", 1, bob, Money(100)))
        assert not run(ledger.end_hosted_table("host:1"))
        closing = run(ledger.change_hosted_table("host:1", alice, "close", ""))
        assert closing.closing
        assert run(ledger.change_hosted_table("host:1", alice, "close", "")) == closing
        for order in ("pause", "resume", "new_link"):
            with pytest.raises(HostedTableClosing):
                run(ledger.change_hosted_table("host:1", alice, order, "code-2"))
        with pytest.raises(HostedTableClosing):
            run(ledger.remove_guest("host:1", alice, "bob"))
        with pytest.raises(HostedTableClosing):
            run(ledger.change_hosted_terms("host:1", alice, OTHER_TERMS, "small_blind"))
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-1", carol))
        with pytest.raises(UnknownHostedTable):
            run(buy_in(ledger, "b2", "host:1", 2, alice, Money(100)))
        assert not run(ledger.end_hosted_table("host:1"))
        assert run(ledger.hosted_table("host:1")) == closing
        run(cash_out(ledger, "c1", "host:1", bob))
        for _ in range(2):
            assert run(ledger.end_hosted_table("host:1"))
        assert (run(ledger.hosted_table("host:1")), run(ledger.hosted_versions())) == (None, {})
        assert run(ledger.hosted_tables_of(alice)) == run(ledger.hosted_tables_of(bob)) == []
        with pytest.raises(UnknownHostedTable):
            run(ledger.change_hosted_table("host:1", alice, "close", ""))

    def test_a_table_has_the_result_of_each_account(self, run, ledger, people):
        """Buy-ins, top-ups and cash-outs of this table alone, also of an account that was removed; they sum to zero.

        An account that never bought in has no result.
        """
        alice, bob, carol = people
        for number in (1, 2):
            hosted(run, ledger, alice, number)
            run(ledger.take_table(f"host:{number}", "n1", 0))
        for account in (bob, carol):
            run(ledger.join_hosted_table("code-1", account))
        assert run(ledger.hosted_results("host:1", carol)) == []
        run(buy_in(ledger, "b1", "host:1", 1, alice, Money(300)))
        run(buy_in(ledger, "b2", "host:1", 2, bob, Money(200)))
        run(buy_in(ledger, "b3", "host:2", 1, alice, Money(70)))
        run(top_up(ledger, "t1", "host:1", bob, Money(9_800)))
        run(ledger.settle([hand("h1", {alice: 120, bob: -120}, table="host:1")]))
        run(cash_out(ledger, "c1", "host:1", alice))
        run(buy_in(ledger, "b4", "host:1", 1, alice, Money(50)))
        run(ledger.settle([hand("h2", {alice: -50, bob: 50}, table="host:1")]))
        run(cash_out(ledger, "c2", "host:1", alice))
        expected = [
            TableResult(account=alice, name="alice", bought_in=350, taken_out=420, on_table=0),
            TableResult(account=bob, name="bob", bought_in=10_000, taken_out=0, on_table=9_930),
        ]
        assert [row.net for row in expected] == [70, -70]
        for account in people:
            assert run(ledger.hosted_results("host:1", account)) == expected
        run(buy_in(ledger, "b5", "host:1", 1, alice, Money(10)))
        lost = [hand(f"l{n}", {alice: 993, bob: -993}, table="host:1") for n in range(10)]
        run(ledger.settle(lost))
        run(cash_out(ledger, "c3", "host:1", bob))
        run(ledger.remove_guest("host:1", alice, "bob"))
        run(ledger.delete_account(bob, None, by=THE_ROOM))
        told = [(row.name, row.net) for row in run(ledger.hosted_results("host:1", alice))]
        assert told == [("alice", 10_000), (gone_name(bob), -10_000)]

    def test_results_are_for_the_host_and_the_guests(self, run, ledger, people):
        """To strangers and removed guests there is no table, nor to a host who never sat, once it is closed."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        run(ledger.join_hosted_table("code-1", bob))
        assert run(ledger.hosted_results("host:1", bob)) == []
        run(ledger.remove_guest("host:1", alice, "bob"))
        run(ledger.change_hosted_table("host:1", alice, "close", ""))
        assert run(ledger.hosted_results("host:1", alice)) == []
        for table, account in (("host:1", bob), ("host:1", carol), ("host:9", alice), ("T1", alice)):
            with pytest.raises(UnknownHostedTable):
                run(ledger.hosted_results(table, account))
        run(ledger.end_hosted_table("host:1"))
        with pytest.raises(UnknownHostedTable):
            run(ledger.hosted_results("host:1", alice))

    @pytest.mark.parametrize("by_host", [True, False])
    def test_those_who_sat_there_read_the_results_for_a_day(self, run, ledger, people, later, by_host):
        """A host who closes the table takes no sheet away, nor does the idle close; no other question has it."""
        alice, bob, carol = people
        hosted(run, ledger, alice)
        run(ledger.take_table("host:1", "n1", 0))
        for account in (bob, carol):
            run(ledger.join_hosted_table("code-1", account))
        run(buy_in(ledger, "b1", "host:1", 1, bob, Money(200)))
        run(cash_out(ledger, "c1", "host:1", bob))
        run(ledger.remove_guest("host:1", alice, "bob"))
        if by_host:
            run(ledger.change_hosted_table("host:1", alice, "close", ""))
        else:
            later(101)
            assert run(ledger.close_idle_hosted_tables(100)) == ["host:1"]
        assert run(ledger.end_hosted_table("host:1"))
        expected = [TableResult(account=bob, name="bob", bought_in=200, taken_out=200, on_table=0)]
        assert run(ledger.hosted_results("host:1", bob)) == expected
        assert run(ledger.hosted_table("host:1")) is None
        assert run(ledger.hosted_tables_of(bob)) == []
        for account in (alice, carol):  # they never sat
            with pytest.raises(UnknownHostedTable):
                run(ledger.hosted_results("host:1", account))
        later(RESULTS_S - 10)
        assert run(ledger.hosted_results("host:1", bob)) == expected
        later(20)
        with pytest.raises(UnknownHostedTable):
            run(ledger.hosted_results("host:1", bob))

    def test_a_table_without_players_closes_after_a_time(self, run, ledger, people, later):
        """The time counts from the last look that found a seat."""
        alice, *_ = people
        hosted(run, ledger, alice)
        run(ledger.take_table("host:1", "n1", 0))
        later(50)
        run(buy_in(ledger, "b1", "host:1", 1, alice, Money(100)))
        assert run(ledger.close_idle_hosted_tables(100)) == []
        later(99)
        assert run(ledger.close_idle_hosted_tables(100)) == []
        run(cash_out(ledger, "c1", "host:1", alice))
        later(90)
        assert run(ledger.close_idle_hosted_tables(100)) == []
        later(20)
        assert run(ledger.close_idle_hosted_tables(100)) == ["host:1"]
        assert run(ledger.close_idle_hosted_tables(100)) == []
        assert run(ledger.hosted_table("host:1")).closing

    def test_the_account_of_a_host_stays_while_a_table_is_open(self, run, ledger):
        """The tables would have no account that may close them."""
        (alice,) = opened(run, ledger, "alice", opening=0)
        hosted(run, ledger, alice)
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(alice, None, by=THE_ROOM))
        run(ledger.change_hosted_table("host:1", alice, "close", ""))
        run(ledger.end_hosted_table("host:1"))
        run(ledger.delete_account(alice, None, by=THE_ROOM))

    def test_a_locked_account_opens_and_joins_no_table(self, run, ledger, people):
        """A connection of it may still be open at another node. A deleted account is locked, too."""
        alice, bob, carol = people
        for each in (bob, carol):
            run(ledger.lock_out(each, by=THE_ROOM))
        hosted(run, ledger, alice)
        before = all_of(run, ledger)
        with pytest.raises(AccountLocked):
            hosted(run, ledger, bob, 2)
        with pytest.raises(AccountLocked):
            run(ledger.join_hosted_table("code-1", carol))
        assert all_of(run, ledger) == before
