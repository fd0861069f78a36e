"""What happens at a table. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._fields import Amount, CardText, HandId, Millis, SeatNumber, SeatStatus, Seq, StreetName, TableId
from ._views import PotView


class Event(Answer, frozen=True, kw_only=True):
    """Something happened at a table. Every viewer gets every event, without the cards he may not see."""

    table: TableId
    seq: Seq


class SeatTaken(Event, frozen=True, kw_only=True, tag="seat_taken"):
    """Somebody sat down."""

    seat: SeatNumber
    name: str
    stack: Amount
    status: SeatStatus
    bot: Annotated[bool, Meta(description="A program of the house sits down")] = False


class SeatChanged(Event, frozen=True, kw_only=True, tag="seat_changed"):
    """Stack, status or presence of a seat changed between hands, or a top-up arrived."""

    seat: SeatNumber
    stack: Amount
    status: SeatStatus
    connected: bool
    gone_since_ms: Annotated[Millis | None, Meta(description="Since when the holder is not connected")] = None


class SeatLeft(Event, frozen=True, kw_only=True, tag="seat_left"):
    """The seat is free; its stack went to the wallet."""

    seat: SeatNumber
    name: str


class SeatReserved(Event, frozen=True, kw_only=True, tag="seat_reserved"):
    """A free seat is held for somebody who is buying in; `seat_taken` or `seat_released` follows."""

    seat: SeatNumber
    until_ms: Millis


class SeatReleased(Event, frozen=True, kw_only=True, tag="seat_released"):
    """A seat that was held is free again."""

    seat: SeatNumber


class HandSeat(Struct, frozen=True, kw_only=True):
    """A seat that is dealt in."""

    seat: SeatNumber
    name: str
    stack: Amount


class HandStarted(Event, frozen=True, kw_only=True, tag="hand_started"):
    """A hand begins. `seats` are those dealt in, from the first left of the button."""

    hand_id: HandId
    button: SeatNumber
    small_blind: SeatNumber | None
    big_blind: SeatNumber
    seats: list[HandSeat]


class Posted(Event, frozen=True, kw_only=True, tag="posted"):
    """A forced bet. Dead posts and antes go to the pot, the others stand in front of the seat."""

    seat: SeatNumber
    kind: Literal["ante", "big_blind_ante", "small_blind", "big_blind", "straddle", "live_post", "dead_post"]
    amount: Amount
    stack: Amount
    all_in: bool


class HoleCards(Event, frozen=True, kw_only=True, tag="hole_cards"):
    """Two cards are dealt to every seat of the hand. Only the owner's copy has `cards`."""

    hand_id: HandId
    cards: list[CardText] | None = None


class Turn(Event, frozen=True, kw_only=True, tag="turn"):
    """A decision is asked of `seat`. Its `seq` is what `act` names."""

    hand_id: HandId
    seat: SeatNumber
    check: bool
    call_amount: Amount
    min_raise_to: Amount | None
    max_raise_to: Amount | None
    countdown_ms: Millis
    deadline_ms: Millis
    time_bank_ms: int = 0
    in_time_bank: bool = False


class Acted(Event, frozen=True, kw_only=True, tag="acted"):
    """A decision was taken. `clock_all_in` is the clock's: all-in for what is in (H2)."""

    hand_id: HandId
    seat: SeatNumber
    action: Literal["fold", "check", "call", "bet", "raise", "clock_all_in"]
    added: Annotated[Amount, Meta(description="Chips put in by this action")]
    bet: Annotated[Amount, Meta(description="Street total after it")]
    stack: Amount
    all_in: bool
    by_clock: bool = False


class StreetDealt(Event, frozen=True, kw_only=True, tag="street_dealt"):
    """Board cards. Bets of the street before it are in the pots."""

    hand_id: HandId
    street: StreetName
    cards: list[CardText]
    pots: list[PotView]


class UncalledBet(Event, frozen=True, kw_only=True, tag="uncalled_bet"):
    """The part of a bet that nobody matched goes back."""

    hand_id: HandId
    seat: SeatNumber
    amount: Amount
    stack: Amount


class Shown(Event, frozen=True, kw_only=True, tag="shown"):
    """A hand is turned up."""

    hand_id: HandId
    seat: SeatNumber
    cards: list[CardText]
    rank: Annotated[str | None, Meta(description="Category of the best five, when the board is complete")] = (
        None
    )


class Mucked(Event, frozen=True, kw_only=True, tag="mucked"):
    """A beaten hand is not shown."""

    hand_id: HandId
    seat: SeatNumber


class Share(Struct, frozen=True, kw_only=True):
    """What one seat wins of one pot."""

    seat: SeatNumber
    amount: Amount


class PotAwarded(Event, frozen=True, kw_only=True, tag="pot_awarded"):
    """A pot is won. Sent after the result is in the ledger."""

    hand_id: HandId
    pot: Annotated[int, Meta(ge=0, description="0 is the main pot")]
    amount: Amount
    shares: list[Share]


class HandEnded(Event, frozen=True, kw_only=True, tag="hand_ended"):
    """The hand is settled, or void: then every stack is as at its start."""

    hand_id: HandId
    stacks: list[HandSeat]
    void: bool = False


class ChatSaid(Event, frozen=True, kw_only=True, tag="chat_said"):
    """Somebody at the table said something."""

    name: str
    text: str


class TableNotice(Event, frozen=True, kw_only=True, tag="table_notice"):
    """The table as a whole: frozen by a fault or by the operator (no chip is lost), going on, closing, or closed."""

    state: Literal["frozen", "running", "closing", "closed"]
    message: str


HoldemEvent = (
    SeatTaken
    | SeatChanged
    | SeatLeft
    | SeatReserved
    | SeatReleased
    | HandStarted
    | Posted
    | HoleCards
    | Turn
    | Acted
    | StreetDealt
    | UncalledBet
    | Shown
    | Mucked
    | PotAwarded
    | HandEnded
    | ChatSaid
    | TableNotice
)
