"""A bot's stay at one table, from the first snapshot to its outcome: follows the table's events by their numbers.

What is looked at of them is the subclass's (`deciding`: hands of poker; `ultimate_player`: rounds against the house).
It knows neither accounts nor how the connection came about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, TypeVar

from pokerroom.bots.link import Link, LinkLost
from pokerroom.bots.tally import TableWatch, Tally
from pokerroom_protocol import messages as m

EXCUSED_AFTER_S: Final = 60.0

End = TypeVar("End")
Handler = Callable[[dict[str, Any], bytes], None]


class Stay(Generic[End]):
    """See the module. Feed it every message of the connection; await `outcome`."""

    snapshot_type: ClassVar[str] = "snapshot"

    def __init__(
        self,
        *,
        link: Link,
        table: str,
        watch: TableWatch,
        tally: Tally,
        delay_s: Callable[[], float],
        came_back_at: float | None,
    ) -> None:
        self.link = link
        self.table = table
        self.tally = tally
        self.seat: int | None = None
        """The own seat, or box."""
        self._watch = watch
        self._delay_s = delay_s
        self._came_back_at = came_back_at
        self._loop = asyncio.get_running_loop()
        self._outcome: asyncio.Future[End] = self._loop.create_future()
        self._handlers = self.handlers()
        self._seq: int | None = None  # None: no snapshot yet
        self._healing: int | None = None  # our get_snapshot under way

    # --- what a subclass says -------------------------------------------------------------------------------

    def handlers(self) -> dict[str, Handler]:
        """Which events are looked at, by their type."""
        raise NotImplementedError

    def on_table(self, body: bytes) -> None:
        """The table anew, by a snapshot; `_seq` is to be set."""
        raise NotImplementedError

    def on_answer(self, kind: str, fields: dict[str, Any]) -> None:
        """An answer to a request, or a refusal."""
        raise NotImplementedError

    # --- for whoever owns the connection --------------------------------------------------------------------

    async def outcome(self) -> End:
        """Waits for the end of the stay; raises `LinkLost` when the connection ends first."""
        return await self._outcome

    def stop(self) -> None:
        """It is to leave, as soon as it may; a tournament is played to its end."""

    def link_lost(self) -> None:
        """The connection is gone; somebody else goes on."""
        if not self._outcome.done():
            self._outcome.set_exception(LinkLost("connection lost"))
            self._outcome.exception()  # nobody may be waiting yet

    def close(self) -> None:
        """Ends what is still under way."""
        self.sits(None)

    def on_message(self, fields: dict[str, Any], body: bytes) -> None:
        """Any message of the connection, in order."""
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
        """Where it sits now; counted."""
        by = (seat is not None) - (self.seat is not None)
        self.seat = seat
        if by:
            self.tally.seated += by
            self._watch.seat_changed(by)

    def finish(self, outcome: End) -> None:
        """The stay is over, if it was not before."""
        if not self._outcome.done():
            self._outcome.set_result(outcome)

    def attached(self) -> bool:
        """Whether it has come back so lately that what was sent before may still be answered."""
        return self._came_back_at is not None and self._loop.time() - self._came_back_at < EXCUSED_AFTER_S

    def _heal(self) -> None:
        if self._healing is None:
            self.tally.gaps += 1
            self._healing = self.link.number()
            self.link.send(m.GetSnapshot(id=self._healing, table=self.table))
