"""The operator of a simulated room: closes a table now and then, and opens it again.

Asks what `ops` asks of a room, by the same doors. A room that is not there is asked later.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.lobby.lobby import Lobby
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.faults import Dice
from pokerroom.simulation.streams import Stream


class Floor:
    """See the module. `lobby` is that of the room as it is; None while there is none."""

    def __init__(
        self, clock: VirtualClock, stream: Stream, dice: Dice, lobby: Callable[[], Lobby | None]
    ) -> None:
        self._clock = clock
        self._stream = stream
        self._dice = dice
        self._lobby = lobby

    def come(self) -> None:
        """From now on."""
        self._clock.callLater(self._stream.uniform(20, 120), self._close)

    def _close(self) -> None:
        self._clock.callLater(self._stream.uniform(60, 240), self._close)
        lobby = self._lobby()
        if lobby is None or self._dice.quiet:
            return
        table = self._stream.choice([table.settings.table for table in lobby])
        self._said(lobby, table, opens=False)
        self._clock.callLater(self._stream.uniform(1, 50), self._open, table)

    def _open(self, table: str) -> None:
        lobby = self._lobby()
        if lobby is None:
            self._clock.callLater(1.0, self._open, table)
            return
        self._said(lobby, table, opens=True)

    @staticmethod
    def _said(lobby: Lobby, table: str, *, opens: bool) -> None:
        found = lobby.table(table)
        assert found is not None
        if opens:
            found.reopen()
        else:
            found.close()
