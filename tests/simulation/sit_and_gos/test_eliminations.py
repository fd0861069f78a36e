"""Places and prizes by the hands in which players lost their chips: what the checker finds, and what it lets pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from pokerroom.rules.tournament import hand_for_hand
from pokerroom.simulation.checks.eliminations import Eliminations
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from tests.simulation.planted import plant

PRIZES = (50, 30, 20)
TOGETHER = 11
"""A seed of tournaments in which players with unequal stacks go out in one hand."""
SHARED = 3
"""A seed of tournaments where players that are out hand for hand share."""


def hand(*lost: tuple[int, int], winner: int = 9) -> list[Mapping[str, int]]:
    """The seats of a hand in which these accounts lose so many chips, and another one wins them."""
    out = [{"account": account, "stack": stack, "end": 0} for account, stack in lost]
    return [*out, {"account": winner, "stack": 100, "end": 100 + sum(stack for _, stack in lost)}]


def places(*given: tuple[int, int]) -> list[Any]:
    """Accounts and prizes, the best place first."""
    return [SimpleNamespace(account=account, prize=prize) for account, prize in given]


def found(
    best: int,
    given: Sequence[Any],
    *hands: tuple[int, list[Mapping[str, int]]],
    shares: bool = False,
    alone: bool = True,
) -> list[str]:
    """What is wrong with places after hands at their tables."""
    checker = Eliminations(shares=shares)
    for table, seats in hands:
        checker.settled(table, seats, alone=alone)
    return list(checker.wrong(best, given, PRIZES))


BOTH = (1, hand((1, 70), (2, 40)))
EQUAL = (1, hand((1, 40), (2, 40)))


@pytest.mark.parametrize(
    ("best", "given", "hands"),
    [
        (2, [(1, 30), (2, 20)], [BOTH]),
        (1, [(9, 50), (1, 30), (2, 20)], [BOTH]),
        (3, [(1, 20), (2, 0)], [BOTH]),
        (2, [(1, 25), (2, 25)], [EQUAL]),
        (2, [(2, 25), (1, 25)], [EQUAL]),
        (2, [(2, 30), (1, 20)], [(1, hand((1, 90))), (1, hand((2, 10)))]),
        (2, [(1, 25), (2, 25)], [(1, hand((1, 40))), (2, hand((2, 40)))]),
        (1, [(3, 34), (4, 33), (5, 33)], []),
    ],
)
def test_places_as_the_rules_have_them_pass(best: int, given: Any, hands: Any) -> None:
    """By stacks, shared by equal ones, the later hand first."""
    assert found(best, places(*given), *hands) == []


@pytest.mark.parametrize(
    ("best", "given", "hands"),
    [
        (2, [(2, 30), (1, 20)], [BOTH]),
        (2, [(1, 25), (2, 25)], [BOTH]),
        (2, [(1, 30), (2, 19)], [BOTH]),
        (1, [(9, 51), (1, 29), (2, 20)], [BOTH]),
        (2, [(1, 30), (2, 20)], [(1, hand((1, 90))), (1, hand((2, 10)))]),
        (3, [(1, 20), (2, 1)], [EQUAL]),
    ],
)
def test_other_places_and_prizes_are_found(best: int, given: Any, hands: Any) -> None:
    """The smaller stack first, a share without a tie, sums that are not those of the table."""
    assert found(best, places(*given), *hands) != []


def test_who_is_out_in_a_hand_dealt_hand_for_hand_may_share() -> None:
    """L8: where the tournament says so, and only there."""
    shared = places((1, 25), (2, 25))
    assert found(2, shared, BOTH, shares=True, alone=False) == []
    assert found(2, shared, BOTH, shares=True, alone=True) != []
    assert found(2, shared, BOTH, shares=False, alone=False) != []


@pytest.mark.slow  # the rules of places have tests of their own
def test_places_in_the_order_of_the_smaller_stack_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """I2: in a whole room."""
    play = partial(run, TOGETHER, 20, NONE, game="mtt")
    assert play().violations == ()
    plant(monkeypatch, hand_for_hand, "bust_order", lambda real, busted: real(busted)[::-1])
    assert play().violations[0].kind is Kind.PLACES


def test_shared_places_pass_with_every_fault() -> None:
    assert run(SHARED, 30, ALL, game="mtt").violations == ()
