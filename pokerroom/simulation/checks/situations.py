"""What a run has come to: situations of the rules, and steps from one to the next. Nothing is judged here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from pokerroom_protocol import messages as wire

Step = tuple[str, str]
"""Two things that came one after the other at a table."""


class Situations:
    """Counts the situations of one run, and keeps the steps that it made."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """By situation of the rules: how often it came up."""
        self.steps: set[Step] = set()
        self._last: dict[str, str] = {}
        """By table, and by table and chain."""
        self._phases: dict[str, str] = {}
        """By table: the street, and what else an event may begin."""

    def note(self, table: str, name: str) -> None:
        """Note a situation of the rules."""
        self.counts[name] += 1
        self._step(f"{table} ", name)

    def told(self, event: wire.TableEvent) -> None:
        """Note an event that a table tells for the first time."""
        table, kind = event.table, type(event)
        words = _WORDS.get(kind)
        name = kind.__name__ if words is None else words(event)
        begins = _BEGINS.get(kind)
        if begins is not None:
            self._phases[table] = begins(event)
        self._step(table, f"{self._phases.get(table, 'open')}: {name}")

    def crashed(self) -> None:
        """Note that the process is gone."""
        for table in self._phases:
            self._step(table, f"{self._phases[table]}: crash")

    def _step(self, chain: str, name: str) -> None:
        before = self._last.get(chain)
        self._last[chain] = name
        if before is not None:
            self.steps.add((before, name))


_WORDS: dict[type, Callable[[Any], str]] = {
    wire.Acted: lambda event: f"{event.action} by the clock" if event.by_clock else event.action,
    wire.Posted: lambda event: f"{event.kind}, all-in" if event.all_in else event.kind,
    wire.Turn: lambda event: "time bank" if event.in_time_bank else "turn",
    wire.SeatChanged: lambda event: f"{event.status}, {'here' if event.connected else 'away'}",
    wire.TableNotice: lambda event: event.state,
    wire.HandEnded: lambda event: "void" if event.void else "ended",
    wire.PotAwarded: lambda event: f"pot {min(event.pot, 2)} to {min(len(event.shares), 3)}",
    wire.PlayerPlaced: lambda event: f"place {min(event.place, 3)}",
    wire.LightChanged: lambda event: event.light,
    wire.PlaceChanged: lambda event: "here" if event.connected else "away",
    wire.Decided: lambda event: f"{event.decision} by the clock" if event.automatic else event.decision,
    wire.RoundEnded: lambda event: "void" if event.void else _results(event),
}
"""What an event is called, where its kind is not all."""

_BEGINS: dict[type, Callable[[Any], str]] = {
    wire.HandStarted: lambda event: f"preflop of {min(len(event.seats), 4)}",
    wire.StreetDealt: lambda event: str(event.street),
    wire.HandEnded: lambda _: "between",
    wire.RoundStarted: lambda event: f"round of {min(len(event.boxes), 4)}",
    wire.BoardDealt: lambda event: str(event.street),
    wire.RoundEnded: lambda _: "between",
}
"""The phases that an event begins."""


def _results(event: wire.RoundEnded) -> str:
    """What came of the boxes, and whether the bank qualified."""
    bank = "bank" if event.bank is not None and event.bank.qualifies else "no bank"
    return f"{bank}, {' '.join(sorted({box.outcome for box in event.boxes}))}"
