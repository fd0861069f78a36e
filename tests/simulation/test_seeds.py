"""A few short seeds (`make soak` runs thousands): no promise of the room is broken, whatever goes wrong."""

from __future__ import annotations

import pytest

from pokerroom.simulation.faults import ALL, NONE, Fault
from pokerroom.simulation.run import run
from pokerroom.simulation.seeds import Trial, shrink
from tests.effort import EFFORT, times

FIRST = 4  # at a small room: the large ones take ten times as long
BLOCK = 2
HANDS = 10
HANDS_WITH_ONE = 4 if EFFORT == 1 else HANDS


def check(seeds: range, hands: int, faults: frozenset[Fault]) -> None:
    for seed in seeds:
        outcome = run(seed, hands, faults)
        if outcome.violations:
            lines = "\n".join(str(violation) for violation in outcome.violations)
            pytest.fail(
                f"seed {seed}:\n{lines}\n{shrink(outcome, Trial(seed=seed, hands=hands, faults=faults)).command}"
            )
        assert outcome.hands >= hands


@pytest.mark.parametrize("first", range(FIRST, FIRST + times(2), BLOCK))
def test_no_seed_breaks_a_promise_with_all_faults(first: int) -> None:
    """Chips, turns, clocks, hands, acknowledgements, cards, progress and order hold under every fault at once."""
    check(range(first, first + BLOCK), HANDS, ALL)


@pytest.mark.parametrize("fault", list(Fault))
def test_no_seed_breaks_a_promise_with_one_kind_of_fault(fault: Fault) -> None:
    """Each kind of fault alone, so that one does not hide what another does."""
    check(range(1_000, 1_000 + times(1)), HANDS_WITH_ONE, frozenset({fault}))


def test_a_device_that_lost_its_table_does_not_follow_it() -> None:
    """The last player at a delayed table has lost it to another device: observers are ahead of no one."""
    assert run(743, 6, frozenset({Fault.TAKEOVER})).violations == ()


def test_a_snapshot_without_a_hand_has_no_decision_in_advance() -> None:
    """A player comes back to a table that shows no hand, and had decided in advance."""
    assert run(438, 8, ALL).violations == ()


def test_the_code_of_a_private_table_holds_no_card() -> None:
    """The code has two letters between signs that read as a card: no player is told one."""
    assert run(1_072, 8, ALL, game="omaha").violations == ()


def test_no_seed_breaks_a_promise_when_nothing_goes_wrong() -> None:
    """Without any fault every hand is played and settled, and nothing is injected."""
    outcome = run(2_000, 20, NONE)
    assert outcome.violations == ()
    assert outcome.hands >= 20
    assert not +outcome.faults
