"""The seats of a poker table: the account, the chips and the options of each taken seat.

Plain data and questions about it. This module knows no clocks or connections and asks no ledger. The table notes here
whether a player is connected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Self

import msgspec
from msgspec import Raw

from pokerroom.ledger.api import SeatRow
from pokerroom.rules.button import Candidate, Owes
from pokerroom.table.journal import UnreadableJournal
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


class SeatFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the ledger does not know of a taken seat: kept beside a hand, for a restart.

    While a buy-in is on its way, the facts are those that hold if the ledger books it. If the ledger does not, there is
    no row for the seat.
    """

    account: int
    seat: int
    playing: bool
    leaving: bool
    owes: Owes
    posts_now: bool
    sits_out_next_big_blind: bool
    straddles: bool
    muck_losing: bool
    auto_top_up_to: int
    time_bank_ms: int
    timeouts_in_row: int
    returns_playing: bool

    @classmethod
    def of(cls, seat: Seat) -> Self:
        """Return the facts of a seat that is taken, or about to be."""
        return cls(
            account=seat.account,
            seat=seat.number,
            playing=seat.state in {SeatState.PLAYING, SeatState.RESERVED},
            leaving=seat.state is SeatState.LEAVING,
            owes=seat.owes,
            posts_now=seat.posts_now,
            sits_out_next_big_blind=seat.sits_out_next_big_blind,
            straddles=seat.straddles,
            muck_losing=seat.muck_losing,
            auto_top_up_to=seat.auto_top_up_to,
            time_bank_ms=seat.time_bank_ms,
            timeouts_in_row=seat.timeouts_in_row,
            returns_playing=seat.returns_playing,
        )

    def apply(self, seat: Seat) -> None:
        """Apply the facts to a seat. A player who was playing sits out until they are known to be back."""
        seat.state = SeatState.LEAVING if self.leaving else SeatState.SITTING_OUT
        seat.returns_playing = self.playing or self.returns_playing
        seat.owes = self.owes
        seat.posts_now = self.posts_now
        seat.sits_out_next_big_blind = self.sits_out_next_big_blind
        seat.straddles = self.straddles
        seat.muck_losing = self.muck_losing
        seat.auto_top_up_to = self.auto_top_up_to
        seat.time_bank_ms = self.time_bank_ms
        seat.timeouts_in_row = self.timeouts_in_row


def encode_seat_facts(facts: Sequence[SeatFacts]) -> Raw:
    """Return the facts of seats as the journal keeps them."""
    return Raw(msgspec.msgpack.encode(facts))


def decode_seat_facts(data: Raw) -> list[SeatFacts]:
    """Return the facts of seats. Raises `UnreadableJournal` for anything else.

    In a journal of version 2 the facts of a seat are a list of values, in the order of the fields.
    """
    try:
        found = msgspec.msgpack.decode(data) or []
        names = SeatFacts.__struct_fields__
        return msgspec.convert(
            [dict(zip(names, one, strict=True)) if isinstance(one, list) else one for one in found],
            list[SeatFacts],
        )
    except (msgspec.DecodeError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"facts of seats of another shape: {type(error).__name__}") from None


def restored_seat(row: SeatRow, fact: SeatFacts | None, *, running: bool, time_bank_ms: int) -> Seat:
    """Return a seat from before the last stop of the table; its player is connected and sits out.

    A player without facts owes nothing and must sit in by request. But at a `running` table they have just sat down, as
    a newcomer.
    """
    seat = Seat(
        number=row.seat,
        account=row.account,
        name=row.name,
        stack=row.stack,
        state=SeatState.SITTING_OUT,
        owes=Owes.newcomer if running else Owes.nothing,
        time_bank_ms=time_bank_ms,
        returns_playing=running,
    )
    if fact is not None:
        fact.apply(seat)
    return seat


class Seats:
    """All seats of one table."""

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
        """Return the taken seat of this number, if any."""
        return self._by_number.get(number)

    def of(self, account: int | None) -> Seat | None:
        """Return the seat of an account, if any."""
        return None if account is None else self._by_account.get(account)

    @property
    def present(self) -> int:
        """How many players play and are connected."""
        return sum(seat.state is SeatState.PLAYING and seat.connected for seat in self)

    def free(self, held: Collection[int]) -> list[int]:
        """Return the seats that are neither taken nor among the held ones, the lowest first."""
        return [n for n in range(1, self._max + 1) if n not in self._by_number and n not in held]

    def add(self, seat: Seat) -> None:
        """Add a seat at a free number, for an account that has none."""
        assert seat.number not in self._by_number
        assert seat.account not in self._by_account
        self._by_number[seat.number] = seat
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
            if seat.state is SeatState.PLAYING and seat.stack > 0
        ]

    def passed_over(self, dealt: Collection[int]) -> list[tuple[int, Owes]]:
        """Return the seats that blinds may pass: taken but not dealt in (sitting out, without chips, or waiting)."""
        return [
            (seat.number, seat.owes)
            for seat in self
            if seat.state is not SeatState.RESERVED and seat.number not in dealt
        ]
