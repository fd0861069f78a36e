"""Check absent players of a tournament: the table folds for them, and a player whose clock expires is absent (H5).

Follows what a table tells, in the order of its events; knows no rules and no code that it judges.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire


@dataclass(slots=True)
class _Table:
    seq: int = -1
    away: set[int] = field(default_factory=set)
    timed_out: set[int] = field(default_factory=set)
    """Players whose clock has expired and who are not reported as absent yet: the report follows the next turn."""
    free: bool = False
    """Whether the decision that was asked last could be a check."""
    level: tuple[int, int] | None = None
    big_blind: int | None = None
    """Of the hand in progress, as far as it is known."""


class AbsenceChecker:
    """See the module."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._tables: dict[str, _Table] = {}

    def forget(self, table: str | None) -> None:
        """What was told of the table (None: of all) may be void."""
        if table is None:
            self._tables.clear()
        else:
            self._tables.pop(table, None)

    def snapshot(self, snapshot: wire.Snapshot) -> None:
        """A viewer is sent a snapshot; it counts if it is newer than the events."""
        if snapshot.tournament is None or snapshot.info.observer_delay_s:
            return
        table = self._tables.setdefault(snapshot.table, _Table())
        if snapshot.seq <= table.seq:
            return
        level = snapshot.tournament.level
        turn = None if snapshot.hand is None else snapshot.hand.turn
        self._tables[snapshot.table] = _Table(
            seq=snapshot.seq,
            away={seat.seat for seat in snapshot.seats if seat.status == "away"},
            free=turn is not None and turn.check,
            level=(level.small_blind, level.big_blind),
        )

    def event(self, event: wire.TableEvent) -> None:
        """A table tells everybody something, for the first time."""
        table = self._tables.get(event.table)
        if table is None or event.seq != table.seq + 1:
            self._tables.pop(event.table, None)  # until the next snapshot
            return
        table.seq = event.seq
        match event:
            case wire.SeatChanged() | wire.SeatTaken():
                (table.away.add if event.status == "away" else table.away.discard)(event.seat)
                table.timed_out.discard(event.seat)
            case wire.Turn():
                table.free = event.check
            case wire.Acted():
                self._acted(table, event)
            case wire.LevelStarted():
                table.level = event.level.small_blind, event.level.big_blind
            case wire.HandStarted():
                table.big_blind = None if table.level is None else table.level[1]
            case wire.Posted(kind="big_blind") if table.big_blind is not None:
                if event.amount > table.big_blind or (event.amount < table.big_blind and not event.all_in):
                    self._wrong(event, f"a big blind of {event.amount}, the level has {table.big_blind}")
            case _:
                pass

    def _acted(self, table: _Table, event: wire.Acted) -> None:
        if event.seat in table.away and event.action != "fold":
            self._wrong(event, f"seat {event.seat} is away, and there is a {event.action}")
        if event.seat in table.away and event.by_clock:
            self._wrong(event, f"seat {event.seat} is away, and was waited for")
        if event.seat in table.timed_out and event.action != "fold":
            self._wrong(event, f"seat {event.seat} is not away after its time was up: {event.action}")
        if event.action == "clock_all_in":
            self._wrong(event, f"seat {event.seat} is all-in by the clock")
        if event.by_clock:
            table.timed_out.add(event.seat)
            if event.action != ("check" if table.free else "fold"):
                self._wrong(event, f"the clock decides for seat {event.seat}: {event.action}")

    def _wrong(self, event: wire.TableEvent, line: str) -> None:
        self._blame(Kind.TIMEOUT, event.table, "", line)
