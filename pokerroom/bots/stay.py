"""A bot's stay at one table, from the first snapshot to its outcome. It follows the events by their numbers.

A subclass says which events it reads (`hand_stay`: hands of poker; `ultimate_player`: rounds against the house).
This module knows neither accounts nor how the connection was made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, TypeVar

from pokerroom.bots.connection import BotConnection, BotConnectionLost
from pokerroom.bots.tally import SwarmTally, TableWatch
from pokerroom_protocol import messages as m

EXCUSED_AFTER_S: Final = 60.0

End = TypeVar("End")
Handler = Callable[[dict[str, Any], bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StayContext:
    """The connection and the table of one stay. `delay_s` returns how long the next decision takes.

    `came_back_at` is set on a connection that replaced a lost one: since when, in seconds of the event loop.
    """

    link: BotConnection
    table: str
    watch: TableWatch
    tally: SwarmTally
    delay_s: Callable[[], float]
    came_back_at: float | None


class Stay(Generic[End]):
    """See the module. Feed it every message of the connection; await `outcome`."""

    snapshot_type: ClassVar[str] = "snapshot"

    def __init__(self, context: StayContext) -> None:
        self.link = context.link
        self.table = context.table
        self.tally = context.tally
        self.seat: int | None = None
        """The bot's seat, or its box."""
        self._watch = context.watch
        self._delay_s = context.delay_s
        self._came_back_at = context.came_back_at
        self._loop = asyncio.get_running_loop()
        self._outcome: asyncio.Future[End] = self._loop.create_future()
        self._handlers = self.handlers()
        self._seq: int | None = None  # None: no snapshot yet
        self._healing: int | None = None  # the id of the unanswered get_snapshot

    # --- what a subclass implements -------------------------------------------------------------------------------

    def handlers(self) -> dict[str, Handler]:
        """Return the handlers of events, by type."""
        raise NotImplementedError

    def on_table(self, body: bytes) -> None:
        """Take a new snapshot, and set `_seq`."""
        raise NotImplementedError

    def on_answer(self, kind: str, fields: dict[str, Any]) -> None:
        """Take an answer to a request, or a refusal."""
        raise NotImplementedError

    # --- for the owner of the connection --------------------------------------------------------------------

    async def outcome(self) -> End:
        """Await the end of the stay; raise `BotConnectionLost` if the connection ends first."""
        return await self._outcome

    def stop(self) -> None:
        """Leave the table as soon as possible. A tournament is played to its end."""

    def link_lost(self) -> None:
        """End the stay: the connection is lost."""
        if not self._outcome.done():
            self._outcome.set_exception(BotConnectionLost("connection lost"))
            self._outcome.exception()  # marks it as retrieved: no task may await it yet

    def close(self) -> None:
        """Cancel what is still pending."""
        self.sits(None)

    def on_message(self, fields: dict[str, Any], body: bytes) -> None:
        """Take the next message of the connection."""
        kind = fields["type"]
        seq = fields.get("seq")
        if seq is None:
            self.on_answer(kind, fields)
            return
        if fields.get("table") != self.table:
            return
        if kind == self.snapshot_type:
            self.on_table(body)
            self._healing = None
            return
        if self._seq is None or seq <= self._seq:
            return
        if seq != self._seq + 1:
            self._heal()
            return
        self._seq = seq
        handler = self._handlers.get(kind)
        if handler is not None:
            handler(fields, body)

    # --- for a subclass -------------------------------------------------------------------------------------

    def sits(self, seat: int | None) -> None:
        """Set the seat, and count it."""
        by = (seat is not None) - (self.seat is not None)
        self.seat = seat
        if by:
            self.tally.seated += by
            self._watch.seat_changed(by)

    def finish(self, outcome: End) -> None:
        """End the stay, unless it is over."""
        if not self._outcome.done():
            self._outcome.set_result(outcome)

    def attached(self) -> bool:
        """Tell whether requests from before the last reconnection may still be answered."""
        return self._came_back_at is not None and self._loop.time() - self._came_back_at < EXCUSED_AFTER_S

    def _heal(self) -> None:
        if self._healing is None:
            self.tally.gaps += 1
            self._healing = self.link.number()
            self.link.send(m.GetSnapshot(id=self._healing, table=self.table))
