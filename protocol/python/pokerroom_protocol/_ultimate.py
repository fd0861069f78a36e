"""The state of a table of Ultimate Texas Hold'em: parts and answers."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from ._answers import Answer
from ._declarations import NOW_MS, ROUND, ULTIMATE_TABLE, declare
from ._fields import (
    Amount,
    BoxNumber,
    CardText,
    Connected,
    ErrorCode,
    Millis,
    PlayerName,
    RequestId,
    RoundId,
    Seq,
    TableId,
)
from ._views import EXAMPLE_INFO, TableInfo

BetName = Literal["ante", "blind", "play", "trips", "progressive"]
Light = Literal["green", "yellow", "red"]
UltimateStreet = Literal["preflop", "flop", "river"]
HandName = Annotated[str, Meta(description="Kind of hand, as `full_house`")]


class PayRow(Struct, frozen=True, kw_only=True):
    """The pay of a kind of hand, beside its stake: `pays` to `to`."""

    hand: HandName
    pays: Annotated[int, Meta(description="Amount paid")]
    to: Annotated[int, Meta(description="for this part of the bet; the bet itself is returned too")]


class Prize(Struct, frozen=True, kw_only=True):
    """The prize of a kind of hand in the progressive bet: an amount, or a share of the meter in basis points."""

    hand: HandName
    amount: Amount | None = None
    meter_bps: Annotated[
        int | None, Meta(description="Share of the meter in 1/100 %; null for a fixed prize")
    ] = None


class ProgressiveInfo(Struct, frozen=True, kw_only=True):
    """The progressive side bet of a table."""

    stake: Amount
    prizes: Annotated[list[Prize], Meta(description="Prizes, best hand first")]
    envy_prize: Amount


class UltimateInfo(Struct, frozen=True, kw_only=True):
    """One table of Ultimate Texas Hold'em in the lobby."""

    table: TableId
    name: Annotated[str, Meta(description="Display name of the table")]
    seating: Annotated[
        Literal["boxes", "common_hand"],
        Meta(description="`boxes`: each box has its own cards; `common_hand`: all play one hand"),
    ]
    qualification: Annotated[
        Literal["any_pair", "pair_of_fours"],
        Meta(description="Hand that the bank needs for the Ante to be paid"),
    ]
    boxes: Annotated[int | None, Meta(description="null with a common hand: any number may play")]
    ante_min: Amount
    ante_max: Amount
    trips_min: Annotated[Amount | None, Meta(description="null without Trips")]
    trips_max: Amount | None
    blind_pays: Annotated[
        list[PayRow], Meta(description="Pay table of the Blind, best hand first; other hands push")
    ]
    trips_pays: Annotated[
        list[PayRow], Meta(description="Pay table of Trips, best hand first; other hands lose")
    ]
    progressive: Annotated[ProgressiveInfo | None, Meta(description="Null without a progressive bet")]
    chips: Annotated[list[Amount], Meta(description="Six chip values to offer")]
    betting_ms: Annotated[int, Meta(description="Betting time after the first bet, milliseconds")]
    decision_ms: Annotated[int, Meta(description="Time for a decision, milliseconds")]
    presence: Annotated[
        bool,
        Meta(
            description="Bets of a player without a connection, or without sight of the table (`set_presence`), are "
            "refused when betting closes"
        ),
    ]
    occupied: Annotated[int, Meta(description="Number of taken places")]
    players: Annotated[int, Meta(description="Number of players with bets in the round in progress")]
    closing: Annotated[bool, Meta(description="The table accepts no new players")] = False


_EXAMPLE_INFO: Final = UltimateInfo(
    table=ULTIMATE_TABLE,
    name="Ultimate 1 to 100",
    seating="boxes",
    qualification="any_pair",
    boxes=6,
    ante_min=100,
    ante_max=10_000,
    trips_min=100,
    trips_max=10_000,
    blind_pays=[PayRow(hand="royal_flush", pays=500, to=1), PayRow(hand="flush", pays=3, to=2)],
    trips_pays=[PayRow(hand="three_of_a_kind", pays=3, to=1)],
    progressive=ProgressiveInfo(
        stake=100,
        prizes=[Prize(hand="royal_flush", meter_bps=10_000), Prize(hand="full_house", amount=5_000)],
        envy_prize=100_000,
    ),
    chips=[100, 500, 1_000, 2_500, 10_000, 50_000],
    betting_ms=20_000,
    decision_ms=15_000,
    presence=False,
    occupied=2,
    players=2,
)


