"""The entries of a poker table's journal: tagged structs with a version, encoded as msgpack.

    TableKept    between hands: where the button was, and the facts of the seats
    HandDealt    a hand begins: the same, who is in it with what, and all its cards, sealed
    SeatsChanged during a hand: the facts of the seats
    TableClosing at any time: the operator has closed the table, or opened it
    TableFrozen  at any time: the operator has frozen the table, or lets it go on
    DecisionTaken      a decision, with the `seq` of the turn that it answered
    DecisionTimedOut     the clock took a decision

Facts are what the ledger does not know; the seating encodes those of its seats. Entries of version 2, which were lists
of values, are still read. An entry of any other version raises `UnreadableJournal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Raw, Struct

from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.stakes import Stakes
from pokerroom.table.journal import EntryDecoder, UnreadableJournal

VERSION: Final = 3

NO_SEATS: Final = Raw(msgspec.msgpack.encode(None))
"""What is known of the seats where nothing is."""


class SeatingFacts(Struct, frozen=True, kw_only=True):
    """What the ledger does not know of a table."""

    closing: bool = False
    """The operator has closed the table."""
    seats: Raw = NO_SEATS
    """Of its seats, as the seating has encoded it."""

    @property
    def knows_seats(self) -> bool:
        """Whether the journal says anything of the seats."""
        return bytes(self.seats) != bytes(NO_SEATS)


class _Entry(Struct, frozen=True, kw_only=True, tag_field="entry"):
    version: int = VERSION


class TableKept(_Entry, tag="table", frozen=True, kw_only=True):
    """The table between two hands."""

    positions: Positions | None
    facts: SeatingFacts


class HandDealt(_Entry, tag="deal", frozen=True, kw_only=True):
    """A hand begins; it is step 1."""

    positions: Positions
    facts: SeatingFacts
    hand_id: str
    started_ms: int
    seats: list[tuple[int, int]]
    """Seat and account of each player, in the order of the rules."""
    cards: bytes
    """The state at the start, sealed."""
    stakes: Stakes | None = None
    """Those of the hand; None in an entry of an earlier room, where a table kept its stakes."""


class SeatsChanged(_Entry, tag="facts", frozen=True, kw_only=True):
    """The seats during a hand."""

    facts: SeatingFacts


class TableClosing(_Entry, tag="closing", frozen=True, kw_only=True):
    """The operator's order; it says nothing of the seats, which a frozen table may not know."""

    closing: bool


class TableFrozen(_Entry, tag="frozen", frozen=True, kw_only=True):
    """The operator's order."""

    frozen: bool


class DecisionTaken(_Entry, tag="act", frozen=True, kw_only=True):
    """A player's decision. `seq` is None where no client is to hear of it again."""

    hand_id: str
    step: int
    seat: int
    action: str
    amount: int | None = None
    seq: int | None = None


class DecisionTimedOut(_Entry, tag="expired", frozen=True, kw_only=True):
    """The clock has taken a decision."""

    hand_id: str
    step: int
    seat: int
    protected: bool


HandStep: TypeAlias = DecisionTaken | DecisionTimedOut
PokerEntry: TypeAlias = (
    TableKept | HandDealt | SeatsChanged | TableClosing | TableFrozen | DecisionTaken | DecisionTimedOut
)

encode = msgspec.msgpack.Encoder().encode
"""Encodes an entry, or the facts of seats."""


def _of_version_2(values: Sequence[Any]) -> PokerEntry:
    version, kind, *fields = values
    if version != 2:
        raise UnreadableJournal(f"an entry of version {version}, not {VERSION}")
    match kind, fields:
        case "table", [positions, facts]:
            return TableKept(positions=_positions_2(positions), facts=_facts_2(facts))
        case "deal", [positions, facts, hand_id, 1, started_ms, seats, cards]:
            where = _positions_2(positions)
            if where is None:
                raise UnreadableJournal("a hand without a button")
            return HandDealt(
                positions=where,
                facts=_facts_2(facts),
                hand_id=hand_id,
                started_ms=started_ms,
                seats=[(seat, account) for seat, account in seats],
                cards=cards,
            )
        case "facts", [facts]:
            return SeatsChanged(facts=_facts_2(facts))
        case "closing", [closing]:
            return TableClosing(closing=closing)
        case "frozen", [frozen]:
            return TableFrozen(frozen=frozen)
        case "act", [hand_id, step, seat, action, amount, seq]:
            return DecisionTaken(hand_id=hand_id, step=step, seat=seat, action=action, amount=amount, seq=seq)
        case "expired", [hand_id, step, seat, protected]:
            return DecisionTimedOut(hand_id=hand_id, step=step, seat=seat, protected=protected)
        case _:
            raise UnreadableJournal(f"an entry of an unknown kind {kind!r}")


def _positions_2(values: Sequence[Any] | None) -> Positions | None:
    if values is None:
        return None
    button, small_blind, big_blind, small_blind_seat = values
    return Positions(
        button=button, small_blind=small_blind, big_blind=big_blind, small_blind_seat=small_blind_seat
    )


def _facts_2(values: Sequence[Any]) -> SeatingFacts:
    closing, seats = values or (False, None)
    return SeatingFacts(closing=closing, seats=Raw(msgspec.msgpack.encode(seats)))


decode: Final = EntryDecoder[PokerEntry](PokerEntry, VERSION, _of_version_2).decode
"""Returns the entry. Raises `UnreadableJournal` for another version or another shape."""
