"""Every hand ends exactly once, settled or void; every acknowledged action is in its record.

Follows each hand from its deal over the journal's and the ledger's answers and over crashes to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from pokerroom.ledger.api import HandSettlement
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

_DECISIONS = frozenset({"fold", "check", "call", "bet", "raise", "clock_all_in"})


_Step = tuple[int, str, int | None]
"""Seat, action, and the street's total of a bet or raise."""


@dataclass(slots=True, kw_only=True)
class _Fate:
    """What became of one hand."""

    table: str = ""
    """Where it began, once that is told."""
    started: bool = False
    ended: str = ""
    """"settled" or "void", as told."""
    record: list[_Step] | None = None
    """The decisions, once the ledger has the hand."""
    acknowledged: dict[tuple[str, int], wire.Act] = field(default_factory=dict)
    """(name, seq of the turn) -> the action, in the order of the answers."""
    told: list[_Step] = field(default_factory=list)
    seats: dict[str, int] = field(default_factory=dict)
    """Name -> seat."""


class HandChecker:
    """All hands of a simulation. `strict`: a hand whose journal is there is played on, never void."""

    def __init__(self, blame: Blame, *, strict: bool) -> None:
        self._blame = blame
        self._strict = strict
        self._fates: dict[str, _Fate] = {}
        self.settled_count = 0

    def dealt(self, hand_id: str) -> None:
        """The room has dealt a hand; no viewer has been sent it yet."""
        if hand_id not in self._fates:
            self._fates[hand_id] = _Fate()

    def event(self, table: str, event: wire.Event, *, in_progress: str | None) -> None:
        """An event about to be applied to the facts; `in_progress` is the hand that the table was told to play."""
        match event:
            case wire.HandStarted():
                self._started(table, event, in_progress)
            case wire.HandEnded():
                self._ended(table, event)
            case wire.Acted():
                fate = self._fates.get(event.hand_id)
                if fate is not None:
                    fate.told.append(_step(event.seat, event.action, event.bet))
            case _:
                pass

    def _started(self, table: str, event: wire.HandStarted, in_progress: str | None) -> None:
        fate = self._fates.get(event.hand_id)
        if fate is None:
            self._blame(Kind.HAND, table, event.hand_id, "a hand begins that was never dealt")
            return
        if fate.started:
            self._blame(Kind.HAND, table, event.hand_id, "the hand begins a second time")
        if in_progress is not None:
            self._blame(
                Kind.HAND, table, event.hand_id, f"the hand begins while {in_progress} is in progress"
            )
        fate.started, fate.table = True, table
        fate.seats = {seat.name: seat.seat for seat in event.seats}

    def _ended(self, table: str, event: wire.HandEnded) -> None:
        fate = self._fates.get(event.hand_id)
        if fate is None:
            self._blame(Kind.HAND, table, event.hand_id, "a hand ends that was never dealt")
            return
        end = "void" if event.void else "settled"
        if fate.ended:
            self._blame(Kind.HAND, table, event.hand_id, f"the hand ends again ({end}); it was {fate.ended}")
        if event.void and self._strict:
            self._blame(Kind.HAND, table, event.hand_id, "the hand is void, and its journal is there")
        if event.void and fate.record is not None:
            self._blame(Kind.HAND, table, event.hand_id, "void is told of a hand that the ledger has")
        if not event.void and fate.record is None:
            self._blame(Kind.HAND, table, event.hand_id, "the result is told before the ledger has it")
        fate.ended = end

    def acknowledged(self, name: str, act: wire.Act) -> None:
        """`ok` to an action was told."""
        fate = self._fates.get(act.hand_id)
        if fate is None:
            self._blame(
                Kind.ACKNOWLEDGED, act.table, act.hand_id, f"ok to {name} for a hand that was never dealt"
            )
            return
        first = fate.acknowledged.setdefault((name, act.seq), act)
        if (first.action, first.amount) != (act.action, act.amount):
            both = f"{first.action} {first.amount}, {act.action} {act.amount}"
            self._blame(
                Kind.ACKNOWLEDGED, act.table, act.hand_id, f"two actions of {name} to one turn: {both}"
            )
        if fate.record is not None:
            self._check_record(act.hand_id, fate)

    def settled(self, settlement: HandSettlement, record: dict[str, Any]) -> bool:
        """The ledger has settled a hand; False if it had it already."""
        hand_id, table = settlement.hand_id, settlement.table
        fate = self._fates.get(hand_id)
        if fate is None:
            self._blame(Kind.HAND, table, hand_id, "a hand is settled that was never dealt")
            fate = self._fates[hand_id] = _Fate()
        if fate.record is not None:
            return False
        self.settled_count += 1
        if record["hand_id"] != hand_id or record["table"] != table or fate.table not in {"", table}:
            self._blame(Kind.HAND, table, hand_id, "the record is another hand's")
        if fate.ended:
            self._blame(
                Kind.HAND, table, hand_id, f"the hand is settled after its end ({fate.ended}) was told"
            )
        fate.seats = {seat["name"]: seat["seat"] for seat in record["seats"]}
        fate.record = [
            _step(entry[1], entry[0], entry[3]) for entry in record["events"] if entry[0] in _DECISIONS
        ]
        self._check_record(hand_id, fate)
        missing = _first_missing(fate.told, fate.record)
        if missing is not None:
            self._blame(
                Kind.ACKNOWLEDGED,
                table,
                hand_id,
                f"seat {missing[0]} was told to {_text(missing)}: the record has it not, or elsewhere",
            )
        return True

    def _check_record(self, hand_id: str, fate: _Fate) -> None:
        """The acknowledged actions of each player stand in the record, in order."""
        assert fate.record is not None
        for name, seat in fate.seats.items():
            said = [
                _step(seat, act.action, act.amount)
                for (who, _), act in fate.acknowledged.items()
                if who == name
            ]
            missing = _first_missing(said, fate.record)
            if missing is not None:
                self._blame(
                    Kind.ACKNOWLEDGED,
                    fate.table,
                    hand_id,
                    f"{_text(missing)} of seat {seat} ({name}) was acknowledged and is not in the record",
                )

    def finished(self, open_tables: AbstractSet[str]) -> None:
        """The simulation is over; `open_tables` are those that may have a hand in progress."""
        for hand_id, fate in self._fates.items():
            if fate.started and not fate.ended and fate.record is None and fate.table not in open_tables:
                self._blame(Kind.HAND, fate.table, hand_id, "the hand has never ended")


def _step(seat: int, action: str, bet: int | None) -> _Step:
    """A bet and a raise are the same wish; of other actions the amount follows."""
    return (seat, "raise", bet) if action in {"bet", "raise"} else (seat, action, None)


def _text(step: _Step) -> str:
    return step[1] if step[2] is None else f"{step[1]} to {step[2]}"


def _first_missing(wanted: Sequence[_Step], there: Sequence[_Step]) -> _Step | None:
    """The first of `wanted` that `there` has not behind the ones before it."""
    rest = iter(there)
    return next((step for step in wanted if step not in rest), None)
