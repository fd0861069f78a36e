"""The operator of a simulated room: closes a table now and then, and opens it again.

Asks what `ops` asks of a room, by the same doors. A room that is not there, or has not taken the table yet, is asked
later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused
from pokerroom.room import Room
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.faults import Dice
from pokerroom.simulation.streams import Stream
from pokerroom.table.actor import TableActor

R = TypeVar("R", bound=Referee)


class SimulatedOperator(Generic[R]):
    """See the module. `room` returns the running room; None while there is none."""

    def __init__(
        self, clock: VirtualClock, stream: Stream, dice: Dice, room: Callable[[], Room | None], referee: R
    ) -> None:
        self._clock = clock
        self._stream = stream
        self._dice = dice
        self._room = room
        self._referee = referee

    def come(self) -> None:
        """From now on."""
        self._later(20, 120, self._visit)

    def _visit(self) -> None:
        self._later(60, 240, self._visit)
        room = self._room()
        if room is not None and not self._dice.quiet:
            self._close(self._stream.choice(list(room.lobby)), 50)

    def _close(self, table: str, most_s: float) -> None:
        """Close a table for `most_s` at most."""
        here = self._here(table)
        if here is not None:
            here.close()
        self._later(1, most_s, self._open, table)

    def _open(self, table: str) -> None:
        here, room = self._here(table), self._room()
        if room is not None and table not in room.lobby.settings:
            return  # a private table is gone
        if here is None:
            self._clock.callLater(1.0, self._open, table)
        else:
            here.reopen()

    def _here(self, table: str) -> TableActor | None:
        room = self._room()
        return None if room is None else room.local_tables.get(table)

    def _later(self, least_s: float, most_s: float, then: Callable[..., None], *args: Any) -> None:
        self._clock.callLater(self._stream.uniform(least_s, most_s), then, *args)

    def _void(self, table: str, *, complete: bool = False) -> None:
        here = self._here(table)
        if here is not None:
            self._order(here.void_hand(complete=complete))

    def _order(self, ordered: Deferred[Any]) -> None:
        """Expect that the room carries out an order, or refuses it: the table may have changed meanwhile."""
        ordered.addErrback(lambda failure: failure.trap(OrderRefused))
