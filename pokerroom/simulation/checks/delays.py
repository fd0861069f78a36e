"""Check when each event is sent: to live viewers at the same moment, to observers of a delayed table not before.

An event is live when the first of the present is told it, and at the earliest when its hand was dealt.
"""

from __future__ import annotations

from collections import defaultdict, deque

from pokerroom.simulation.checks.checker import CheckContext, Checker
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire

REMEMBERED = 3000
"""Events of a table whose time is known."""


class DelayChecker(Checker):
    """All tables of one process after the other."""

    def __init__(self, context: CheckContext) -> None:
        super().__init__(context)
        self._live: defaultdict[str, dict[int, float]] = defaultdict(dict)
        self._oldest: defaultdict[str, deque[int]] = defaultdict(deque)
        self._dealt: dict[str, float] = {}

    def crashed(self) -> None:
        """Another process numbers its events from 1, and shows its tables from its own beginning."""
        self._live.clear()
        self._oldest.clear()

    def dealt(self, hand_id: str) -> None:
        """The room has dealt a hand."""
        self._dealt.setdefault(hand_id, self._seconds())

    def event(self, facts: CheckedTable, event: wire.Event, *, live: bool) -> None:
        """A viewer is told an event, as one of the present or later."""
        now, known = self._seconds(), self._live[facts.table]
        if not live:
            self._later(facts, event.seq, str(getattr(event, "hand_id", "")), type(event).__name__)
            return
        first = known.get(event.seq)
        if first is None:
            known[event.seq] = now
            oldest = self._oldest[facts.table]
            oldest.append(event.seq)
            if len(oldest) > REMEMBERED:
                known.pop(oldest.popleft(), None)
        elif first != now:
            self._blame(
                Kind.DELAY,
                facts.table,
                "",
                f"a player is told event {event.seq} {now - first:.3f} s after others",
            )

    def snapshot(self, facts: CheckedTable, snapshot: wire.Snapshot) -> None:
        """An observer of a delayed table is sent its earlier state."""
        hand_id = "" if snapshot.hand is None else snapshot.hand.hand_id
        self._later(facts, snapshot.seq, hand_id, "Snapshot")

    def _later(self, facts: CheckedTable, seq: int, hand_id: str, what: str) -> None:
        now, delay_s = self._seconds(), self._terms[facts.table].observer_delay_s
        live_s = self._live[facts.table].get(seq)
        dealt_s = self._dealt.get(hand_id)
        if live_s is None and facts.synced and seq > facts.seq:
            early = "before the players"
        elif live_s is not None and now < live_s + delay_s:
            early = f"{now - live_s:.3f} s after the players, not {delay_s} s"
        elif dealt_s is not None and now < dealt_s + delay_s:
            early = f"{now - dealt_s:.3f} s after the deal of its hand, not {delay_s} s"
        else:
            return
        self._blame(Kind.DELAY, facts.table, hand_id, f"an observer is told {what} (event {seq}) {early}")
