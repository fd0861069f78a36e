"""What the journal gets of a hand in progress, and the hand rebuilt from it after a fault or a crash.

Steps of a hand are numbered, the deal is 1. An entry that was stored twice is read once; a hand whose steps have a gap
or whose cards cannot be opened is not played on. `journal` has the entries. This module asks no clock and tells clients
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

import msgspec
from cryptography.exceptions import InvalidTag
from msgspec.structs import replace

from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.journal import (
    DecisionTaken,
    DecisionTimedOut,
    HandDealt,
    HandStep,
    SeatingFacts,
    SeatsChanged,
    TableClosing,
    TableFrozen,
    TableKept,
    decode,
    encode,
)
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat
from pokerroom.rules.actions import Action, Call, Check, Fold, RaiseTo
from pokerroom.rules.data import state_from_data, state_to_data
from pokerroom.rules.errors import IllegalAction, InvariantBroken, UnknownName
from pokerroom.rules.planned_hand import Positions
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalledPoker:
    """What the entries of one table say; `deal` and `steps` are those of the hand in progress."""

    positions: Positions | None = None
    facts: SeatingFacts | None = None
    """None where the journal says nothing of the table."""
    deal: HandDealt | None = None
    steps: Sequence[HandStep] = ()
    frozen: bool = False
    """Whether the operator has frozen the table."""

    @property
    def hand_id(self) -> str | None:
        """The hand in progress, if any."""
        return None if self.deal is None else self.deal.hand_id


NOTHING = JournalledPoker()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredHand:
    """A hand as it was after its last step. The accounts are those that decided, or let the clock decide, in it."""

    play: HandPlay
    accepted: dict[int, wire.Act] = field(default_factory=dict)
    """Each account's last decision."""
    acted: set[int] = field(default_factory=set)
    timed_out: set[int] = field(default_factory=set)


def table_entry(positions: Positions | None, facts: SeatingFacts) -> bytes:
    """Return the entry between two hands."""
    return encode(TableKept(positions=positions, facts=facts))


def deal_entry(play: HandPlay, facts: SeatingFacts, seal: Seal) -> bytes:
    """Return the entry of a hand that begins."""
    deal = HandDealt(
        positions=play.positions,
        facts=facts,
        hand_id=play.hand_id,
        started_ms=play.started_ms,
        seats=[(seat.number, seat.account) for seat in play.seats],
        cards=b"",
        stakes=play.settings.stakes,
    )
    data = {**state_to_data(play.state), "owners": _owners(play.settings.table, deal)}
    return encode(replace(deal, cards=seal.close(msgspec.msgpack.encode(data), play.hand_id)))


def act_entry(play: HandPlay, seat: int, action: str, amount: int | None, seq: int | None) -> bytes:
    """Return the entry of a decision; `seq` of the turn that a client's message named, if any."""
    return encode(
        DecisionTaken(hand_id=play.hand_id, step=play.steps, seat=seat, action=action, amount=amount, seq=seq)
    )


def expired_entry(play: HandPlay, seat: int, *, protected: bool) -> bytes:
    """Return the entry of a decision that the clock has taken."""
    return encode(DecisionTimedOut(hand_id=play.hand_id, step=play.steps, seat=seat, protected=protected))


def read(entries: Sequence[bytes]) -> JournalledPoker:
    """Return what a table's journal says, oldest entry first. Raises `UnreadableJournal`."""
    positions: Positions | None = None
    facts: SeatingFacts | None = None
    deal: HandDealt | None = None
    steps: list[HandStep] = []
    frozen = False
    for one in entries:
        entry = decode(one)
        match entry:
            case TableKept() | HandDealt():
                positions, facts = entry.positions, entry.facts
                deal = entry if isinstance(entry, HandDealt) else None
                steps = []
            case SeatsChanged():
                facts = entry.facts
            case TableClosing():
                facts = replace(facts or SeatingFacts(), closing=entry.closing)
            case TableFrozen():
                frozen = entry.frozen
            case DecisionTaken() | DecisionTimedOut():
                if deal is None or entry.hand_id != deal.hand_id:
                    raise UnreadableJournal("a step of a hand that was not dealt")
                if entry.step > len(steps) + 2:
                    raise UnreadableJournal(f"step {len(steps) + 2} of hand {entry.hand_id} is missing")
                if entry.step == len(steps) + 2:
                    steps.append(entry)
            case _:
                assert_never(entry)
    return JournalledPoker(positions=positions, facts=facts, deal=deal, steps=steps, frozen=frozen)


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
    if found.deal is None:
        raise UnreadableJournal("no hand was dealt")
    hand_id, seated = found.deal.hand_id, found.deal.seats
    try:
        data = _state_data(seal.open(found.deal.cards, hand_id))
        setup = state_from_data(data).setup
        owners = data.get("owners")  # an entry of the version before has none
    except UnknownName as unknown:
        raise UnreadableJournal(f"hand {hand_id} is of a game that is not played here: {unknown}") from None
    except (InvalidTag, InvariantBroken, msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
        # the cause is not chained: it may quote cards
        raise UnreadableJournal(f"the cards of a hand cannot be opened: {type(error).__name__}") from None
    if owners not in {None, _owners(settings.table, found.deal)}:
        raise UnreadableJournal(f"the players of hand {hand_id} are not those to which its cards were dealt")
    missing = [account for _, account in seated if account not in seats]
    if missing:
        raise UnreadableJournal(f"accounts {missing} of hand {hand_id} have no seat")
    if len(seated) != len(setup.players):
        raise UnreadableJournal(f"hand {hand_id} has {len(setup.players)} players, not {len(seated)}")
    play = HandPlay(
        settings if found.deal.stakes is None else settings.with_stakes(found.deal.stakes),
        hand_id=hand_id,
        positions=found.positions,
        seats=[seats[account] for _, account in seated],
        setup=setup,
        started_ms=found.deal.started_ms,
    )
    hand = RecoveredHand(play=play)
    for step in found.steps:
        try:
            _again(hand, step)
        except (IllegalAction, msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
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


def _again(hand: RecoveredHand, step: HandStep) -> None:
    play = hand.play
    seat = play.seats[play.player_of[step.seat]]
    if isinstance(step, DecisionTimedOut):
        play.expire(seat, protected=step.protected)
        hand.timed_out.add(seat.account)
        return
    play.act(step.seat, action_of(step.action, step.amount))
    hand.acted.add(seat.account)
    if step.seq is not None:
        hand.accepted[seat.account] = msgspec.convert(
            {
                "id": 0,
                "table": play.settings.table,
                "hand_id": step.hand_id,
                "seq": step.seq,
                "action": step.action,
                "amount": step.amount,
            },
            wire.Act,
        )


def _state_data(opened: bytes) -> dict[str, Any]:
    """Return the state at the start as plain data; in a journal of version 2 it stands behind the version."""
    decoded = msgspec.msgpack.decode(opened)
    data: dict[str, Any] = decoded[1] if isinstance(decoded, list) else decoded
    return data


def _owners(table: str, deal: HandDealt) -> str:
    """Return the table, the button and the players of a deal, to be sealed with its cards.

    All else of an entry can be written by everyone that writes to Redis: without this, one changed entry would give
    the cards of one player to another at a takeover. The seal knows the hand's id.
    """
    where = deal.positions
    positions = (where.button, where.small_blind, where.big_blind, where.small_blind_seat)
    return msgspec.json.encode([table, deal.started_ms, positions, deal.seats]).decode()
