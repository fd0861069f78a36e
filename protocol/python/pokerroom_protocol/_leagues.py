"""Leagues: tables of players over the tournaments of some offers, for a week, a month, a year or for ever."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._declarations import LOGGED_IN, NOW_MS, declare, declare_request
from ._fields import Millis, PlayerName, RequestId
from ._requests import Request
from ._tournament_fields import PAGE_MAX, DisplayName, OfferId, Offset, PageSize

LeagueId = Annotated[
    str,
    Meta(min_length=1, max_length=24, pattern=r"^[a-z0-9][a-z0-9-]*$(?!\n)", description="Id of a league"),
]
LeaguePeriodName = Annotated[
    Literal["week", "month", "year", "ever"],
    Meta(description="Period of a table; a week begins on Monday. `ever`: there is one table"),
]
LeagueScoreName = Annotated[
    Literal["points", "net", "prizes"],
    Meta(
        description="What a tournament counts: points (L17), prizes and bounties without what was paid, or prizes and "
        "bounties"
    ),
]
Score = Annotated[
    int,
    Meta(
        ge=-(2**53) + 1,
        le=2**53 - 1,
        description="In hundredths of a point, or in the smallest unit; `net` may be negative",
    ),
]

# --- requests ---------------------------------------------------------------------------------------------------


class GetLeagues(Request, frozen=True, kw_only=True, tag="get_leagues"):
    """Request the leagues of the room."""


declare_request(GetLeagues(id=81), sender=LOGGED_IN, answers="leagues")


class GetLeague(Request, frozen=True, kw_only=True, tag="get_league"):
    """Request players of a league, the best rank first. The table is at most ten seconds old."""

    league: LeagueId
    back: Annotated[
        int,
        Meta(ge=0, le=1_000, description="Number of periods before the current one; ignored for `ever`"),
    ] = 0
    offset: Offset = 0
    count: PageSize = PAGE_MAX
    around_you: Annotated[
        bool,
        Meta(
            description="The page with your own rank in the middle, if you have one, whatever `offset` says"
        ),
    ] = False


declare_request(
    GetLeague(id=82, league="winter"),
    GetLeague(id=82, league="winter", back=1, count=10, around_you=True),
    sender=LOGGED_IN,
    answers="league",
    refusals="unknown_league",
)

LeagueMessage = GetLeagues | GetLeague

# --- parts ------------------------------------------------------------------------------------------------------


class LeagueLine(Struct, frozen=True, kw_only=True):
    """A league, and what counts in it."""

    league: LeagueId
    name: DisplayName
    offers: Annotated[list[OfferId], Meta(description="Tournaments of these offers count")]
    period: LeaguePeriodName
    score: LeagueScoreName
    best: Annotated[int, Meta(ge=0, description="So many best tournaments of each player count; 0: all")]


class LeagueRank(Struct, frozen=True, kw_only=True):
    """A player of a league. House bots have no rank.

    Of equal scores the one with more wins is first, then the one that was reached earlier; otherwise a rank is shared.
    """

    rank: Annotated[int, Meta(ge=1, le=100_000, description="Rank in the league, 1 is the best")]
    name: PlayerName
    score: Score
    played: Annotated[int, Meta(ge=1, description="Number of tournaments of the period with this player")]
    counted: Annotated[int, Meta(ge=1, description="How many of them are in the score")]
    wins: Annotated[int, Meta(ge=0, description="Number of first places")]


# --- answers ----------------------------------------------------------------------------------------------------

_WINTER = LeagueLine(
    league="winter", name="Winter league", offers=["sunday", "six"], period="month", score="points", best=10
)
_BOB = LeagueRank(rank=2, name="bob", score=9_173, played=12, counted=10, wins=0)


class Leagues(Answer, frozen=True, kw_only=True, tag="leagues"):
    """Answer to `get_leagues`; a room may have none."""

    re: RequestId
    leagues: Annotated[list[LeagueLine], Meta(description="In the order of the settings")]


declare(Leagues(re=81, leagues=[_WINTER]))


class League(Answer, frozen=True, kw_only=True, tag="league"):
    """Answer to `get_league`."""

    re: RequestId
    league: Annotated[LeagueLine, Meta(description="The league, and what counts in it")]
    from_ms: Annotated[Millis | None, Meta(description="Start of the period; null for `ever`")]
    until_ms: Annotated[Millis | None, Meta(description="Start of the next period; null for `ever`")]
    total: Annotated[int, Meta(ge=0, description="Number of players with a rank: 10,000 at most")]
    offset: Annotated[int, Meta(ge=0, description="Number of players before the first one here")]
    ranks: Annotated[list[LeagueRank], Meta(description="The best rank first")]
    you: Annotated[LeagueRank | None, Meta(description="Your own rank; null if you have none")]


declare(
    League(
        re=82,
        league=_WINTER,
        from_ms=NOW_MS,
        until_ms=NOW_MS + 31 * 86_400_000,
        total=2,
        offset=0,
        ranks=[LeagueRank(rank=1, name="ada", score=27_519, played=3, counted=3, wins=1), _BOB],
        you=_BOB,
    )
)

LeagueAnswer = Leagues | League
