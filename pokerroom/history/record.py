"""The record of a hand as the ledger stores it. `poker.play` writes it; what reads it decodes it here.

Records are permanent, so a field that older records lack has a default.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from pokerroom.history.hidden_cards import Hidden
from pokerroom.ledger.archives import RecordsArchived, archived
from pokerroom.rules.events import PostKind
from pokerroom_protocol import messages as wire

ACTIONS: Final = frozenset({"fold", "check", "call", "bet", "raise", "clock_all_in"})
"""The events in which a player acts: each has a seat, the chips put in, and the bet on the street afterwards."""

STREETS: Final = frozenset({"flop", "turn", "river"})

FORCED: Final = frozenset({PostKind.ante, PostKind.big_blind_ante, PostKind.dead_post})
"""Posts that are no bet: they lie in the middle."""


class Owed(msgspec.Struct, array_like=True, frozen=True):
    """What a seat owes before the deal, dead posts apart, also without the chips for it. `post` is the blind's kind."""

    ante: int
    blind: int
    post: str | None


class RakeTermsRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms by which the room took its rake, as `rules.rake.RakeTerms`."""

    bps: int
    caps: tuple[tuple[int, int], ...]
    no_flop_no_drop: bool
    unit: int
    min_pot: int


class SeatRecord(msgspec.Struct):
    """A seat that was dealt in. `cards` is None where they are hidden."""

    seat: int
    account: int
    name: str
    stack: int
    end: int
    cards: list[str] | None
    owed: Owed | None = None
    rake: int = 0
    """The seat's part of the rake (F5)."""


class HandRecord(msgspec.Struct):
    """The seats are in the order of the deal: from the first left of the button.

    `betting` has the parameters of the structure, `unit` is the smallest chip, in which pots are split (F3). `rake` is
    what the room has taken of all pots, in whole units of `rake_unit` (F4). `rake_terms` are there where the
    table takes a rake, also of a hand that paid none; older records lack them.
    """

    hand_id: str
    table: str
    game: wire.Game
    structure: wire.Structure
    small_blind: int
    big_blind: int
    started_ms: int
    ended_ms: int
    button: int
    seats: list[SeatRecord]
    events: list[list[Any]]
    hidden: Hidden | None = None
    seats_max: int | None = None
    unit: int = 1
    rake: int = 0
    rake_unit: int = 1
    rake_terms: RakeTermsRecord | None = None
    betting: dict[str, int] = {}

    def seat_of(self, account: int | None) -> int | None:
        """Return the seat of an account; None if it was not dealt in."""
        return next((seat.seat for seat in self.seats if seat.account == account), None)


def read_record(record: bytes) -> HandRecord:
    """Return the hand. Raises `RecordsArchived`, and `msgspec.ValidationError` for an invalid record: a bug."""
    check_is_here(record)
    return msgspec.json.decode(record, type=HandRecord)


def check_is_here(record: bytes) -> None:
    """Raise `RecordsArchived` for what is left of a record that was moved to a file."""
    if (left := archived(record)) is not None:
        raise RecordsArchived(f"the record is in archive {left.archive}")


def owed_in(record: HandRecord) -> dict[int, Owed]:
    """Return what each seat owed. Older records tell only what was posted: there a short blind counts in full."""
    told = {seat.seat: seat.owed for seat in record.seats if seat.owed is not None}
    if len(told) == len(record.seats):
        return told
    posted: dict[int, dict[str, Any]] = {}
    for event in record.events:
        if event[0] == "post":
            posted.setdefault(event[1], {})[event[2]] = event[3]
    nominal = {PostKind.small_blind: record.small_blind, PostKind.straddle: 2 * record.big_blind}
    ante = max((kinds.get(PostKind.ante, 0) for kinds in posted.values()), default=0)
    owed = {}
    for seat in record.seats:
        kinds = posted.get(seat.seat, {})
        post = next((kind for kind in kinds if kind not in FORCED), None)
        blind = 0 if post is None else max(kinds[post], nominal.get(PostKind(post), record.big_blind))
        seen = Owed(ante=ante + kinds.get(PostKind.big_blind_ante, 0), blind=blind, post=post)
        owed[seat.seat] = seat.owed or seen
    return owed
