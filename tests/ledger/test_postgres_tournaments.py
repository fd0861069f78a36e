"""`pokerroom.ledger.postgres.tournaments`: the contract, and many nodes at once on a real server."""

from dataclasses import replace

import pytest
from twisted.internet.defer import DeferredList, gatherResults

from pokerroom.bridge import deferred
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal, NotOwner
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.tournaments import (
    AlreadyEntered,
    LateSeat,
    MoveRow,
    RegistrationClosed,
    SeatChange,
    TournamentFull,
)
from tests.ledger.contract import AddsUp, opened, take_tournament
from tests.ledger.contract_of_bounties import Bounties, knocked_out, with_heads
from tests.ledger.contract_of_chip_sales import ChipSales
from tests.ledger.contract_of_day_reports import TournamentDayReports
from tests.ledger.contract_of_deals import Deals
from tests.ledger.contract_of_leagues import LeagueContract
from tests.ledger.contract_of_scheduled_tournaments import NAME as SCHEDULED
from tests.ledger.contract_of_scheduled_tournaments import ScheduledTournamentContract, begun
from tests.ledger.contract_of_tickets import Tickets
from tests.ledger.contract_of_tournament_hands import TournamentHands, hand
from tests.ledger.contract_of_tournament_tables import (
    NAME,
    SECOND,
    TournamentTables,
    at_two_tables,
    move,
)
from tests.ledger.contract_of_tournaments import (
    Tournaments,
    entered,
    finished,
    given,
    opening,
    started,
    wallets,
)

pytestmark = pytest.mark.services


@pytest.fixture
def other(run, postgres, emptied_database):
    """Another node's ledger on the same database."""
    ledger = PostgresLedger(emptied_database, wait_s=50)
    run(ledger.open())
    yield ledger
    run(ledger.close())


class TestPostgresTournaments(
    Bounties,
    ChipSales,
    Deals,
    TournamentDayReports,
    LeagueContract,
    ScheduledTournamentContract,
    Tickets,
    TournamentHands,
    TournamentTables,
    Tournaments,
    AddsUp,
):
    """The contract, in PostgreSQL."""

    @pytest.fixture
    def ledger(self, postgres):
        return postgres


def test_tables_of_two_nodes_pay_heads_at_once(run, postgres, other):
    """Each head once, whichever hand comes first; all of them are in one account, which both hands change."""
    players = opened(run, postgres, *(f"p{n}" for n in range(12)))
    terms = with_heads(seats=12)
    run(postgres.open_tournament(terms))
    for account in players:
        run(postgres.enter(terms.tournament, account, 1))
    take_tournament(run, postgres, terms.tournament)
    drawn = [*players[:6], 0, 0, 0, 0, *players[6:]]
    run(postgres.start_tournament(terms.tournament, 1, drawn, 1_500))
    run(postgres.take_table(second := f"{terms.tournament}-2", "n1", 0))
    for n in range(5):
        hands = []
        for at, (winner, *losers) in (terms.tournament, players[:6]), (second, players[6:]):
            deltas = {winner: 1_500, losers[n]: -1_500}
            hands.append(replace(knocked_out(f"{at}:{n}", deltas, {losers[n]: [winner]}), table=at))
        run(gatherResults([ledger.settle([one]) for ledger in (postgres, other) for one in hands]))
    row = run(postgres.tournament(terms.tournament))
    assert len(row.bounties) == 10
    assert sum(entry.head for entry in row.entries) + sum(won.cash for won in row.bounties) == 12 * 101
    assert run(postgres.audit()).differences == ()


def test_of_many_who_enter_at_once_as_many_have_a_seat_as_there_are(run, postgres, other):
    """No seat is sold twice and no account enters twice, through any node."""
    accounts = opened(run, postgres, *(f"p{n}" for n in range(9)))
    run(postgres.open_tournament(opening()))
    outcomes = run(
        DeferredList(
            [ledger.enter("six.1", account, 1) for account in accounts for ledger in (postgres, other)],
            consumeErrors=True,
        )
    )
    assert all(done or why.check(TournamentFull) for done, why in outcomes)
    row = run(postgres.tournament("six.1"))
    assert len(set(row.players)) == len(row.entries) == 3
    assert sum(wallets(run, postgres, accounts)) == -900
    assert run(postgres.audit()).differences == ()


