"""What the parts of a cash table's seating ask of the seats. `seat_manager` answers."""

from __future__ import annotations

from typing import Protocol

from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.seats import Seat, Seats
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire


class FreeSeats(Protocol):
    """The seats, as reservations see them."""

    @property
    def settings_now(self) -> TableSettings:
        """The settings as they were told last: a host may change stakes and buy-ins."""

    @property
    def seats(self) -> Seats:
        """All taken seats, and those whose buy-in is at the ledger."""

    @property
    def closing(self) -> bool:
        """Whether the operator lets no player sit down any more."""

    def held_by(self, account: int | None) -> Seat | None:
        """Return the seat of an account once its buy-in is booked."""

    def takes_newcomers(self) -> bool:
        """Return whether a player may sit down or be called to a seat."""

    def address_is_full(self, viewer: Viewer) -> bool:
        """Return whether as many other players of the viewer's address sit here as may."""

    def opened(self) -> None:
        """A seat is free, or held no longer: a waiting account may have it."""


class SeatLife(FreeSeats, Protocol):
    """The seats, as buying and leaving change them."""

    @property
    def abandoned(self) -> bool:
        """Whether another game has taken the place of this one: nothing changes here any more."""

    def sat_down(self, seat: Seat) -> None:
        """A buy-in is booked."""

    def return_to_play(self, seat: Seat) -> None:
        """Let the player play on if nothing else keeps them from it, and they are here and have chips."""

    def changed(self, seat: Seat) -> None:
        """Tell all viewers how the seat stands."""

    def went_away(self, seat: Seat) -> None:
        """The last connection of the seat's holder is lost."""

    def leave(self, seat: Seat) -> None:
        """Take the seat away: now, or once the ledger or the hand has ended."""

    def left(self, seat: Seat) -> None:
        """The stack of the seat is in its holder's wallet."""


class OwnSeats(Protocol):
    """The seats, as the requests of their holders see them."""

    @property
    def settings_now(self) -> TableSettings:
        """The settings as they were told last."""

    def own_seat(self, viewer: Viewer, message: wire.Request) -> Seat | None:
        """Return the seat that the viewer may request something about; else refuse and return None."""

    def changed(self, seat: Seat) -> None:
        """Tell all viewers how the seat stands."""
