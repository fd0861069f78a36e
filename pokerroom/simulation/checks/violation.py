"""What a checker says when the room has done what it must not."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """Which promise is broken."""

    CHIPS = "chips"
    """A chip was made or lost, in the ledger or in what a table tells."""
    TURN = "turn"
    """More than one player is to act, or one acts out of turn."""
    CLOCK = "clock"
    """A player acted after the deadline, or the clock expired at another time than announced."""
    TIMEOUT = "timeout"
    """The clock has decided, given time or sat out against the rules (H2, H4, H6)."""
    BLINDS = "blinds"
    """Button, blinds or posts are not where the rules put them (B3, B4, B7, B8)."""
    BUY_IN = "buy_in"
    """A player comes back with less than they took, or must bring more than that."""
    AWAY = "away"
    """A seat is kept beyond the limit of its player's absence, or taken before it (H6)."""
    HAND = "hand"
    """A hand does not end exactly once, settled or void."""
    RESULT = "result"
    """Betting, pots, winners or hands turned up are not what the hand's record comes to."""
    ACKNOWLEDGED = "acknowledged"
    """An acknowledged action is not in the hand's record."""
    PLACES = "places"
    """A place of a sit-and-go is given twice, or to the wrong one, or the prizes are not the pool."""
    BOUNTY = "bounty"
    """A head of a tournament is paid twice, not at all, or to the wrong player."""
    DEAL = "deal"
    """A deal at a final table was made without a player, gives other amounts, or is not what the places pay."""
    REQUEST = "request"
    """An acknowledged request is not kept: leaving, sitting out, a decision made in advance."""
    CARDS = "cards"
    """A viewer was told a card that the viewer must not know."""
    HOSTING = "hosting"
    """A private table is one that hosts may not open, or a player is there that was not let in."""
    NOTES = "notes"
    """An account was told a note of another account, or other notes than it has made."""
    PROGRESS = "progress"
    """A table that could play does not."""
    DELAY = "delay"
    """An observer is told something before its time, or a player later than others."""
    ORDER = "order"
    """A viewer's events have a gap, or two viewers were told different things."""
    SNAPSHOT = "snapshot"
    """A snapshot is not what the events before it give."""
    ANSWER = "answer"
    """A request has no answer, or more than one."""
    FAULT = "fault"
    """The room raised, or a table froze, without an injected fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One broken promise; `at_s` is virtual time since the simulation began."""

    kind: Kind
    table: str
    hand_id: str
    at_s: float
    line: str

    def __str__(self) -> str:
        """One line."""
        where = " ".join(part for part in (self.table, self.hand_id and f"hand {self.hand_id}") if part)
        return f"{self.kind} at {self.at_s:.3f} s{', ' if where else ''}{where}: {self.line}"


Blame = Callable[[Kind, str, str, str], None]
"""Notes a violation: kind, table or "", hand or "", and what is wrong."""


def place_of(error: BaseException) -> str:
    """Where an exception was raised, the innermost place first."""
    frames = traceback.extract_tb(error.__traceback__)
    return "".join(f" < {Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-4:]))
