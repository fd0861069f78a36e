"""The chairs of a sit-and-go: drawn at the start, and empty when their player is out. Nobody sits down here.

Whether a player is away is the tournament's to say (H5), whether he is connected is noted here. Runs inside the table's
mailbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pokerroom.poker import views
from pokerroom.poker.seats import Seat, Seats
from pokerroom.table.outbox import Viewer
from pokerroom_protocol import messages as wire

if TYPE_CHECKING:  # the table makes its chairs
    from pokerroom.tournament.table import TournamentTable


class Chairs:
    """The seats of `table`. Its `HoldemChairs`."""

    closing = False

    def __init__(self, table: TournamentTable) -> None:
        self._table = table
        self._world = table.world
        self.seats = Seats(table.settings.seats_max)
        self._abandoned = False

    # --- questions --------------------------------------------------------------------------------------------------

    def held_by(self, account: int | None) -> Seat | None:
        """See `HoldemChairs`."""
        return self.seats.of(account)

    def reserved(self) -> Sequence[int]:
        """See `HoldemChairs`."""
        return ()

    def empty(self) -> bool:
        """See `HoldemChairs`."""
        return len(self.seats) == 0

    def facts(self) -> list[Any]:
        """See `HoldemChairs`: the tournament as it is, and of its seats what it does not know."""
        seats = [[seat.account, seat.time_bank_ms, int(seat.muck_losing)] for seat in self.seats]
        return [False, [self._table.director.data(), seats]]

    # --- who is there -----------------------------------------------------------------------------------------------

    def viewer_gone(self, viewer: Viewer) -> None:
        """A connection is lost, or was logged out. The clock runs on, and then he is away (H5)."""
        seat = self.seats.of(viewer.account)
        if seat is None or not seat.connected or self._table.is_connected(seat.account):
            return
        seat.gone_since_ms = self._world.now_ms()
        self.changed(seat)
        self._table.ending.consider()

    def attached(self, seat: Seat) -> None:
        """He watches his table again."""
        seat.gone_since_ms = None
        self.changed(seat)

    def changed(self, seat: Seat) -> None:
        """See `HoldemChairs`; the stack not before the ledger has the hand that made it so."""
        self._table.hands.when_settled(partial(self._tell_changed, seat), first=True)

    def left(self, seat: Seat) -> None:
        """He is out, and has his place."""
        self.seats.remove(seat)
        self._table.hands.decisions.forget(seat.account)

    # --- restarts ---------------------------------------------------------------------------------------------------

    def sit(self, seats: Iterable[Seat], kept: Sequence[Any]) -> None:
        """All who are not out; `kept` is what `facts` said of seats."""
        for seat in seats:
            seat.gone_since_ms = None if self._table.is_connected(seat.account) else self._world.now_ms()
            self.seats.add(seat)
        for account, time_bank_ms, muck_losing in kept:
            known = self.seats.of(account)
            if known is not None:
                known.time_bank_ms, known.muck_losing = time_bank_ms, bool(muck_losing)

    def abandon(self) -> None:
        """See `HoldemChairs`."""
        self._abandoned = True

    def stop(self) -> None:
        """See `HoldemChairs`."""

    # --- inside -----------------------------------------------------------------------------------------------------

    def _tell_changed(self, seat: Seat) -> None:
        if self._abandoned or self.seats.of(seat.account) is not seat:
            return
        event = wire.SeatChanged(
            table=self._table.settings.table,
            seq=self._table.next_seq(),
            seat=seat.number,
            stack=self._table.hands.stack_of(seat),
            status=seat.status(),
            connected=seat.connected,
            gone_since_ms=seat.gone_since_ms,
        )
        self._table.tell(views.public(event))
