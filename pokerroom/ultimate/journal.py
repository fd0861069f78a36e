"""The entries of the journal of a table of Ultimate Texas Hold'em: tagged structs with a version, encoded as msgpack.

    RoundsKept    between rounds: whether the operator has closed the table, and the last bets of each account
    BettingClosed betting has closed: the same, and a round that begins if the ledger takes its bets; cards sealed
    StepsTaken    in a round: a group of steps of players and the clock; groups are numbered from 1
    DoorsOrdered  at any time: the operator has closed the table, or opened it
    FreezeOrdered at any time: the operator has frozen the table, or lets it go on

Tags name the game, so that no other game reads these entries as its own. Entries of version 1, which were lists of
values, are still read. An entry of any other version raises `UnreadableJournal`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from cryptography.exceptions import InvalidTag
from msgspec import Struct

from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.data import round_from_data, round_to_data
from pokerroom.rules.ultimate.state import RoundState
from pokerroom.table.journal import EntryDecoder, UnreadableJournal
from pokerroom.table.seal import Seal
from pokerroom.ultimate.play import RoundPlay, Step
from pokerroom.ultimate.request_keys import Keys

VERSION: Final = 2

LastBets = Mapping[int, tuple[BoxBets, ...]]
"""By account."""

_CARDS_VERSION: Final = "u1"
"""Of the sealed cards, which are as they were in version 1."""


class LastBet(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The last bets of an account on one box."""

    account: int
    box: int
    ante: int = 0
    trips: int = 0
    progressive: int = 0
    play: int = 0


class _UltimateEntry(Struct, frozen=True, kw_only=True, tag_field="entry"):
    version: int = VERSION


class RoundsKept(_UltimateEntry, tag="ultimate.table", frozen=True, kw_only=True):
    """The table between two rounds; it takes the place of all entries before it."""

    closing: bool
    last_bets: tuple[LastBet, ...]
    keys: dict[int, tuple[str, ...]] = {}


class BettingClosed(_UltimateEntry, tag="ultimate.bets", frozen=True, kw_only=True):
    """A round that begins if the ledger takes its bets; it takes the place of all entries before it."""

    closing: bool
    last_bets: tuple[LastBet, ...]
    round_id: str
    started_ms: int
    names: dict[int, str]
    """The name of each account in the round."""
    cards: bytes
    """The state at the start, sealed."""
    keys: dict[int, tuple[str, ...]] = {}


class StepsTaken(_UltimateEntry, tag="ultimate.steps", frozen=True, kw_only=True):
    """A group of steps."""

    round_id: str
    group: int
    steps: tuple[Step, ...]


class DoorsOrdered(_UltimateEntry, tag="ultimate.closing", frozen=True, kw_only=True):
    """The operator's order to close or open the table."""

    closing: bool


class FreezeOrdered(_UltimateEntry, tag="ultimate.frozen", frozen=True, kw_only=True):
    """The operator's order to freeze the table, or to let it go on."""

    frozen: bool


UltimateEntry: TypeAlias = RoundsKept | BettingClosed | StepsTaken | DoorsOrdered | FreezeOrdered

_encode = msgspec.msgpack.Encoder().encode

# --- writing --------------------------------------------------------------------------------------------------------


def table_entry(*, closing: bool, last_bets: LastBets, keys: Keys) -> bytes:
    """Return the entry of a table between two rounds."""
    return _encode(RoundsKept(closing=closing, last_bets=_from_last_bets(last_bets), keys=dict(keys)))


def bets_entry(play: RoundPlay, seal: Seal, *, closing: bool, last_bets: LastBets, keys: Keys) -> bytes:
    """Return the entry of a round that begins if the ledger takes its bets. Store it before the ledger is asked."""
    cards = msgspec.msgpack.encode([_CARDS_VERSION, round_to_data(play.state)])
    return _encode(
        BettingClosed(
            closing=closing,
            last_bets=_from_last_bets(last_bets),
            round_id=play.round_id,
            started_ms=play.started_ms,
            names=play.names,
            cards=seal.close(cards, play.round_id),
            keys=dict(keys),
        )
    )


