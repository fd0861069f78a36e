"""How often the dice let a fault come."""

from __future__ import annotations

import pytest

from pokerroom.simulation.faults import ALL, SMALL_ROOM, Dice, Fault

DRAWS = 60_000
ONE_IN = 100


@pytest.mark.parametrize(("people", "expected"), [(2, 600), (SMALL_ROOM, 600), (10 * SMALL_ROOM, 60)])
def test_a_fault_of_the_room_comes_as_often_in_time_with_many_people(people: int, expected: int) -> None:
    """Ten times as many people do ten times as much in the same time."""
    dice = Dice(1, ALL, people)
    for _ in range(DRAWS):
        dice.strikes_room(Fault.JOURNAL, ONE_IN)
    assert 0.7 * expected < dice.counts[Fault.JOURNAL] < 1.3 * expected


def test_a_fault_of_one_person_comes_as_often_for_each_of_many() -> None:
    dice = Dice(1, ALL, 10 * SMALL_ROOM)
    for _ in range(DRAWS):
        dice.strikes(Fault.DISCONNECT, ONE_IN)
    assert 420 < dice.counts[Fault.DISCONNECT] < 780
