"""The figures of kills: of those that other nodes take over from, and none besides."""

from __future__ import annotations

from tests.chaos.faults import FAULTS, KILLS
from tests.chaos.nemesis import Recovered
from tests.chaos.report import failure, kills
from tests.chaos.stage import Blow


def recovered(kind: str, took_s: float | None, tables: str = "t") -> Recovered:
    blow = Blow(kind=kind, tables=frozenset(tables), struck_s=0, healed_s=0, takeover=True)
    return Recovered(blow=blow, recovery_s=took_s, pause_s=0, limit_s=5, slowest="")


def test_the_figures_are_of_kills_alone() -> None:
    """A table that never came back counts as a kill; it has no time. A node without tables does not count."""
    found = [recovered("kill_mid_bet", took_s) for took_s in (3.0, 1.0, 2.5)]
    found += [recovered("redis_lost", 9.0), recovered("kill_at_deal", None)]
    found.append(recovered("kill_before_commit", 0.0, tables=""))
    assert kills(found) == {"count": 4, "min_s": 1.0, "median_s": 2.5, "max_s": 3.0}
    assert kills([recovered("hang", 6.0)]) == {"count": 0, "min_s": None, "median_s": None, "max_s": None}


def test_a_run_with_too_few_kills_has_failed() -> None:
    """It is not as good as one that kills all of them; without a number of kills none are wanted."""
    report = {"violations": 0, "kills": {"count": 3}}
    assert failure(report, 100) == "3 of 100 kills: give it more --seconds"
    assert failure(report, 3) == failure(report, None) == ""
    assert failure(report | {"violations": 2}, 3) == "2 violations"


def test_each_kill_is_a_fault() -> None:
    """Of this name."""
    assert set(KILLS) < set(FAULTS)
