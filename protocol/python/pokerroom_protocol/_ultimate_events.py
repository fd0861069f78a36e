"""What happens at a table of Ultimate Texas Hold'em. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from ._events import ChatSaid, Event, TableNotice
from ._fields import Amount, BoxNumber, CardText, Millis, RoundId
from ._ultimate import BankResult, BoxBetsView, BoxCards, BoxResult, Light, RefusedBet, UltimateStreet


class PlaceTaken(Event, frozen=True, kw_only=True, tag="place_taken"):
    """Somebody has a place."""

    box: BoxNumber
    name: str


class PlaceChanged(Event, frozen=True, kw_only=True, tag="place_changed"):
    """The holder of a place is connected, or not any more."""

    box: BoxNumber
    connected: bool


class PlaceLeft(Event, frozen=True, kw_only=True, tag="place_left"):
    """The place is free. What its holder has bet in the round in progress is played to its end."""

    box: BoxNumber
    name: str


class LightChanged(Event, frozen=True, kw_only=True, tag="light_changed"):
    """Betting is open, about to close, or closed."""

    light: Light
    closes_ms: Annotated[
        Millis | None, Meta(description="When it is red; None while nobody has bet, and when it is")
    ]


class BetsRefused(Event, frozen=True, kw_only=True, tag="bets_refused"):
    """Betting has closed without some bets. Each account gets its own, everybody else an event without any.

    Who was away gets his own when he comes back, behind his snapshot, unless the table has moved since.
    """

    refused: list[RefusedBet] = field(default_factory=list)


class RoundStarted(Event, frozen=True, kw_only=True, tag="round_started"):
    """A round begins: these bets stand, and are paid.

    Players quote `round_id` to support: it has the UTC time of its start in it.
    """

    round_id: RoundId
    boxes: list[BoxBetsView]


class HandsDealt(Event, frozen=True, kw_only=True, tag="hands_dealt"):
    """Two cards went to each hand, the bank last. Your copy has those that you may see: never the bank's."""

    round_id: RoundId
    hands: list[BoxCards] = field(default_factory=list)


class Decisions(Event, frozen=True, kw_only=True, tag="decisions"):
    """These boxes are to decide. Its `seq` is what `decide` names; the last of several is the one with the deadline."""

    round_id: RoundId
    boxes: list[BoxNumber]
    check: bool
    fold: bool
    multiples: Annotated[list[int], Meta(description="What a Play may be, in Antes")]
    deadline_ms: Annotated[
        Millis, Meta(description="When boxes that have not decided check, or on the river fold")
    ]


class Decided(Event, frozen=True, kw_only=True, tag="decided"):
    """A box was decided on for this street."""

    round_id: RoundId
    box: BoxNumber
    decision: Literal["check", "play", "fold"]
    amount: Annotated[Amount, Meta(description="The Play; 0 but for `play`")] = 0
    automatic: Annotated[bool, Meta(description="By the clock: auto checked, auto folded")] = False


class BoardDealt(Event, frozen=True, kw_only=True, tag="board_dealt"):
    """A card was burned, and board cards came: the flop, or turn and river together."""

    round_id: RoundId
    street: UltimateStreet
    cards: list[CardText]


class TipGiven(Event, frozen=True, kw_only=True, tag="tip_given"):
    """A player gave something to the tronc."""

    round_id: RoundId
    name: str
    amount: Amount


class RoundEnded(Event, frozen=True, kw_only=True, tag="round_ended"):
    """The round is settled, or void: then every bet went back. Sent after the ledger has it."""

    round_id: RoundId
    boxes: list[BoxResult]
    bank: Annotated[BankResult | None, Meta(description="None in a void round")] = None
    meter: Annotated[Amount | None, Meta(description="What the progressive meter holds now")] = None
    void: bool = False


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
    | ChatSaid
    | TableNotice
)