class PlaceView(Struct, frozen=True, kw_only=True):
    """A taken place."""

    box: BoxNumber
    name: PlayerName
    connected: Connected


class BoxBetsView(Struct, frozen=True, kw_only=True):
    """The bets on one box. The Blind equals the Ante."""

    box: BoxNumber
    name: PlayerName
    ante: Amount
    trips: Amount = 0
    progressive: Amount = 0
    play: Annotated[Amount, Meta(description="The Play, once placed")] = 0
    extra: Annotated[bool, Meta(description="Extra box, played blind")] = False
    status: Annotated[
        Literal["waiting", "checked", "played", "folded"],
        Meta(description="Latest decision of the box in this round"),
    ] = "waiting"


EXAMPLE_BOXES: Final = [
    BoxBetsView(box=2, name="alice", ante=200, trips=100),
    BoxBetsView(box=5, name="alice", ante=100, play=400, extra=True, status="played"),
]


class BoxCards(Struct, frozen=True, kw_only=True):
    """The cards of a box; of the common hand if `box` is null."""

    box: BoxNumber | None
    cards: Annotated[list[CardText], Meta(description="Cards dealt or shown")]


class DecisionsView(Struct, frozen=True, kw_only=True):
    """The boxes that have to decide, and what is legal."""

    seq: Annotated[Seq, Meta(description="The `seq` for `decide`")]
    boxes: list[BoxNumber]
    check: Annotated[bool, Meta(description="A check is legal: before the river")]
    fold: Annotated[bool, Meta(description="A fold is legal: on the river only")]
    multiples: Annotated[list[int], Meta(description="Legal sizes of a Play, in Antes")]
    deadline_ms: Annotated[Millis, Meta(description="When undecided boxes check, or fold on the river")]


class RoundView(Struct, frozen=True, kw_only=True):
    """The round in progress. The bank's cards are hidden until its end."""

    round_id: RoundId
    street: Annotated[UltimateStreet, Meta(description="Current street")]
    boxes: Annotated[list[BoxBetsView], Meta(description="Boxes of the round, by number")]
    board: Annotated[list[CardText], Meta(description="Board cards so far, in dealing order")] = []
    hands: Annotated[list[BoxCards], Meta(description="Hands that you may see")] = []
    decisions: Annotated[
        DecisionsView | None, Meta(description="The pending decisions; null without any")
    ] = None


class SlipBet(Struct, frozen=True, kw_only=True):
    """The bets on one box of a slip; `play` is the multiple chosen for an extra box."""

    box: BoxNumber
    ante: Amount
    trips: Amount = 0
    progressive: Amount = 0
    play: Annotated[int, Meta(description="Play in Antes, placed before the deal; 0: none")] = 0


class SlipView(Struct, frozen=True, kw_only=True):
    """Your bets of the next round. Only you see them; they are paid when betting closes."""

    bets: Annotated[list[SlipBet], Meta(description="Bets by box")]
    total: Annotated[Amount, Meta(description="Sum of all bets, with Blinds and Plays of extra boxes")]
    balance: Annotated[Amount, Meta(description="Balance of your wallet")]
    can_double: Annotated[
        bool, Meta(description="All bets may be doubled: once per round, unless it is undone")
    ] = False
    can_repeat: Annotated[bool, Meta(description="The bets of the last round may be repeated")] = False
    can_undo: Annotated[bool, Meta(description="There is something to undo")] = False


_EXAMPLE_SLIP: Final = SlipView(
    bets=[SlipBet(box=2, ante=200, trips=100), SlipBet(box=5, ante=100, play=4)],
    total=1_100,
    balance=50_000,
    can_undo=True,
)


class LightView(Struct, frozen=True, kw_only=True):
    """State of betting: green, yellow in the last seconds, red."""

    light: Annotated[
        Light, Meta(description="Green: betting is open; yellow: it closes soon; red: it is closed")
    ]
    closes_ms: Annotated[
        Millis | None, Meta(description="End of betting; null before the first bet and when it is closed")
    ]


class RefusedBet(Struct, frozen=True, kw_only=True):
    """A bet that was refused when betting closed; `code` as in `error`. It was not paid."""

    box: BoxNumber
    bet: Annotated[BetName, Meta(description="Name of the bet")]
    amount: Amount
    code: ErrorCode


