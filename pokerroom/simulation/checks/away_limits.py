"""Check when a player loses the seat at a cash table (H6): after the limit of an absence, and not before.

A player is away, has no chips or sits out. A limit counts again after a restart, which a viewer cannot always see: so
each has the earliest and the latest moment in which it may have begun. Tables of hosts are left out: a host may remove
a player.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from pokerroom.ledger.hosted_tables import is_hosted
from pokerroom.simulation.checks.checker import CheckContext, Checker
from pokerroom.simulation.checks.table_facts import CheckedSeat, CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire

SLACK_S = 8.0
"""Journal and ledger, and the restart of a table."""
GRAIN_S = 1.5
"""A state is told so much later than it began, while nothing is away."""

TOLD_S = 2.0
"""While the journal is there, a table has told within this that it closes."""

AWAY, BROKE, OUT = "away", "without chips", "sitting out"


@dataclass(slots=True, kw_only=True)
class _Span:
    early_s: float
    late_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    table: str
    at_s: float
    line: str


class AwayLimitChecker(Checker):
    """All cash tables."""

    def __init__(self, context: CheckContext) -> None:
        super().__init__(context)
        self._spans: defaultdict[str, dict[int, dict[str, _Span]]] = defaultdict(dict)
        """Table -> seat -> what may cost the player the seat."""
        self._loses: defaultdict[str, set[int]] = defaultdict(set)
        """Table -> seats told to be lost when a limit was over; a player may be back before the ledger pays."""
        self._wished: set[tuple[str, int]] = set()
        """(table, account) of players that have asked to leave since they sat down."""
        self._told: set[tuple[str, int]] = set()
        """(table, seat) that are reported already."""
        self._taken: list[_Taken] = []
        """Seats that were taken from their players, and no limit explains it."""
        self._closed_s: dict[str, float] = {}
        """When the table has told last that it closes, opens or freezes; or how long the ledger could not pay since."""
        self.outage_until_s = 0.0

    def outage(self, until_s: float) -> None:
        """Journal, ledger or process may be away until then."""
        self.outage_until_s = max(self.outage_until_s, until_s)
        for table, closed_s in self._closed_s.items():
            if self._seconds() <= closed_s + SLACK_S:
                self._closed_s[table] = max(closed_s, until_s)

    def crashed(self) -> None:
        """The process is gone, and with it what it had not told: perhaps that a table closes."""
        self._taken.clear()

    def reached(self, account: int | None, request: wire.Request) -> None:
        """A request has reached the room."""
        if isinstance(request, wire.StandUp) and account is not None:
            self._wished.add((request.table, account))

    def synced(self, facts: CheckedTable) -> None:
        """The facts start again from a snapshot."""
        now, table = self._seconds(), facts.table
        self._spans[table] = {}
        self._loses[table] = {number for number, seat in facts.seats.items() if seat.status == "leaving"}
        for number, seat in facts.seats.items():
            spans = self._spans[table][number] = {}
            for what in self._states(table, seat):
                spans[what] = _Span(early_s=float("-inf"), late_s=now)

    def applied(self, facts: CheckedTable, event: wire.Event) -> None:
        """An event was applied to the facts."""
        match event:
            case wire.SeatChanged():
                self._changed(facts, event)
            case wire.SeatTaken() | wire.SeatLeft():
                self._spans[facts.table][event.seat] = {}
                self._loses[facts.table].discard(event.seat)
                self._told.discard((facts.table, event.seat))
            case wire.HandEnded():
                for ended in event.stacks:
                    self._again(facts, ended.seat)
            case _:
                pass

    def _again(self, facts: CheckedTable, seat: int) -> None:
        """A hand has ended: what has gone on meanwhile may count from now. Its last chip may be gone, or come back."""
        now, spans = self._seconds(), self._spans[facts.table].setdefault(seat, {})
        for span in spans.values():
            span.late_s = now
        if seat in facts.seats:
            if facts.seats[seat].stack:
                spans.pop(BROKE, None)  # all-in in the hand, and not out of it
            else:
                spans.setdefault(BROKE, _Span(early_s=now, late_s=now))

    def _changed(self, facts: CheckedTable, event: wire.SeatChanged) -> None:
        now, spans = self._seconds(), self._spans[facts.table].setdefault(event.seat, {})
        if event.status == "leaving" and self._over(facts.table, event.seat):
            self._loses[facts.table].add(event.seat)
        states = self._states(facts.table, facts.seats[event.seat])
        for what in (AWAY, BROKE, OUT):
            if what not in states:
                spans.pop(what, None)
            elif what not in spans:
                began = now if event.gone_since_ms is None or what != AWAY else event.gone_since_ms / 1000
                early_s = float("-inf") if now < self.outage_until_s else began
                spans[what] = _Span(early_s=early_s, late_s=now)
        if BROKE in spans and AWAY not in spans:
            spans[BROKE].late_s = now  # a player who comes back without chips has the limit again

    def _states(self, table: str, seat: CheckedSeat) -> set[str]:
        found = set()
        if not seat.connected:
            found.add(AWAY)
        if seat.stack == 0:
            found.add(BROKE)
        if seat.status == "sitting_out" and self._terms[table].sit_out_limit_s:
            found.add(OUT)
        return found

    def _limit_s(self, table: str, what: str) -> int:
        terms = self._terms[table]
        return terms.sit_out_limit_s if what == OUT else terms.away_limit_s

    # --- too late ---------------------------------------------------------------------------------------------

    def look(self, tables: Mapping[str, CheckedTable]) -> None:
        """Called every few seconds."""
        now = self._seconds()
        self._judge_taken(tables, now)
        if now < self.outage_until_s + SLACK_S:
            return
        for table, seats in self._spans.items():
            facts = tables[table]
            if not facts.synced or facts.frozen:
                continue
            for number, spans in seats.items():
                if spans and (table, number) not in self._told:
                    self._look_at(facts, number, spans, now)

    def _look_at(self, facts: CheckedTable, number: int, spans: dict[str, _Span], now: float) -> None:
        hand = facts.hand
        if hand is not None and (not hand.dealt_in or number in hand.dealt_in):
            return  # it ends first
        for what, span in spans.items():
            over_s = now - span.late_s - self._limit_s(facts.table, what)
            if over_s > SLACK_S:
                self._told.add((facts.table, number))
                limit = f"{over_s:.0f} s longer than the limit"
                self._wrong(facts.table, f"seat {number} is {what} {limit} and still taken (H6)")

    # --- too early --------------------------------------------------------------------------------------------

    def booked(self, table: str, account: int, seat: int | None, tables: Mapping[str, CheckedTable]) -> None:
        """The ledger has cashed an account out, perhaps not for the first time; `seat` was its seat."""
        wished = (table, account) in self._wished
        self._wished.discard((table, account))
        facts = tables[table]
        if wished or seat is None or seat not in facts.seats or is_hosted(table):
            return
        if not facts.synced or facts.frozen or facts.closing:
            return
        now, spans = self._seconds(), self._spans[table].get(seat, {})
        if seat in self._loses[table] or self._over(table, seat):
            return
        been = ", ".join(f"{what} for {now - span.early_s:.1f} s" for what, span in spans.items())
        line = f"seat {seat} is taken from its player, who was {been or 'here'} (H6)"
        self._taken.append(_Taken(table=table, at_s=now, line=line))

    def _over(self, table: str, seat: int) -> bool:
        """Whether a limit of the seat is over."""
        for what, span in self._spans[table].get(seat, {}).items():
            if self._seconds() - span.early_s + GRAIN_S >= self._limit_s(table, what):
                if span.early_s > float("-inf"):
                    self._situations.note(table, f"loses the seat, {what}")
                return True
        return False

    def _judge_taken(self, tables: Mapping[str, CheckedTable], now: float) -> None:
        """A table that closes may tell it after the ledger has paid its first players; the journal holds it back."""
        if now < self.outage_until_s + TOLD_S:
            return
        for taken in [taken for taken in self._taken if now - taken.at_s > TOLD_S]:
            self._taken.remove(taken)
            closed_s = self._closed_s.get(taken.table, float("-inf"))
            if not tables[taken.table].closing and taken.at_s - closed_s > SLACK_S:
                self._wrong(taken.table, taken.line)

    def noticed(self, table: str) -> None:
        """The table has told that it closes, opens or freezes."""
        self._closed_s[table] = self._seconds()

    def _wrong(self, table: str, line: str) -> None:
        self._blame(Kind.AWAY, table, "", line)
