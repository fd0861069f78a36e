"""The operator of a simulated room: closes a table now and then, and opens it again.

Asks what `ops` asks of a room, by the same doors. A room that is not there, or has not taken the table yet, is asked
later.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.room import Room
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.faults import Dice
from pokerroom.simulation.streams import Stream


class TableOperator:
    """See the module. `room` returns the running room; None while there is none."""

    def __init__(
        self, clock: VirtualClock, stream: Stream, dice: Dice, room: Callable[[], Room | None]
    ) -> None:
        self._clock = clock
        self._stream = stream
        self._dice = dice
        self._room = room

    def come(self) -> None:
        """From now on."""
        self._clock.callLater(self._stream.uniform(20, 120), self._close)

    def _close(self) -> None:
        self._clock.callLater(self._stream.uniform(60, 240), self._close)
        room = self._room()
        if room is None or self._dice.quiet:
            return
        table = self._stream.choice(list(room.lobby))
        here = room.local_tables.get(table)
        if here is not None:
            here.close()
        self._clock.callLater(self._stream.uniform(1, 50), self._open, table)

    def _open(self, table: str) -> None:
        room = self._room()
        here = None if room is None else room.local_tables.get(table)
        if here is None:
            self._clock.callLater(1.0, self._open, table)
        else:
            here.reopen()
