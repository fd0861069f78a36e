"""What a tournament and its tables keep in their journals.

    TournamentKept    of the tournament: its state, as plain data (`rules.tournament.data`)
    TournamentChange  of the tournament: what a hand at one table has changed since
    TournamentFrozen  of the tournament: the operator has frozen it, or lets it go on
    TournamentFacts   of a table, beside its hand (`poker.journal`): the last plan, and facts of its seats

Before the tournament had a journal of its own, the facts of its table had its state. Those are still read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

import msgspec
from msgspec import Raw, Struct

from pokerroom.poker.journal import SeatingFacts
from pokerroom.rules.planned_hand import HandPlan
from pokerroom.rules.tournament.data import with_change
from pokerroom.table.journal import EntryDecoder, UnreadableJournal
from pokerroom.tournament.messages import DealDeskState, SeatPlan

VERSION: Final = 1

_PositionData: TypeAlias = tuple[int, int | None, int, int | None]
_HandData: TypeAlias = tuple[
    int, _PositionData, list[int], list[tuple[int, int, int, str | None, int]], int, list[int]
]


class DealData(TypedDict):
    """A deal in one of its stages."""

    stage: Literal["proposed", "open", "agreed"]
    proposer: int
    kind: Literal["icm", "chips"]
    for_the_winner: int
    number: NotRequired[int]
    until_ms: NotRequired[int]
    hands: NotRequired[int]
    accounts: NotRequired[list[int]]
    stacks: NotRequired[list[int]]
    by_icm: NotRequired[list[int]]
    by_chips: NotRequired[list[int] | None]
    amounts: NotRequired[list[int]]
    accepted: NotRequired[list[tuple[int, int]]]
    accepted_ms: NotRequired[list[int]]


class TournamentData(TypedDict):
    """The types of a tournament's plain data (`rules.tournament.data`), also of those of version 1."""

    version: NotRequired[int]
    phase: str
    registered: list[int]
    players: list[list[int]]
    clock: tuple[int, int, int]
    paused: int
    tables: NotRequired[list[tuple[int, _PositionData | None, int | _HandData | None, int]]]
    moved: NotRequired[list[tuple[int, Literal["moved", "balanced"]]]]
    bought: NotRequired[list[tuple[int, int]]]
    rebuys: NotRequired[list[tuple[int, int, int]]]
    unplaced: NotRequired[list[list[int]]]
    deciding: NotRequired[list[int]]
    prizes: NotRequired[list[int]]
    standings: list[tuple[int, int, int, int]]
    out: NotRequired[list[tuple[int, int, int, int]]]
    synchronised: NotRequired[int]
    synchronised_ms: NotRequired[int]
    deal: NotRequired[DealData | None]
    deals_from_hand: NotRequired[int]
    deals_failed: NotRequired[int]
    positions: NotRequired[_PositionData | None]
    hand: NotRequired[int | None]
    hands: NotRequired[int]


class _Entry(Struct, frozen=True, kw_only=True, tag_field="entry"):
    version: int = VERSION


class TournamentKept(_Entry, tag="tournament", frozen=True, kw_only=True):
    """The tournament as it is."""

    state: dict[str, Any]


class TournamentChange(_Entry, tag="change", frozen=True, kw_only=True):
    """What one table has changed; so that an entry does not grow with the field."""

    change: dict[str, Any]


class TournamentFrozen(_Entry, tag="frozen", frozen=True, kw_only=True):
    """The operator's order."""

    frozen: bool


TournamentEntry: TypeAlias = TournamentKept | TournamentChange | TournamentFrozen

encode_entry: Final = msgspec.msgpack.Encoder().encode
"""Encodes an entry of a tournament's journal."""


def _no_list(values: Sequence[Any]) -> TournamentEntry:
    raise UnreadableJournal(f"a list of {len(values)} values")


_decode: Final = EntryDecoder[TournamentEntry](TournamentEntry, VERSION, _no_list).decode


def read_tournament(entries: Sequence[bytes]) -> tuple[dict[str, Any] | None, bool]:
    """Return the state that a tournament's journal has, and whether the operator has frozen the tournament.

    Changes of a state that was lost say nothing. Raises `UnreadableJournal`.
    """
    state: dict[str, Any] | None = None
    frozen = False
    for one in entries:
        entry = _decode(one)
        if isinstance(entry, TournamentFrozen):
            frozen = entry.frozen
        elif isinstance(entry, TournamentKept):
            state = entry.state
        elif state is not None:
            state = _changed(state, entry.change)
    return None if state is None else _checked(state), frozen


def _changed(state: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    try:
        return with_change(state, change)
    except (LookupError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"a change of another shape: {type(error).__name__}") from None


class TournamentSeatFacts(Struct, frozen=True, kw_only=True):
    """What the tournament does not know of a seat."""

    account: int
    time_bank_ms: int
    muck_losing: bool
    away: bool = False


class TournamentFacts(Struct, frozen=True, kw_only=True):
    """What a table keeps: the last plan, the level of the hand in progress, the last order and hand, and its seats."""

    plan: SeatPlan | None = None
    level: int | None = None
    taken: int = 0
    dealt: HandPlan | None = None
    """The plan of the last hand; None in the journal of a version before."""
    seats: list[TournamentSeatFacts] = []
    deal: DealDeskState | None = None
    tournament: dict[str, Any] | None = None
    """The tournament's state, as a version before kept it here."""


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
            names = ("account", "time_bank_ms", "muck_losing")
            found = {
                "tournament": found[0],
                "seats": [dict(zip(names, one, strict=True)) for one in found[1]],
            }
        kept = TournamentFacts() if not found else msgspec.convert(found, TournamentFacts, strict=False)
        return kept if kept.tournament is None else _of_state(kept, _checked(kept.tournament))
    except (msgspec.DecodeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"facts of a tournament of another shape: {type(error).__name__}") from None


def _of_state(kept: TournamentFacts, state: dict[str, Any]) -> TournamentFacts:
    """Return facts of a version before: the tournament's state says which players are away, and the level."""
    away = {account for account, *_, is_away in state["players"] if is_away}
    seats = [msgspec.structs.replace(seat, away=seat.account in away) for seat in kept.seats]
    tables = state.get("tables")
    level = tables[0][2] if tables else state.get("hand")
    return msgspec.structs.replace(kept, seats=seats, level=level)


def _checked(state: dict[str, Any]) -> dict[str, Any]:
    """Return a tournament's state with checked types. Raises `UnreadableJournal`."""
    try:
        msgspec.convert(state, TournamentData)
    except (msgspec.DecodeError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"a tournament of another shape: {type(error).__name__}") from None
    return state
