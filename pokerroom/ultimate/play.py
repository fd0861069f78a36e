"""One round as its table plays it: the rules' state, the players' names, and the steps that have moved it.

A step is an act of a player or of the clock, as a value. `RoundPlay.take` is the only way in which a round moves, both
when it is played and when it is rebuilt from the journal. Asks no clock and tells clients nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, assert_never

import msgspec
from msgspec import Struct

from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.ultimate.data import terms_to_data
from pokerroom.rules.ultimate.events import BoardOpened, BoxDecided, Event
from pokerroom.rules.ultimate.result import Settlement
from pokerroom.rules.ultimate.round import (
    Check,
    Decision,
    Fold,
    Play,
    RoundState,
    decide,
    give_tip,
    legal_decisions,
    time_out,
)
from pokerroom.rules.ultimate.round import void as voided
from pokerroom.rules.ultimate.state import Phase

RECORD_VERSION: Final = 2
"""Records of version 1 have no `terms`."""

ENOUGH: Final = 1 << 62
"""A balance that is always enough for the rules: the ledger checks the real one when the money moves."""

Kind = Literal["check", "play", "fold"]


class Choice(Struct, frozen=True, kw_only=True, tag="choice", tag_field="step"):
    """A player's decision. `seq` names the question that the message answered; None if only the ledger has it.

    The journal stores steps as they are: with their tags and field names.
    """

    account: int
    box: int
    kind: Kind
    multiple: int = 0
    seq: int | None = None

    @property
    def decision(self) -> Decision:
        """The decision as the rules have it."""
        match self.kind:
            case "check":
                return Check()
            case "fold":
                return Fold()
            case "play":
                return Play(multiple=self.multiple)


class Expired(Struct, frozen=True, kw_only=True, tag="expired", tag_field="step"):
    """The clock's decision for these boxes; None: for all boxes that had not decided."""

    boxes: tuple[int, ...] | None = None


class Tipped(Struct, frozen=True, kw_only=True, tag="tip", tag_field="step"):
    """A player's tip (U14); `number` counts the tips of the round. `key` is the client's, if it gave one."""

    account: int
    amount: int
    number: int
    key: str = ""


Step: TypeAlias = Choice | Expired | Tipped


