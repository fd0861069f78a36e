"""What the journal keeps of a taken seat, beside what the ledger knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

import msgspec
from msgspec import Raw

from pokerroom.ledger.api import SeatRow
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.button import Owes
from pokerroom.table.journal import UnreadableJournal

# Reading an enum's member takes several times as long as reading a name of this module.
_LEAVING: Final = SeatState.LEAVING
_PLAYING: Final = SeatState.PLAYING
_RESERVED: Final = SeatState.RESERVED


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
            playing=seat.state is _PLAYING or seat.state is _RESERVED,
            leaving=seat.state is _LEAVING,
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
