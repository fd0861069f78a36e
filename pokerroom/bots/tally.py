"""The counts of a swarm: hands, actions, latencies, refusals. Each process has a tally; tallies add up.

Plain data for a pipe. Times are seconds of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from time import monotonic
from typing import Final

STUCK_AFTER_S: Final = 45.0  # longer than any action clock
_SIGNIFICANT_BITS: Final = 7


class LatencyHistogram:
    """Durations to within 1.6 % in constant memory: it keeps the leading bits of the microseconds."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._max_us = 0

    def add(self, seconds: float) -> None:
        """Count one duration."""
        us = max(0, int(seconds * 1e6))
        self._max_us = max(self._max_us, us)
        shift = max(0, us.bit_length() - _SIGNIFICANT_BITS)
        self._counts[us >> shift << shift] += 1

    def merge(self, other: LatencyHistogram) -> None:
        """Add the counts of another process."""
        self._counts.update(other._counts)
        self._max_us = max(self._max_us, other._max_us)

    def percentile_ms(self, percent: int) -> float:
        """Return the duration that `percent` of all do not exceed, in milliseconds; 0 without any."""
        wanted = -(-self._counts.total() * percent // 100)
        seen = 0
        for us in sorted(self._counts):
            seen += self._counts[us]
            if seen >= wanted:
                return us / 1000
        return 0.0

    @property
    def max_ms(self) -> float:
        """Return the exact longest duration, in milliseconds."""
        return self._max_us / 1000

    def as_json(self) -> dict[str, float]:
        """Return p50, p99 and max for a report, in milliseconds."""
        return {
            "p50": round(self.percentile_ms(50), 3),
            "p99": round(self.percentile_ms(99), 3),
            "max": round(self.max_ms, 3),
        }


class TableWatch:
    """One table as its bots see it: each hand is counted once."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.seated = 0
        self._last_hand_id = ""
        self._changed_at = monotonic()

    def hand_ended(self, hand_id: str) -> bool:
        """Return True for the first report of this hand's end."""
        if hand_id == self._last_hand_id:
            return False
        self._last_hand_id = hand_id
        self._changed_at = monotonic()
        return True

    def seat_changed(self, by: int) -> None:
        """Count a bot that sat down (1) or left (-1)."""
        self.seated += by
        self._changed_at = monotonic()

    def is_stuck(self, now: float) -> bool:
        """Tell whether two or more bots sit here and nothing has happened for `STUCK_AFTER_S`."""
        return self.seated >= 2 and now - self._changed_at > STUCK_AFTER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class SngResult:
    """The end of a tournament: its prizes and bounties, and those that are paid, in the smallest unit."""

    phase: str
    expected: int
    paid: int
    bounties_expected: int = 0
    bounties_paid: int = 0


@dataclass(slots=True, kw_only=True)
class SwarmTally:
    """The counts of one process, or of all."""

    at: float = 0.0
    first_hand_at: float | None = None
    first_entry_at: float | None = None
    """When the first bot asked for an entry to a tournament of several tables."""
    last_entry_at: float = 0.0
    """When the last one had it."""
    registered: int = 0
    seated: int = 0
    hands: int = 0
    hands_void: int = 0
    actions: int = 0
    timeouts: int = 0
    disconnects: int = 0
    gaps: int = 0
    latency: LatencyHistogram = field(default_factory=LatencyHistogram)
    errors: Counter[str] = field(default_factory=Counter)
    races: Counter[str] = field(default_factory=Counter)
    stuck_tables: list[str] = field(default_factory=list)
    results: dict[str, SngResult] = field(default_factory=dict)
    """The results of ended tournaments, by id."""
    outlasted: dict[str, None] = field(default_factory=dict)
    """Tournaments that went on when a bot was out of them, by id."""
    abandoned: dict[str, None] = field(default_factory=dict)
    """Tournaments that a bot left without being out of them, by id: it may still have a seat there."""
    entries: int = 0
    """Registrations in tournaments of several tables."""
    moves: int = 0
    """Moves of bots from one table to another."""
    rebuys: int = 0
    add_ons: int = 0
    playing: int = 0
    """Bots of a tournament of several tables that have entered, and are not done."""
    tickets: int = 0
    """Entries to further tournaments that tickets have paid."""
    deals: int = 0
    """Deals that the players of a final table have agreed."""
    unregistered: int = 0
    left: int = 0
    dropped: int = 0
    bets: int = 0
    """Requests about a slip, in Ultimate Texas Hold'em."""
    refused: Counter[str] = field(default_factory=Counter)
    """Bets that the room refused when betting closed, by code."""
    vanished: int = 0

    def entry_asked(self) -> None:
        """Start the measurement of registration at the first request."""
        if self.first_entry_at is None:
            self.first_entry_at = monotonic()

    def entered(self) -> None:
        """Count an entry to a tournament of several tables."""
        self.entries += 1
        self.last_entry_at = monotonic()

    def hand_started(self) -> None:
        """Start the measurement at the first hand."""
        if self.first_hand_at is None:
            self.first_hand_at = monotonic()

    def hand_ended(self, *, void: bool) -> None:
        """Count an ended hand."""
        if void:
            self.hands_void += 1
        else:
            self.hands += 1

    def acted(self, seconds: float) -> None:
        """Count a decision, and the seconds from its request to its event."""
        self.actions += 1
        self.latency.add(seconds)


_EARLIEST: Final = frozenset({"first_hand_at", "first_entry_at"})
_LATEST: Final = frozenset({"at", "last_entry_at"})


def total(tallies: list[SwarmTally]) -> SwarmTally:
    """Return the sum of all tallies."""
    result = SwarmTally()
    for name in _LATEST:
        setattr(result, name, max((getattr(tally, name) for tally in tallies), default=0.0))
    for name in _EARLIEST:
        found = [at for tally in tallies if (at := getattr(tally, name)) is not None]
        setattr(result, name, min(found, default=None))
    for name in {each.name for each in fields(SwarmTally)} - _EARLIEST - _LATEST:
        for tally in tallies:
            sum_so_far, more = getattr(result, name), getattr(tally, name)
            if isinstance(sum_so_far, LatencyHistogram):
                sum_so_far.merge(more)
            elif isinstance(sum_so_far, dict):  # a Counter adds
                sum_so_far.update(more)
            else:
                setattr(result, name, sum_so_far + more)
    return result
