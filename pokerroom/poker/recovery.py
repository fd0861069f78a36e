"""What a table writes to its journal, and how the table is rebuilt from it after a fault or a crash.

    table   between hands: where the button was, and what the ledger does not know of the seats
    deal    a hand begins: the same, who is in it with what, and all its cards, encrypted
    facts   during a hand: what has become of the seats, the wish of one of their holders
    closing at any time: the operator has closed the table, or opened it
    frozen  at any time: the operator has frozen the table, or lets it go on
    act     a decision, with the `seq` of the turn that it answered; `expired`: the clock took it

Steps of a hand are numbered, the deal is 1. An entry that was stored twice is read once; a hand whose steps have a gap
or whose cards cannot be opened is not played on. This module asks no clock and tells nobody anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgpack
from cryptography.exceptions import InvalidTag

from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat
from pokerroom.poker.settings import TableSettings
from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.button import Positions
from pokerroom.rules.data import state_from_data, state_to_data
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire

VERSION = 2

Facts = Sequence[Any]
"""Whether the table is closing, and what the ledger does not know of its seats, as plain data (`Chairs.facts`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalledPoker:
    """What the entries of one table say. `steps` are those of the hand in progress, the deal first."""

    positions: Positions | None
    facts: Facts
    hand_id: str | None
    steps: Sequence[Sequence[Any]]
    frozen: bool = False
    """Whether the operator has frozen the table."""


NOTHING = JournalledPoker(positions=None, facts=(), hand_id=None, steps=())


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredHand:
    """A hand as it was after its last step. The accounts are those who decided, or let the clock decide, in it."""

    play: HandPlay
    accepted: dict[int, wire.Act] = field(default_factory=dict)
    """Each account's last decision."""
    acted: set[int] = field(default_factory=set)
    timed_out: set[int] = field(default_factory=set)


def table_entry(positions: Positions | None, facts: Facts) -> bytes:
    """Between hands."""
    return _packed("table", _from_positions(positions), facts)


def facts_entry(facts: Facts) -> bytes:
    """A wish during a hand."""
    return _packed("facts", facts)


def closing_entry(*, closing: bool) -> bytes:
    """The operator's word, which says nothing of the seats: a frozen table may not know them."""
    return _packed("closing", closing)


def frozen_entry(*, frozen: bool) -> bytes:
    """The operator has frozen the table, or lets it go on."""
    return _packed("frozen", frozen)


def deal_entry(play: HandPlay, facts: Facts, seal: Seal) -> bytes:
    """A hand has begun."""
    cards = seal.close(_packed(state_to_data(play.state)), play.hand_id)
    seated = [[seat.number, seat.account] for seat in play.seats]
    positions = _from_positions(play.positions)
    return _packed("deal", positions, facts, play.hand_id, play.steps, play.started_ms, seated, cards)


def act_entry(play: HandPlay, seat: int, action: str, amount: int | None, seq: int | None) -> bytes:
    """A decision; `seq` of the turn that a client's message named, None where no client is to hear of it again."""
    return _packed("act", play.hand_id, play.steps, seat, action, amount, seq)


def expired_entry(play: HandPlay, seat: int, *, protected: bool) -> bytes:
    """The clock has taken a decision."""
    return _packed("expired", play.hand_id, play.steps, seat, protected)


def read(entries: Sequence[bytes]) -> JournalledPoker:
    """What stands in a table's journal, oldest first. Raises `UnreadableJournal`."""
    try:
        return _read(entries)
    except (LookupError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"an entry of another shape: {error!r}") from error


def _read(entries: Sequence[bytes]) -> JournalledPoker:
    head: list[Any] | None = None
    steps: list[list[Any]] = []
    unpacked = [_unpacked(entry) for entry in entries]
    frozen = [fields[1] for fields in unpacked if fields[0] == "frozen"]
    for kind, *fields in (fields for fields in unpacked if fields[0] != "frozen"):
        if kind in {"table", "deal"}:
            head = fields
            steps = [[kind, *fields[2:]]] if kind == "deal" else []
            continue
        if kind == "facts":
            head = [None if head is None else head[0], fields[0]]
            continue
        if kind == "closing":
            positions, seats = (None, []) if head is None else (head[0], head[1][1])
            head = [positions, [fields[0], seats]]
            continue
        if not steps or fields[0] != steps[0][1]:
            raise UnreadableJournal("a step of a hand that was not dealt")
        number = fields[1]
        if number == len(steps) + 1:
            steps.append([kind, *fields])
        elif number > len(steps):
            raise UnreadableJournal(f"step {len(steps) + 1} of hand {fields[0]} is missing")
    if head is None:
        return replace(NOTHING, frozen=bool(frozen) and frozen[-1])
    return JournalledPoker(
        positions=_to_positions(head[0]),
        facts=head[1],
        hand_id=steps[0][1] if steps else None,
        steps=steps,
        frozen=bool(frozen) and frozen[-1],
    )


def hand_in_progress(entries: Sequence[bytes]) -> str | None:
    """The hand that the entries end with, settled or not; None also where they cannot be read."""
    try:
        return read(entries).hand_id
    except UnreadableJournal:
        return None


def rebuild(
    found: JournalledPoker, settings: TableSettings, seats: Mapping[int, Seat], seal: Seal
) -> RecoveredHand:
    """The hand in progress as it was after its last step; `seats` are the table's by account.

    Raises `UnreadableJournal`.
    """
    if found.positions is None:
        raise UnreadableJournal("a hand without a button")
    try:
        _, hand_id, _, started_ms, seated, cards = found.steps[0]
        setup = state_from_data(_unpacked(seal.open(cards, hand_id))[0]).setup
    except (InvalidTag, InvariantBroken, LookupError, TypeError, ValueError) as error:
        # the cause is not chained: it may quote cards
        raise UnreadableJournal(f"the cards of a hand cannot be opened: {type(error).__name__}") from None
    missing = [account for _, account in seated if account not in seats]
    if missing:
        raise UnreadableJournal(f"accounts {missing} of hand {hand_id} have no seat")
    play = HandPlay(
        settings,
        hand_id=hand_id,
        positions=found.positions,
        seats=[seats[account] for _, account in seated],
        setup=setup,
        started_ms=started_ms,
    )
    hand = RecoveredHand(play=play)
    for step in found.steps[1:]:
        try:
            _again(hand, step)
        except (IllegalAction, LookupError, TypeError, ValueError) as error:
            raise UnreadableJournal(f"a step of hand {hand_id} cannot be: {error!r}") from error
    return hand


def action_of(name: str, amount: int | None) -> Action:
    """The action of a name of the protocol."""
    match name:
        case "fold":
            return Fold()
        case "check":
            return Check()
        case "call":
            return Call()
        case "bet" | "raise" if amount is not None:
            return RaiseTo(amount=amount)
    raise ValueError(f"there is no action {name}")


def _again(hand: RecoveredHand, step: Sequence[Any]) -> None:
    play = hand.play
    kind, hand_id, _, seat_number, *rest = step
    seat = play.seats[play.player_of[seat_number]]
    if kind == "expired":
        play.expire(seat, protected=rest[0])
        hand.timed_out.add(seat.account)
        return
    name, amount, seq = rest
    play.act(seat_number, action_of(name, amount))
    hand.acted.add(seat.account)
    if seq is not None:
        hand.accepted[seat.account] = wire.Act(
            id=0, table=play.settings.table, hand_id=hand_id, seq=seq, action=name, amount=amount
        )


def _from_positions(positions: Positions | None) -> list[int | None] | None:
    if positions is None:
        return None
    return [positions.button, positions.small_blind, positions.big_blind, positions.small_blind_seat]


def _to_positions(data: Sequence[Any] | None) -> Positions | None:
    if data is None:
        return None
    button, small_blind, big_blind, small_blind_seat = data
    return Positions(
        button=button, small_blind=small_blind, big_blind=big_blind, small_blind_seat=small_blind_seat
    )


def _packed(*fields: Any) -> bytes:
    packed: bytes = msgpack.packb([VERSION, *fields])
    return packed


def _unpacked(entry: bytes) -> list[Any]:
    try:
        version, *fields = msgpack.unpackb(entry)
    except ValueError as error:
        raise UnreadableJournal("an entry that is no list of values") from error
    if version != VERSION:
        raise UnreadableJournal(f"an entry of version {version}, not {VERSION}")
    return list(fields)
