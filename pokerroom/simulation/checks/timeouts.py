"""Check what the clock decides for a player that does not act (H2), and when the player sits out for it (H6).

Counts for itself how often each account was all-in by the clock, by what was told and by the records. Where a hand went
on unseen, the count may be larger than known: then either decision may be right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pokerroom.ledger.api import HandSettlement
from pokerroom.simulation.checks.checker import CheckContext, Checker
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire

DAY_S = 86_400
MIDNIGHT_S = 600.0
"""A hand is over within this; which day one belongs to that lies across midnight is not judged."""
IN_ROW_MAX = 2


@dataclass(slots=True)
class _Row:
    """Timeouts at one table: hands in a row by name, as far as viewers saw them."""

    timed_out: set[str] = field(default_factory=set)
    acted: set[str] = field(default_factory=set)
    hands: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    due: set[str] = field(default_factory=set)
    """The players that have to sit out before the next hand."""


class TimeoutChecker(Checker):
    """All tables."""

    def __init__(self, context: CheckContext) -> None:
        super().__init__(context)
        self._uses: defaultdict[str, dict[str, float]] = defaultdict(dict)
        """Name -> hand -> when the clock put the player all-in."""
        self._rows = {table: _Row() for table in self._terms}

    def reached(self, name: str, request: wire.Request) -> None:
        """A request has reached the room; a player that sits in starts to count from zero."""
        if isinstance(request, wire.SitIn) and request.table in self._rows:
            row = self._rows[request.table]
            row.due.discard(name)
            row.hands.pop(name, None)

    def restarted(self, table: str | None) -> None:
        """The table, or with None the room, restarts, or is seen again: earlier observations may be out of date."""
        for name in self._rows if table is None else [table]:
            self._rows[name] = _Row()

    def settled(self, settlement: HandSettlement, record: dict[str, Any]) -> None:
        """A hand is settled for the first time: the ledger counts what the record says."""
        by_seat = {seat["seat"]: seat for seat in record["seats"]}
        clocked = [by_seat[entry[1]] for entry in record["events"] if entry[0] == "clock_all_in"]
        for seat in clocked:
            self._uses[seat["name"]].setdefault(settlement.hand_id, settlement.ended_ms / 1000)
        accounts = sorted(seat["account"] for seat in clocked)
        if sorted(settlement.timeout_all_ins) != accounts:
            self._wrong(
                settlement.table,
                settlement.hand_id,
                f"the ledger counts {sorted(settlement.timeout_all_ins)} as all-in by the clock, it was {accounts}",
            )

    def event(  # noqa: C901, PLR0912 -- one case per event
        self, facts: CheckedTable, event: wire.Event, tables: Mapping[str, CheckedTable]
    ) -> None:
        """An event about to be applied to the facts; `tables` are those of all tables."""
        row = self._rows[facts.table]
        match event:
            case wire.Acted():
                name = facts.seats[event.seat].name
                if event.by_clock:
                    self._expired(facts, event, tables)
                    row.timed_out.add(name)
                    if event.action == "clock_all_in":
                        self._uses[name].setdefault(event.hand_id, self._seconds())
                elif facts.seats[event.seat].status != "leaving":
                    row.acted.add(name)
            case wire.HandEnded():
                self._ended(facts, row)
            case wire.HandStarted():
                for seat in event.seats:
                    if seat.name in row.due:
                        self._wrong(
                            facts.table,
                            event.hand_id,
                            f"seat {seat.seat} is dealt in after {IN_ROW_MAX} timed-out hands in a row (H6)",
                        )
                row.due.clear()
            case wire.SeatChanged():
                name = facts.seats[event.seat].name
                if event.status in {"sitting_out", "leaving"}:
                    row.due.discard(name)
                elif facts.seats[event.seat].status == "sitting_out":
                    row.hands.pop(name, None)
            case wire.SeatLeft():
                row.due.discard(event.name)
                row.hands.pop(event.name, None)
            case _:
                pass

    def _ended(self, facts: CheckedTable, row: _Row) -> None:
        for seat in facts.seats.values():
            if seat.name in row.timed_out:
                row.hands[seat.name] += 1
            elif seat.name in row.acted:
                row.hands.pop(seat.name, None)
            if row.hands.get(seat.name, 0) >= IN_ROW_MAX and seat.status in {"playing", "waiting"}:
                row.hands.pop(seat.name)
                row.due.add(seat.name)
        row.timed_out.clear()
        row.acted.clear()

    # --- H2 ---------------------------------------------------------------------------------------------------

    def _expired(self, facts: CheckedTable, event: wire.Acted, tables: Mapping[str, CheckedTable]) -> None:
        hand, seat = facts.hand, facts.seats[event.seat]
        if hand is None or not hand.asked:
            return
        wanted = set()
        for protected in self._protected(facts, event, tables):
            if not protected:
                wanted.add("check" if hand.asked[-1].check else "fold")
            elif event.seat not in hand.start:
                wanted |= {"clock_all_in", "fold"}  # no viewer knows the stack at the start
            else:
                wanted.add("clock_all_in" if hand.start[event.seat] > seat.stack else "fold")
        if event.action not in wanted:
            self._wrong(
                facts.table,
                event.hand_id,
                f"the clock decides {event.action} for seat {event.seat}, not {' or '.join(sorted(wanted))} (H2)",
            )

    def _protected(
        self, facts: CheckedTable, event: wire.Acted, tables: Mapping[str, CheckedTable]
    ) -> set[bool]:
        """Whether the player is protected; both values where that is unknown."""
        terms, seat = self._terms[facts.table], facts.seats[event.seat]
        setting = terms.timeout_protection
        if setting == "never" or (setting == "disconnected" and seat.connected):
            return {False}
        allowance = terms.timeout_all_ins_per_day
        if allowance is None:
            return {True}
        now = self._seconds()
        midnight = now - now % DAY_S
        times = [at for hand_id, at in self._uses[seat.name].items() if hand_id != event.hand_id]
        if sum(at >= midnight + MIDNIGHT_S for at in times) >= allowance:
            return {False}
        certain = sum(at >= midnight - MIDNIGHT_S for at in times) < allowance
        return {True} if certain and not self._unseen(seat.name, tables) else {True, False}

    @staticmethod
    def _unseen(name: str, tables: Mapping[str, CheckedTable]) -> bool:
        """Whether the player may play a hand that was not seen completely."""
        return any(
            not facts.synced or facts.frozen or (facts.hand is not None and not facts.hand.whole)
            for facts in tables.values()
            if not facts.synced or facts.seat_of(name) is not None
        )

    def _wrong(self, table: str, hand_id: str, line: str) -> None:
        self._blame(Kind.TIMEOUT, table, hand_id, line)
