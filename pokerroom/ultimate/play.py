"""One round as its table plays it: the rules' state, who plays in it, and the steps that have moved it.

A step is what a player or the clock has done, as a value: `RoundPlay.take` is the one way in which a round moves,
played for the first time or again from the journal. Asks no clock and tells nobody anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, assert_never

import msgspec

from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.ultimate.events import BoardDealt, Decided, Event
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

RECORD_VERSION: Final = 1

ENOUGH: Final = 1 << 62
"""A balance that the rules need not look at: the ledger does, when the money moves."""

Kind = Literal["check", "play", "fold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A player has decided. `seq` is that of the question which his message named; None if the ledger alone knows."""

    account: int
    box: int
    kind: Kind
    multiple: int = 0
    seq: int | None = None

    @property
    def decision(self) -> Decision:
        """As the rules have it."""
        match self.kind:
            case "check":
                return Check()
            case "fold":
                return Fold()
            case "play":
                return Play(multiple=self.multiple)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """The clock has decided: for these boxes, or for all that had not decided."""

    boxes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tipped:
    """A player has given something to the tronc; `number` counts the tips of the round."""

    account: int
    amount: int
    number: int


Step: TypeAlias = Choice | Expired | Tipped


class RoundPlay:
    """A round in progress, or over. `names` are those of all who play in it, by account."""

    def __init__(
        self, *, table: str, round_id: str, started_ms: int, names: Mapping[int, str], state: RoundState
    ) -> None:
        self.table = table
        self.round_id = round_id
        self.started_ms = started_ms
        self.names = dict(names)
        self.state = state
        self.groups = 0
        """How many groups of steps the journal was given."""
        self.tips_asked = 0
        """How many tips were put to the ledger."""
        self._decisions: list[tuple[str, int, str, int, bool]] = []

    # --- moving -----------------------------------------------------------------------------------------------------

    def take(self, step: Step) -> list[Event]:
        """Moves the round. Raises `IllegalAction`, with nothing changed."""
        phase = self.state.phase
        self.state, events = _after(self.state, step)
        for event in events:
            if isinstance(event, Decided):
                entry = phase.value, event.box, event.decision.value, event.multiple, event.automatic
                self._decisions.append(entry)
            elif isinstance(event, BoardDealt):
                phase = event.phase
        if isinstance(step, Tipped):
            self.tips_asked = max(self.tips_asked, step.number)
        return events

    def void(self) -> None:
        """It does not count: every bet goes back, also where all is decided."""
        self.state, _ = voided(self.state, decided=True)

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def accounts(self) -> set[int]:
        """Who has bet."""
        return {box.bets.player for box in self.state.boxes}

    @property
    def settlement(self) -> Settlement:
        """What it came to, once it is over."""
        settlement = self.state.settlement
        assert settlement is not None
        return settlement

    def play_amount(self, account: int, box: int, multiple: int) -> int:
        """What a Play that may be chosen costs. Raises `IllegalAction`."""
        legal = legal_decisions(self.state, account, box)
        return dict(legal.plays).get(multiple, 0)

    # --- the record -------------------------------------------------------------------------------------------------

    def record(self, ended_ms: int) -> bytes:
        """The round as a JSON document: who bet what, what was decided, how it ended. It contains cards.

        That of a void round has no cards but those that everybody has seen.
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
    """Of a void round of which nothing is known but what the ledger has."""
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
    """As `time_out`, but for these boxes alone: a Play of another one is on its way."""
    events: list[Event] = []
    decision = Fold() if state.phase is Phase.river else Check()
    for box in boxes:
        at = state.at(box)
        player = -1 if at is None else state.boxes[at].bets.player
        state, more = decide(state, player, box, decision, balance=0)
        events += [_automatic(event) if isinstance(event, Decided) else event for event in more]
    return state, events


def _automatic(event: Decided) -> Decided:
    return Decided(
        box=event.box,
        player=event.player,
        decision=event.decision,
        multiple=event.multiple,
        amount=event.amount,
        automatic=True,
    )


def _texts(cards: Sequence[Card]) -> list[str]:
    return [card_text(card) for card in cards]
