"""L3: seats drawn from random bytes."""

import itertools
from collections import Counter

import pytest

from pokerroom.rules.tournament.seat_draw import (
    RandomNumbers,
    drawn_into,
    drawn_seats,
    place_of,
    shuffled,
)


def source(*first):
    """A source that gives these bytes, and zeros after them."""
    left = iter(first)
    return lambda count: bytes(next(left, 0) for _ in range(count))


def test_l3_every_order_is_equally_likely():
    """L3: all first bytes of a draw of three that are not refused lead to each of the six orders as often."""
    orders = Counter(
        tuple(drawn_seats((7, 8, 9), source(first, second)).values())
        for first, second in itertools.product(range(255), range(6))
    )
    assert len(orders) == 6
    assert len(set(orders.values())) == 1


def test_a_byte_that_would_favour_a_player_is_passed_over():
    """255 is one too many for three: the next byte counts."""
    assert drawn_seats((7, 8, 9), source(255, 1, 0)) == drawn_seats((7, 8, 9), source(1, 0))


def test_numbers_beyond_a_byte_take_two():
    """300 choices take two bytes: 2^16 is 218 times 300 and 136, and the last 136 numbers are passed over."""
    numbers = RandomNumbers(source(*(65_536 - 136).to_bytes(2, "big"), *(65_536 - 137).to_bytes(2, "big")))

    assert numbers.below(300) == 299
    with pytest.raises(ValueError, match="below nothing"):
        numbers.below(0)


def test_l3_every_player_has_a_number():
    """L3: two thousand accounts are drawn, each once, and the same from the same bytes."""
    accounts = tuple(range(2_000))
    many = source(*(number * 7 % 251 for number in range(8_000)))
    drawn = drawn_seats(accounts, many)

    assert list(drawn) == list(range(1, 2_001))
    assert sorted(drawn.values()) == list(accounts)
    assert list(drawn.values()) != list(accounts)


@pytest.mark.parametrize(
    ("players", "tables", "sizes"), [(61, 7, [9, 9, 9, 9, 9, 8, 8]), (54, 6, [9] * 6), (10, 1, [10])]
)
def test_l3_tables_differ_by_one_player_at_most(players, tables, sizes):
    """L3: 61 players at nine seats, 54 at nine, and ten at one table."""
    places = [place_of(number, tables) for number in range(1, players + 1)]

    assert len(set(places)) == players
    assert [sum(table == number for table, _ in places) for number in range(1, tables + 1)] == sizes
    assert {seat for _, seat in places} == set(range(1, max(sizes) + 1))


def test_l3_a_draw_that_cannot_be_fair_is_refused():
    """L3: an account twice, or bytes that are all refused."""
    with pytest.raises(ValueError, match="drawn once"):
        drawn_seats((1, 1), source())
    with pytest.raises(ValueError, match="not random"):
        drawn_seats((1, 2, 3), lambda count: b"\xff" * count)


def test_l3_a_late_player_draws_a_table_and_then_a_seat():
    """L3: tables 2 and 4 have the fewest players; every open seat of theirs is drawn, those of table 2 as often."""
    open_seats, sizes = {2: {3, 9}, 4: {1}, 5: {2}, 6: ()}, {2: 4, 4: 4, 5: 5, 6: 3}
    drawn = Counter(
        drawn_into([7], open_seats, sizes, RandomNumbers(source(table, seat)))[7]
        for table, seat in itertools.product(range(4), repeat=2)
    )

    assert drawn == {(2, 3): 4, (2, 9): 4, (4, 1): 8}


def test_l4_players_of_a_broken_table_fill_the_smallest_tables():
    """L4: the sizes of the tables come together, and no seat is given twice."""
    open_seats = {1: {1, 2, 3}, 2: {5, 6}, 3: {9}}
    drawn = drawn_into(range(10, 15), open_seats, {1: 6, 2: 7, 3: 8}, RandomNumbers(source(3, 1, 2, 0, 1)))

    assert Counter(table for table, _ in drawn.values()) == {1: 3, 2: 2}
    assert len(set(drawn.values())) == 5
    assert all(seat in open_seats[table] for table, seat in drawn.values())


def test_l3_more_players_than_open_seats_are_refused():
    """L3: the error says to open a table."""
    with pytest.raises(ValueError, match="open a table first"):
        drawn_into([1, 2], {1: {4}}, {1: 8}, RandomNumbers(source()))


def test_the_source_is_asked_once_for_a_table():
    """Ten players take one request for bytes."""
    asked = []

    def counted(count):
        asked.append(count)
        return bytes(count)

    shuffled(range(10), RandomNumbers(counted))
    assert asked == [96]