def test_an_account_that_enters_everywhere_at_once_is_in_one(run, postgres, other):
    """Of an offer's tournaments, through two nodes."""
    (alice,) = opened(run, postgres, "alice")
    for number in range(1, 9):
        run(postgres.open_tournament(opening(f"six.{number}")))
    entering = [
        ledger.enter(f"six.{number}", alice, 1)
        for number, ledger in zip(range(1, 9), [postgres, other] * 4, strict=True)
    ]
    outcomes = run(DeferredList(entering, consumeErrors=True))
    assert sum(done for done, _ in outcomes) == 1
    assert all(done or why.check(AlreadyEntered) for done, why in outcomes)
    assert run(postgres.wallet(alice)) == 9_700


def test_moves_are_written_down_with_the_hands_before_them(run, postgres):
    """Once, however often they are made, in order, with the hands that both tables have settled; none if refused."""
    one, two, _, four, _ = at_two_tables(run, postgres)
    run(postgres.settle([hand("h1", {one: 100, two: -100})]))
    run(postgres.settle([hand("h2", {one: 100, two: -100})]))
    for _ in range(2):
        run(postgres.move_players(NAME, 1, [move(one, 1, 1, 2, 2)]))
    with pytest.raises(LedgerConflict):
        run(postgres.move_players(NAME, 1, [move(two, 1, 2, 1, 9), move(one, 1, 1, 2, 3)]))
    run(postgres.settle([hand("h3", {four: -70, one: 70}, table=SECOND)]))
    run(postgres.move_players(NAME, 1, [move(four, 2, 1, 1, 1), move(one, 2, 2, 1, 4)]))

    async def moves():
        async with postgres.books() as books:
            return [
                (row.number, row.account, row.seat, row.to, row.from_hands, row.to_hands)
                for row in await books.moves(NAME)
            ]

    assert run(deferred(moves())) == [
        (1, one, 1, 12, 2, 0),
        (2, one, 12, 4, 1, 2),
        (2, four, 11, 1, 1, 2),
    ]


def test_late_entries_are_written_down_as_moves_from_no_seat(run, postgres):
    """Once each, among the moves, with the hands of their table; so the tournament can be played again."""
    alice, bob, carol, _ = begun(run, postgres)
    run(postgres.enter(SCHEDULED, carol, 1))
    run(postgres.take_table(SCHEDULED, "n1", 0))
    run(postgres.settle([hand("h1", {alice: 1_500, bob: -1_500}, table=SCHEDULED)]))
    for _ in range(2):
        run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=carol, number=1, seat=14)]))
    run(postgres.move_players(SCHEDULED, 1, [SeatChange(account=carol, seat=14, to=3)]))
    run(postgres.enter(SCHEDULED, bob, 2))
    run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=bob, number=2, seat=2)]))

    async def moves():
        async with postgres.books() as books:
            return await books.moves(SCHEDULED)

    assert run(deferred(moves())) == [
        MoveRow(number=1, account=carol, seat=None, to=14, from_hands=None, to_hands=0),
        MoveRow(number=2, account=carol, seat=14, to=3, from_hands=0, to_hands=1),
        MoveRow(number=3, account=bob, seat=None, to=2, from_hands=None, to_hands=1),
    ]
    assert run(postgres.audit()).differences == ()


def test_a_player_that_moved_and_entered_again_is_no_difference(run, postgres):
    """The moves of each entry are compared with its own seat; a later entry sits elsewhere."""
    alice, bob, carol, _ = begun(run, postgres)
    run(postgres.enter(SCHEDULED, carol, 1))
    run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=carol, number=1, seat=12)]))
    run(postgres.take_table(SCHEDULED, "n1", 0))
    run(postgres.move_players(SCHEDULED, 1, [SeatChange(account=bob, seat=2, to=4)]))
    run(postgres.settle([hand("h1", {alice: 1_500, bob: -1_500}, table=SCHEDULED)]))
    run(postgres.enter(SCHEDULED, bob, 2))
    run(postgres.seat_entries(SCHEDULED, 1, [LateSeat(account=bob, number=2, seat=13)]))
    assert run(postgres.audit()).differences == ()


def test_many_open_a_tournament_at_once(run, postgres, other):
    """All have opened the same one; a caller that opens another under its number gets a conflict."""
    for number in range(1, 16):
        run(
            gatherResults(
                ledger.open_tournament(opening(f"six.{number}")) for ledger in (postgres, other) * 4
            )
        )
    assert [row.opening.number for row in run(postgres.tournaments("six"))] == list(range(1, 16))
    with pytest.raises(LedgerConflict):
        run(postgres.open_tournament(replace(opening("six.3"), tournament="seven.3")))


