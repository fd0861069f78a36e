"""What a tournament's table keeps in its journal beside the hand: the tournament, and facts of its seats."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

import msgspec
from msgspec import Raw, Struct

from pokerroom.poker.journal import SeatingFacts
from pokerroom.table.journal import UnreadableJournal

_PositionData: TypeAlias = tuple[int, int | None, int, int | None]


class TournamentData(TypedDict):
    """The types of a tournament's plain data (`rules.tournament.data`), also of those of version 1."""

    version: NotRequired[int]
    phase: str
    registered: list[int]
    players: list[list[int]]
    clock: tuple[int, int, int]
    paused: int
    tables: NotRequired[list[tuple[int, _PositionData | None, int | None, int]]]
    standings: list[tuple[int, int, int, int]]
    positions: NotRequired[_PositionData | None]
    hand: NotRequired[int | None]
    hands: NotRequired[int]


class TournamentSeatFacts(Struct, frozen=True, kw_only=True):
    """What the tournament does not know of a seat."""

    account: int
    time_bank_ms: int
    muck_losing: bool


class TournamentFacts(Struct, frozen=True, kw_only=True):
    """The tournament as it is, as plain data (`rules.tournament.data`), and its seats."""

    tournament: dict[str, Any] | None = None
    seats: list[TournamentSeatFacts] = []


def encode_facts(facts: TournamentFacts) -> SeatingFacts:
    """Return the facts as the journal keeps them."""
    return SeatingFacts(seats=Raw(msgspec.msgpack.encode(facts)))


def decode_facts(facts: SeatingFacts | None) -> TournamentFacts:
    """Return the facts; none of them if the journal has none. Raises `UnreadableJournal` for anything else.

    In a journal of version 2 they are a list: the tournament, and lists of values for the seats.
    """
    if facts is None:
        return TournamentFacts()
    try:
        found = msgspec.msgpack.decode(facts.seats)
        if isinstance(found, list) and found:
            names = TournamentSeatFacts.__struct_fields__
            found = {
                "tournament": found[0],
                "seats": [dict(zip(names, one, strict=True)) for one in found[1]],
            }
        kept = TournamentFacts() if not found else msgspec.convert(found, TournamentFacts, strict=False)
        if kept.tournament is not None:
            msgspec.convert(kept.tournament, TournamentData)  # for the check of its types alone
    except (msgspec.DecodeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"facts of a tournament of another shape: {type(error).__name__}") from None
    return kept
