"""Bounds of the operations port: open connections, and requests of an address in a second.

They are for clients over TCP. An empty address is one of the Unix socket, which has no bounds: only the room's user and
root reach it. Knows no page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final, Protocol

import structlog

CONNECTIONS_MAX: Final = 256
"""[D] Open connections to the port."""

CONNECTIONS_OF_ADDRESS: Final = 64
"""[D] Those of one address, or `connections_per_address` if that is less: the setting is for players, and it may be so
high that one address would have all of them."""

REQUESTS_PER_S: Final = 50
"""[D] Requests of an address, but for the probes: a flood takes neither the log nor the ledger."""

_log = structlog.get_logger()


class ConnectionCounts(Protocol):
    """Counts the connections of each address. Each `enter` that succeeds needs one `leave`."""

    def enter(self, address: str) -> bool:
        """Count a connection. Return False, and do not count it, if there are too many."""

    def leave(self, address: str) -> None:
        """Forget a connection."""


class OperationsBounds:
    """`group_of` returns the owner's group of an address; None if it has no bound."""

    def __init__(
        self, counts: ConnectionCounts, group_of: Callable[[str], str | None], now_s: Callable[[], float]
    ) -> None:
        self._counts = counts
        self._group_of = group_of
        self._now_s = now_s
        self._second = 0
        self._requests: Counter[str] = Counter()
        """Those of this second, by group."""
        self._told_s = -1

    def enter(self, address: str) -> bool:
        """Count a connection. Return False, and do not count it, if there are too many."""
        return not address or self._counts.enter(address) or self._refused(address, "connections")

    def leave(self, address: str) -> None:
        """Forget a connection."""
        if address:
            self._counts.leave(address)

    def allow(self, address: str) -> bool:
        """Count a request. Return whether it is answered."""
        group = self._group_of(address) if address else None
        if group is None:
            return True
        second = int(self._now_s())
        if second != self._second:
            self._second, self._requests = second, Counter()
        self._requests[group] += 1
        return self._requests[group] <= REQUESTS_PER_S or self._refused(address, "requests")

    def _refused(self, address: str, bound: str) -> bool:
        """Log a refusal, but no more than one in a second."""
        second = int(self._now_s())
        if second != self._told_s:
            self._told_s = second
            _log.warning("operations.flooded", address=address, bound=bound)
        return False
