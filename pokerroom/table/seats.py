"""The chairs of a cash table: who holds which, with what, and whether he is to be dealt in.

Plain data and questions about it. Knows nothing of clocks, connections or the ledger; whether somebody is connected
is a fact that the table notes here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from pokerroom.rules.button import Candidate, Owes
from pokerroom_protocol.messages import SeatStatus


class SeatState(Enum):
    """What the holder of a seat wants, one at a time. Whether he is connected is a second fact."""

    RESERVED = auto()
    """His buy-in is on its way to the ledger."""
    PLAYING = auto()
    """Deal him in."""
    SITTING_OUT = auto()
    """Keep the seat, deal him out."""
    LEAVING = auto()
    """Cash him out as soon as no hand of his is in progress."""


@dataclass(slots=True, kw_only=True)
class Seat:
    """One taken chair. `stack` is what is behind between hands; during a hand the rules hold it."""

    number: int
    account: int
    name: str
    stack: int
    state: SeatState
    owes: Owes = Owes.newcomer
    posts_now: bool = False
    gone_since_ms: int | None = None
    """When his last connection was lost; None while he is connected. Presence is a fact beside the seat's state."""
    sits_out_next_big_blind: bool = False
    """Plays on until the big blind would be his."""
    straddles: bool = False
    """Straddles whenever he is first left of the big blind, where the table has it."""
    muck_losing: bool = True
    """Shows only what wins (G3)."""
    auto_top_up_to: int = 0
    """Between hands a smaller stack is topped up to this; 0: never."""
    time_bank_ms: int = 0
    """What is left of his time bank."""
    returns_playing: bool = False
    """Sits out for want of chips alone: he plays on when he has topped up."""
    overdue: bool = False
    """He has been away for the table's limit in the middle of a hand: he leaves when it ends, unless he is back."""
    topped_up: int = 0
    """Booked during a hand; added to the stack when it ends (A3)."""
    timeouts_in_row: int = 0
    busy: bool = False
    """A wish of his is at the ledger; one at a time."""

    @property
    def connected(self) -> bool:
        """Whether he has a connection that watches this table."""
        return self.gone_since_ms is None

    def status(self) -> SeatStatus:
        """The status that everybody sees."""
        match self.state:
            case SeatState.PLAYING:
                return "playing" if self.owes is Owes.nothing else "waiting"
            case SeatState.SITTING_OUT:
                return "sitting_out"
            case SeatState.LEAVING:
                return "leaving"
            case SeatState.RESERVED:
                return "waiting"


class Seats:
    """All chairs of one table."""

    def __init__(self, seats_max: int) -> None:
        self._max = seats_max
        self._by_number: dict[int, Seat] = {}
        self._by_account: dict[int, Seat] = {}

    def __iter__(self) -> Iterator[Seat]:
        return iter(sorted(self._by_number.values(), key=lambda seat: seat.number))

    def __len__(self) -> int:
        return len(self._by_number)

    def __getitem__(self, number: int) -> Seat:
        return self._by_number[number]

    def get(self, number: int) -> Seat | None:
        """The holder of a chair, if any."""
        return self._by_number.get(number)

    def of(self, account: int | None) -> Seat | None:
        """The chair of an account, if any."""
        return None if account is None else self._by_account.get(account)

    def first_free(self) -> int | None:
        """The lowest free chair."""
        return next((n for n in range(1, self._max + 1) if n not in self._by_number), None)

    def add(self, seat: Seat) -> None:
        """Takes a chair that is free for an account that has none."""
        assert seat.number not in self._by_number
        assert seat.account not in self._by_account
        self._by_number[seat.number] = seat
        self._by_account[seat.account] = seat

    def remove(self, seat: Seat) -> None:
        """Frees a chair."""
        del self._by_number[seat.number]
        del self._by_account[seat.account]

    def candidates(self) -> list[Candidate]:
        """Those to be dealt in, as the button's rules see them."""
        return [
            Candidate(seat=seat.number, owes=seat.owes, posts_now=seat.posts_now, straddles=seat.straddles)
            for seat in self
            if seat.state is SeatState.PLAYING and seat.stack > 0
        ]

    def absent(self) -> list[tuple[int, Owes]]:
        """Those whom blinds may pass: seated, but not dealt in by their own wish or for want of chips."""
        return [
            (seat.number, seat.owes)
            for seat in self
            if seat.state is not SeatState.RESERVED
            and not (seat.state is SeatState.PLAYING and seat.stack > 0)
        ]
