"""A tournament's state as plain data: what does not add up is not played on with."""

import pytest

from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament.data import tournament_from_data, tournament_to_data
from tests.rules.tournament.support import full, started, terms, with_stacks


def test_before_the_start_it_is_read_back_too():
    """There are no players yet, only accounts."""
    tournament = full()
    assert tournament_from_data(tournament_to_data(tournament), tournament.terms) == tournament


@pytest.mark.parametrize(
    "tamper",
    [
        lambda data: data["players"][0].__setitem__(2, 1_501),
        lambda data: data["players"].pop(),
        lambda data: data["players"][0].__setitem__(1, 3),
        lambda data: data["standings"].clear(),
        lambda data: data["standings"].append(data["standings"][0]),
        lambda data: data["clock"].__setitem__(0, 9),
    ],
)
def test_a_state_that_does_not_add_up_is_refused(tamper):
    """A2: chips made, players lost, who is out without a place, a place twice, a level that is not there."""
    stacks = dict.fromkeys(range(1, 7), 1_500) | {1: 3_000, 2: 0}
    tournament, _ = with_stacks(started(), stacks)
    data = tournament_to_data(tournament)
    tamper(data)
    with pytest.raises(InvariantBroken):
        tournament_from_data(data, terms())
