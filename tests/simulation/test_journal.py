"""The journal of a simulated process: it fails as the real one does, and keeps the same promises."""

from __future__ import annotations

import pytest

from pokerroom.coordination.api import Sealed
from pokerroom.coordination.memory import MemoryJournalStore
from pokerroom.simulation.clock import ProcessClock, VirtualClock
from pokerroom.simulation.faults import Dice, Fault
from pokerroom.simulation.journal import FaultyJournal
from pokerroom.simulation.streams import stream


class Process:
    """A process of a simulated world with one table."""

    def __init__(self, world, store, seed, faults=frozenset()) -> None:
        self.world = world
        self.clock = ProcessClock(world)
        self.dice = Dice(seed, faults)
        self.sealed: list[str] = []
        self.told: list[int] = []
        self.outages = 0
        self.journal = FaultyJournal(
            store,
            self.clock,
            self.dice,
            stream(seed, "latencies"),
            sealed=self.sealed.append,
            outage=self._outage,
            struck=lambda table: None,
            crash=self.clock.kill,
        )

    def _outage(self, until_s) -> None:
        self.outages += 1

    def now(self, deferred):
        """The outcome of a Deferred, after as much time as it takes."""
        found: list[object] = []
        deferred.addBoth(found.append)
        for _ in range(1000):
            if found:
                return found[0]
            self.world.advance(0.1)
        raise AssertionError("it takes too long")

    def append(self, number) -> None:
        self.journal.append("a", b"%d" % number, lambda: self.told.append(number))


@pytest.mark.parametrize("seed", range(5))
def test_every_entry_is_stored_once_whatever_happens_to_its_flush(seed):
    """Flushes that are refused, lost or of unknown outcome are made again; each entry stands there once, in order."""
    world, store = VirtualClock(), MemoryJournalStore()
    process = Process(world, store, seed, frozenset({Fault.JOURNAL}))
    assert process.now(process.journal.take("a", 1)) == []
    for number in range(1000):
        process.append(number)
        world.advance(0.01)

    expected = [b"%d" % number for number in range(1000)]
    assert process.now(process.journal.entries("a")) == expected
    assert process.told == list(range(1000))
    assert process.outages > 0
    assert process.sealed == []


def test_what_an_earlier_owner_has_on_its_way_is_refused():
    """As with Redis: nothing of it is stored or told, and the owner hears of it once."""
    world, store = VirtualClock(), MemoryJournalStore()
    old, new = (Process(world, store, 1) for _ in range(2))
    old.now(old.journal.take("a", 1))
    old.append(1)
    old.now(old.journal.entries("a"))
    assert new.now(new.journal.take("a", 2)) == [b"1"]
    for number in (2, 3):
        old.append(number)
        old.now(old.journal.entries("a")).trap(Sealed)
    new.append(4)

    assert new.now(new.journal.release("a")) is None
    assert store.entries("a") == [b"1", b"4"]
    assert (old.told, old.sealed) == ([1], ["a"])
    assert (new.told, new.sealed) == ([4], [])
    old.now(old.journal.take("a", 1)).trap(Sealed)


@pytest.mark.parametrize("seed", range(5))
def test_a_crash_in_the_middle_of_a_flush_leaves_a_part_of_it(seed):
    """What is stored is always a beginning of what was appended, and nothing is told after the end."""
    world, store = VirtualClock(), MemoryJournalStore()
    process = Process(world, store, seed, frozenset({Fault.CRASH}))
    process.journal.take("a", 1)
    world.advance(1)
    number = 0
    while process.clock.alive and number < 100_000:
        for _ in range(20):
            process.append(number)
            number += 1
        world.advance(0.1)

    stored = store.entries("a")
    assert not process.clock.alive
    assert stored == [b"%d" % step for step in range(len(stored))]
    assert len(process.told) <= len(stored) < number
