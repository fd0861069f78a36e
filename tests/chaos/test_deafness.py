"""A player that misses play of the table is deaf; one at a node that is silent is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.chaos.deafness import DEAF_S, Deafness
from tests.chaos.evidence import Evidence

BEGAN = 1000.0
NODE, OTHER = 11, 12
OWNERS = {"t-1": NODE, "t-2": NODE, "t-3": OTHER}
PLAY = [number / 2 for number in range(200)]
AT_A_TABLE_OF_TWO = [6.3 * turn + after for turn in range(10) for after in (0.0, 0.3)]
"""The other one acts at once, and for the deaf one the clock does."""


def blamed(
    *, prompts: dict[str, list[float]], owners: dict[float, dict[str, int]], heard_s: float = 0.0, **is_: Any
) -> list[str]:
    """The tables at which a player was blamed for hearing nothing since then; asked twice a second for 60 s."""
    now_s = 0.0
    evidence = Evidence(lambda: now_s)
    told = {"name": "ann", "table": "t-1", "port": 1, "connected": True, "heard_at": BEGAN + heard_s}
    player: Any = SimpleNamespace(**told | is_)
    deafness = Deafness(evidence, BEGAN)
    for turn in range(120):
        now_s = turn / 2
        for table, times in prompts.items():
            evidence.prompts[table] = [at for at in times if at <= now_s]
        for at_s, found in owners.items():
            if at_s <= now_s:
                deafness.owned(at_s, found)
        deafness.look(now_s, [player], {2})
    return [violation.table for violation in evidence.violations]


@pytest.mark.parametrize("owners", [{0.0: OWNERS}, {}])
def test_a_deaf_player_at_a_table_of_two_is_blamed(owners):
    """The table is silent while it waits for them, and the node plays on; once, and also without owners."""
    assert blamed(prompts={"t-1": AT_A_TABLE_OF_TWO, "t-2": PLAY}, owners=owners) == ["t-1"]


def test_a_table_that_is_silent_with_its_whole_node_blames_no_player():
    """Another node plays meanwhile."""
    silent = [at for at in PLAY if not 10 < at < 20]
    prompts = {"t-1": silent, "t-2": silent, "t-3": PLAY}
    before = {table: [at for at in times if at <= 20.5 or table == "t-3"] for table, times in prompts.items()}
    assert blamed(prompts=before, owners={0.0: OWNERS}, heard_s=9.5) == []
    assert blamed(prompts=prompts, owners={0.0: OWNERS}, heard_s=9.5) == ["t-1"]


def test_a_table_that_another_node_takes_over_was_silent_with_its_own():
    """The one that takes it plays all the time."""
    prompts = {"t-1": [9.8, 10.0, 14.5], "t-2": [9.9, 14.0], "t-3": PLAY}
    taken = dict.fromkeys(OWNERS, OTHER)
    assert blamed(prompts=prompts, owners={0.0: OWNERS, 13.0: taken}, heard_s=9.5) == []
    assert blamed(prompts=prompts, owners={0.0: taken}, heard_s=9.5) == ["t-1"]


@pytest.mark.parametrize("is_", [{"port": 2}, {"connected": False}, {"heard_s": 60 - DEAF_S / 2}])
def test_who_cannot_hear_is_not_deaf(is_):
    """At a node that is stopped, without a connection, or heard something lately."""
    assert blamed(prompts={"t-1": PLAY}, owners={0.0: OWNERS}, **is_) == []
