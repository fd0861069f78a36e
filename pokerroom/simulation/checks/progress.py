"""Every table makes progress: a watchdog in virtual time.

A table that has two connected players with chips who want to play must, while journal and ledger are there, ask, deal
and end within what its settings allow. What it may take is in `bound_s`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pokerroom.simulation.checks.checker import CheckContext, Checker
from pokerroom.simulation.checks.injected_faults import InjectedFaults
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire

SLACK_S = 15.0
"""Flushes, commits and their repetitions; a restart after a fault."""

STRIKES_MAX = 3
"""A table with more faults than these within ten minutes may stay frozen."""

_STEPS = (wire.HandStarted, wire.Turn, wire.Acted, wire.StreetDealt, wire.HandEnded)


def bound_s(terms: CheckedSettings) -> float:
    """The longest time without a step: a decision with its clock, a reconnect (H4), the time bank; or a pause."""
    return terms.action_clock_s + 2 * terms.countdown_s + terms.time_bank_s + terms.hand_pause_s + SLACK_S


@dataclass(slots=True)
class _Watch:
    since_s: float
    told: bool = False


class ProgressChecker(Checker):
    """The watchdogs of all tables; `strikes` may have hit them."""

    def __init__(self, context: CheckContext, strikes: InjectedFaults) -> None:
        super().__init__(context)
        self._strikes = strikes
        self._watches = {table: _Watch(since_s=self._seconds()) for table in self._terms}
        self.outage_until_s = 0.0
        """Until when journal, ledger or process may be away."""

    def opened(self, table: str) -> None:
        """A table is there that was not."""
        self._watches[table] = _Watch(since_s=self._seconds())

    def event(self, facts: CheckedTable, event: wire.Event) -> None:
        """An event about to be applied to the facts."""
        watch = self._watches[facts.table]
        if isinstance(event, _STEPS):
            watch.since_s = self._seconds()
        hand = facts.hand
        if isinstance(event, wire.Acted) and hand is not None:
            most = 8 * (len(facts.seats) + 1) * 60  # far beyond what any stack of the scenario can raise
            if hand.decisions > most:
                self._blame(
                    Kind.PROGRESS, facts.table, hand.hand_id, f"{hand.decisions} decisions and no end"
                )

    def outage(self, until_s: float) -> None:
        """Journal, ledger or process may be away until then."""
        self.outage_until_s = max(self.outage_until_s, until_s)

    def look(self, tables: dict[str, CheckedTable], *, strict: bool) -> None:
        """Called every few seconds."""
        now = self._seconds()
        for name, facts in tables.items():
            watch = self._watches[name]
            may_freeze = not strict or self._strikes.recent(name) > STRIKES_MAX
            if now < self.outage_until_s or not self._could_play(facts, may_freeze=may_freeze):
                watch.since_s = now
                watch.told = False
                continue
            still_s = now - watch.since_s
            if still_s > bound_s(self._terms[name]) and not watch.told:
                watch.told = True
                hand = "" if facts.hand is None else facts.hand.hand_id
                self._blame(Kind.PROGRESS, name, hand, f"nothing has happened for {still_s:.0f} s")

    def _could_play(self, facts: CheckedTable, *, may_freeze: bool) -> bool:
        if not facts.synced or facts.closing or facts.paused:
            return False
        if facts.frozen and may_freeze:
            return False
        ready = [
            seat
            for seat in facts.seats.values()
            if seat.connected and seat.stack > 0 and seat.status in {"playing", "waiting"}
        ]
        return len(ready) >= 2
