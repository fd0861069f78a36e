"""Events of a table of Ultimate Texas Hold'em."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from ._declarations import NOW_MS, ROUND, ULTIMATE_TABLE, declare_event
from ._events import Event, EveryGameEvent
from ._fields import Amount, BoxAction, BoxNumber, CardText, Connected, Millis, PlayerName, RoundId
from ._ultimate import (
    EXAMPLE_BOXES,
    BankResult,
    BetResult,
    BoxBetsView,
    BoxCards,
    BoxResult,
    Light,
    RefusedBet,
    UltimateStreet,
)


class PlaceTaken(Event, frozen=True, kw_only=True, tag="place_taken"):
    """A player took a place."""

    box: BoxNumber
    name: PlayerName


declare_event(
    PlaceTaken(table=ULTIMATE_TABLE, seq=1, box=2, name="alice"),
    changes="add the place, `connected`",
)


class PlaceChanged(Event, frozen=True, kw_only=True, tag="place_changed"):
    """The holder of a place connected or disconnected."""

    box: BoxNumber
    connected: Connected


declare_event(
    PlaceChanged(table=ULTIMATE_TABLE, seq=2, box=2, connected=False),
    changes="its `connected`",
)


class PlaceLeft(Event, frozen=True, kw_only=True, tag="place_left"):
    """The place is free. Its bets of the round in progress are played to the end."""

    box: BoxNumber
    name: PlayerName


declare_event(
    PlaceLeft(table=ULTIMATE_TABLE, seq=30, box=2, name="alice"),
    changes="remove the place; if it was yours, `your_box` and `your_slip` become null",
)


class LightChanged(Event, frozen=True, kw_only=True, tag="light_changed"):
    """Betting is open, about to close, or closed."""

    light: Annotated[
        Light, Meta(description="Green: betting is open; yellow: it closes soon; red: it is closed")
    ]
    closes_ms: Annotated[
        Millis | None, Meta(description="End of betting; null before the first bet and when it is closed")
    ]


declare_event(
    LightChanged(table=ULTIMATE_TABLE, seq=2, light="green", closes_ms=NOW_MS + 20_000),
    LightChanged(table=ULTIMATE_TABLE, seq=4, light="red", closes_ms=None),
    changes="`light`",
)


class BetsRefused(Event, frozen=True, kw_only=True, tag="bets_refused"):
    """Betting closed, and some bets were refused. Each account's copy has its own; the other copies are empty.

    A disconnected player gets a copy after the next snapshot, unless the table has moved to another node since.
    """

    refused: Annotated[
        list[RefusedBet],
        Meta(description="Your refused bets with their reasons; empty in the copies of all others"),
    ] = field(default_factory=list)


declare_event(
    BetsRefused(
        table=ULTIMATE_TABLE,
        seq=5,
        refused=[RefusedBet(box=2, bet="trips", amount=50, code="below_minimum")],
    ),
    BetsRefused(table=ULTIMATE_TABLE, seq=5),
    changes="nothing",
)


class RoundStarted(Event, frozen=True, kw_only=True, tag="round_started"):
    """A round begins: these bets are accepted and paid.

    Players quote `round_id` to support; it contains the UTC time of its start.
    """

    round_id: RoundId
    boxes: Annotated[list[BoxBetsView], Meta(description="Boxes of the round, by number")]


declare_event(
    RoundStarted(table=ULTIMATE_TABLE, seq=6, round_id=ROUND, boxes=EXAMPLE_BOXES),
    changes="`round` begins at `preflop` with the event's `boxes`; `your_slip` becomes null",
)


class HandsDealt(Event, frozen=True, kw_only=True, tag="hands_dealt"):
    """Each hand gets two cards, the bank last. Your copy has the cards that you may see, never the bank's."""

    round_id: RoundId
    hands: Annotated[
        list[BoxCards], Meta(description="Cards that you may see: those of your boxes, or the common hand")
    ] = field(default_factory=list)


declare_event(
    HandsDealt(table=ULTIMATE_TABLE, seq=7, round_id=ROUND, hands=[BoxCards(box=2, cards=["As", "Td"])]),
    HandsDealt(table=ULTIMATE_TABLE, seq=7, round_id=ROUND),
    changes="`round.hands`",
)