def test_a_start_and_those_who_leave_at_once_agree(run, postgres, other):
    """Either a player has left and it does not start, or it starts with all and the return is refused."""
    for turn in range(12):
        name = f"six.{turn + 1}"
        if turn == 0:
            accounts = entered(run, postgres, "alice", "bob", "carol", tournament=name)
        else:
            run(postgres.open_tournament(opening(name)))
            run(gatherResults(postgres.enter(name, account, 1) for account in accounts))
        take_tournament(run, postgres, name, "n1", 0)
        moves = [
            postgres.start_tournament(name, 1, accounts, 1_500),
            other.return_entry(name, accounts[turn % 3], 1),
            other.cancel_tournament(name),
        ]
        outcomes = run(DeferredList(moves, consumeErrors=True))
        for done, why in outcomes:
            assert done or why.check(LedgerRefusal, LedgerConflict), why
        row = run(postgres.tournament(name))
        assert (row.phase, len(row.players)) in {("running", 3), ("cancelled", 0)}
    assert run(postgres.audit()).differences == ()


def test_two_nodes_that_pay_at_once_pay_once(run, postgres, other):
    """Ten times each, every place, in the middle of each other."""
    accounts = finished(run, postgres)
    paid = run(
        gatherResults(
            ledger.pay_place("six.1", number)
            for _ in range(10)
            for number in (1, 2, 3)
            for ledger in (postgres, other)
        )
    )
    assert [one.prize for one in paid] == [500, 500, 220, 220, 0, 0] * 10
    assert wallets(run, postgres, accounts) == [200, -80, -300]
    assert run(postgres.audit()).differences == ()


def test_rolled_back_and_forward_at_once_it_ends_one_way(run, postgres, other):
    """And the last hand may end at that moment, too: one of the three, and all is paid by it."""
    for turn in range(6):
        name = f"six.{turn + 1}"
        if turn == 0:
            accounts = started(run, postgres, name)
        else:
            run(postgres.open_tournament(opening(name)))
            run(gatherResults(postgres.enter(name, account, 1) for account in accounts))
            take_tournament(run, postgres, name, "n1", 0)
            run(postgres.start_tournament(name, 1, accounts, 1_500))
        one, two, three = accounts
        shares = [given(1, one, 300), given(2, two, 220), given(3, three, 200)]
        result = [given(1, one, 500), given(2, two, 220), given(3, three, 0)]
        moves = [
            other.roll_back_tournament(name, 1),
            postgres.give_places(name, 1, 1, shares, rolled_forward=True),
            other.give_places(name, 1, 1, result),
        ]
        outcomes = run(DeferredList(moves[turn % 3 :] + moves[: turn % 3], consumeErrors=True))
        assert sum(done for done, _ in outcomes) == 1
    for name, number in run(other.unpaid_places()):
        run(other.pay_place(name, number))
    report = run(postgres.audit())
    assert (report.differences, report.escrow, report.tournaments) == ((), 0, 6)


def test_a_past_owner_cannot_end_it(run, postgres, other):
    """Its calls are refused, and the next owner continues."""
    one, two, three = started(run, postgres)
    assert take_tournament(run, other, "six.1", "n2", 1) == 2
    with pytest.raises(NotOwner):
        run(postgres.give_places("six.1", 1, 3, [given(3, three, 0)]))
    run(other.give_places("six.1", 2, 2, [given(2, two, 220), given(2, three, 0)]))
    run(other.give_places("six.1", 2, 1, [given(1, one, 500)]))


def test_an_entry_beside_its_tournaments_cancelling_is_refunded_or_refused(run, postgres, other):
    """In either order."""
    (alice,) = opened(run, postgres, "alice")
    for number in range(1, 11):
        run(postgres.open_tournament(opening(f"six.{number}")))
        entry, cancel = run(
            DeferredList(
                [
                    postgres.enter(f"six.{number}", alice, 1),
                    other.cancel_tournament(f"six.{number}"),
                ],
                consumeErrors=True,
            )
        )
        assert cancel[0]
        assert entry[0] or entry[1].check(RegistrationClosed)
    assert run(postgres.wallet(alice)) == 10_000
    assert run(postgres.audit()).differences == ()


def test_two_nodes_that_settle_a_hand_at_once_settle_it_once(run, postgres, other):
    """In either order; chips move once, and the audit agrees."""
    one, two, _three = started(run, postgres)
    for turn in range(20):
        name = f"h{turn}"
        moves = [ledger.settle([hand(name, {one: 3, two: -3})]) for ledger in (postgres, other, postgres)]
        run(gatherResults(moves))
    entries = run(other.tournament("six.1")).entries
    assert [(entry.chips, entry.hands) for entry in entries] == [(1_560, 20), (1_440, 20), (1_500, 0)]
    assert run(postgres.audit()).differences == ()