def steps_entry(play: RoundPlay, steps: Iterable[Step]) -> bytes:
    """Return the entry of a group of steps, which `play.groups` counts already."""
    return _encode(StepsTaken(round_id=play.round_id, group=play.groups, steps=tuple(steps)))


def closing_entry(*, closing: bool) -> bytes:
    """Return the entry of the operator's order to close or open the table."""
    return _encode(DoorsOrdered(closing=closing))


def frozen_entry(*, frozen: bool) -> bytes:
    """Return the entry of the operator's order to freeze the table or to let it go on."""
    return _encode(FreezeOrdered(frozen=frozen))


# --- reading --------------------------------------------------------------------------------------------------------


def open_cards(found: BettingClosed, seal: Seal) -> RoundState:
    """Return the state at the start of the round, with its cards. Raises `UnreadableJournal`."""
    try:
        version, data = msgspec.msgpack.decode(seal.open(found.cards, found.round_id))
        if version != _CARDS_VERSION:
            raise UnreadableJournal(f"the cards of a round are of version {version}, not {_CARDS_VERSION}")
        return round_from_data(data)
    except (InvalidTag, InvariantBroken, msgspec.DecodeError, LookupError, TypeError, ValueError) as error:
        # the cause is not chained: it may quote cards
        raise UnreadableJournal(f"the cards of a round cannot be opened: {type(error).__name__}") from None


def last_bets_of(entry: RoundsKept | BettingClosed) -> LastBets:
    """Return the last bets by account, as the rules have them. Raises TypeError or ValueError."""
    found: dict[int, tuple[BoxBets, ...]] = {}
    for bet in entry.last_bets:
        bets = BoxBets(
            box=bet.box,
            player=bet.account,
            ante=bet.ante,
            trips=bet.trips,
            progressive=bet.progressive,
            play=bet.play,
        )
        found[bet.account] = (*found.get(bet.account, ()), bets)
    return found


def _from_last_bets(last_bets: LastBets) -> tuple[LastBet, ...]:
    return tuple(
        LastBet(
            account=account,
            box=bets.box,
            ante=bets.ante,
            trips=bets.trips,
            progressive=bets.progressive,
            play=bets.play,
        )
        for account, boxes in last_bets.items()
        for bets in boxes
    )


# --- version 1 ------------------------------------------------------------------------------------------------------


def _of_version_1(values: Sequence[Any]) -> UltimateEntry:
    version, kind, *fields = values
    if version != "u1":
        raise UnreadableJournal("an entry of another game")
    match kind, fields:
        case "table", [closing, last_bets]:
            return RoundsKept(closing=closing, last_bets=_last_bets_1(last_bets))
        case "bets", [closing, last_bets, round_id, started_ms, names, cards]:
            return BettingClosed(
                closing=closing,
                last_bets=_last_bets_1(last_bets),
                round_id=round_id,
                started_ms=started_ms,
                names=dict(names),
                cards=cards,
            )
        case "steps", [round_id, group, steps]:
            return StepsTaken(round_id=round_id, group=group, steps=tuple(map(_step_1, steps)))
        case "closing", [closing]:
            return DoorsOrdered(closing=closing)
        case "frozen", [frozen]:
            return FreezeOrdered(frozen=frozen)
        case _:
            raise ValueError(kind)


def _last_bets_1(values: Iterable[Any]) -> tuple[LastBet, ...]:
    return tuple(
        LastBet(account=account, box=box, ante=ante, trips=trips, progressive=progressive, play=play)
        for account, boxes in values
        for box, ante, trips, progressive, play in boxes
    )


_FIELDS_1: Final = {
    "choice": ("account", "box", "kind", "multiple", "seq"),
    "expired": ("boxes",),
    "tip": ("account", "amount", "number"),
}


def _step_1(values: Sequence[Any]) -> Step:
    kind, *fields = values
    named = {"step": kind, **dict(zip(_FIELDS_1[kind], fields, strict=True))}
    step: Step = msgspec.convert(named, Step)
    return step


decode_entry: Final = EntryDecoder[UltimateEntry](UltimateEntry, VERSION, _of_version_1).decode
"""Returns the entry. Raises `UnreadableJournal` for another game, another version or another shape."""
