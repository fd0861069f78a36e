"""The seats of a poker table: the account, the chips and the options of each taken seat.

Plain data and questions about it. This module knows no clocks or connections and asks no ledger. The table notes here
whether a player is connected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from pokerroom.rules.button import Candidate, Owes
from pokerroom_protocol.messages import SeatStatus


class SeatState(Enum):
    """What the holder of a seat wants, one state at a time. Being connected is a second fact."""

    RESERVED = auto()
    """The buy-in is on its way to the ledger."""
    PLAYING = auto()
    """The player is dealt in."""
    SITTING_OUT = auto()
    """The seat is kept, and the player is not dealt in."""
    LEAVING = auto()
    """The player is cashed out as soon as no hand of theirs is in progress."""
    AWAY = auto()
    """In a tournament: the player is dealt in, and folded at their turn (H5)."""


# Reading an enum's member takes several times as long as reading a name of this module.
_PLAYING: Final = SeatState.PLAYING
_RESERVED: Final = SeatState.RESERVED


@dataclass(slots=True, kw_only=True)
class Seat:
    """One taken seat. `stack` is what is behind between hands; during a hand the rules hold it."""

    number: int
    account: int
    name: str
    stack: int
    state: SeatState
    owes: Owes = Owes.newcomer
    posts_now: bool = False
    gone_since_ms: int | None = None
    """When the player's last connection was lost; None while connected. Presence is a fact beside the seat's state."""
    sits_out_next_big_blind: bool = False
    """The player plays on until they would post the big blind."""
    straddles: bool = False
    """The player straddles whenever they are first left of the big blind, if the table allows it."""
    muck_losing: bool = True
    """The player shows only winning cards (G3)."""
    auto_top_up_to: int = 0
    """A smaller stack is topped up to this between hands; 0: never."""
    time_bank_ms: int = 0
    """What is left of the player's time bank."""
    returns_playing: bool = False
    """The player sits out for want of chips, or since a restart, and plays on when they have chips and are back."""
    overdue: bool = False
    """The player was away for the table's limit during a hand, and leaves when it ends unless they are back."""
    topped_up: int = 0
    """Chips booked during a hand; added to the stack when it ends (A3)."""
    timeouts_in_row: int = 0
    address_group: str = ""
    """That of the connection which sat down (`Viewer`); empty after a restart."""
    busy: bool = False
    """Whether a request for this seat is at the ledger; one at a time."""

    @property
    def connected(self) -> bool:
        """Whether the player has a connection that watches this table."""
        return self.gone_since_ms is None

    def status(self) -> SeatStatus:
        """The status that all viewers see."""
        match self.state:
            case SeatState.PLAYING:
                return "playing" if self.owes is Owes.nothing else "waiting"
            case SeatState.SITTING_OUT:
                return "sitting_out"
            case SeatState.LEAVING:
                return "leaving"
            case SeatState.RESERVED:
                return "waiting"
            case SeatState.AWAY:
                return "away"


class Seats:
    """All seats of one table."""

    def __init__(self, seats_max: int) -> None:
        self._max = seats_max
        self._by_number: dict[int, Seat] = {}
        """In the order of the numbers."""
        self._by_account: dict[int, Seat] = {}

    def __iter__(self) -> Iterator[Seat]:
        return iter(list(self._by_number.values()))

    def __len__(self) -> int:
        return len(self._by_number)

    def __getitem__(self, number: int) -> Seat:
        return self._by_number[number]

    def get(self, number: int) -> Seat | None:
        """Return the taken seat of this number, if any."""
        return self._by_number.get(number)

    def of(self, account: int | None) -> Seat | None:
        """Return the seat of an account, if any."""
        return None if account is None else self._by_account.get(account)

    @property
    def present(self) -> int:
        """How many players play and are connected."""
        return sum(seat.state is _PLAYING and seat.connected for seat in self)

    def free(self, held: Collection[int]) -> list[int]:
        """Return the seats that are neither taken nor among the held ones, the lowest first."""
        return [n for n in range(1, self._max + 1) if n not in self._by_number and n not in held]

    def add(self, seat: Seat) -> None:
        """Add a seat at a free number, for an account that has none."""
        assert seat.number not in self._by_number
        assert seat.account not in self._by_account
        self._by_number = dict(sorted([*self._by_number.items(), (seat.number, seat)]))
        self._by_account[seat.account] = seat

    def remove(self, seat: Seat) -> None:
        """Free a seat."""
        del self._by_number[seat.number]
        del self._by_account[seat.account]

    def candidates(self) -> list[Candidate]:
        """Return the seats to be dealt in, as the button's rules see them."""
        return [
            Candidate(seat=seat.number, owes=seat.owes, posts_now=seat.posts_now, straddles=seat.straddles)
            for seat in self
            if seat.state is _PLAYING and seat.stack > 0
        ]

    def passed_over(self, dealt: Collection[int]) -> list[tuple[int, Owes]]:
        """Return the seats that blinds may pass: taken but not dealt in (sitting out, without chips, or waiting)."""
        return [
            (seat.number, seat.owes)
            for seat in self
            if seat.state is not _RESERVED and seat.number not in dealt
        ]
