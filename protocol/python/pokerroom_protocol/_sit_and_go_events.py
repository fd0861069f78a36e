"""Events of a tournament's table apart from its hands."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ._deals import DealEvent
from ._declarations import declare_event
from ._events import Event
from ._fields import Amount, Millis, PlaceNumber, PlayerName, SeatNumber, StandingsNumber
from ._views import LevelView


class LevelStarted(Event, frozen=True, kw_only=True, tag="level_started"):
    """A new level applies from the next hand on. Before a break its clock stands until `break_ended`."""

    level: Annotated[LevelView, Meta(description="Level from the next hand on")]


declare_event(
    LevelStarted(
        table="six.17",
        seq=40,
        level=LevelView(level=2, small_blind=15, big_blind=30, ante=5, ends_ms=1_760_000_300_000),
    ),
    LevelStarted(
        table="limit-two.1",
        seq=41,
        level=LevelView(
            level=1, small_blind=10, big_blind=20, small_bet=20, big_bet=40, hands_left=10, big_blind_ante=20
        ),
    ),
    changes="`tournament.level`, and with it the blinds, bets and antes of `info`",
)


class BreakStarted(Event, frozen=True, kw_only=True, tag="break_started"):
    """No hand is dealt until `until_ms`."""

    until_ms: Millis


declare_event(
    BreakStarted(table="six.17", seq=42, until_ms=1_760_000_060_000),
    changes="`tournament.break_until_ms`",
)


class BreakEnded(Event, frozen=True, kw_only=True, tag="break_ended"):
    """Hands are dealt again, and the clock of the level runs."""

    level: Annotated[LevelView, Meta(description="Level that begins")]


declare_event(
    BreakEnded(
        table="six.17",
        seq=43,
        level=LevelView(level=3, small_blind=25, big_blind=50, ends_ms=1_760_000_360_000),
    ),
    changes="as `level_started`; `break_until_ms` becomes null",
)


class TournamentPaused(Event, frozen=True, kw_only=True, tag="tournament_paused"):
    """The operator paused the tournament: no further hand is dealt, and the clocks of level and break stand."""


declare_event(
    TournamentPaused(table="six.17", seq=44),
    changes="`paused`; `break_until_ms` and `level.ends_ms` become null",
)


class TournamentResumed(Event, frozen=True, kw_only=True, tag="tournament_resumed"):
    """The tournament goes on where it stopped."""

    level: Annotated[LevelView, Meta(description="Current level of the clock")]
    break_until_ms: Annotated[Millis | None, Meta(description="End of the current break")] = None


declare_event(
    TournamentResumed(
        table="six.17",
        seq=45,
        level=LevelView(level=3, small_blind=25, big_blind=50),
        break_until_ms=1_760_000_090_000,
    ),
    changes="as `level_started`; not `paused`; `break_until_ms` as in the event",
)


class PlayerPlaced(Event, frozen=True, kw_only=True, tag="player_placed"):
    """A player is out, and the seat is empty. `number` is unique; tied players share `place`.

    `seat` is null where the player sat at another table. The prize is certain, and is paid in a moment.
    """

    seat: SeatNumber | None
    name: PlayerName
    number: StandingsNumber
    place: PlaceNumber
    prize: Amount


declare_event(
    PlayerPlaced(table="six.17", seq=46, seat=5, name="kim", number=2, place=2, prize=440),
    changes="as `seat_left` if there is a `seat`; add the place to `places`, best `number` first",
)


class BountyWon(Event, frozen=True, kw_only=True, tag="bounty_won"):
    """A player has won the head of another one, or a share of it. It is told between hands, once the ledger is asked.

    `cash` is in the player's wallet already, `head` is the bounty on the player now. Money is in the smallest unit.
    """

    seat: Annotated[
        SeatNumber | None, Meta(description="The player's seat; null if the player has moved away")
    ]
    name: PlayerName
    out: Annotated[PlayerName, Meta(description="Name of the player who is out")]
    cash: Amount
    head: Amount


declare_event(
    BountyWon(table="sunday.3", seq=47, seat=2, name="ada", out="kim", cash=200, head=600),
    BountyWon(table="sunday.3", seq=48, seat=None, name="lou", out="kim", cash=0, head=401),
    changes="nothing",
)


class TournamentEnded(Event, frozen=True, kw_only=True, tag="tournament_ended"):
    """The tournament is over, and its table closes in a moment. `get_standings` keeps the result."""

    phase: Annotated[
        Literal["finished", "rolled_back", "rolled_forward"],
        Meta(description="Current phase, or how the tournament ended"),
    ]


declare_event(
    TournamentEnded(table="six.17", seq=47, phase="finished"),
    changes="`tournament.phase`; its `level` has no meaning any more",
)


TournamentEvent = (
    LevelStarted
    | BreakStarted
    | BreakEnded
    | TournamentPaused
    | TournamentResumed
    | PlayerPlaced
    | BountyWon
    | DealEvent
    | TournamentEnded
)
