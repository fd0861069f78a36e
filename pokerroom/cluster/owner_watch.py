"""Reads the owners of all tables from the ledger: one query at a time, which also shows whether the ledger answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import structlog
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from pokerroom.ledger.api import Ledger, LedgerUnavailable, OwnerRow

LOOK_S: Final = 1.0
"""The owners are read this often if nothing else asks for it."""

LEDGER_AWAY_S: Final = 3.0
"""A ledger that has not answered for this long is unavailable."""

_log = structlog.get_logger()


class OwnerWatch:
    """`seen` gets the owners, and whether this node held its lease (`held_since`) since they were asked for."""

    def __init__(
        self,
        *,
        clock: IReactorTime,
        ledger: Ledger,
        held_since: Callable[[float], bool],
        seen: Callable[[Mapping[str, OwnerRow], bool], None],
    ) -> None:
        self._clock = clock
        self._ledger = ledger
        self._held_since = held_since
        self._seen = seen
        self._asking = False
        self._asked_at: float | None = None
        self._answered_at = clock.seconds()

    @property
    def away(self) -> bool:
        """Whether the ledger has been asked, and has not answered, for too long."""
        return self._asked_at is not None and self._clock.seconds() - self._answered_at >= LEDGER_AWAY_S

    def look(self, *, now: bool) -> None:
        """Ask, unless a query is under way: at once if `now`, otherwise when it is time again."""
        time = self._clock.seconds()
        if self._asking or not (now or self._asked_at is None or time - self._asked_at >= LOOK_S):
            return
        if self._asked_at is None:
            self._answered_at = time  # nothing was asked before
        self._asking, self._asked_at = True, time
        self._ledger.owners().addCallbacks(
            self._answered, self._not_answered, callbackArgs=(time,)
        ).addErrback(_fault)

    def _answered(self, rows: Sequence[OwnerRow], asked_at: float) -> None:
        self._asking = False
        self._answered_at = self._clock.seconds()
        self._seen({row.table: row for row in rows}, self._held_since(asked_at))

    def _not_answered(self, failure: Failure) -> None:
        self._asking = False
        failure.trap(LedgerUnavailable)
        _log.warning("ledger.unavailable", message="the owners of tables cannot be read")


def _fault(failure: Failure) -> None:
    _log.critical("owners.fault", exc_info=failure.value)
