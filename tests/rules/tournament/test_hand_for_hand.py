"""L8, L9: hand-for-hand, places of players out in one hand of all tables, and the final table."""

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.places import shared_prizes
from pokerroom.rules.tournament.final_table import drawn_final_table, final_table_seats, is_final_table_due
from pokerroom.rules.tournament.hand_for_hand import (
    EliminatedPlayer,
    TiedEliminations,
    charged_ms,
    elimination_order,
    is_hand_for_hand,
)
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from tests.effort import times


def out(account, table, position, stack):
    return EliminatedPlayer(account=account, table=table, position=position, stack=stack)


@pytest.mark.parametrize(
    ("players", "window", "begins"),
    [(52, 1, False), (51, 1, True), (50, 1, False), (52, 2, True), (51, 0, False)],
)
def test_l8_begins_before_the_money(players, window, begins):
    """L8: 50 are paid; it ends once all remaining players are paid."""
    found = is_hand_for_hand(players, paid=50, tables=6, registration_closed=True, window=window)
    assert found is begins


def test_l8_needs_two_tables_and_closed_registration():
    """L8: no player can join, and there is another table to wait for."""
    assert not is_hand_for_hand(51, paid=50, tables=1, registration_closed=True)
    assert not is_hand_for_hand(51, paid=50, tables=6, registration_closed=False)


def test_l8_begins_before_the_final_table_and_before_a_satellites_last_seat():
    """L8: ten left for a final table of nine; eleven left for ten seats of a satellite."""
    assert is_hand_for_hand(10, paid=27, tables=2, registration_closed=True, final_table_seats=9)
    assert not is_hand_for_hand(9, paid=27, tables=2, registration_closed=True, final_table_seats=9)
    assert not is_hand_for_hand(10, paid=27, tables=2, registration_closed=True)
    assert is_hand_for_hand(11, paid=10, tables=2, registration_closed=True)


def test_l8_a_hand_takes_two_minutes_off_the_level_at_most():
    """L8: hands of 45 s, 130 s and 300 s take 285 s."""
    assert sum(charged_ms(seconds * 1_000) for seconds in (45, 130, 300)) == 285_000
    with pytest.raises(ValueError, match="negative"):
        charged_ms(-1)


def test_l8_players_out_at_several_tables_are_placed_by_their_stacks():
    """L8: A with 900 and B with 400 at table 1, C with 650 at table 2; one place of the three is paid."""
    order = elimination_order([out("A", 1, 0, 900), out("B", 1, 3, 400), out("C", 2, 1, 650)])

    assert order == [("A",), ("C",), ("B",)]
    assert shared_prizes(order, [3_000, 0, 0]) == {"A": 3_000, "B": 0, "C": 0}


def test_l8_equal_stacks_tie_over_tables():
    """L8, I2: they share the prizes of their places; the odd unit goes to the lower table, there by position."""
    busted = [out("X", 2, 0, 500), out("Y", 1, 4, 500), out("Z", 1, 2, 500)]
    order = elimination_order(busted)

    assert order == [("Z", "Y", "X")]
    assert shared_prizes(order, [101, 100, 100]) == {"Z": 101, "Y": 100, "X": 100}


@pytest.mark.parametrize(
    ("prizes", "shares"), [([3_000, 0, 0], [1_000] * 3), ([3_250, 3_000, 0, 0], [1_563, 1_563, 1_562, 1_562])]
)
def test_l8_all_players_out_may_share(prizes, shares):
    """L8 [D]: 52 left, 50 paid: three out share 30.00, and four share the prizes of 49th and 50th."""
    busted = [out(number, 1, number, 100 + number) for number in range(len(prizes))]
    order = elimination_order(busted, TiedEliminations.share)

    assert list(shared_prizes(order, prizes).values()) == shares


@settings(max_examples=times(30), deadline=None)
@given(
    stacks=st.lists(st.integers(1, 6), min_size=1, max_size=9),
    ties=st.sampled_from(TiedEliminations),
    data=st.data(),
)
def test_l8_every_player_out_has_a_place_and_the_prizes_are_paid(stacks, ties, data):
    """L8: the shares add up to the prizes, and a smaller stack never has more but for an odd unit of a tie."""
    prizes = sorted(
        data.draw(st.lists(st.integers(0, 99), min_size=len(stacks), max_size=len(stacks))), reverse=True
    )
    busted = [out(number, number % 3, number // 3, stack) for number, stack in enumerate(stacks)]
    order = elimination_order(busted, ties)
    shares = shared_prizes(order, prizes)

    assert sorted(itertools.chain.from_iterable(order)) == list(range(len(stacks)))
    assert sum(shares.values()) == sum(prizes)
    if ties is TiedEliminations.stack:
        assert all(
            shares[a] >= shares[b] for a, b in itertools.permutations(shares, 2) if stacks[a] > stacks[b]
        )
    else:
        assert len(order) == 1


@pytest.mark.parametrize(("seats", "final"), [(2, 2), (6, 7), (7, 7), (8, 9), (9, 9), (10, 10)])
def test_l9_seats_of_the_final_table(seats, final):
    """L9: two tables of four combine to seven of six-handed play, two of five to nine of eight-handed."""
    assert final_table_seats(seats) == final


def test_l9_a_table_has_two_to_ten_seats():
    """L9: no others are played."""
    for seats in (1, 11):
        with pytest.raises(ValueError, match="two to ten"):
            final_table_seats(seats)


@pytest.mark.parametrize(
    ("players", "tables", "closed", "due"),
    [(7, 2, True, True), (8, 2, True, False), (7, 1, True, False), (7, 2, False, False)],
)
def test_l9_when_the_tables_combine(players, tables, closed, due):
    """L9: seven left at two six-handed tables, which no further player can join."""
    assert is_final_table_due(players, seats=7, tables=tables, registration_closed=closed) is due


def test_l9_seats_and_button_are_drawn():
    """L9: each of three players is as often in each seat, and has the button as often."""
    draws = [
        drawn_final_table(
            (7, 8, 9), RandomNumbers(lambda count, first=first: bytes(first) + bytes(count - 3))
        )
        for first in itertools.product(range(3), range(2), range(3))
    ]

    assert Counter(draw.button for draw in draws) == {1: 6, 2: 6, 3: 6}
    assert Counter(draw.seats[1] for draw in draws) == {7: 6, 8: 6, 9: 6}
    assert all(sorted(draw.seats.values()) == [7, 8, 9] and sorted(draw.seats) == [1, 2, 3] for draw in draws)
    with pytest.raises(ValueError, match="each once"):
        drawn_final_table((7, 7), RandomNumbers(bytes))
    with pytest.raises(ValueError, match="two players"):
        drawn_final_table((7,), RandomNumbers(bytes))
