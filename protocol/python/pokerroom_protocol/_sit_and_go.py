"""Sit-and-gos around their tables: what is offered, registration, standings. See `messages`, which re-exports it.

A tournament is played at the table that has its id; what happens there are the table's events.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._fields import Amount, RequestId, SeatNumber, TableId, TournamentPhase
from ._requests import Request

OfferId = Annotated[str, Meta(min_length=1, max_length=24, pattern=r"^[a-z0-9][a-z0-9-]*$(?!\n)")]

# --- requests ---------------------------------------------------------------------------------------------------


class ListSitAndGos(Request, frozen=True, kw_only=True, tag="list_sit_and_gos"):
    """Asks what sit-and-gos are offered, and which are filling or running. Answered by `sit_and_gos`."""


class RegisterSng(Request, frozen=True, kw_only=True, tag="register_sng"):
    """Takes a seat in the offer's next tournament; the buy-in leaves the wallet. Answered by `sng_registered`.

    An account has one seat at a time in the tournaments of an offer that take entries (`already_registered`).
    """

    offer: OfferId


class UnregisterSng(Request, frozen=True, kw_only=True, tag="unregister_sng"):
    """Gives that seat back before the start, and gets the buy-in back. Answered by `ok`.

    Refused with `not_registered`, or with `registration_closed` once the tournament has started.
    """

    offer: OfferId


class GetStandings(Request, frozen=True, kw_only=True, tag="get_standings"):
    """Asks how a tournament stands, or how it ended, however long ago. Answered by `standings`."""

    tournament: TableId


SitAndGoMessage = ListSitAndGos | RegisterSng | UnregisterSng | GetStandings

# --- parts ------------------------------------------------------------------------------------------------------


class SngLevel(Struct, frozen=True, kw_only=True):
    """One level of a schedule. Blinds and antes are tournament chips."""

    small_blind: Amount
    big_blind: Amount
    length: Annotated[int, Meta(ge=1, description="In seconds or hands, as the offer says")]
    small_bet: Annotated[Amount | None, Meta(description="Fixed limit: pre-flop and flop")] = None
    big_bet: Annotated[Amount | None, Meta(description="Fixed limit: turn and river")] = None
    ante: Amount = 0
    big_blind_ante: Amount = 0
    break_s: Annotated[int, Meta(ge=0, description="A break of so many seconds after it")] = 0


class SngFilling(Struct, frozen=True, kw_only=True):
    """A tournament that takes entries."""

    tournament: TableId
    taken: Annotated[int, Meta(ge=0, description="Seats that are taken")]


class SngRunning(Struct, frozen=True, kw_only=True):
    """A tournament that is played: `observe` the table of this id."""

    tournament: TableId
    left: Annotated[int, Meta(ge=0, description="Players who have not finished")]


class SitAndGoInfo(Struct, frozen=True, kw_only=True):
    """One offer. Money is in the smallest unit, as everywhere; stacks and blinds are tournament chips."""

    offer: OfferId
    name: str
    game: Literal["holdem"]
    structure: Literal["no_limit", "pot_limit", "fixed_limit"]
    seats: Annotated[int, Meta(ge=2, le=10)]
    buy_in: Annotated[Amount, Meta(description="All that a player pays")]
    fee: Annotated[Amount, Meta(description="What the house keeps of it")]
    prizes: Annotated[list[Amount], Meta(description="The best place first")]
    starting_stack: Amount
    level_unit: Literal["seconds", "hands"]
    levels: list[SngLevel]
    filling: Annotated[list[SngFilling], Meta(description="The first is the one that fills next")]
    running: Annotated[list[SngRunning], Meta(description="The newest, 100 at most")]
    running_count: Annotated[int, Meta(ge=0, description="How many are played in all")]
    your_tournament: Annotated[
        TableId | None, Meta(description="Where you are registered, and which has not started")
    ] = None


class SngPlayer(Struct, frozen=True, kw_only=True):
    """Somebody who is registered for a tournament, or plays it, or has played it."""

    name: str
    seat: Annotated[SeatNumber | None, Meta(description="Drawn at the start")] = None
    stack: Annotated[Amount | None, Meta(description="After the last finished hand; 0 for who is out")] = None


class SngPlace(Struct, frozen=True, kw_only=True):
    """Where somebody has finished. `number` is his alone, `place` is shared by who tie."""

    number: Annotated[int, Meta(ge=1, le=10)]
    place: Annotated[int, Meta(ge=1, le=10)]
    name: str
    prize: Amount
    paid: Annotated[bool, Meta(description="The prize is in the wallet")]


# --- answers, and what an account is told -------------------------------------------------------------------------


class SitAndGos(Answer, frozen=True, kw_only=True, tag="sit_and_gos"):
    """Answer to `list_sit_and_gos`."""

    re: RequestId
    sit_and_gos: list[SitAndGoInfo]


class SngRegistered(Answer, frozen=True, kw_only=True, tag="sng_registered"):
    """Answer to `register_sng`: the seat is yours, and paid for. The tournament starts when all are taken."""

    re: RequestId
    offer: OfferId
    tournament: TableId
    buy_in: Amount


class Standings(Answer, frozen=True, kw_only=True, tag="standings"):
    """Answer to `get_standings`."""

    re: RequestId
    tournament: TableId
    offer: OfferId
    phase: TournamentPhase
    seats: Annotated[int, Meta(ge=2, le=10)]
    buy_in: Amount
    fee: Amount
    prizes: list[Amount]
    players: Annotated[
        list[SngPlayer], Meta(description="By seat; before the start in the order in which they came")
    ]
    places: Annotated[list[SngPlace], Meta(description="The best first; complete once it has ended")]


class SngStarted(Answer, frozen=True, kw_only=True, tag="sng_started"):
    """Your tournament has started: `observe` the table, where your seat is drawn. May come again after a failure."""

    tournament: TableId
    table: TableId
    seat: SeatNumber


class SngPrizePaid(Answer, frozen=True, kw_only=True, tag="sng_prize_paid"):
    """Your prize is in your wallet. Paid once; this message may come again after a failure."""

    tournament: TableId
    place: Annotated[int, Meta(ge=1, le=10)]
    prize: Amount


class SngRefunded(Answer, frozen=True, kw_only=True, tag="sng_refunded"):
    """Your buy-in is back in your wallet: the operator has cancelled the tournament, or rolled it back."""

    tournament: TableId
    amount: Amount
    reason: Literal["cancelled", "rolled_back"]


SngNotice = SngStarted | SngPrizePaid | SngRefunded
"""What an account is told of its tournaments, wherever it is connected."""
