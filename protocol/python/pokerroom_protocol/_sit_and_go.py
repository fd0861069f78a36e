"""Sit-and-gos apart from their tables: offers, registration, standings.

A tournament is played at the table that has its id; what happens there are the table's events.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._chip_sales import ChipsOffered
from ._declarations import LOGGED_IN, declare, declare_request
from ._fields import (
    Amount,
    Game,
    PlaceNumber,
    PlayerName,
    RequestId,
    SeatNumber,
    StandingsNumber,
    Structure,
    TableId,
    TournamentId,
)
from ._requests import Request
from ._tournament_fields import (
    PAGE_MAX,
    BuyIn,
    CurrentPhase,
    DealsAllowed,
    EntryFee,
    LevelUnit,
    OfferId,
    Offset,
    PageSize,
)

# --- requests ---------------------------------------------------------------------------------------------------


class ListSitAndGos(Request, frozen=True, kw_only=True, tag="list_sit_and_gos"):
    """Request the offers of sit-and-gos, and the tournaments that are filling or running."""


declare_request(
    ListSitAndGos(id=30),
    sender="any client, after `hello`",
    answers="sit_and_gos",
)


class RegisterSng(Request, frozen=True, kw_only=True, tag="register_sng"):
    """Register for the offer's next tournament; the buy-in leaves the wallet.

    An account has one seat at a time in the filling tournaments of an offer (`already_registered`).
    """

    offer: OfferId
    since: Annotated[
        TournamentId | None,
        Meta(
            description="`next` of the offer's row. If you have registered for this tournament or a later one, the "
            "answer names it, and nothing is paid: a repetition does not act twice"
        ),
    ] = None


declare_request(
    RegisterSng(id=31, offer="six"),
    RegisterSng(id=31, offer="six", since="six.17"),
    sender=LOGGED_IN,
    answers="sng_registered",
    refusals="unknown_offer unknown_tournament already_registered address_seated entries_used_up tournament_full "
    "insufficient_balance wallet_busy wallet_refused limit_reached excluded account_locked",
)


class UnregisterSng(Request, frozen=True, kw_only=True, tag="unregister_sng"):
    """Give that seat back before the start, for the whole buy-in.

    Refused with `not_registered`, or with `registration_closed` once the tournament has started.
    """

    offer: OfferId


declare_request(
    UnregisterSng(id=32, offer="six"),
    sender="registered",
    answers="ok",
    refusals="unknown_offer not_registered registration_closed",
)


class GetStandings(Request, frozen=True, kw_only=True, tag="get_standings"):
    """Request the standings of a running or ended tournament, however long ago: players and places."""

    tournament: TournamentId
    offset: Offset = 0
    count: PageSize = PAGE_MAX


declare_request(
    GetStandings(id=33, tournament="six.17"),
    GetStandings(id=33, tournament="sunday.3", offset=100, count=50),
    sender=LOGGED_IN,
    answers="standings",
    refusals="unknown_tournament",
)


SitAndGoMessage = ListSitAndGos | RegisterSng | UnregisterSng | GetStandings

# --- parts ------------------------------------------------------------------------------------------------------


class SngLevel(Struct, frozen=True, kw_only=True):
    """One level of a schedule. Blinds and antes are tournament chips.

    After the last level, each further level has its length and doubles blinds and antes, without a break. So every
    tournament ends.
    """

    small_blind: Amount
    big_blind: Amount
    length: Annotated[int, Meta(ge=1, description="In `level_unit` of the offer")]
    small_bet: Annotated[Amount | None, Meta(description="Fixed limit: pre-flop and flop")] = None
    big_bet: Annotated[Amount | None, Meta(description="Fixed limit: turn and river")] = None
    ante: Amount = 0
    big_blind_ante: Amount = 0
    break_s: Annotated[int, Meta(ge=0, description="Break after the level, in seconds")] = 0


_EXAMPLE_LEVELS: Final = [
    SngLevel(small_blind=10, big_blind=20, length=300),
    SngLevel(small_blind=15, big_blind=30, length=300, ante=5, break_s=60),
]
_EXAMPLE_FIXED_LIMIT: Final = [SngLevel(small_blind=10, big_blind=20, length=10, small_bet=20, big_bet=40)]


class SngFilling(Struct, frozen=True, kw_only=True):
    """A tournament that accepts entries."""

    tournament: TournamentId
    taken: Annotated[int, Meta(ge=0, description="Number of taken seats")]


class SngRunning(Struct, frozen=True, kw_only=True):
    """A running tournament: `observe` the table of this id."""

    tournament: TournamentId
    left: Annotated[int, Meta(ge=0, description="Number of players still in")]


class SitAndGoInfo(Struct, frozen=True, kw_only=True):
    """One offer. Money is in the smallest unit; stacks and blinds are tournament chips."""

    offer: OfferId
    name: Annotated[str, Meta(description="Display name of the offer")]
    game: Game
    structure: Structure
    seats: Annotated[int, Meta(ge=2, le=10_000, description="Exact number of players")]
    buy_in: BuyIn
    fee: EntryFee
    prizes: Annotated[list[Amount], Meta(description="Best place first")]
    starting_stack: Amount
    level_unit: LevelUnit
    levels: Annotated[
        list[SngLevel],
        Meta(
            description="Levels in order; after the last one each further level doubles all blinds and antes"
        ),
    ]
    filling: Annotated[list[SngFilling], Meta(description="The first one fills next")]
    running: Annotated[list[SngRunning], Meta(description="Newest first, at most 100")]
    running_count: Annotated[int, Meta(ge=0, description="Number of all running tournaments")]
    your_tournament: Annotated[
        TableId | None, Meta(description="Your registration in a tournament that has not started")
    ] = None
    house_bots: Annotated[
        int, Meta(description="Number of house bots that register at most, once a player has registered")
    ] = 0
    next: Annotated[
        str,
        Meta(description="For `since` of `register_sng`: no later registration is in an earlier tournament"),
    ] = ""
    deals: DealsAllowed = False


class SngPlayer(Struct, frozen=True, kw_only=True):
    """A player of a tournament, registered, playing or out."""

    name: PlayerName
    seat: Annotated[SeatNumber | None, Meta(description="Seat, drawn at the start")] = None
    stack: Annotated[
        Amount | None, Meta(description="Stack after the last finished hand; 0 if the player is out")
    ] = None


class SngPlace(Struct, frozen=True, kw_only=True):
    """The place of a player without chips. `number` is unique; tied players share `place`."""

    number: StandingsNumber
    place: PlaceNumber
    name: PlayerName
    prize: Amount
    paid: Annotated[bool, Meta(description="The prize is in the wallet; false without a prize")]


# --- answers, and what an account is told -------------------------------------------------------------------------


class SitAndGos(Answer, frozen=True, kw_only=True, tag="sit_and_gos"):
    """Answer to `list_sit_and_gos`."""

    re: RequestId
    sit_and_gos: Annotated[
        list[SitAndGoInfo], Meta(description="All offers of the room, in the order of its configuration")
    ]


declare(
    SitAndGos(
        re=30,
        sit_and_gos=[
            SitAndGoInfo(
                offer="six",
                name="Six players 3.00",
                game="holdem",
                structure="no_limit",
                seats=6,
                buy_in=300,
                fee=60,
                prizes=[1_000, 440],
                starting_stack=1_500,
                level_unit="seconds",
                levels=_EXAMPLE_LEVELS,
                filling=[SngFilling(tournament="six.18", taken=4)],
                running=[SngRunning(tournament="six.17", left=3)],
                running_count=1,
                your_tournament="six.18",
            ),
            SitAndGoInfo(
                offer="limit-two",
                name="Heads-up, fixed limit",
                game="holdem",
                structure="fixed_limit",
                seats=2,
                buy_in=1_000,
                fee=0,
                prizes=[2_000],
                starting_stack=500,
                level_unit="hands",
                levels=_EXAMPLE_FIXED_LIMIT,
                filling=[],
                running=[],
                running_count=0,
            ),
        ],
    ),
)


class SngRegistered(Answer, frozen=True, kw_only=True, tag="sng_registered"):
    """Answer to `register_sng`: the seat is yours and paid. The tournament starts when all seats are taken."""

    re: RequestId
    offer: OfferId
    tournament: TournamentId
    buy_in: Amount


declare(
    SngRegistered(re=31, offer="six", tournament="six.18", buy_in=300),
)


class Standings(Answer, frozen=True, kw_only=True, tag="standings"):
    """Answer to `get_standings`: rows of `players` and of `places` from the same `offset` on."""

    re: RequestId
    tournament: TournamentId
    offer: OfferId
    phase: CurrentPhase
    seats: Annotated[int, Meta(ge=2, le=10_000, description="Number of players")]
    buy_in: Amount
    fee: Amount
    prizes: list[Amount]
    players: Annotated[
        list[SngPlayer], Meta(description="By seat; before the start in order of registration")
    ]
    places: Annotated[list[SngPlace], Meta(description="Best first; complete at the end")]
    total: Annotated[int, Meta(ge=0, description="Number of all players; there are no more places")]
    offset: Offset


declare(
    Standings(
        re=33,
        tournament="six.17",
        offer="six",
        phase="running",
        seats=6,
        buy_in=300,
        fee=60,
        prizes=[1_000, 440],
        players=[
            SngPlayer(name="ada", seat=1, stack=2_500),
            SngPlayer(name="bob", seat=2, stack=0),
            SngPlayer(name="eve", seat=3, stack=1_500),
            SngPlayer(name="kim", seat=4, stack=0),
            SngPlayer(name="lou", seat=5, stack=3_000),
            SngPlayer(name="max", seat=6, stack=2_000),
        ],
        places=[
            SngPlace(number=5, place=5, name="kim", prize=0, paid=False),
            SngPlace(number=6, place=5, name="bob", prize=0, paid=False),
        ],
        total=6,
        offset=0,
    ),
    Standings(
        re=33,
        tournament="limit-two.1",
        offer="limit-two",
        phase="registering",
        seats=2,
        buy_in=1_000,
        fee=0,
        prizes=[2_000],
        players=[SngPlayer(name="ada")],
        places=[],
        total=1,
        offset=0,
    ),
)


class SngStarted(Answer, frozen=True, kw_only=True, tag="sng_started"):
    """Your tournament has started: `observe` that table, where your seat is.

    May be repeated after a failure.
    """

    tournament: TournamentId
    table: TableId
    seat: SeatNumber


declare(
    SngStarted(tournament="six.18", table="six.18", seat=4),
)


class SngPrizePaid(Answer, frozen=True, kw_only=True, tag="sng_prize_paid"):
    """You have your prize. It is paid once; this message may be repeated after a failure."""

    tournament: TournamentId
    place: PlaceNumber
    prize: Amount
    ticket: Annotated[
        Amount,
        Meta(
            description="The part of the prize that is a ticket; the rest is in your wallet, or chips of the club"
        ),
    ] = 0


declare(
    SngPrizePaid(tournament="six.18", place=2, prize=440),
    SngPrizePaid(tournament="step.7", place=1, prize=1_160, ticket=1_100),
)


class SngRefunded(Answer, frozen=True, kw_only=True, tag="sng_refunded"):
    """Your buy-in is back where it came from: the tournament does not go on, or its host has removed you."""

    tournament: TournamentId
    amount: Amount
    reason: Annotated[
        Literal["cancelled", "rolled_back", "removed"],
        Meta(description="Reason; `removed` is of a private sit-and-go, which goes on without you"),
    ]


declare(
    SngRefunded(tournament="six.18", amount=300, reason="cancelled"),
)


class TournamentMoved(Answer, frozen=True, kw_only=True, tag="tournament_moved"):
    """You have moved to another table of your tournament, or to another seat: `observe` that table.

    You may leave the old one. May be repeated after a failure.
    """

    tournament: TournamentId
    from_table: Annotated[
        TableId | None, Meta(description="Your table before; null if the room lost it in a failure")
    ]
    table: TableId
    seat: SeatNumber
    reason: Annotated[
        Literal["balance", "broken", "final_table"] | None,
        Meta(
            description="Your old table was too large, or was broken, or all go to the final table; null likewise"
        ),
    ]


declare(
    TournamentMoved(
        tournament="sunday.3", from_table="sunday.3-4", table="sunday.3-7", seat=3, reason="broken"
    ),
    TournamentMoved(tournament="sunday.3", from_table=None, table="sunday.3", seat=1, reason=None),
)


SitAndGoAnswer = SitAndGos | SngRegistered | Standings
SngNotice = SngStarted | SngPrizePaid | SngRefunded | TournamentMoved | ChipsOffered
"""What an account is told of its tournaments, wherever it is connected."""
