"""A bot that has come to sit at a table: hands what it hears to its play there (`stay`), and leaves when that is over.

Where it sits down, and what for, is the subclass's.
"""

from __future__ import annotations

import asyncio
from typing import Any, Generic, TypeVar

from pokerroom.bots.guest import Guest, Room
from pokerroom.bots.link import Link
from pokerroom.bots.stay import Stay

Player = TypeVar("Player", bound=Stay[Any])


class Gate:
    """Opens when everybody has arrived, so that all sit down together and the clock measures play."""

    def __init__(self, awaited: int) -> None:
        self._awaited = awaited
        self._open = asyncio.Event()

    def arrive(self) -> None:
        """One of those awaited is here, or will never come."""
        self._awaited -= 1
        if self._awaited <= 0:
            self._open.set()

    async def passed(self) -> None:
        """Waits until it opens."""
        await self._open.wait()


class Sitter(Guest, Generic[Player]):
    """See the module."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._player: Player | None = None

    def heard(self, link: Link, fields: dict[str, Any], body: bytes) -> None:
        """See `Guest`."""
        if self._player is not None and self._player.link is link:
            self._player.on_message(fields, body)

    def link_lost(self, link: Link) -> None:
        """See `Guest`."""
        if self._player is not None and self._player.link is link:
            self._player.link_lost()

    def at_end(self) -> None:
        """See `Guest`."""
        self.leave_table()

    def leave_table(self) -> None:
        """What it has played there is over, if there was anything."""
        player, self._player = self._player, None
        if player is not None:
            player.close()


class Patron(Sitter[Player]):
    """One that plays at its table until it is told to stop, and sits down when all others have come as well."""

    def __init__(self, room: Room, gate: Gate) -> None:
        super().__init__(room)
        self._gate = gate
        self._has_arrived = False

    def stop(self) -> None:
        """Leave the table as soon as that may be, log out."""
        self.stopping = True
        if self._player is not None:
            self._player.stop()

    def at_end(self) -> None:
        """See `Guest`."""
        super().at_end()
        self._arrive()

    def may_end(self) -> bool:
        """See `Guest`."""
        return self._player is None

    async def all_here(self) -> None:
        """It has come; waits for the others."""
        self._arrive()
        await self._gate.passed()

    def plays(self, player: Player) -> None:
        """It is at the table with this player now."""
        self.leave_table()
        self._player = player
        if self.stopping:
            player.stop()

    def _arrive(self) -> None:
        if not self._has_arrived:
            self._has_arrived = True
            self._gate.arrive()