class RoundPlay:
    """A round in progress, or over. `names` are the names of its players, by account."""

    def __init__(
        self, *, table: str, round_id: str, started_ms: int, names: Mapping[int, str], state: RoundState
    ) -> None:
        self.table = table
        self.round_id = round_id
        self.started_ms = started_ms
        self.names = dict(names)
        self.state = state
        self.groups = 0
        """Groups of steps given to the journal so far."""
        self.tips_asked = 0
        """Tips requested of the ledger so far."""
        self._decisions: list[tuple[str, int, str, int, bool]] = []

    # --- moving -----------------------------------------------------------------------------------------------------

    def take(self, step: Step) -> list[Event]:
        """Move the round. Raises `IllegalAction`, with nothing changed."""
        phase = self.state.phase
        self.state, events = _after(self.state, step)
        for event in events:
            if isinstance(event, BoxDecided):
                entry = phase.value, event.box, event.decision.value, event.multiple, event.automatic
                self._decisions.append(entry)
            elif isinstance(event, BoardOpened):
                phase = event.phase
        if isinstance(step, Tipped):
            self.tips_asked = max(self.tips_asked, step.number)
        return events

    def void(self) -> None:
        """Declare the round void, also where all is decided: every bet goes back (U15)."""
        self.state = voided(self.state, decided=True)

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def accounts(self) -> set[int]:
        """The accounts with bets."""
        return {box.bets.player for box in self.state.boxes}

    @property
    def settlement(self) -> Settlement:
        """The result; the round must be over."""
        settlement = self.state.settlement
        assert settlement is not None
        return settlement

    def play_amount(self, account: int, box: int, multiple: int) -> int:
        """Return what a Play costs, 0 if it may not be chosen. Raises `IllegalAction`."""
        legal = legal_decisions(self.state, account, box)
        return dict(legal.plays).get(multiple, 0)

    # --- the record -------------------------------------------------------------------------------------------------

    def record(self, ended_ms: int) -> bytes:
        """Return the round as a JSON document: bets, decisions, result. It contains cards.

        The record of a void round contains only cards that all players have seen.
        """
        state, settlement = self.state, self.settlement
        terms = state.setup.terms
        bank, meter = settlement.bank, settlement.meter
        return msgspec.json.encode(
            {
                "version": RECORD_VERSION,
                "round_id": self.round_id,
                "table": self.table,
                "game": "ultimate",
                "seating": terms.seating.value,
                "qualification": terms.qualification.value,
                "terms": terms_to_data(terms),
                "started_ms": self.started_ms,
                "ended_ms": ended_ms,
                "void": state.is_void,
                "board": _texts(state.board),
                "bank": None
                if bank is None
                else {"cards": _texts(bank.cards), "hand": bank.category.name, "qualifies": bank.qualifies},
                "boxes": [
                    {
                        "box": result.box,
                        "account": result.player,
                        "name": self.names.get(result.player, ""),
                        "extra": bool(box.bets.play),
                        "cards": None if result.cards is None else _texts(result.cards),
                        "hand": None if result.category is None else result.category.name,
                        "outcome": result.outcome.value,
                        "bets": [[bet.bet.value, bet.staked, bet.paid] for bet in result.bets],
                        "envy": result.envy,
                    }
                    for box, result in zip(state.boxes, settlement.boxes, strict=True)
                ],
                "decisions": self._decisions,
                "tips": state.tips,
                "players": settlement.players,
                "house": settlement.house,
                "tronc": settlement.tronc,
                "meter": {
                    "before": meter.before,
                    "fed": meter.fed,
                    "paid": meter.paid,
                    "reseeded": meter.reseeded,
                },
            }
        )

    def __repr__(self) -> str:
        """No cards: a repr may end in a log."""
        return f"<RoundPlay {self.round_id} at {self.table}, {self.state.phase.value}>"


def unknown_record(table: str, round_id: str, ended_ms: int) -> bytes:
    """Return the record of a void round of which only the ledger knows."""
    return msgspec.json.encode(
        {
            "version": RECORD_VERSION,
            "round_id": round_id,
            "table": table,
            "game": "ultimate",
            "ended_ms": ended_ms,
            "void": True,
            "boxes": None,
        }
    )


def _after(state: RoundState, step: Step) -> tuple[RoundState, list[Event]]:
    match step:
        case Choice():
            return decide(state, step.account, step.box, step.decision, balance=ENOUGH)
        case Expired(boxes=None):
            return time_out(state)
        case Expired(boxes=boxes):
            assert boxes is not None
            return _timed_out(state, boxes)
        case Tipped():
            return give_tip(state, step.account, step.amount, balance=ENOUGH)
        case _:
            assert_never(step)


def _timed_out(state: RoundState, boxes: Sequence[int]) -> tuple[RoundState, list[Event]]:
    """As `time_out`, for these boxes only: a Play of another box is at the ledger."""
    events: list[Event] = []
    decision = Fold() if state.phase is Phase.river else Check()
    for box in boxes:
        at = state.at(box)
        player = -1 if at is None else state.boxes[at].bets.player
        state, more = decide(state, player, box, decision, balance=0)
        events += [_automatic(event) if isinstance(event, BoxDecided) else event for event in more]
    return state, events


def _automatic(event: BoxDecided) -> BoxDecided:
    return BoxDecided(
        box=event.box,
        player=event.player,
        decision=event.decision,
        multiple=event.multiple,
        amount=event.amount,
        automatic=True,
    )


def _texts(cards: Sequence[Card]) -> list[str]:
    return [card_text(card) for card in cards]
