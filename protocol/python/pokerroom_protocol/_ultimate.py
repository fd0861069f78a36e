"""What a table of Ultimate Texas Hold'em looks like: parts, and the answers that have them.

See `messages`, which re-exports it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ._answers import Answer
from ._fields import Amount, BoxNumber, CardText, Millis, RequestId, RoundId, Seq, TableId
from ._views import TableInfo

BetName = Literal["ante", "blind", "play", "trips", "progressive"]
Light = Literal["green", "yellow", "red"]
UltimateStreet = Literal["preflop", "flop", "river"]
HandName = Annotated[str, Meta(description="Kind of hand, as `full_house`")]


class PayRow(Struct, frozen=True, kw_only=True):
    """What a kind of hand is paid beside its stake: `pays` to `to`."""

    hand: HandName
    pays: int
    to: int


class Prize(Struct, frozen=True, kw_only=True):
    """What a kind of hand wins of the progressive bet: an amount, or a part of the meter in basis points."""

    hand: HandName
    amount: Amount | None = None
    meter_bps: int | None = None


class ProgressiveInfo(Struct, frozen=True, kw_only=True):
    """The progressive side bet of a table."""

    stake: Amount
    prizes: list[Prize]
    envy_prize: Amount


class UltimateInfo(Struct, frozen=True, kw_only=True):
    """One line of the lobby, of a table against the house."""

    table: TableId
    name: str
    seating: Literal["boxes", "common_hand"]
    qualification: Literal["any_pair", "pair_of_fours"]
    boxes: Annotated[
        int | None, Meta(description="None where a common hand is dealt: any number may play it")
    ]
    ante_min: Amount
    ante_max: Amount
    trips_min: Annotated[Amount | None, Meta(description="None: there is no Trips")]
    trips_max: Amount | None
    blind_pays: list[PayRow]
    trips_pays: list[PayRow]
    progressive: ProgressiveInfo | None
    chips: Annotated[list[Amount], Meta(description="The rack: six values")]
    betting_ms: Annotated[int, Meta(description="How long betting is open after the first bet")]
    decision_ms: Annotated[int, Meta(description="How long a decision is waited for")]
    presence: Annotated[bool, Meta(description="Who is away when betting closes has no bets in that round")]
    occupied: int
    players: Annotated[int, Meta(description="Who has bets in the round in progress")]
    closing: bool = False


class PlaceView(Struct, frozen=True, kw_only=True):
    """A taken place."""

    box: BoxNumber
    name: str
    connected: bool


class BoxBetsView(Struct, frozen=True, kw_only=True):
    """The bets on one box; the Blind is as large as the Ante."""

    box: BoxNumber
    name: str
    ante: Amount
    trips: Amount = 0
    progressive: Amount = 0
    play: Annotated[Amount, Meta(description="The Play, once there is one")] = 0
    extra: Annotated[bool, Meta(description="Played blind beside its player's own box")] = False
    status: Literal["waiting", "checked", "played", "folded"] = "waiting"


class BoxCards(Struct, frozen=True, kw_only=True):
    """The two cards of a box; of the one hand that all play where `box` is None."""

    box: BoxNumber | None
    cards: list[CardText]


class DecisionsView(Struct, frozen=True, kw_only=True):
    """Which boxes are to decide, and what they may."""

    seq: Annotated[Seq, Meta(description="What `decide` names as its `seq`")]
    boxes: list[BoxNumber]
    check: bool
    fold: bool
    multiples: Annotated[list[int], Meta(description="What a Play may be, in Antes")]
    deadline_ms: Annotated[
        Millis, Meta(description="When boxes that have not decided check, or on the river fold")
    ]


class RoundView(Struct, frozen=True, kw_only=True):
    """The round in progress. The bank's cards are in no view before its end."""

    round_id: RoundId
    street: UltimateStreet
    boxes: list[BoxBetsView]
    board: list[CardText] = []
    hands: Annotated[list[BoxCards], Meta(description="Those that you may see")] = []
    decisions: DecisionsView | None = None


class SlipBet(Struct, frozen=True, kw_only=True):
    """What lies on one box of a slip; `play` is the multiple chosen for an extra box."""

    box: BoxNumber
    ante: Amount
    trips: Amount = 0
    progressive: Amount = 0
    play: int = 0


class SlipView(Struct, frozen=True, kw_only=True):
    """Your bets of the round that is to come. Only you see them; nothing is paid before betting closes."""

    bets: list[SlipBet]
    total: Annotated[Amount, Meta(description="With the Blinds, and the Plays of extra boxes")]
    balance: Annotated[Amount, Meta(description="Your wallet, from which that is to be paid")]
    can_double: bool = False
    can_repeat: bool = False
    can_undo: bool = False


class LightView(Struct, frozen=True, kw_only=True):
    """Whether bets are taken: green, yellow in the last seconds, red."""

    light: Light
    closes_ms: Annotated[
        Millis | None, Meta(description="When it is red; None while nobody has bet, and when it is")
    ]


class RefusedBet(Struct, frozen=True, kw_only=True):
    """A bet that did not stand when betting closed; `code` as in `error`. It was not paid."""

    box: BoxNumber
    bet: BetName
    amount: Amount
    code: str


class BetResult(Struct, frozen=True, kw_only=True):
    """What one bet came to: `paid` is all that goes back, 0 where it is lost."""

    bet: BetName
    staked: Amount
    paid: Amount


class BoxResult(Struct, frozen=True, kw_only=True):
    """What a box came to."""

    box: BoxNumber
    name: str
    outcome: Literal["won", "tied", "lost", "folded", "void"]
    bets: list[BetResult]
    envy: Annotated[Amount, Meta(description="The envy prize, beside the bets")] = 0
    cards: Annotated[list[CardText] | None, Meta(description="None in a void round")] = None
    hand: HandName | None = None


class BankResult(Struct, frozen=True, kw_only=True):
    """The bank's hand."""

    cards: list[CardText]
    hand: HandName
    qualifies: bool


class Tables(Answer, frozen=True, kw_only=True, tag="tables"):
    """Answer to `list_tables`: the tables of hold'em, and those against the house."""

    re: RequestId
    tables: list[TableInfo]
    ultimate: list[UltimateInfo] = field(default_factory=list)


class Slip(Answer, frozen=True, kw_only=True, tag="slip"):
    """Answer to `place_bet`, `choose_play` and `change_bets`: your bets as they are now."""

    re: RequestId
    table: TableId
    slip: SlipView


class UltimateSnapshot(Answer, frozen=True, kw_only=True, tag="ultimate_snapshot"):
    """The whole state of a table against the house as this client may see it. Events with a larger `seq` follow."""

    table: TableId
    seq: Seq
    info: UltimateInfo
    places: list[PlaceView]
    light: LightView
    round: RoundView | None
    your_box: BoxNumber | None
    meter: Annotated[Amount | None, Meta(description="What the progressive meter holds")] = None
    your_slip: SlipView | None = None
    re: RequestId | None = None