class BetResult(Struct, frozen=True, kw_only=True):
    """The result of one bet: `paid` is all that is returned, 0 if it is lost."""

    bet: Annotated[BetName, Meta(description="Name of the bet")]
    staked: Amount
    paid: Amount


class BoxResult(Struct, frozen=True, kw_only=True):
    """The result of a box."""

    box: BoxNumber
    name: PlayerName
    outcome: Annotated[
        Literal["won", "tied", "lost", "folded", "void"],
        Meta(description="Result of the box against the bank, apart from side bets"),
    ]
    bets: Annotated[list[BetResult], Meta(description="Bets of the box, with the amounts returned")]
    envy: Annotated[Amount, Meta(description="Envy prize")] = 0
    cards: Annotated[list[CardText] | None, Meta(description="null in a void round")] = None
    hand: HandName | None = None


class BankResult(Struct, frozen=True, kw_only=True):
    """The bank's hand."""

    cards: Annotated[list[CardText], Meta(description="Cards dealt or shown")]
    hand: HandName
    qualifies: Annotated[bool, Meta(description="The hand qualifies: the Ante is paid")]


class Tables(Answer, frozen=True, kw_only=True, tag="tables"):
    """Answer to `list_tables`: poker tables, and tables of Ultimate Texas Hold'em."""

    re: RequestId
    tables: Annotated[
        list[TableInfo], Meta(description="All poker tables of the room, in the order of its configuration")
    ]
    ultimate: Annotated[
        list[UltimateInfo],
        Meta(description="All tables of Ultimate Texas Hold'em, in the order of the configuration"),
    ] = field(default_factory=list)


declare(
    Tables(re=4, tables=[EXAMPLE_INFO]),
    Tables(re=4, tables=[], ultimate=[_EXAMPLE_INFO]),
)


class Slip(Answer, frozen=True, kw_only=True, tag="slip"):
    """Answer to `place_bet`, `choose_play` and `change_bets`: your current bets."""

    re: RequestId
    table: TableId
    slip: Annotated[SlipView, Meta(description="Your current bets")]


declare(
    Slip(re=17, table=ULTIMATE_TABLE, slip=_EXAMPLE_SLIP),
)


class UltimateSnapshot(Answer, frozen=True, kw_only=True, tag="ultimate_snapshot"):
    """The whole state of a table of Ultimate Texas Hold'em as this client may see it.

    Events with a larger `seq` follow.
    """

    table: TableId
    seq: Seq
    info: Annotated[UltimateInfo, Meta(description="The line of the table in the lobby")]
    places: Annotated[list[PlaceView], Meta(description="Taken places")]
    light: Annotated[LightView, Meta(description="State of betting, and its end")]
    round: Annotated[RoundView | None, Meta(description="Null between rounds")]
    your_box: BoxNumber | None
    meter: Annotated[Amount | None, Meta(description="Value of the progressive meter")] = None
    your_slip: Annotated[SlipView | None, Meta(description="Null without a place")] = None
    re: RequestId | None = None


declare(
    UltimateSnapshot(
        table=ULTIMATE_TABLE,
        seq=1,
        info=_EXAMPLE_INFO,
        places=[PlaceView(box=2, name="alice", connected=True)],
        light=LightView(light="yellow", closes_ms=NOW_MS + 5_000),
        round=None,
        your_box=2,
        meter=1_000_000,
        your_slip=_EXAMPLE_SLIP,
        re=16,
    ),
    UltimateSnapshot(
        table=ULTIMATE_TABLE,
        seq=7,
        info=_EXAMPLE_INFO,
        places=[PlaceView(box=2, name="alice", connected=True)],
        light=LightView(light="red", closes_ms=None),
        round=RoundView(
            round_id=ROUND,
            street="flop",
            boxes=EXAMPLE_BOXES,
            board=["2c", "7h", "Qs"],
            hands=[BoxCards(box=2, cards=["As", "Td"])],
            decisions=DecisionsView(
                seq=7, boxes=[2], check=True, fold=False, multiples=[2], deadline_ms=NOW_MS + 15_000
            ),
        ),
        your_box=2,
    ),
)


UltimateAnswer = Tables | Slip | UltimateSnapshot
