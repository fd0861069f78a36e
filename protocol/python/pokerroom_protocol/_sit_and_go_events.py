"""What happens at a tournament's table beside its hands. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ._events import Event
from ._fields import Amount, Millis, SeatNumber
from ._views import LevelView


class LevelStarted(Event, frozen=True, kw_only=True, tag="level_started"):
    """A new level, from the next hand on. Before a break its clock stands: `break_ended` says when it ends."""

    level: LevelView


class BreakStarted(Event, frozen=True, kw_only=True, tag="break_started"):
    """No hand is dealt until then."""

    until_ms: Millis


class BreakEnded(Event, frozen=True, kw_only=True, tag="break_ended"):
    """The next hand may be dealt, and the clock of the level goes on."""

    level: LevelView


class TournamentPaused(Event, frozen=True, kw_only=True, tag="tournament_paused"):
    """By the operator: no hand is dealt after the one in progress, and the clocks of level and break stand."""


class TournamentResumed(Event, frozen=True, kw_only=True, tag="tournament_resumed"):
    """It goes on from where it stood."""

    level: LevelView
    break_until_ms: Annotated[Millis | None, Meta(description="A break goes on until then")] = None


class PlayerPlaced(Event, frozen=True, kw_only=True, tag="player_placed"):
    """Somebody has finished, and his seat is empty. `number` is his alone, `place` is shared by who tie.

    The prize is his: it is paid in a moment, whatever happens to the table.
    """

    seat: SeatNumber
    name: str
    number: Annotated[int, Meta(ge=1, le=10)]
    place: Annotated[int, Meta(ge=1, le=10)]
    prize: Amount


class TournamentEnded(Event, frozen=True, kw_only=True, tag="tournament_ended"):
    """Nothing more is played: the table is gone in a moment. `get_standings` tells for ever how it ended."""

    phase: Literal["finished", "rolled_back", "rolled_forward"]


TournamentEvent = (
    LevelStarted
    | BreakStarted
    | BreakEnded
    | TournamentPaused
    | TournamentResumed
    | PlayerPlaced
    | TournamentEnded
)
