"""L3 to L7: a field of several tables, hand after hand, with players who go out, come late, and change tables."""

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.button import Candidate, Owes, plan_hand
from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament.balancing import balancing_move, halted_tables
from pokerroom.rules.tournament.seat_draw import RandomNumbers, drawn_seats, place_of
from pokerroom.rules.tournament.tables import (
    SeatedTable,
    SeatMove,
    break_order,
    broken_table_moves,
    late_seat,
    table_to_break,
    tables_needed,
)
from tests.effort import times

STAKES = Stakes(small_blind=50, big_blind=100)
STACK = 1_000


def source(seed):
    """Random bytes that follow from a seed."""
    asked = iter(range(10**9))
    return lambda count: hashlib.shake_256(f"{seed}.{next(asked)}".encode()).digest(count)


class Field:
    """The tables of a tournament, every table at rest between two steps."""

    def __init__(self, players: int, seats: int, seed: int) -> None:
        self.seats, self.numbers = seats, RandomNumbers(source(seed))
        count = tables_needed(players, seats)
        self.order = break_order(range(1, count + 1))
        self.players: dict[int, dict[int, int]] = {number: {} for number in range(1, count + 1)}
        for drawn, account in drawn_seats(range(players), source(-seed)).items():
            table, seat = place_of(drawn, count)
            self.players[table][seat] = account
        self.positions: dict[int, Positions | None] = dict.fromkeys(self.players)
        self.owes = dict.fromkeys(range(players), Owes.nothing)
        self.chips = dict.fromkeys(range(players), STACK)
        self.waited: set[int] = set()
        self.moves: list[SeatMove] = []

    def tables(self) -> list[SeatedTable]:
        return [
            SeatedTable(
                number=number,
                seats=self.seats,
                players=players,
                positions=self.positions[number],
                waiting=frozenset(
                    seat for seat, account in players.items() if self.owes[account] is not Owes.nothing
                ),
            )
            for number, players in self.players.items()
        ]

    def comes_late(self) -> None:
        account = len(self.chips)
        table, seat = late_seat(account, self.tables(), self.numbers)
        self.players[table][seat] = account
        self.chips[account], self.owes[account] = STACK, Owes.moved

    def plays(self, number: int) -> None:
        """A hand in which up to two players go out; a winner has their chips."""
        seated, previous = self.players[number], self.positions[number]
        candidates = [Candidate(seat=seat, owes=self.owes[seated[seat]]) for seat in sorted(seated)]
        plan = plan_hand(previous, candidates, self.seats, STAKES, first_button=1)
        assert plan is not None
        if previous is not None:
            self.check_waits(seated, plan.order, plan.positions.small_blind)
        for seat in plan.order:
            self.owes[seated[seat]] = Owes.nothing
        self.positions[number] = plan.positions
        winner, *others = plan.order
        for seat in others[: self.numbers.below(3)]:
            account = seated.pop(seat)
            self.chips[seated[winner]] += self.chips[account]
            self.chips[account] = 0

    def check_waits(self, seated, order, small_blind) -> None:
        """L6: a wait lasts a hand at most, and a player who came for balance is not the small blind."""
        waits = {account for seat, account in seated.items() if seat not in order}
        assert not waits & self.waited
        assert all(self.owes[account] is not Owes.nothing for account in waits)
        self.waited = (self.waited - set(seated.values())) | waits
        if small_blind is not None and len(order) > 2 and len(order) + len(waits) > 3:
            assert self.owes[seated[small_blind]] is not Owes.balanced

    def apply(self, moves) -> None:
        for move in moves:
            assert self.players[move.from_table].pop(move.from_seat) == move.account
            assert move.to_seat not in self.players[move.to_table]
            self.players[move.to_table][move.to_seat] = move.account
            self.owes[move.account] = move.owes
            self.waited.discard(move.account)
            self.moves.append(move)

    def directed(self) -> None:
        """What the director does once all tables are at rest."""
        while (number := table_to_break(self.tables(), self.order, self.seats)) is not None:
            broken = next(table for table in self.tables() if table.number == number)
            self.apply(broken_table_moves(broken, [t for t in self.tables() if t != broken], self.numbers))
            assert self.players.pop(number) == {}
        while (move := balancing_move(self.tables(), self.order, at_rest=self.players)) is not None:
            self.apply([move])

    def check(self) -> None:
        """A2, L4, L5: chips and players are all there, each in one seat; no table too many, sizes within one."""
        seated = [account for players in self.players.values() for account in players.values()]
        assert sorted(seated) == [account for account, chips in self.chips.items() if chips]
        assert sum(self.chips.values()) == STACK * len(self.chips)
        assert all(1 <= seat <= self.seats for players in self.players.values() for seat in players)
        sizes = [len(players) for players in self.players.values()]
        assert len(sizes) == tables_needed(len(seated), self.seats)
        asleep = any(len(table.waiting) == table.size for table in self.tables())
        assert asleep or max(sizes) - min(sizes) <= 1
        assert asleep or halted_tables(self.tables()) == frozenset()


@settings(max_examples=times(12), deadline=None)
@given(
    players=st.integers(11, 60),
    seats=st.integers(3, 10),
    seed=st.integers(0, 2**64),
    late=st.sets(st.integers(0, 40), max_size=5),
)
def test_l5_a_field_stays_in_balance_to_its_last_table(players, seats, seed, late):
    """L3 to L7, A2: whatever happens at the tables, each player has one seat and every chip is there."""
    field = Field(players, seats, seed)
    field.check()
    for hand in range(400):
        if len(field.players) == 1:
            break
        playing = [number for number, seated in sorted(field.players.items()) if len(seated) > 1]
        field.plays(field.numbers.one_of(playing))
        field.directed()
        field.check()
        if hand in late and any(table.open_seats for table in field.tables()):
            field.comes_late()
            field.directed()
            field.check()
    assert len(field.players) == 1
    assert field.moves


def test_l5_moves_of_both_kinds_occur():
    """L4, L5: in one field of 50 players at nine seats tables are broken, and others balanced."""
    field = Field(50, 9, 7)
    while len(field.players) > 1:
        field.plays(
            field.numbers.one_of([n for n, seated in sorted(field.players.items()) if len(seated) > 1])
        )
        field.directed()
        field.check()

    assert {move.owes for move in field.moves} == {Owes.moved, Owes.balanced}
