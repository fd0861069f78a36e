"""L4, L5, L7: which table is broken, who moves and where to, and which table waits."""

from dataclasses import replace

import pytest

from pokerroom.rules.button import Owes, next_big_blind
from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.tournament.balancing import balancing_move, halted_tables, worst_seat
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.tables import (
    MoveReason,
    SeatedTable,
    break_order,
    broken_table_moves,
    late_seat,
    table_to_break,
    tables_needed,
    with_late_table,
)


def table(number, *taken, seats=9, last=None, **fields):
    """A table with players in these seats; account 305 is in seat 5 of table 3. `last` had the last big blind."""
    positions = None if last is None else Positions(button=1, small_blind=2, big_blind=last)
    players = {seat: 100 * number + seat for seat in taken}
    return SeatedTable(number=number, seats=seats, players=players, positions=positions, **fields)


def full(number, size, **fields):
    return table(number, *range(1, size + 1), **fields)


def zeros():
    return RandomNumbers(bytes)


@pytest.mark.parametrize(("players", "needed"), [(61, 7), (55, 7), (54, 6), (9, 1), (10, 2), (1, 1)])
def test_l4_tables_needed(players, needed):
    """L4: as few tables as hold the players."""
    assert tables_needed(players, 9) == needed


def test_l4_the_hand_from_55_to_54_players_breaks_a_table():
    """L4 [D]: table 7, the highest number; not before, and a table that opened late goes first."""
    order = break_order(range(1, 8))
    tables = [full(number, 8) for number in range(1, 7)]

    assert table_to_break([*tables, full(7, 7)], order, 9) is None
    assert table_to_break([*tables, full(7, 6)], order, 9) == 7
    late = with_late_table(order, 8)
    assert late == (8, 7, 6, 5, 4, 3, 2, 1)
    assert table_to_break([*tables[1:], full(7, 7), full(8, 7)], late, 9) == 8


def test_l4_a_table_that_a_player_is_on_the_way_to_is_not_broken():
    """L4: the next in the order is, where the others have room for its players."""
    order = break_order(range(1, 4))
    awaited = full(3, 2, arriving={9: 999})

    assert table_to_break([full(1, 3), full(2, 3), awaited], order, 9) == 2
    assert (
        table_to_break([full(1, 5), full(2, 4, arriving={6: 1}), full(3, 4, arriving={7: 2})], (3, 2), 9)
        is None
    )


def test_l4_a_table_is_broken_once_the_others_have_room():
    """L4: a seat that a player is about to leave is not open yet."""
    leaving = full(2, 9, leaving=frozenset(range(2, 10)))

    assert table_to_break([full(1, 1), leaving], (1, 2), 9) == 2
    assert table_to_break([full(1, 1), leaving], (1,), 9) is None


def test_l4_the_players_of_a_broken_table_keep_their_accounts_and_wait_by_position():
    """L4, L6: each has one new seat; a player that is moving elsewhere is not moved again."""
    broken = full(3, 4, leaving=frozenset({2}))
    others = [full(1, 6), full(2, 7)]
    moves = broken_table_moves(broken, others, zeros())

    assert {move.account for move in moves} == {301, 303, 304}
    assert sorted(move.to_table for move in moves) == [1, 1, 2]
    assert len({(move.to_table, move.to_seat) for move in moves}) == 3
    assert {(move.reason, move.owes) for move in moves} == {(MoveReason.broken_table, Owes.moved)}
    assert all(move.from_seat == move.account % 100 and move.from_table == 3 for move in moves)
    with pytest.raises(ValueError, match="open a table"):
        broken_table_moves(broken, [full(1, 8)], zeros())


def test_l3_a_late_player_joins_the_smallest_table():
    """L3 [D]: counting the players on their way to it and from it; without an open seat there is no draw."""
    tables = [full(1, 7), full(2, 6, arriving={8: 1, 9: 2}), full(3, 8, leaving=frozenset({1, 2}))]

    assert late_seat(5, tables, zeros()) == (3, 9)
    with pytest.raises(ValueError, match="open a table"):
        late_seat(5, [full(1, 9)], zeros())


@pytest.mark.parametrize(
    ("taken", "last", "seat"),
    [
        ((2, 3, 5, 6, 7, 9), 3, 4),
        ((2, 3, 5, 6, 7, 9), 2, 4),
        ((2, 3, 5, 6, 7, 9), 5, 8),
        ((2, 3, 5, 6, 7, 9), 9, 1),
        ((1, 2, 3, 5, 6, 7, 8, 9), 3, 4),
        ((1, 2, 3, 5, 6, 7, 8, 9), 4, 4),
    ],
)
def test_l5_the_worst_seat(taken, last, seat):
    """L5: clockwise from the last big blind; that seat itself comes last."""
    assert worst_seat(table(1, *taken, last=last)) == seat


