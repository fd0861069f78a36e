"""The faults that a simulation injects: their names, how often each comes, and how often it came.

Which fault comes when is drawn from a stream per kind. What a fault does is done where it strikes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from pokerroom.simulation.streams import stream


class Fault(StrEnum):
    """What can go wrong, as `--faults` names it."""

    DISCONNECT = "disconnect"
    """A connection is cut at any moment, with all that is in flight; the client resumes."""
    SILENCE = "silence"
    """A connection dies without a word: the room finds out when it has heard nothing for too long."""
    TAKEOVER = "takeover"
    """The account resumes on a second device."""
    DUPLICATE = "duplicate"
    """An action comes twice."""
    REORDER = "reorder"
    """Messages of a client overtake each other."""
    STALE = "stale"
    """Actions that are old, out of turn, of another hand, or not legal."""
    LATENCY = "latency"
    """Messages come seconds late."""
    SLOW_READER = "slow_reader"
    """A client does not read, until it is cut."""
    CLOCK = "clock"
    """Answers that reach the room at the deadline, a millisecond before or after it, seconds late, or never."""
    ACTOR = "actor"
    """A collaborator of a table raises in the middle of a handler."""
    JOURNAL = "journal"
    """The journal is away, refuses a flush, or stores one whose outcome is unknown, so that it comes twice."""
    LEDGER = "ledger"
    """The ledger is away, before or after the commit."""
    WALLET = "wallet"
    """The operator's wallet is slow or away, loses a call or an answer, hears one late or twice, or refuses."""
    CRASH = "crash"
    """The process is gone; a new one starts on what the journal and the ledger hold."""


ALL = frozenset(Fault)
SMALL_ROOM = 30
"""With more people than this, a fault that all of them feel is as rare in time as with so many."""
NONE: frozenset[Fault] = frozenset()


class UnknownFault(ValueError):  # noqa: N818 -- what the operator reads
    """There is no fault of this name."""


def parse(text: str) -> frozenset[Fault]:
    """`all`, `none`, or names divided by commas. Raises `UnknownFault`."""
    if text == "all":
        return ALL
    if text == "none":
        return NONE
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = {fault.value for fault in Fault}
    for name in names:
        if name not in known:
            raise UnknownFault(f"there is no fault {name!r}; there are {', '.join(sorted(known))}")
    return frozenset(Fault(name) for name in names)


def text_of(faults: Iterable[Fault]) -> str:
    """As `parse` takes it."""
    chosen = frozenset(faults)
    if chosen == ALL:
        return "all"
    return ",".join(fault.value for fault in Fault if fault in chosen) or "none"


class InjectedFault(Exception):  # noqa: N818 -- it stands for any bug of ours
    """A collaborator of a table raises it where `Fault.ACTOR` strikes."""


class Dice:
    """Decides when which fault strikes, and counts them. A fault that is not chosen never does."""

    def __init__(self, seed: int, chosen: frozenset[Fault], people: int = SMALL_ROOM) -> None:
        self._streams = {fault: stream(seed, f"fault:{fault}") for fault in Fault}
        self._crowd = max(1.0, people / SMALL_ROOM)
        self.chosen = chosen
        self.counts: Counter[Fault] = Counter()
        self.quiet = False
        """True when no more faults are to come."""

    def strikes(self, fault: Fault, one_in: float) -> bool:
        """Whether the fault comes now, as it does once in so many times; counted if so."""
        if self.quiet or fault not in self.chosen:
            return False
        if self._streams[fault].random() * one_in >= 1:
            return False
        self.counts[fault] += 1
        return True

    def strikes_room(self, fault: Fault, one_in: float) -> bool:
        """As `strikes`, for a fault that all people of the room feel.

        A large room does more in the same time, so the chance is smaller each time: it comes about as often in time.
        """
        return self.strikes(fault, one_in * self._crowd)

    def number(self, fault: Fault, low: float, high: float) -> float:
        """A measure of a fault that has struck, evenly between the two."""
        return self._streams[fault].uniform(low, high)

    def one_of(self, fault: Fault, *choices: str) -> str:
        """A form of a fault that has struck."""
        return self._streams[fault].choice(choices)
