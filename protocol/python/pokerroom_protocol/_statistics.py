"""Messages about what an account may know of itself and of others: statistics of settled hands."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._declarations import LOGGED_IN, declare, declare_request
from ._fields import Amount, Game, Name, PlayerName, RequestId, Structure
from ._requests import Request

Month = Annotated[
    int, Meta(ge=197001, le=999912, description="A month (UTC): 100 times the year, and the month")
]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1, description="How often")]
Position = Annotated[
    Literal["early", "middle", "cutoff", "button", "small_blind", "big_blind"],
    Meta(description="Position at the table"),
]
Result = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1, description="Amount won; below 0, lost")]
Thousandths = Annotated[
    int,
    Meta(
        ge=-(2**53) + 1, le=2**53 - 1, description="Result as expected at each all-in, in 1/1000 of the unit"
    ),
]


class GetStatistics(Request, frozen=True, kw_only=True, tag="get_statistics"):
    """Request statistics of the account, or of another player as the account has seen that player."""

    player: Annotated[Name | None, Meta(description="Another player; null: the account itself")] = None
    first_month: Annotated[Month | None, Meta(description="Hands from this month on; null: all")] = None
    last_month: Annotated[Month | None, Meta(description="Hands up to this month; null: all")] = None

    def __post_init__(self) -> None:
        for month in (self.first_month, self.last_month):
            if month is not None and not 1 <= month % 100 <= 12:
                raise ValueError("a month ends in 01 to 12")


declare_request(
    GetStatistics(id=70),
    GetStatistics(id=70, first_month=202601, last_month=202612),
    GetStatistics(id=71, player="bob", first_month=202601, last_month=202612),
    sender=LOGGED_IN,
    answers="statistics",
    refusals="statistics_off",
)


class StakeStatisticsView(Struct, frozen=True, kw_only=True):
    """What was counted at a stake, and in a position. `protocol/account.md` defines each of the counters."""

    game: Game
    structure: Structure
    chips: Annotated[bool, Meta(description="Hands of tournaments: blinds and results are 0")]
    small_blind: Amount
    big_blind: Amount
    position: Annotated[
        Position | None,
        Meta(description="Position at the table; null: any, as in older rooms for other players"),
    ]
    hands: Count
    vpip_chances: Count
    vpip: Count
    pfr: Count
    three_bet_chances: Count
    three_bets: Count
    fold_to_three_bet_chances: Count
    folds_to_three_bet: Count
    c_bet_chances: Count
    c_bets: Count
    fold_to_c_bet_chances: Count
    folds_to_c_bet: Count
    bets: Count
    calls: Count
    flops: Count
    showdowns: Count
    showdowns_won: Count
    all_ins: Count
    won: Result
    won_squared: Annotated[
        str, Meta(pattern=r"^[0-9]+$(?!\n)", description="Sum of the squares of all results, in digits")
    ]
    expected: Thousandths


class ResultPoint(Struct, frozen=True, kw_only=True):
    """Results of the cash hands of some days, for a graph: add them up."""

    day: Annotated[int, Meta(ge=0, le=2**31 - 1, description="The last of the days, since 1970-01-01 (UTC)")]
    hands: Count
    won: Result
    expected: Thousandths


class TournamentStatisticsView(Struct, frozen=True, kw_only=True):
    """Tournaments of one buy-in that have ended with all places given."""

    buy_in: Annotated[Amount, Meta(description="Buy-in with the fee")]
    entries: Annotated[
        int, Meta(ge=0, le=2**53 - 1, description="All that were paid for: each re-entry is one")
    ]
    in_the_money: Annotated[int, Meta(ge=0, le=2**53 - 1, description="How many of them had a prize")]
    returned: Annotated[Amount, Meta(description="All prizes")]


class Statistics(Answer, frozen=True, kw_only=True, tag="statistics"):
    """Answer to `get_statistics`. Hands are counted some minutes after they were settled."""

    re: RequestId
    stakes: Annotated[
        list[StakeStatisticsView],
        Meta(description="By stake and position: the 50 stakes with the most hands"),
    ]
    points: Annotated[
        list[ResultPoint], Meta(description="Own results in the order of days, at most 400; else empty")
    ]
    tournaments: Annotated[
        list[TournamentStatisticsView], Meta(description="Own tournaments by buy-in; else empty")
    ]


class GetOpponents(Request, frozen=True, kw_only=True, tag="get_opponents"):
    """Request what the account has seen some players do, in short, such as those of a table."""

    players: Annotated[list[Name], Meta(min_length=1, max_length=10, description="Other players")]
    game: Annotated[Game, Meta(description="Hands of this game, of all stakes together")]


declare_request(
    GetOpponents(id=74, players=["bob", "carol"], game="holdem"),
    sender=LOGGED_IN,
    answers="opponents",
    refusals="statistics_off",
)


class OpponentView(Struct, frozen=True, kw_only=True):
    """What the account has seen a player do; see `stakes` of `statistics`."""

    player: PlayerName
    hands: Count
    vpip_chances: Count
    vpip: Count
    pfr: Count


class Opponents(Answer, frozen=True, kw_only=True, tag="opponents"):
    """Answer to `get_opponents`. A player without a counted hand in common is left out."""

    re: RequestId
    opponents: Annotated[list[OpponentView], Meta(description="In the order of their names")]


declare(
    Opponents(re=74, opponents=[OpponentView(player="bob", hands=120, vpip_chances=119, vpip=52, pfr=40)]),
    Opponents(re=74, opponents=[]),
)


declare(
    Statistics(
        re=70,
        stakes=[
            StakeStatisticsView(
                game="holdem", structure="no_limit", chips=False, small_blind=100, big_blind=200, position="button",
                hands=120, vpip_chances=119, vpip=52, pfr=40, three_bet_chances=31, three_bets=4,
                fold_to_three_bet_chances=6, folds_to_three_bet=3, c_bet_chances=22, c_bets=15,
                fold_to_c_bet_chances=5, folds_to_c_bet=2, bets=41, calls=17, flops=38, showdowns=11,
                showdowns_won=6, all_ins=2, won=-1_450, won_squared="98012500", expected=-812_345,
            ),
        ],
        points=[ResultPoint(day=20_453, hands=120, won=-1_450, expected=-812_345)],
        tournaments=[TournamentStatisticsView(buy_in=1_050, entries=4, in_the_money=1, returned=3_000)],
    ),
    Statistics(
        re=71,
        stakes=[
            StakeStatisticsView(
                game="omaha", structure="pot_limit", chips=True, small_blind=0, big_blind=0, position="early",
                hands=9, vpip_chances=9, vpip=3, pfr=1, three_bet_chances=2, three_bets=0,
                fold_to_three_bet_chances=0, folds_to_three_bet=0, c_bet_chances=1, c_bets=1,
                fold_to_c_bet_chances=0, folds_to_c_bet=0, bets=2, calls=1, flops=2, showdowns=1,
                showdowns_won=1, all_ins=0, won=0, won_squared="0", expected=0,
            ),
        ],
        points=[],
        tournaments=[],
    ),
)  # fmt: skip
