"""When a decision is due, as the action clock of a table has it."""

from __future__ import annotations

from msgspec import Struct


class Deadline(Struct, frozen=True, kw_only=True):
    """The two times of a decision, in milliseconds since the epoch, and the time bank."""

    countdown_ms: int
    deadline_ms: int
    time_bank_ms: int = 0
    """What the player's time bank adds once the deadline has come."""
    in_time_bank: bool = False
    """The time bank runs: the deadline is its end."""
