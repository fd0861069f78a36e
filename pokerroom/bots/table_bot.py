"""A bot with a seat at a table: it passes messages to its `stay` there, and leaves when the stay is over.

The subclass chooses the table.
"""

from __future__ import annotations

import asyncio
from typing import Any, Generic, NoReturn, TypeVar

from pokerroom.bots.connection import BotConnection
from pokerroom.bots.stay import Stay, StayContext
from pokerroom.bots.swarm_client import Reconnect, SwarmClient, SwarmContext
from pokerroom.bots.tally import TableWatch

Player = TypeVar("Player", bound=Stay[Any])


class StartBarrier:
    """A barrier that opens when all bots are connected, so that they sit down together and the clock measures play."""

    def __init__(self, awaited: int) -> None:
        self._awaited = awaited
        self._open = asyncio.Event()

    def arrive(self) -> None:
        """Count one bot that is connected, or that has given up."""
        self._awaited -= 1
        if self._awaited <= 0:
            self._open.set()

    async def passed(self) -> None:
        """Wait until the barrier opens."""
        await self._open.wait()


class TableBot(SwarmClient, Generic[Player]):
    """See the module."""

    def __init__(self, room: SwarmContext) -> None:
        super().__init__(room)
        self._player: Player | None = None

    def heard(self, link: BotConnection, fields: dict[str, Any], body: bytes) -> None:
        if self._player is not None and self._player.link is link:
            self._player.on_message(fields, body)

    def link_lost(self, link: BotConnection) -> None:
        if self._player is not None and self._player.link is link:
            self._player.link_lost()

    def at_end(self) -> None:
        self.leave_table()

    def at_table(self, link: BotConnection, table: str, watch: TableWatch) -> StayContext:
        """Return what a stay at a table needs."""
        return StayContext(
            link=link,
            table=table,
            watch=watch,
            tally=self.tally,
            delay_s=self.room.delay_s,
            came_back_at=self.came_back_at,
        )

    def leave_table(self) -> None:
        """End the stay at the table, if there is one."""
        player, self._player = self._player, None
        if player is not None:
            player.close()


class PersistentTableBot(TableBot[Player]):
    """A bot that plays at one table until it is told to stop, and sits down when all bots are connected."""

    def __init__(self, room: SwarmContext, gate: StartBarrier) -> None:
        super().__init__(room)
        self._gate = gate
        self._has_arrived = False

    def stop(self) -> None:
        """Leave the table as soon as possible, and log out."""
        self.stopping = True
        if self._player is not None:
            self._player.stop()

    def at_end(self) -> None:
        super().at_end()
        self._arrive()

    def may_end(self) -> bool:
        return self._player is None

    async def all_here(self) -> None:
        """Wait until all bots are connected."""
        self._arrive()
        await self._gate.passed()

    def plays(self, player: Player) -> None:
        """Pass messages to this player from now on."""
        self.leave_table()
        self._player = player
        if self.stopping:
            player.stop()

    def start_over(self) -> NoReturn:
        """Reconnect with a new account."""
        self.account = None
        self.leave_table()
        raise Reconnect

    def _arrive(self) -> None:
        if not self._has_arrived:
            self._has_arrived = True
            self._gate.arrive()
