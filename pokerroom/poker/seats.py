"""The chairs of a cash table: who holds which, with what, and whether he is to be dealt in.

Plain data and questions about it. Knows nothing of clocks or connections, and asks no ledger; whether somebody is
connected is a fact that the table notes here.
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
    """What the holder of a seat wants, one at a time. Whether he is connected is a second fact."""

    RESERVED = auto()
    """His buy-in is on its way to the ledger."""
    PLAYING = auto()
    """Deal him in."""
    SITTING_OUT = auto()
    """Keep the seat, deal him out."""
    LEAVING = auto()
    """Cash him out as soon as no hand of his is in progress."""
    AWAY = auto()
    """In a tournament: deal him in, and fold him at his turn (H5)."""


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
    """Sits out for want of chips, or since the table began anew: he plays on when he has chips and is back."""
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
            case SeatState.AWAY:
                return "away"


class SeatFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the ledger does not know of a taken chair: kept beside a hand, to go on with after a restart.

    Of a buy-in that is on its way it says what will hold if the ledger books it; where it does not, there is no row
    for it.
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
        """Of a chair that is taken, or about to be."""
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
        """Makes the chair what it was; who was playing sits out until he is known to be back."""
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
    """A chair held when the table last stopped, its holder connected and sitting out.

    Of whom nothing else is known owes nothing, and says himself when he plays; but at a `running` table he has just
    sat down, as a newcomer.
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

    def free(self, held: Collection[int]) -> list[int]:
        """The chairs that nobody has and that are not among the held ones, the lowest first."""
        return [n for n in range(1, self._max + 1) if n not in self._by_number and n not in held]

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

    def passed_over(self, dealt: Collection[int]) -> list[tuple[int, Owes]]:
        """Those whom blinds may pass: seated, but not among the dealt; sitting out, without chips, or waiting."""
        return [
            (seat.number, seat.owes)
            for seat in self
            if seat.state is not SeatState.RESERVED and seat.number not in dealt
        ]
