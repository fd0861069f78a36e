"""The part of the ledger's contract for tournaments that start at a time: late entries, re-entries, fixed prizes.

`ScheduledTournamentContract` is mixed into `Contract`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_history import HandQuery, PlayedTournament
from pokerroom.ledger.api import InsufficientBalance, LedgerConflict, NotOwner
from pokerroom.ledger.statistics import HandTally, Months, TournamentStatistics
from pokerroom.ledger.tournaments import (
    RETURNED_MAX,
    AlreadyEntered,
    EntriesUsedUp,
    LateSeat,
    NotFull,
    NotRunning,
    Opening,
    OtherEntries,
    RegistrationClosed,
    ScheduledStart,
    SeatChange,
    TableRow,
    TournamentFull,
    table_of,
)
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_statistics import forgotten
from tests.ledger.contract_of_tournament_hands import hand
from tests.ledger.contract_of_tournaments import given

NAME = "sun.1"
NOON_MS = 1_800_000_000_000


def scheduled(number=1, *, seats=9, entries_max=2, guarantee=0, starts_ms=None, terms=b'{"late": 2}'):
    """For 3.00 with a fee of 0.60, from two players on."""
    return Opening(
        tournament=f"sun.{number}",
        offer="sun",
        number=number,
        seats=seats,
        buy_in=Money(300),
        fee=Money(60),
        prizes=(),
        terms=terms,
        scheduled=ScheduledStart(
            starts_ms=NOON_MS + number if starts_ms is None else starts_ms,
            players_min=2,
            entries_max=entries_max,
            guarantee=Money(guarantee),
        ),
    )


def begun(run, ledger, **terms):
    """Alice and bob play, in seats 1 and 2; carol and dave have not entered."""
    alice, bob, carol, dave = opened(run, ledger, "alice", "bob", "carol", "dave")
    run(ledger.open_tournament(scheduled(**terms)))
    for account in (alice, bob):
        run(ledger.enter(NAME, account, 1))
    take_tournament(run, ledger, NAME)
    run(ledger.start_tournament(NAME, 1, [alice, bob], 1_500))
    return alice, bob, carol, dave


def out(run, ledger, loser, winner, hand_id="h1"):
    run(ledger.settle([hand(hand_id, {winner: 1_500, loser: -1_500}, table=NAME)]))


def spent(run, ledger, accounts):
    return [10_000 - run(ledger.wallet(account)) for account in accounts]


def told(run, ledger, account):
    """The tournaments in the history of an account."""
    history = run(ledger.account_history(account, None, 99))
    return [entry for entry in history if isinstance(entry, PlayedTournament)]


def sound(run, ledger):
    assert run(ledger.audit()).differences == ()


class ScheduledTournamentContract:
    """A tournament that starts at a time; wallets begin with 10,000."""

    def test_it_is_opened_without_prizes_and_once_for_each_start(self, run, ledger):
        """A repetition changes nothing; the same start of the offer has no second number."""
        for _ in range(2):
            run(ledger.open_tournament(scheduled()))
        run(ledger.open_tournament(scheduled(2)))
        row = run(ledger.tournament(NAME))
        assert (row.opening, row.prizes, row.closed) == (scheduled(), (), False)
        assert run(ledger.opened_starts("sun", NOON_MS)) == [NOON_MS + 1, NOON_MS + 2]
        assert run(ledger.opened_starts("sun", NOON_MS + 2)) == [NOON_MS + 2]
        for other in (scheduled(3, starts_ms=NOON_MS + 1), replace(scheduled(), seats=8)):
            with pytest.raises(LedgerConflict):
                run(ledger.open_tournament(other))
        assert run(ledger.last_number("sun")) == 2
        sound(run, ledger)

    def test_one_account_may_enter_several_of_an_offer(self, run, ledger):
        """And gives each back by itself before the start."""
        (alice,) = opened(run, ledger, "alice")
        for number in (1, 2):
            run(ledger.open_tournament(scheduled(number)))
            run(ledger.enter(f"sun.{number}", alice, 1))
        with pytest.raises(AlreadyEntered):
            run(ledger.enter(NAME, alice, 2))
        run(ledger.return_entry(NAME, alice, 1))
        run(ledger.enter(NAME, alice, 2))
        assert spent(run, ledger, [alice]) == [600]
        run(ledger.cancel_tournament(NAME))
        assert spent(run, ledger, [alice]) == [300]
        sound(run, ledger)

    def test_an_account_gets_back_a_bounded_number_of_entries(self, run, ledger):
        """After that it enters no more, and other accounts do: what stays in the row is bounded."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.open_tournament(scheduled()))
        for number in range(1, RETURNED_MAX + 1):
            run(ledger.enter(NAME, alice, number))
            run(ledger.return_entry(NAME, alice, number))
        with pytest.raises(EntriesUsedUp):
            run(ledger.enter(NAME, alice, RETURNED_MAX + 1))
        run(ledger.enter(NAME, bob, 1))
        assert spent(run, ledger, [alice, bob]) == [0, 300]
        assert len(run(ledger.tournament(NAME)).entries) == RETURNED_MAX + 1
        sound(run, ledger)

    def test_it_is_due_and_listed_by_its_start(self, run, ledger):
        """Those that are over are listed for a while, and are not due."""
        for number in (2, 1, 3):
            run(ledger.open_tournament(scheduled(number)))
        run(ledger.cancel_tournament("sun.2"))
        due = run(ledger.due_tournaments(NOON_MS + 2))
        assert [row.opening.tournament for row in due] == [NAME]
        ended_ms = run(ledger.tournament("sun.2")).ended_ms
        for since_ms, names in (
            (ended_ms, ["sun.1", "sun.2", "sun.3"]),
            (ended_ms + 1000, ["sun.1", "sun.3"]),
        ):
            listed = run(ledger.scheduled_tournaments(since_ms))
            assert [row.opening.tournament for row in listed] == names

    def test_the_players_stay_as_they_are_once_it_starts(self, run, ledger):
        """At its time, with enough players: nothing but the start changes them. Before there are enough they may go."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.open_tournament(scheduled(starts_ms=0)))
        run(ledger.enter(NAME, alice, 1))
        run(ledger.return_entry(NAME, alice, 1))
        for account, number in ((alice, 2), (bob, 1)):
            run(ledger.enter(NAME, account, number))
        before = run(ledger.tournament(NAME))
        with pytest.raises(RegistrationClosed):
            run(ledger.return_entry(NAME, alice, 2))
        with pytest.raises(RegistrationClosed):
            run(ledger.enter(NAME, carol, 1))
        with pytest.raises(AlreadyEntered):
            run(ledger.enter(NAME, bob, 2))
        run(ledger.return_entry(NAME, alice, 1))  # said again
        run(ledger.enter(NAME, bob, 1))
        assert run(ledger.tournament(NAME)) == before
        take_tournament(run, ledger, NAME)
        run(ledger.start_tournament(NAME, 1, [alice, bob], 1_500))
        run(ledger.enter(NAME, carol, 1))  # late
        sound(run, ledger)

    def test_too_few_players_start_nothing(self, run, ledger):
        """The one who has entered is still entered."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.open_tournament(scheduled()))
        run(ledger.enter(NAME, alice, 1))
        take_tournament(run, ledger, NAME)
        with pytest.raises(NotFull):
            run(ledger.start_tournament(NAME, 1, [alice], 1_500))
        assert run(ledger.tournament(NAME)).phase == "registering"

    def test_a_late_entry_pays_its_fee_at_once_and_gets_a_seat(self, run, ledger):
        """It cannot be given back, and sits at a new table only if it gets one there."""
        alice, bob, carol, dave = begun(run, ledger)
        for _ in range(2):
            run(ledger.enter(NAME, carol, 1))
        assert spent(run, ledger, [alice, bob, carol]) == [300, 300, 300]
        assert run(ledger.unseated_entries(NAME)) == [(carol, 1)]
        with pytest.raises(RegistrationClosed):
            run(ledger.return_entry(NAME, carol, 1))
        sound(run, ledger)
        run(ledger.enter(NAME, dave, 1))
        seats = [LateSeat(account=carol, number=1, seat=3), LateSeat(account=dave, number=1, seat=14)]
        for wrong in (
            seats[:1] * 2,
            [LateSeat(account=carol, number=1, seat=1)],
            [LateSeat(account=carol, number=2, seat=4)],
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.seat_entries(NAME, 1, wrong))
        with pytest.raises(NotOwner):
            run(ledger.seat_entries(NAME, 2, seats))
        for _ in range(2):
            run(ledger.seat_entries(NAME, 1, seats))
        row = run(ledger.tournament(NAME))
        assert [(entry.seat, entry.chips) for entry in row.entries] == [(n, 1_500) for n in (1, 2, 3, 14)]
        assert row.tables == (TableRow(number=1, hands=0), TableRow(number=2, hands=0))
        assert run(ledger.running_tables()) == [NAME, table_of(NAME, 2)]
        assert run(ledger.unseated_entries(NAME)) == []
        run(ledger.start_tournament(NAME, 1, [alice, bob], 1_500))
        sound(run, ledger)

    def test_a_player_who_is_out_enters_again_as_often_as_it_is_allowed(self, run, ledger):
        """Never with chips; the entry before keeps its hands, and the account one place."""
        alice, bob, _, _ = begun(run, ledger)
        run(ledger.take_table(NAME, "n1", 0))
        with pytest.raises(AlreadyEntered):
            run(ledger.enter(NAME, bob, 2))
        out(run, ledger, bob, alice)
        with pytest.raises(LedgerConflict):  # no place while entries are open
            run(ledger.give_places(NAME, 1, 2, [given(2, bob, 0)]))
        for _ in range(2):
            run(ledger.enter(NAME, bob, 2))
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=bob, number=2, seat=2)]))
        sound(run, ledger)
        out(run, ledger, bob, alice, "h2")
        with pytest.raises(EntriesUsedUp):
            run(ledger.enter(NAME, bob, 3))
        row = run(ledger.tournament(NAME))
        first, second = [entry for entry in row.entries if entry.account == bob]
        assert (first.replaced, first.hands, second.replaced, second.hands) == (True, 1, False, 1)
        hands = run(ledger.hands_page(HandQuery(table=NAME), 0, 9)).hands
        assert [first.out_in, second.out_in] == [hand.number for hand in hands]
        assert (row.bought, row.players) == (3, (alice, bob))
        run(ledger.close_entries(NAME, 1, 3, [Money(720)]))
        run(ledger.give_places(NAME, 1, 1, [given(1, alice, 720), given(2, bob, 0)]))
        assert run(ledger.pay_place(NAME, 1)).prize == 720
        assert spent(run, ledger, [alice, bob]) == [-420, 600]
        sound(run, ledger)

    def test_a_player_may_move_to_the_seat_of_their_entry_before(self, run, ledger):
        """The seat of an entry that was replaced is no sign that the move was made."""
        alice, bob, _, _ = begun(run, ledger)
        run(ledger.take_table(NAME, "n1", 0))
        out(run, ledger, bob, alice)
        run(ledger.enter(NAME, bob, 2))
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=bob, number=2, seat=3)]))
        run(ledger.move_players(NAME, 1, [SeatChange(account=bob, seat=3, to=2)]))
        entries = [entry for entry in run(ledger.tournament(NAME)).entries if entry.account == bob]
        assert [(entry.seat, entry.replaced) for entry in entries] == [(2, True), (2, False)]
        run(ledger.move_players(NAME, 1, [SeatChange(account=bob, seat=3, to=2)]))  # said again
        sound(run, ledger)

    def test_each_entry_is_a_stake(self, run, ledger):
        """A player with two entries has staked twice: in the history, and in the statistics."""
        alice, bob, carol, _ = begun(run, ledger)
        run(ledger.enter(NAME, carol, 1))
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=carol, number=1, seat=3)]))
        run(ledger.take_table(NAME, "n1", 0))
        out(run, ledger, bob, alice)
        run(ledger.enter(NAME, bob, 2))
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=bob, number=2, seat=2)]))
        out(run, ledger, bob, alice, "h2")
        run(ledger.close_entries(NAME, 1, 4, [Money(960)]))
        run(ledger.give_places(NAME, 1, 3, [given(3, bob, 0)]))
        (entry,) = told(run, ledger, bob)
        assert (entry.stake, entry.prize, entry.place) == (600, 0, 3)
        out(run, ledger, carol, alice, "h3")
        run(ledger.give_places(NAME, 1, 1, [given(1, alice, 960), given(2, carol, 0)]))
        run(ledger.pay_place(NAME, 1))
        run(ledger.count_statistics(lambda _: HandTally()))
        of_bob, of_carol = (run(ledger.tournament_statistics(each, Months())) for each in (bob, carol))
        assert of_bob == [TournamentStatistics(Money(300), entries=2, in_the_money=0, returned=Money(0))]
        assert [each.entries for each in of_carol] == [1]
        forgotten(run, ledger)

    def test_each_entry_comes_back_in_a_roll_back(self, run, ledger):
        """The history tells both, without a place."""
        alice, bob, _, _ = begun(run, ledger)
        run(ledger.take_table(NAME, "n1", 0))
        out(run, ledger, bob, alice)
        run(ledger.enter(NAME, bob, 2))
        run(ledger.roll_back_tournament(NAME, 1))
        (entry,) = told(run, ledger, bob)
        assert (entry.stake, entry.prize, entry.place) == (600, 600, None)

    def test_players_who_go_out_together_are_out_in_one_hand(self, run, ledger):
        """So the order of busts is in the ledger, ties included."""
        alice, bob, carol, _ = begun(run, ledger)
        run(ledger.enter(NAME, carol, 1))
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=carol, number=1, seat=3)]))
        run(ledger.take_table(NAME, "n1", 0))
        run(ledger.settle([hand("h1", {alice: 3_000, bob: -1_500, carol: -1_500}, table=NAME)]))
        entries = {entry.account: entry for entry in run(ledger.tournament(NAME)).entries}
        assert entries[bob].out_in == entries[carol].out_in is not None
        assert entries[alice].out_in is None

    def test_entries_close_once_with_the_prizes_of_all_of_them(self, run, ledger):
        """An entry that came meanwhile is refused no more, but the caller hears that there is one."""
        alice, bob, carol, dave = begun(run, ledger)
        run(ledger.enter(NAME, carol, 1))
        for entries in (2, 3):
            with pytest.raises(OtherEntries):
                run(ledger.close_entries(NAME, 1, entries, [Money(480)]))
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=carol, number=1, seat=3)]))
        for wrong in ([Money(719)], [Money(180)] * 4):
            with pytest.raises(LedgerConflict):
                run(ledger.close_entries(NAME, 1, 3, wrong))
        with pytest.raises(NotOwner):
            run(ledger.close_entries(NAME, 2, 3, [Money(500), Money(220)]))
        for _ in range(2):
            run(ledger.close_entries(NAME, 1, 3, [Money(500), Money(220)]))
        row = run(ledger.tournament(NAME))
        assert (row.closed, row.prizes, row.opening.prizes) == (True, (500, 220), ())
        with pytest.raises(LedgerConflict):
            run(ledger.close_entries(NAME, 1, 3, [Money(720)]))
        with pytest.raises(RegistrationClosed):
            run(ledger.enter(NAME, dave, 1))
        assert spent(run, ledger, [alice, bob, carol, dave]) == [300, 300, 300, 0]
        sound(run, ledger)

    def test_the_house_adds_what_the_guarantee_lacks(self, run, ledger):
        """Once, from the bank; a roll back returns it there, and every buy-in with its fee."""
        alice, bob, carol, dave = begun(run, ledger, guarantee=1_000)
        run(ledger.take_table(NAME, "n1", 0))
        out(run, ledger, bob, alice)
        run(ledger.enter(NAME, bob, 2))
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=bob, number=2, seat=2)]))
        with pytest.raises(LedgerConflict):
            run(ledger.close_entries(NAME, 1, 3, [Money(720)]))
        for _ in range(2):
            run(ledger.close_entries(NAME, 1, 3, [Money(1_000)]))
        sound(run, ledger)
        for _ in range(2):
            run(ledger.roll_back_tournament(NAME, 1))
        assert spent(run, ledger, [alice, bob, carol, dave]) == [0, 0, 0, 0]
        with pytest.raises(NotRunning):
            run(ledger.close_entries(NAME, 1, 3, [Money(720)]))
        sound(run, ledger)

    def test_a_full_or_empty_pocket_enters_nothing(self, run, ledger):
        """The limit counts players, not entries: a re-entry takes no new place."""
        alice, bob, carol, _ = begun(run, ledger, seats=2)
        run(ledger.take_table(NAME, "n1", 0))
        with pytest.raises(TournamentFull):
            run(ledger.enter(NAME, carol, 1))
        out(run, ledger, bob, alice)
        run(ledger.open_tournament(replace(scheduled(2), buy_in=Money(20_000))))
        with pytest.raises(InsufficientBalance):
            run(ledger.enter("sun.2", bob, 1))
        run(ledger.enter(NAME, bob, 2))
        assert run(ledger.unseated_entries(NAME)) == [(bob, 2)]
        sound(run, ledger)
