"""Messages that protect a player: limits, exclusion, reality checks."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._declarations import LOGGED_IN, NOW_MS, declare, declare_request
from ._fields import LimitName, LimitValue, Millis, PresentPassword, RequestId
from ._requests import Request


class GetLimits(Request, frozen=True, kw_only=True, tag="get_limits"):
    """Request the limits of the account."""


declare_request(
    GetLimits(id=47),
    sender=LOGGED_IN,
    answers="limits",
)


class SetLimit(Request, frozen=True, kw_only=True, tag="set_limit"):
    """Set a limit. A lower one holds at once; a higher one, or none, after you set it again from `wanted_from_ms` on.

    The present value withdraws an increase.
    """

    limit: LimitName
    value: Annotated[LimitValue | None, Meta(description="null: none")] = None


declare_request(
    SetLimit(id=48, limit="loss_week", value=50_000),
    SetLimit(id=48, limit="session_day"),
    sender=LOGGED_IN,
    answers="limits",
)


class Exclude(Request, frozen=True, kw_only=True, tag="exclude"):
    """Exclude yourself from play. It cannot be lifted or shortened, not by the operator either.

    You leave your seats, those in a hand after it. Registrations for sit-and-gos that have not started are returned.
    """

    length: Annotated[
        Literal["day", "week", "two_weeks", "month", "six_weeks", "half_year", "year", "five_years", "ever"],
        Meta(description="24 hours to six weeks, half a year (183 days) or more; a month is 30 days"),
    ]
    password: Annotated[
        PresentPassword | None, Meta(description="Needed from half a year on; not for less")
    ] = None


declare_request(
    Exclude(id=49, length="week"),
    Exclude(id=49, length="ever", password="correct horse"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="limits",
    refusals="bad_credentials log_in_delayed",
)


class LimitView(Struct, frozen=True, kw_only=True):
    """One limit of the account."""

    limit: LimitName
    value: Annotated[LimitValue | None, Meta(description="The player's; null: none")]
    cap: Annotated[LimitValue | None, Meta(description="The operator's: the lower holds; null: none")]
    used: Annotated[int, Meta(description="In the present window; below 0: won")]
    ends_ms: Annotated[Millis, Meta(description="End of the present window")]
    wanted: Annotated[
        LimitValue | None, Meta(description="Increase that waits; null with a time: no limit")
    ] = None
    wanted_from_ms: Annotated[
        Millis | None, Meta(description="From then on the player may confirm the increase; null: none waits")
    ] = None


class Limits(Answer, frozen=True, kw_only=True, tag="limits"):
    """Answer to `get_limits`, `set_limit` and `exclude`."""

    re: RequestId
    limits: Annotated[list[LimitView], Meta(description="All limits, also those that are not set")]
    excluded: Annotated[bool, Meta(description="The account is excluded from play")] = False
    excluded_until_ms: Annotated[
        Millis | None, Meta(description="End of the exclusion; null: it has no end, or there is none")
    ] = None


declare(
    Limits(
        re=47,
        limits=[
            LimitView(limit="deposit_day", value=10_000, cap=None, used=2_500, ends_ms=NOW_MS + 3_600_000),
            LimitView(
                limit="loss_week",
                value=50_000,
                cap=80_000,
                used=-1_200,
                ends_ms=NOW_MS + 86_400_000,
                wanted=60_000,
                wanted_from_ms=NOW_MS + 7_200_000,
            ),
        ],
    ),
)


class RealityCheck(Answer, frozen=True, kw_only=True, tag="reality_check"):
    """You have played for another `reality_check_min` minutes. The player asked to be told."""

    played_s: Annotated[int, Meta(ge=0, description="Time of play on this day (UTC), seconds")]
    net: Annotated[
        int,
        Meta(
            description="Won (or below 0: lost) on this day, with stacks; without rounds and sit-and-gos in progress"
        ),
    ]


declare(
    RealityCheck(played_s=3_600, net=-12_500),
)


class SessionLimit(Answer, frozen=True, kw_only=True, tag="session_limit"):
    """Your time of play is nearly used up, or it is: then you sit out after the hand, and leave."""

    left_s: Annotated[int, Meta(ge=0, description="Time that is left, seconds; 0: none")]
    until_ms: Annotated[Millis, Meta(description="End of the window: from then on you may play again")]


declare(
    SessionLimit(left_s=240, until_ms=NOW_MS + 3_600_000),
)


class ChatMuted(Answer, frozen=True, kw_only=True, tag="chat_muted"):
    """An operator has taken your right to chat, or you may chat again. Also sent after a log-in in that time."""

    until_ms: Annotated[Millis | None, Meta(description="When you may chat again; null: now")]


declare(
    ChatMuted(until_ms=NOW_MS + 3_600_000),
)


ProtectionNotice = RealityCheck | SessionLimit | ChatMuted
"""Sent to all connections of the account."""

ProtectionMessage = GetLimits | SetLimit | Exclude
ProtectionAnswer = Limits
