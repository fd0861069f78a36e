"""What a table is doing: a sum of states, each carrying what only it has. The timer of a state is part of it."""

from __future__ import annotations

from dataclasses import dataclass

from twisted.internet.interfaces import IDelayedCall

from pokerroom.table.clock import ActionClock
from pokerroom.table.play import Play


@dataclass(frozen=True, slots=True)
class Waiting:
    """Fewer than two players to deal in."""


@dataclass(frozen=True, slots=True)
class Betting:
    """A decision is awaited, and its clock runs. `seqs` are the turn events that asked for it."""

    play: Play
    action_clock: ActionClock
    seqs: list[int]


@dataclass(frozen=True, slots=True)
class Settling:
    """The hand is over; journal and ledger have not both answered yet."""

    play: Play


@dataclass(frozen=True, slots=True)
class Pausing:
    """Between two hands, so that people can look at the result."""

    timer: IDelayedCall


@dataclass(frozen=True, slots=True)
class Frozen:
    """A fault of ours: the hand in progress is kept for inspection, nothing is played."""

    play: Play | None


State = Waiting | Betting | Settling | Pausing | Frozen