def test_l5_the_worst_seat_of_a_table_before_its_first_hand():
    """L5: the first button is seat 1, so the seat behind it posts first."""
    assert worst_seat(table(1, 1, 4)) == 2


def test_l5_the_next_big_blind_moves():
    """L5: last hand button 3, blinds 4 and 5: seat 6 moves; into seat 4 of the table with its big blind in 3."""
    large = SeatedTable(
        number=1, seats=9, players=dict(zip(range(1, 10), range(101, 110), strict=True)),
        positions=Positions(button=3, small_blind=4, big_blind=5),
    )  # fmt: skip
    small = table(2, 2, 3, 5, 6, 7, 9, last=3)
    move = balancing_move([large, small], (2, 1), at_rest={1})

    assert move is not None
    assert (move.account, move.from_table, move.from_seat) == (106, 1, 6)
    assert (move.to_table, move.to_seat) == (2, 4)
    assert (move.reason, move.owes) == (MoveReason.balance, Owes.balanced)


def test_l5_the_first_hand_has_a_next_big_blind():
    """L5, B1: before the first hand it is the second left of seat 1, heads-up the other player."""
    assert next_big_blind(None, {1, 3, 4}, 9, first_button=1) == 4
    assert next_big_blind(None, {1, 3}, 9, first_button=1) == 3
    assert next_big_blind(None, {3}, 9, first_button=1) == 3


def test_l5_who_gives_and_who_takes():
    """L5 [D]: the first of the largest in the order of breaking that is at rest; the last of the smallest."""
    tables = [full(1, 8, last=1), full(2, 6, last=1), full(3, 8, last=1), full(4, 6, last=1)]
    order = (4, 3, 2, 1)

    both = balancing_move(tables, order, at_rest={1, 2, 3, 4})
    assert (both.from_table, both.to_table) == (3, 2)
    one = balancing_move(tables, order, at_rest={1, 2})
    assert (one.from_table, one.to_table) == (1, 2)
    assert balancing_move(tables, order, at_rest={2, 4}) is None
    assert balancing_move([full(1, 7), full(2, 6)], (2, 1), at_rest={1, 2}) is None
    assert balancing_move([], (), at_rest=()) is None


def test_l5_players_on_their_way_count():
    """L5: a gap that a moving player will fill counts as filled, and a moving player does not move again."""
    large, small = full(1, 8, last=1), full(2, 6, last=1)

    assert balancing_move([large, replace(small, arriving={9: 5})], (2, 1), at_rest={1}) is None
    assert balancing_move([replace(large, leaving=frozenset({2})), small], (2, 1), at_rest={1}) is None
    nine = full(1, 9, last=1, leaving=frozenset({2}))
    assert balancing_move([nine, small], (2, 1), at_rest={1}).from_seat == 3


def test_l5_a_player_who_waits_does_not_move_again():
    """L5 [D], L6: the next one does; a table of players who all wait gives none."""
    large, small = full(1, 8, last=1, waiting=frozenset({2})), full(2, 6, last=1)

    assert balancing_move([large, small], (2, 1), at_rest={1}).from_seat == 3
    asleep = replace(large, waiting=frozenset(range(1, 9)))
    assert balancing_move([asleep, small], (2, 1), at_rest={1}) is None


def test_l5_a_frozen_table_neither_gives_nor_takes():
    """L5, L7 [D]: the next largest gives, and a table that only a frozen one could fill plays on."""
    tables = [full(1, 9, last=1), full(2, 8, last=1), full(3, 6, last=1)]

    assert balancing_move(tables, (3, 2, 1), at_rest={1, 2, 3}, frozen={1}).from_table == 2
    assert balancing_move(tables, (3, 2, 1), at_rest={1, 2, 3}, frozen={3}) is None
    assert halted_tables(tables) == {3}
    assert halted_tables(tables, frozen={1}) == frozenset()


def test_l5_a_table_takes_a_player_once_a_seat_is_open():
    """L4, L5: not while all seats are taken by players about to leave; a table that is being broken takes none."""
    large, leaving = full(1, 9, last=1), full(2, 9, last=1, leaving=frozenset({2, 3}))

    assert balancing_move([large, leaving], (2, 1), at_rest={1}) is None
    broken = full(3, 4, last=1, leaving=frozenset({1, 2, 3, 4}))
    assert balancing_move([full(1, 8, last=1), full(2, 8), broken], (3, 2, 1), at_rest={1}) is None


def test_l7_a_table_three_short_waits_until_a_player_is_on_the_way():
    """L7: five against eight waits; with a player on the way it deals."""
    tables = [full(1, 8), full(2, 5), full(3, 6)]

    assert halted_tables(tables) == {2}
    assert halted_tables([tables[0], replace(tables[1], arriving={9: 1}), tables[2]]) == frozenset()
    assert halted_tables([]) == frozenset()
