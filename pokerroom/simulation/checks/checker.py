"""What the checkers of cash tables have in common: where a violation goes, the time, settings, and what has come up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.situations import Situations
from pokerroom.simulation.checks.violation import Blame
from pokerroom.simulation.clock import VirtualClock

Key = tuple[int, int]
"""Number of the viewer, and id of the request."""

Sitting = tuple[str, int]
"""Table and account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckContext:
    """Of one simulation. `terms` are by table, and grow when a player opens one."""

    blame: Blame
    clock: VirtualClock
    terms: Mapping[str, CheckedSettings]
    situations: Situations


class Checker:
    """Checks some promises of all cash tables."""

    def __init__(self, context: CheckContext) -> None:
        self._blame = context.blame
        self._seconds = context.clock.seconds
        self._now_ms = context.clock.now_ms
        self._terms = context.terms
        self._situations = context.situations