class Decisions(Event, frozen=True, kw_only=True, tag="decisions"):
    """These boxes have to decide. `decide` names this `seq`; the last of several has the current deadline."""

    round_id: RoundId
    boxes: list[BoxNumber]
    check: Annotated[bool, Meta(description="A check is legal: before the river")]
    fold: Annotated[bool, Meta(description="A fold is legal: on the river only")]
    multiples: Annotated[list[int], Meta(description="Legal sizes of a Play, in Antes")]
    deadline_ms: Annotated[Millis, Meta(description="When undecided boxes check, or fold on the river")]


declare_event(
    Decisions(
        table=ULTIMATE_TABLE,
        seq=8,
        round_id=ROUND,
        boxes=[2],
        check=True,
        fold=False,
        multiples=[3, 4],
        deadline_ms=NOW_MS + 15_000,
    ),
    changes="`round.decisions`",
)


class Decided(Event, frozen=True, kw_only=True, tag="decided"):
    """A box decided on this street."""

    round_id: RoundId
    box: BoxNumber
    decision: BoxAction
    amount: Annotated[Amount, Meta(description="The Play; 0 for other decisions")] = 0
    automatic: Annotated[bool, Meta(description="The clock decided")] = False


declare_event(
    Decided(table=ULTIMATE_TABLE, seq=9, round_id=ROUND, box=2, decision="play", amount=800),
    Decided(table=ULTIMATE_TABLE, seq=9, round_id=ROUND, box=2, decision="check", automatic=True),
    changes="the box's `status` (`checked`, `played` or `folded`) and its `play`, which is `amount`; "
    "remove it from the `boxes` of `round.decisions`",
)


class BoardDealt(Event, frozen=True, kw_only=True, tag="board_dealt"):
    """A card was burned, and board cards were dealt: the flop, or turn and river together."""

    round_id: RoundId
    street: Annotated[UltimateStreet, Meta(description="Street of the new board cards")]
    cards: Annotated[list[CardText], Meta(description="Cards dealt or shown")]


declare_event(
    BoardDealt(table=ULTIMATE_TABLE, seq=10, round_id=ROUND, street="flop", cards=["2c", "7h", "Qs"]),
    changes="`round.street`; append `cards` to the `board`; `checked` boxes are `waiting` again; "
    "`round.decisions` becomes null",
)


class TipGiven(Event, frozen=True, kw_only=True, tag="tip_given"):
    """A player tipped the dealers."""

    round_id: RoundId
    name: PlayerName
    amount: Amount


declare_event(
    TipGiven(table=ULTIMATE_TABLE, seq=11, round_id=ROUND, name="alice", amount=50),
    changes="nothing",
)


class RoundEnded(Event, frozen=True, kw_only=True, tag="round_ended"):
    """The round is settled, or void: then every bet is returned. Sent after the ledger has the result."""

    round_id: RoundId
    boxes: Annotated[list[BoxResult], Meta(description="Boxes of the round, by number")]
    bank: Annotated[BankResult | None, Meta(description="null in a void round")] = None
    meter: Annotated[Amount | None, Meta(description="New value of the progressive meter")] = None
    void: Annotated[bool, Meta(description="The round is void: every bet is returned")] = False


declare_event(
    RoundEnded(
        table=ULTIMATE_TABLE,
        seq=13,
        round_id=ROUND,
        boxes=[
            BoxResult(
                box=2,
                name="alice",
                outcome="won",
                bets=[
                    BetResult(bet="ante", staked=200, paid=200),
                    BetResult(bet="blind", staked=200, paid=200),
                    BetResult(bet="play", staked=800, paid=1_600),
                    BetResult(bet="trips", staked=100, paid=0),
                ],
                cards=["As", "Td"],
                hand="pair",
            )
        ],
        bank=BankResult(cards=["3h", "4h"], hand="high_card", qualifies=False),
        meter=1_000_015,
    ),
    RoundEnded(
        table=ULTIMATE_TABLE,
        seq=13,
        round_id=ROUND,
        boxes=[
            BoxResult(box=2, name="alice", outcome="void", bets=[BetResult(bet="ante", staked=200, paid=200)])
        ],
        void=True,
    ),
    changes="`round` becomes null; `meter`, unless the event's is null",
)


UltimateEvent = (
    PlaceTaken
    | PlaceChanged
    | PlaceLeft
    | LightChanged
    | BetsRefused
    | RoundStarted
    | HandsDealt
    | Decisions
    | Decided
    | BoardDealt
    | TipGiven
    | RoundEnded
    | EveryGameEvent
)
