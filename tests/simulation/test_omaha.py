"""Omaha in the simulation: rooms of it keep their promises, and hands that are ranked otherwise are found."""

import pytest

from pokerroom.rules.ranking import any_five
from pokerroom.rules.variants import OMAHA
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from pokerroom.simulation.scenario import scenario

HANDS = 10
SMALL = pytest.param(4, marks=pytest.mark.slow), 5
"""Seeds of small rooms."""


@pytest.mark.parametrize("seed", SMALL)
def test_a_room_of_omaha_keeps_its_promises(seed):
    """With all faults nothing is found; every table plays pot-limit Omaha."""
    tables = scenario(seed, "omaha").config.tables
    outcome = run(seed, HANDS, ALL, game="omaha")

    assert {(table.variant.name, table.structure.name) for table in tables} == {("omaha", "pot_limit")}
    assert outcome.violations == ()
    assert outcome.hands >= HANDS


@pytest.mark.slow
def test_j2_hands_that_take_any_five_cards_are_found(monkeypatch):
    """J2: Omaha ranked as hold'em ends in other results than the record's cards allow."""
    monkeypatch.setattr(OMAHA, "combination", lambda evaluate, holes, board: max(
        any_five(evaluate, (one, other), board) for one in holes for other in holes if one < other
    ))  # fmt: skip

    found = (run(seed, 30, NONE, game="omaha").violations for seed in range(1, 5))

    assert any(violations[0].kind is Kind.RESULT for violations in found if violations)
