"""The part of every ledger's contract for sit-and-gos of hosts. `HostedSitAndGos` is mixed into `Contract`."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.hosted_sit_and_gos import NotInvited
from pokerroom.ledger.hosted_tables import (
    PER_DAY,
    SHOWN_S,
    HostedLimits,
    NotHost,
    TooManyHostedTables,
    UnknownGuest,
    UnknownHostedTable,
    UnknownLink,
    WrongTablePassword,
    hosted_as,
    is_private,
    private_offer,
)
from pokerroom.ledger.tournaments import (
    NotFull,
    Opening,
    RegistrationClosed,
    ScheduledStart,
)
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_scheduled_tournaments import sound, spent
from tests.ledger.contract_of_tournament_hands import hand
from tests.ledger.contract_of_tournaments import given

TABLE = "host:1"
NAME = "private:1.1"
GIVEN_UP_MS = 4_000_000_000_000
FEW = HostedLimits(per_account=2, in_room=3)


def opening(number=1, *, seats=3, given_up_ms=GIVEN_UP_MS, buy_in=300):
    """For 3.00, three seats of which all are needed."""
    offer = private_offer(f"host:{number}")
    start = ScheduledStart(starts_ms=given_up_ms, players_min=seats, entries_max=1, guarantee=Money(0))
    return Opening(
        tournament=f"{offer}.1",
        offer=offer,
        number=1,
        seats=seats,
        buy_in=Money(buy_in),
        fee=Money(0),
        prizes=(),
        terms=b"{}",
        scheduled=start,
    )


def hosted(run, ledger, host, number=1, limits=FEW, **terms):
    """The sit-and-go of a host, with the code `code-<number>`."""
    return run(
        ledger.open_hosted_sit_and_go(
            host, opening(number, **terms), {"name": "Friday"}, f"code-{number}", limits
        )
    )


def players(run, ledger, accounts):
    """They join by the link, and enter."""
    for account in accounts:
        run(ledger.join_hosted_table("code-1", account))
        run(ledger.enter(NAME, account, 1))


def due(run, ledger):
    return [row.opening.tournament for row in run(ledger.due_tournaments(GIVEN_UP_MS - 1))]


def test_the_ids_of_a_sit_and_go_and_of_its_host():
    """Each leads to the other, also from a further table."""
    assert (private_offer(TABLE), hosted_as(NAME), hosted_as(f"{NAME}-2")) == ("private:1", TABLE, TABLE)
    assert (hosted_as(TABLE), hosted_as("sunday.1")) == (TABLE, None)
    assert (is_private(NAME), is_private(TABLE), is_private("private.1")) == (True, False, False)


class HostedSitAndGos:
    """Alice is the host; wallets begin with 10,000."""

    @pytest.fixture
    def party(self, run, ledger):
        return opened(run, ledger, "alice", "bob", "carol", "dave")

    def test_only_guests_and_the_host_enter(self, run, ledger, party):
        """By the link of now; what an account without it asks for changes nothing."""
        alice, bob, carol, dave = party
        row = hosted(run, ledger, alice)
        assert (row.table, row.tournament, row.host, row.code) == (TABLE, NAME, alice, "code-1")
        assert run(ledger.hosted_table(TABLE)) == row
        run(ledger.enter(NAME, alice, 1))
        before = run(ledger.tournament(NAME))
        with pytest.raises(NotInvited):
            run(ledger.enter(NAME, bob, 1))
        assert (run(ledger.tournament(NAME)), spent(run, ledger, [alice, bob])) == (before, [300, 0])
        assert set(run(ledger.join_hosted_table("code-1", bob)).guests) == {bob}
        run(ledger.enter(NAME, bob, 1))
        changed = run(ledger.change_hosted_sit_and_go(TABLE, alice, "new_link", "code-2"))
        assert (changed.code, changed.version > row.version, set(changed.guests)) == ("code-2", True, {bob})
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-1", carol))
        with pytest.raises(NotInvited):
            run(ledger.enter(NAME, dave, 1))
        sound(run, ledger)

    def test_no_list_has_it(self, run, ledger, party):
        """Its host and its guests find it among their tables."""
        alice, bob, _, _ = party
        row = hosted(run, ledger, alice)
        assert run(ledger.scheduled_tournaments(0)) == []
        assert run(ledger.hosted_tables_of(alice)) == [row]
        assert run(ledger.hosted_tables_of(bob)) == []
        assert run(ledger.hosted_versions()) == {TABLE: row.version}

    def test_it_starts_when_it_is_full(self, run, ledger, party):
        """From then on no entry comes or goes, and it is due."""
        alice, bob, carol, dave = party
        hosted(run, ledger, alice)
        players(run, ledger, [alice, bob])
        run(ledger.return_entry(NAME, bob, 1))
        run(ledger.enter(NAME, bob, 2))
        assert due(run, ledger) == []
        players(run, ledger, [carol])
        assert due(run, ledger) == [NAME]
        run(ledger.join_hosted_table("code-1", dave))
        with pytest.raises(RegistrationClosed):
            run(ledger.enter(NAME, dave, 1))
        with pytest.raises(RegistrationClosed):
            run(ledger.return_entry(NAME, carol, 1))
        run(ledger.enter(NAME, carol, 1))  # said again
        assert spent(run, ledger, party) == [300, 300, 300, 0]
        sound(run, ledger)

    def test_the_host_starts_it_with_those_who_are_there(self, run, ledger, party):
        """Two at least; it is played and paid as any other, and the order again changes nothing."""
        alice, bob, carol, _ = party
        hosted(run, ledger, alice)
        players(run, ledger, [alice])
        with pytest.raises(NotFull):
            run(ledger.change_hosted_sit_and_go(TABLE, alice, "start", ""))
        players(run, ledger, [bob])
        for account, refusal in ((bob, NotHost), (carol, UnknownHostedTable)):
            with pytest.raises(refusal):
                run(ledger.change_hosted_sit_and_go(TABLE, account, "start", ""))
        assert due(run, ledger) == []
        for _ in range(2):
            run(ledger.change_hosted_sit_and_go(TABLE, alice, "start", ""))
            assert due(run, ledger) == [NAME]
        run(ledger.join_hosted_table("code-1", carol))
        with pytest.raises(RegistrationClosed):
            run(ledger.enter(NAME, carol, 1))
        with pytest.raises(RegistrationClosed):
            run(ledger.return_entry(NAME, bob, 1))
        take_tournament(run, ledger, NAME)
        run(ledger.start_tournament(NAME, 1, [alice, bob], 1_500))
        run(ledger.change_hosted_sit_and_go(TABLE, alice, "start", ""))
        run(ledger.close_entries(NAME, 1, 2, [Money(600)]))
        run(ledger.settle([hand("h1", {alice: 1_500, bob: -1_500}, table=NAME)]))
        run(ledger.give_places(NAME, 1, 1, [given(1, alice, 600), given(2, bob, 0)]))
        for _ in range(2):
            run(ledger.pay_place(NAME, 1))
        assert spent(run, ledger, [alice, bob]) == [-300, 300]
        with pytest.raises(RegistrationClosed):
            run(ledger.change_hosted_sit_and_go(TABLE, alice, "start", ""))
        sound(run, ledger)

    def test_nothing_else_starts_it(self, run, ledger, party):
        """Not an owner that does not wait; and no other tournament keeps the time of its start less."""
        alice, bob, _, _ = party
        hosted(run, ledger, alice)
        players(run, ledger, [alice, bob])
        take_tournament(run, ledger, NAME)
        with pytest.raises(NotFull):
            run(ledger.start_tournament(NAME, 1, [alice, bob], 1_500))
        assert run(ledger.tournament(NAME)).phase == "registering"

    def test_one_that_never_starts_is_given_up(self, run, ledger, party):
        """After its time it is due, with too few players; it may still be filled until it is cancelled."""
        alice, bob, carol, _ = party
        hosted(run, ledger, alice, given_up_ms=1_000)
        players(run, ledger, [alice, bob])
        assert due(run, ledger) == [NAME]
        players(run, ledger, [carol])
        run(ledger.cancel_tournament(NAME))
        assert spent(run, ledger, party) == [0, 0, 0, 0]
        with pytest.raises(RegistrationClosed):
            run(ledger.change_hosted_sit_and_go(TABLE, alice, "start", ""))
        sound(run, ledger)

    def test_it_counts_as_a_table_while_it_goes_on(self, run, ledger, party):
        """What is refused is not there at all; an id and a code are used once."""
        alice, bob, _, _ = party
        for number in (1, 2):
            hosted(run, ledger, alice, number)
        with pytest.raises(TooManyHostedTables):
            hosted(run, ledger, alice, 3)
        with pytest.raises(LookupError):
            run(ledger.tournament("private:3.1"))
        with pytest.raises(TooManyHostedTables):
            run(ledger.open_hosted_table("host:3", alice, {}, "code-3", FEW))
        with pytest.raises(LedgerConflict):
            hosted(run, ledger, bob)
        run(ledger.cancel_tournament(NAME))
        hosted(run, ledger, alice, 3)

    def test_an_account_opens_no_more_than_so_many_in_a_day(self, run, ledger, party, later):
        """Cancelled ones count, too: each leaves its rows for ever."""
        alice, bob, _, _ = party
        for number in range(1, PER_DAY + 1):
            hosted(run, ledger, alice, number)
            run(ledger.cancel_tournament(f"private:{number}.1"))
        with pytest.raises(TooManyHostedTables):
            hosted(run, ledger, alice, PER_DAY + 1)
        hosted(run, ledger, bob, PER_DAY + 1)
        later(86_401)
        hosted(run, ledger, alice, PER_DAY + 2)

    def test_the_orders_of_a_table_are_not_for_it(self, run, ledger, party):
        """And a table is not started."""
        alice, bob, _, _ = party
        hosted(run, ledger, alice)
        run(ledger.join_hosted_table("code-1", bob))
        row = run(ledger.open_hosted_table("host:2", alice, {"small_blind": 1}, "code-2", FEW))
        assert row.tournament is None
        for asked in (
            lambda: ledger.change_hosted_table(TABLE, alice, "close", ""),
            lambda: ledger.give_host(TABLE, alice, "bob", FEW),
            lambda: ledger.ask_seat(TABLE, bob),
            lambda: ledger.hosted_results(TABLE, alice),
            lambda: ledger.change_hosted_sit_and_go("host:2", alice, "start", ""),
            lambda: ledger.change_hosted_sit_and_go("host:9", alice, "start", ""),
        ):
            with pytest.raises(UnknownHostedTable):
                run(asked())

    def test_the_host_removes_a_guest_with_the_entry(self, run, ledger, party):
        """The buy-in goes back once; neither the link nor the password lets the account in again, others come."""
        alice, bob, carol, dave = party
        hosted(run, ledger, alice)
        players(run, ledger, [alice, bob])
        run(ledger.join_hosted_table("code-1", carol))
        run(ledger.set_table_password(TABLE, alice, "hash"))
        row = run(ledger.remove_guest(TABLE, alice, "Bob"))
        assert (set(row.guests), spent(run, ledger, party)) == ({carol}, [300, 0, 0, 0])
        with pytest.raises(UnknownGuest):
            run(ledger.remove_guest(TABLE, alice, "bob"))
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-1", bob))
        with pytest.raises(WrongTablePassword):
            run(ledger.enter_hosted_table(TABLE, "hash", bob))
        with pytest.raises(NotInvited):
            run(ledger.enter(NAME, bob, 2))
        assert run(ledger.remove_guest(TABLE, alice, "carol")).guests == {}
        players(run, ledger, [dave])
        assert spent(run, ledger, party) == [300, 0, 0, 300]
        sound(run, ledger)

    def test_no_one_else_removes_and_no_one_is_removed_from_the_start_on(self, run, ledger, party):
        """What is refused changes nothing: the host cannot take a player out of the game, nor a guest another one."""
        alice, bob, carol, dave = party
        hosted(run, ledger, alice)
        players(run, ledger, [alice, bob])
        before = run(ledger.tournament(NAME)), run(ledger.hosted_table(TABLE))
        for account, name, refusal in (
            (bob, "alice", NotHost),
            (carol, "bob", UnknownHostedTable),
            (alice, "alice", UnknownGuest),
            (alice, "carol", UnknownGuest),
            (alice, "unknown", UnknownGuest),
        ):
            with pytest.raises(refusal):
                run(ledger.remove_guest(TABLE, account, name))
        assert (run(ledger.tournament(NAME)), run(ledger.hosted_table(TABLE))) == before
        run(ledger.change_hosted_sit_and_go(TABLE, alice, "start", ""))
        run(ledger.join_hosted_table("code-1", dave))
        for name in ("bob", "dave"):
            with pytest.raises(RegistrationClosed):
                run(ledger.remove_guest(TABLE, alice, name))
        assert spent(run, ledger, party) == [300, 300, 0, 0]
        run(ledger.cancel_tournament(NAME))
        with pytest.raises(RegistrationClosed):
            run(ledger.remove_guest(TABLE, alice, "bob"))
        sound(run, ledger)

    def test_a_password_lets_guests_in_beside_the_link(self, run, ledger, party):
        """The host alone sets it; an older one is void. It is gone with the row."""
        alice, bob, carol, dave = party
        hosted(run, ledger, alice)
        run(ledger.join_hosted_table("code-1", dave))
        for account, refusal in ((dave, NotHost), (bob, UnknownHostedTable)):
            with pytest.raises(refusal):
                run(ledger.set_table_password(TABLE, account, "hash"))
        first = run(ledger.set_table_password(TABLE, alice, "hash"))
        assert (first.has_password, run(ledger.table_password(TABLE))) == (True, "hash")
        assert set(run(ledger.enter_hosted_table(TABLE, "hash", bob)).guests) == {bob, dave}
        run(ledger.enter(NAME, bob, 1))
        run(ledger.set_table_password(TABLE, alice, "other"))
        with pytest.raises(WrongTablePassword):
            run(ledger.enter_hosted_table(TABLE, "hash", carol))
        last = run(ledger.set_table_password(TABLE, alice, None))
        assert (last.has_password, last.version > first.version) == (False, True)
        with pytest.raises(WrongTablePassword):
            run(ledger.enter_hosted_table(TABLE, "other", carol))
        sound(run, ledger)

    def test_it_is_forgotten_some_time_after_its_end(self, run, ledger, party, later):
        """Until then its guests may look at it; one that goes on is not idle."""
        alice, bob, _, _ = party
        for number in (1, 2):
            hosted(run, ledger, alice, number)
        players(run, ledger, [bob])
        run(ledger.set_table_password(TABLE, alice, "hash"))
        run(ledger.cancel_tournament(NAME))
        assert run(ledger.close_idle_hosted_tables(0)) == []
        assert run(ledger.hosted_table(TABLE)).admits(bob)
        later(SHOWN_S + 1)
        assert run(ledger.close_idle_hosted_tables(0)) == [TABLE]
        assert (run(ledger.hosted_table(TABLE)), run(ledger.hosted_tables_of(bob))) == (None, [])
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-1", bob))
        assert run(ledger.table_password(TABLE)) is None
        assert run(ledger.close_idle_hosted_tables(0)) == []
        assert run(ledger.hosted_table("host:2")) is not None

    def test_other_openings_are_other_sit_and_gos(self, run, ledger, party):
        """One of another seat count under the same id is refused, and the first stays."""
        alice, _, _, _ = party
        row = hosted(run, ledger, alice)
        with pytest.raises(LedgerConflict):
            hosted(run, ledger, alice, seats=2)
        assert run(ledger.hosted_versions()) == {TABLE: row.version}

    def test_a_free_one_moves_no_money(self, run, ledger, party):
        """Entries, returns, the end and its places are written down all the same, each once."""
        alice, bob, carol, _ = party
        hosted(run, ledger, alice, buy_in=0)
        players(run, ledger, [alice, bob])
        for _ in range(2):
            run(ledger.return_entry(NAME, bob, 1))
        run(ledger.enter(NAME, bob, 2))
        players(run, ledger, [carol])
        sound(run, ledger)
        take_tournament(run, ledger, NAME)
        run(ledger.start_tournament(NAME, 1, [alice, bob, carol], 1_500))
        for prizes in ([Money(1)], [Money(0), Money(0)]):
            with pytest.raises(LedgerConflict):
                run(ledger.close_entries(NAME, 1, 3, prizes))
        run(ledger.close_entries(NAME, 1, 3, [Money(0)]))
        deltas = {alice: 3_000, bob: -1_500, carol: -1_500}
        run(ledger.settle([hand("h1", deltas, table=NAME)]))
        run(ledger.give_places(NAME, 1, 1, [given(1, alice, 0), given(2, bob, 0), given(2, carol, 0)]))
        assert run(ledger.pay_place(NAME, 1)).prize == 0
        assert run(ledger.unpaid_places()) == []
        row = run(ledger.tournament(NAME))
        assert (row.phase, [(one.place, one.account) for one in row.places]) == (
            "finished",
            [(1, alice), (2, bob), (2, carol)],
        )
        assert spent(run, ledger, party) == [0, 0, 0, 0]
        sound(run, ledger)

    def test_a_free_one_is_cancelled_and_rolled_back(self, run, ledger, party):
        """As any other, without money; also after a player is out."""
        alice, bob, carol, _ = party
        hosted(run, ledger, alice, 2, buy_in=0)
        run(ledger.enter("private:2.1", alice, 1))
        run(ledger.cancel_tournament("private:2.1"))
        hosted(run, ledger, alice, buy_in=0)
        players(run, ledger, [alice, bob, carol])
        take_tournament(run, ledger, NAME)
        run(ledger.start_tournament(NAME, 1, [alice, bob, carol], 1_500))
        run(ledger.close_entries(NAME, 1, 3, [Money(0)]))
        run(ledger.settle([hand("h1", {alice: 1_500, bob: -1_500}, table=NAME)]))
        run(ledger.give_places(NAME, 1, 3, [given(3, bob, 0)]))
        for _ in range(2):
            run(ledger.roll_back_tournament(NAME, 1))
        assert spent(run, ledger, party) == [0, 0, 0, 0]
        sound(run, ledger)
