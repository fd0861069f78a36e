"""What a client may know of any tournament, of one table or of many: its state, its players, its tables.

The facts are those that the lobby shows: chips as of the last finished hands, never a card.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from ._answers import Answer
from ._chip_sales import PurchaseKind
from ._declarations import LOGGED_IN, NOW_MS, declare, declare_request
from ._fields import (
    Amount,
    Game,
    Millis,
    PlaceNumber,
    PlayerName,
    RequestId,
    SeatNumber,
    Structure,
    TableId,
    TournamentId,
)
from ._requests import Request
from ._sit_and_go import SngLevel
from ._tournament_fields import (
    PAGE_MAX,
    Bounty,
    BountyKind,
    BuyIn,
    CurrentPhase,
    DisplayName,
    EntriesBought,
    EntriesMax,
    EntryFee,
    Guarantee,
    LevelUnit,
    OfferId,
    Offset,
    PageSize,
    PlayersEntered,
    PlayersLeft,
    TableSeats,
)
from ._views import LevelView

Rank = Annotated[int, Meta(ge=1, le=100_000)]
SearchText = Annotated[str, Meta(min_length=1, max_length=20)]
EntryStatus = Literal["registered", "playing", "out"]

# --- requests ---------------------------------------------------------------------------------------------------


class GetTournament(Request, frozen=True, kw_only=True, tag="get_tournament"):
    """Request the state of a tournament: before, during and after it."""

    tournament: TournamentId


declare_request(
    GetTournament(id=34, tournament="six.17"),
    sender=LOGGED_IN,
    answers="tournament",
    refusals="unknown_tournament",
)


class GetTournamentRanks(Request, frozen=True, kw_only=True, tag="get_tournament_ranks"):
    """Request players of a tournament, the best rank first."""

    tournament: TournamentId
    offset: Offset = 0
    count: PageSize = PAGE_MAX
    name: Annotated[
        SearchText | None,
        Meta(description="Only players with this text in their name, in small or large letters"),
    ] = None


declare_request(
    GetTournamentRanks(id=35, tournament="six.17"),
    GetTournamentRanks(id=35, tournament="sunday.3", offset=100, count=50, name="ad"),
    sender=LOGGED_IN,
    answers="tournament_ranks",
    refusals="unknown_tournament",
)


class GetTournamentTables(Request, frozen=True, kw_only=True, tag="get_tournament_tables"):
    """Request open tables of a tournament, by their numbers."""

    tournament: TournamentId
    offset: Offset = 0
    count: PageSize = PAGE_MAX


declare_request(
    GetTournamentTables(id=36, tournament="sunday.3"),
    sender=LOGGED_IN,
    answers="tournament_tables",
    refusals="unknown_tournament",
)

TournamentMessage = GetTournament | GetTournamentRanks | GetTournamentTables

# --- parts ------------------------------------------------------------------------------------------------------


class TournamentRank(Struct, frozen=True, kw_only=True):
    """A player of a tournament.

    Players in are ranked by their chips after their last finished hand; equal stacks share a rank. Players out follow.
    """

    rank: Annotated[
        Rank | None, Meta(description="Rank, or the place of a player who is out; null before the start")
    ]
    name: PlayerName
    stack: Annotated[
        Amount | None, Meta(description="Chips after the last finished hand; null before the start")
    ]
    table: Annotated[TableId | None, Meta(description="The player's table; null if the player is not in")] = (
        None
    )
    seat: SeatNumber | None = None
    status: Annotated[EntryStatus, Meta(description="State of the entry")]
    place: Annotated[PlaceNumber | None, Meta(description="Place, once it is given")] = None
    prize: Annotated[Amount, Meta(description="Prize of the place; 0 without one")] = 0
    head: Annotated[Amount, Meta(description="Bounty on the player's head; 0 once the player is out")] = 0
    bounties: Annotated[Amount, Meta(description="What the player was paid of heads so far")] = 0


class TournamentTable(Struct, frozen=True, kw_only=True):
    """An open table of a tournament; the amounts are stacks after its last finished hand."""

    table: TableId
    players: Annotated[int, Meta(ge=0, description="Number of players in")]
    smallest: Amount
    largest: Amount
    average: Annotated[Amount, Meta(description="Rounded down")]


class ChipSaleState(Struct, frozen=True, kw_only=True):
    """What a tournament sells beside its entries: rebuys, or the add-on."""

    kind: PurchaseKind
    price: Annotated[Amount, Meta(description="All that you pay")]
    fee: Annotated[Amount, Meta(description="The part of it that is not in the prizes")]
    chips: Amount
    most: Annotated[int, Meta(ge=1, description="How many each player can buy")]
    levels: Annotated[
        int,
        Meta(
            ge=1,
            description="Rebuys are sold until the end of this level, the add-on in the break after it",
        ),
    ]
    stack_max: Annotated[
        Amount | None, Meta(description="The largest stack after your last hand; null: any stack but none")
    ] = None
    sold: Annotated[int, Meta(ge=0, description="How many were bought so far, by all players")]
    yours: Annotated[int, Meta(ge=0, description="How many of them you have bought")]
    open_to_you: Annotated[bool, Meta(description="You can buy one now")]


class DealBounds(Struct, frozen=True, kw_only=True):
    """When the players left at the final table may make a deal, and what it leaves."""

    players_max: Annotated[int, Meta(ge=2, le=10, description="So many players are left, or fewer")]
    leave_bps: Annotated[
        int,
        Meta(ge=0, le=10_000, description="The least part of the unpaid prizes for the winner, in 1/100 %"),
    ]


class SatelliteSeats(Struct, frozen=True, kw_only=True):
    """What a satellite pays: the first places are tickets for another offer, and what is left over is money."""

    offer: OfferId
    value: Annotated[Amount, Meta(description="Value of a ticket; each of the first prizes has one")]
    seats: Annotated[
        int, Meta(ge=0, description="Number of tickets, by the entries so far; it ends with so many players")
    ]


# --- answers ----------------------------------------------------------------------------------------------------


class TournamentState(Answer, frozen=True, kw_only=True, tag="tournament"):
    """Answer to `get_tournament`. Money is in the smallest unit; stacks and blinds are tournament chips."""

    re: RequestId
    tournament: TournamentId
    offer: OfferId
    name: DisplayName
    phase: CurrentPhase
    game: Game
    structure: Structure
    seats: Annotated[int, Meta(ge=2, le=10_000, description="Maximum number of players")]
    table_seats: TableSeats
    buy_in: BuyIn
    fee: EntryFee
    bounty: Bounty = 0
    bounty_kind: BountyKind = None
    starting_stack: Amount
    level_unit: LevelUnit
    levels: Annotated[list[SngLevel], Meta(description="Levels in order")]
    starts_ms: Annotated[
        Millis | None, Meta(description="Time of the start as announced; null if it starts when it is full")
    ]
    started_ms: Millis | None
    ended_ms: Millis | None
    registration_open: Annotated[bool, Meta(description="Players can enter")]
    late_levels: Annotated[
        int,
        Meta(ge=0, description="Registration closes at the end of this level, or earlier; 0: at the start"),
    ]
    entries_max: EntriesMax
    entries: EntriesBought
    players: PlayersEntered
    left: PlayersLeft
    tables: Annotated[int, Meta(ge=0, description="Number of open tables")]
    chips: Annotated[Amount, Meta(description="Chips in play")]
    average: Annotated[Amount | None, Meta(description="Average stack, rounded down; null before the start")]
    largest: Annotated[Amount | None, Meta(description="Largest stack; null before the start")]
    smallest: Annotated[
        Amount | None, Meta(description="Smallest stack of a player in; null before the start")
    ]
    level: Annotated[
        LevelView | None,
        Meta(
            description="Level of the next hand; null if the tournament does not run, and for moments of a start"
        ),
    ]
    next_level: Annotated[
        LevelView | None,
        Meta(description="The level after it, without its end; null after the last level, likewise"),
    ]
    paused: Annotated[bool, Meta(description="The operator has paused it")]
    break_until_ms: Annotated[Millis | None, Meta(description="End of the break; null if there is none")]
    hand_for_hand: Annotated[
        bool,
        Meta(
            description="All tables deal together until the next player is out, or the final table is formed"
        ),
    ]
    guarantee: Guarantee
    overlay: Annotated[Amount, Meta(description="Part of the pool that the house adds for the guarantee")]
    pool: Annotated[Amount, Meta(description="Sum of the prizes")]
    provisional: Annotated[
        bool,
        Meta(description="The prizes are by the entries so far: they are fixed when registration closes"),
    ]
    prizes: Annotated[
        list[Amount], Meta(description="Best place first; its length is the number of paid places")
    ]
    next_payout: Annotated[
        Amount | None,
        Meta(description="Prize of the next player out; null if none is paid then, or after the end"),
    ]
    you: Annotated[TournamentRank | None, Meta(description="Your entry; null if you have none")]
    sales: Annotated[list[ChipSaleState], Meta(description="Rebuys and the add-on that it sells")] = field(
        default_factory=list
    )
    satellite: Annotated[
        SatelliteSeats | None, Meta(description="The tickets that it pays; null: it pays money")
    ] = None
    deals: Annotated[
        DealBounds | None, Meta(description="The deals that players may make; null: none are possible")
    ] = None
    hand_for_hand_ties: Annotated[
        Literal["stack", "share"],
        Meta(
            description="Players out in one hand while all tables deal together: places by their stacks at its start, "
            "or all tie and share the prizes of their places"
        ),
    ] = "stack"


_LEVELS: Final = [
    SngLevel(small_blind=10, big_blind=20, length=300),
    SngLevel(small_blind=15, big_blind=30, length=300),
]
_YOU: Final = TournamentRank(rank=2, name="ada", stack=2_500, table="six.17", seat=1, status="playing")

declare(
    TournamentState(
        re=34,
        tournament="six.17",
        offer="six",
        name="Six players 3.00 #17",
        phase="running",
        game="holdem",
        structure="no_limit",
        seats=6,
        table_seats=6,
        buy_in=300,
        fee=60,
        starting_stack=1_500,
        level_unit="seconds",
        levels=_LEVELS,
        starts_ms=None,
        started_ms=NOW_MS,
        ended_ms=None,
        registration_open=False,
        late_levels=0,
        entries_max=1,
        entries=6,
        players=6,
        left=4,
        tables=1,
        chips=9_000,
        average=2_250,
        largest=3_000,
        smallest=1_500,
        level=LevelView(level=1, small_blind=10, big_blind=20, ends_ms=NOW_MS + 300_000),
        next_level=LevelView(level=2, small_blind=15, big_blind=30),
        paused=False,
        break_until_ms=None,
        hand_for_hand=False,
        guarantee=0,
        overlay=0,
        pool=1_440,
        provisional=False,
        prizes=[1_000, 440],
        next_payout=None,
        you=_YOU,
        deals=DealBounds(players_max=4, leave_bps=1_000),
    ),
    TournamentState(
        re=34,
        tournament="six.18",
        offer="six",
        name="Six players 3.00 #18",
        phase="registering",
        game="holdem",
        structure="no_limit",
        seats=6,
        table_seats=6,
        buy_in=300,
        fee=60,
        starting_stack=1_500,
        level_unit="seconds",
        levels=_LEVELS,
        starts_ms=None,
        started_ms=None,
        ended_ms=None,
        registration_open=True,
        late_levels=0,
        entries_max=1,
        entries=1,
        players=1,
        left=1,
        tables=0,
        chips=0,
        average=None,
        largest=None,
        smallest=None,
        level=None,
        next_level=None,
        paused=False,
        break_until_ms=None,
        hand_for_hand=False,
        guarantee=0,
        overlay=0,
        pool=1_440,
        provisional=False,
        prizes=[1_000, 440],
        next_payout=None,
        you=None,
    ),
)


class TournamentRanks(Answer, frozen=True, kw_only=True, tag="tournament_ranks"):
    """Answer to `get_tournament_ranks`."""

    re: RequestId
    tournament: TournamentId
    total: Annotated[int, Meta(ge=0, description="Number of all rows, with `name` of those that match")]
    offset: Offset
    ranks: Annotated[list[TournamentRank], Meta(description="The best rank first")]


declare(
    TournamentRanks(
        re=35,
        tournament="six.17",
        total=6,
        offset=0,
        ranks=[
            TournamentRank(
                rank=1, name="lou", stack=3_000, table="six.17", seat=5, status="playing", head=150
            ),
            _YOU,
            TournamentRank(rank=5, name="kim", stack=0, status="out", place=5, bounties=50),
        ],
    ),
)


class TournamentTables(Answer, frozen=True, kw_only=True, tag="tournament_tables"):
    """Answer to `get_tournament_tables`."""

    re: RequestId
    tournament: TournamentId
    total: Annotated[int, Meta(ge=0, description="Number of all open tables")]
    offset: Offset
    tables: Annotated[list[TournamentTable], Meta(description="By their numbers")]


declare(
    TournamentTables(
        re=36,
        tournament="sunday.3",
        total=2,
        offset=0,
        tables=[
            TournamentTable(table="sunday.3", players=9, smallest=1_200, largest=21_000, average=9_800),
            TournamentTable(table="sunday.3-2", players=8, smallest=2_900, largest=17_500, average=10_100),
        ],
    ),
)

TournamentAnswer = TournamentState | TournamentRanks | TournamentTables
