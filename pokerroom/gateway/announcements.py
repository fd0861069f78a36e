"""Tells the players who are connected to this node what operators announce. Knows no table."""

from __future__ import annotations

from typing import Final, Protocol

from pokerroom.bridge import as_deferred
from pokerroom.ledger.announcements import AnnouncementLedger
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom_protocol import messages as wire

ANNOUNCED_S: Final = 10
"""[D] Seconds between two looks for announcements."""


class Announced(Protocol):
    """The accounts that are connected to this node."""

    def announce(self, announcements: wire.Announcements) -> None:
        """Keep what is announced now, and tell all of them if it is new."""


class AnnouncementWatch:
    """Asks the ledger, for all connections of the node at once."""

    def __init__(self, ledger: AnnouncementLedger, connections: Announced) -> None:
        self._ledger = ledger
        self._connections = connections

    @as_deferred
    async def look(self) -> None:
        """Tell what has begun or ended. If the ledger is away, what was told stays."""
        try:
            rows = await self._ledger.announced_now()
        except LedgerUnavailable:
            return
        told = [
            wire.Announcement(number=row.number, text=row.text, table=row.table, until_ms=row.ends_ms)
            for row in rows
        ]
        self._connections.announce(wire.Announcements(announcements=told))
