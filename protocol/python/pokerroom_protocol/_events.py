"""Events of a poker table."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from ._answers import Answer
from ._declarations import HAND, NOW_MS, TABLE, declare_event
from ._fields import (
    AllIn,
    Amount,
    CardText,
    Connected,
    DisplayText,
    HandId,
    Millis,
    PlayerName,
    SeatNumber,
    SeatStatus,
    Seq,
    StreetName,
    TableId,
    TimeoutAction,
)
from ._views import PotView


class Event(Answer, frozen=True, kw_only=True):
    """An event at a table. Every viewer gets every event, without the cards that the viewer may not see."""

    table: TableId
    seq: Seq


class SeatTaken(Event, frozen=True, kw_only=True, tag="seat_taken"):
    """A player sat down."""

    seat: SeatNumber
    name: PlayerName
    stack: Amount
    status: SeatStatus
    bot: Annotated[bool, Meta(description="The player is a house bot")] = False


declare_event(
    SeatTaken(table=TABLE, seq=112, seat=4, name="bob", stack=8_000, status="waiting"),
    changes="add the seat as in the event, `connected`, without cards and bets; remove it from `reserved`",
)


class SeatChanged(Event, frozen=True, kw_only=True, tag="seat_changed"):
    """Stack, status or presence of a seat changed between hands, or a top-up was bought or arrived."""

    seat: SeatNumber
    stack: Amount
    status: SeatStatus
    connected: Connected
    gone_since_ms: Annotated[
        Millis | None, Meta(description="Since when the player is disconnected; null while connected")
    ] = None
    waiting_top_up: Annotated[
        Amount,
        Meta(description="Chips bought during the hand: paid for, and added to the stack when it ends"),
    ] = 0


declare_event(
    SeatChanged(table=TABLE, seq=113, seat=4, stack=8_000, status="playing", connected=False),
    changes="the seat's `stack`, `status`, `connected`, `gone_since_ms` and `waiting_top_up`",
)


class SeatLeft(Event, frozen=True, kw_only=True, tag="seat_left"):
    """The seat is free, and its stack is in the wallet."""

    seat: SeatNumber
    name: PlayerName


declare_event(
    SeatLeft(table=TABLE, seq=140, seat=4, name="bob"),
    changes="remove the seat; if it was yours, `your_seat`, `your_options` and `your_pre_act` become null",
)


class SeatReserved(Event, frozen=True, kw_only=True, tag="seat_reserved"):
    """A free seat is reserved for a player; `seat_taken` or `seat_released` follows."""

    seat: SeatNumber
    until_ms: Millis


declare_event(
    SeatReserved(table=TABLE, seq=110, seat=3, until_ms=NOW_MS + 60_000),
    changes="add the number to `reserved`",
)


class SeatReleased(Event, frozen=True, kw_only=True, tag="seat_released"):
    """A reserved seat is free again."""

    seat: SeatNumber


declare_event(
    SeatReleased(table=TABLE, seq=111, seat=3),
    changes="remove the number from `reserved`",
)


class HandSeat(Struct, frozen=True, kw_only=True):
    """A seat that is dealt in."""

    seat: SeatNumber
    name: PlayerName
    stack: Amount


class HandStarted(Event, frozen=True, kw_only=True, tag="hand_started"):
    """A hand begins. `seats` are those dealt in, from the first left of the button."""

    hand_id: HandId
    button: Annotated[SeatNumber, Meta(description="Seat with the button; it may be empty")]
    small_blind: Annotated[
        SeatNumber | None, Meta(description="Seat of the small blind; null: no seat posts it in this hand")
    ]
    big_blind: Annotated[SeatNumber, Meta(description="Seat of the big blind")]
    seats: Annotated[list[HandSeat], Meta(description="Seats dealt in, from the first left of the button")]


declare_event(
    HandStarted(
        table=TABLE,
        seq=114,
        hand_id=HAND,
        button=1,
        small_blind=1,
        big_blind=4,
        seats=[
            HandSeat(seat=4, name="bob", stack=8_000),
            HandSeat(seat=1, name="alice", stack=20_000),
        ],
    ),
    changes="`hand` begins at `preflop` with empty `board` and `pots`, and without `turn`. Every "
    "seat: `bet` 0, not `all_in`, no `cards`, `in_hand` if the event names it. Named seats "
    "have its `stack`, and are `playing` unless `away`",
)


class Posted(Event, frozen=True, kw_only=True, tag="posted"):
    """A forced bet. Dead posts and antes go to the pot; the others stand in front of the seat."""

    seat: SeatNumber
    kind: Annotated[
        Literal["ante", "big_blind_ante", "small_blind", "big_blind", "straddle", "live_post", "dead_post"],
        Meta(description="Kind of forced bet"),
    ]
    amount: Amount
    stack: Amount
    all_in: AllIn


declare_event(
    Posted(table=TABLE, seq=115, seat=1, kind="small_blind", amount=100, stack=19_900, all_in=False),
    changes="the seat's `stack` and `all_in`. Add a blind, a straddle or a `live_post` to its `bet`; "
    "add an `ante`, `big_blind_ante` or `dead_post` to the one pot, which all seats `in_hand` "
    "can win",
)


class HoleCards(Event, frozen=True, kw_only=True, tag="hole_cards"):
    """Every seat of the hand gets its hole cards, as many as `hole_cards` of `info` says.

    Only the owner's copy has `cards`.
    """

    hand_id: HandId
    cards: Annotated[
        list[CardText] | None, Meta(description="Your hole cards; null in the copies of all others")
    ] = None


declare_event(
    HoleCards(table=TABLE, seq=117, hand_id=HAND, cards=["As", "Td"]),
    HoleCards(table=TABLE, seq=117, hand_id=HAND),
    changes="your seat's `cards`, if the event has them",
)


class Turn(Event, frozen=True, kw_only=True, tag="turn"):
    """`seat` has to decide. `act` names this event's `seq`."""

    hand_id: HandId
    seat: SeatNumber
    check: Annotated[bool, Meta(description="A check is legal")]
    call_amount: Annotated[Amount, Meta(description="Price of a call; 0 if a check is legal")]
    min_raise_to: Annotated[
        Amount | None, Meta(description="Smallest total of a bet or raise; null: a raise is not allowed")
    ]
    max_raise_to: Annotated[
        Amount | None, Meta(description="Largest total of a bet or raise; null: a raise is not allowed")
    ]
    countdown_ms: Annotated[Millis, Meta(description="Start of the visible countdown")]
    deadline_ms: Annotated[Millis, Meta(description="When the clock decides, or the time bank starts")]
    time_bank_ms: Annotated[int, Meta(description="Rest of the player's time bank, milliseconds")] = 0
    in_time_bank: Annotated[bool, Meta(description="The time bank runs; the deadline is its end")] = False
    on_timeout: TimeoutAction | None = None


declare_event(
    Turn(
        table=TABLE,
        seq=118,
        hand_id=HAND,
        seat=1,
        check=False,
        call_amount=100,
        min_raise_to=400,
        max_raise_to=20_000,
        countdown_ms=NOW_MS + 10_000,
        deadline_ms=NOW_MS + 30_000,
        on_timeout="all_in",
    ),
    changes="`hand.turn`",
)


class Acted(Event, frozen=True, kw_only=True, tag="acted"):
    """A decision was taken.

    `clock_all_in` is the clock's decision: all-in for the chips already in the pot.
    """

    hand_id: HandId
    seat: SeatNumber
    action: Annotated[
        Literal["fold", "check", "call", "bet", "raise", "clock_all_in"],
        Meta(description="Action; see *Deciding* in holdem.md"),
    ]
    added: Annotated[Amount, Meta(description="Chips added by this action")]
    bet: Annotated[Amount, Meta(description="Total for the street after it")]
    stack: Amount
    all_in: AllIn
    by_clock: Annotated[bool, Meta(description="The room decided because the time was up")] = False


declare_event(
    Acted(
        table=TABLE,
        seq=119,
        hand_id=HAND,
        seat=1,
        action="raise",
        added=500,
        bet=600,
        stack=19_400,
        all_in=False,
    ),
    Acted(
        table=TABLE,
        seq=121,
        hand_id=HAND,
        seat=4,
        action="clock_all_in",
        added=0,
        bet=200,
        stack=7_800,
        all_in=True,
        by_clock=True,
    ),
    changes="the seat's `bet`, `stack` and `all_in`; `hand.turn` becomes null. After a fold it is not "
    "`in_hand`, and not in the `seats` of any pot",
)


class StreetDealt(Event, frozen=True, kw_only=True, tag="street_dealt"):
    """Board cards. The pots include the bets of the street before."""

    hand_id: HandId
    street: Annotated[StreetName, Meta(description="Current street")]
    cards: Annotated[list[CardText], Meta(description="New board cards")]
    pots: Annotated[list[PotView], Meta(description="Main pot first; without the bets of the current street")]


declare_event(
    StreetDealt(
        table=TABLE,
        seq=122,
        hand_id=HAND,
        street="flop",
        cards=["2c", "7h", "Qs"],
        pots=[PotView(amount=400, seats=[1, 4])],
    ),
    changes="`street` and `pots`; append `cards` to the `board`; every `bet` becomes 0; `hand.turn` "
    "becomes null",
)


class UncalledBet(Event, frozen=True, kw_only=True, tag="uncalled_bet"):
    """The uncalled part of a bet is returned."""

    hand_id: HandId
    seat: SeatNumber
    amount: Amount
    stack: Amount


declare_event(
    UncalledBet(table=TABLE, seq=122, hand_id=HAND, seat=1, amount=400, stack=19_800),
    changes="the seat's `stack`; subtract `amount` from its `bet`",
)


class Shown(Event, frozen=True, kw_only=True, tag="shown"):
    """A hand is shown."""

    hand_id: HandId
    seat: SeatNumber
    cards: Annotated[list[CardText], Meta(description="Cards dealt or shown")]
    rank: Annotated[str | None, Meta(description="Kind of the best hand, if the board is complete")] = None


declare_event(
    Shown(table=TABLE, seq=125, hand_id=HAND, seat=1, cards=["As", "Td"], rank="pair"),
    changes="the seat's `cards`",
)


class Mucked(Event, frozen=True, kw_only=True, tag="mucked"):
    """A losing hand is not shown."""

    hand_id: HandId
    seat: SeatNumber


declare_event(
    Mucked(table=TABLE, seq=126, hand_id=HAND, seat=4),
    changes="nothing",
)


class Share(Struct, frozen=True, kw_only=True):
    """The amount that one seat wins of one pot."""

    seat: SeatNumber
    amount: Amount


class PotAwarded(Event, frozen=True, kw_only=True, tag="pot_awarded"):
    """A pot is awarded. Sent after the ledger has the result."""

    hand_id: HandId
    pot: Annotated[int, Meta(ge=0, description="0 is the main pot")]
    amount: Annotated[Amount, Meta(description="Size of the pot: all shares, and the rake")]
    shares: Annotated[list[Share], Meta(description="Shares of the pot")]
    rake: (
        Annotated[Amount, Meta(description="What the room takes of the pot; absent: nothing")] | UnsetType
    ) = UNSET


declare_event(
    PotAwarded(
        table=TABLE,
        seq=127,
        hand_id=HAND,
        pot=0,
        amount=401,
        shares=[Share(seat=4, amount=201), Share(seat=1, amount=200)],
    ),
    PotAwarded(
        table=TABLE,
        seq=127,
        hand_id=HAND,
        pot=0,
        amount=401,
        shares=[Share(seat=4, amount=191), Share(seat=1, amount=190)],
        rake=20,
    ),
    changes="every `bet` becomes 0; add each share to its seat's `stack`; the pot's `amount` becomes "
    "0 (it includes the last bets, without an event); `hand.turn` becomes null",
)


class HandEnded(Event, frozen=True, kw_only=True, tag="hand_ended"):
    """The hand is settled, or void: then every stack is as at its start."""

    hand_id: HandId
    stacks: Annotated[
        list[HandSeat], Meta(description="Stacks of all seats that were dealt in, after the hand")
    ]
    void: Annotated[bool, Meta(description="The hand is void: every stack is as at its start")] = False


declare_event(
    HandEnded(
        table=TABLE,
        seq=128,
        hand_id=HAND,
        stacks=[
            HandSeat(seat=4, name="bob", stack=7_800),
            HandSeat(seat=1, name="alice", stack=20_200),
        ],
    ),
    HandEnded(
        table=TABLE,
        seq=128,
        hand_id=HAND,
        stacks=[HandSeat(seat=4, name="bob", stack=8_000)],
        void=True,
    ),
    changes="`hand` and `your_pre_act` become null. Every seat: `bet` 0, not `all_in`, not `in_hand`, "
    "no `cards`; seats in `stacks` have that `stack`. At a tournament's table subtract one "
    "from `level.hands_left`, unless it is null or the hand is `void`",
)


class ChatSaid(Event, frozen=True, kw_only=True, tag="chat_said"):
    """A chat text."""

    name: PlayerName
    text: Annotated[str, Meta(description="Text, one line")]


declare_event(
    ChatSaid(table=TABLE, seq=129, name="alice", text="gg, schönes Spiel 👍"),
    changes="nothing",
)


class MovedPlayer(Struct, frozen=True, kw_only=True):
    """A player of a tournament that has moved, with the new table and the seat there."""

    name: PlayerName
    table: TableId
    seat: SeatNumber


class TableNotice(Event, frozen=True, kw_only=True, tag="table_notice"):
    """A change of the whole table: frozen by a fault or the operator (no chip is lost), running again, closing, or
    closed.
    """

    state: Annotated[
        Literal["frozen", "running", "closing", "closed"],
        Meta(description="State of the table: see *The table as a whole* in holdem.md"),
    ]
    message: DisplayText
    moved: Annotated[
        list[MovedPlayer],
        Meta(
            description="Where the last players of a `closed` table of a tournament went; empty otherwise, and if the "
            "room lost it in a failure"
        ),
    ] = field(default_factory=list)


declare_event(
    TableNotice(table=TABLE, seq=130, state="closing", message="The table takes no new players."),
    TableNotice(
        table="sunday.3-4",
        seq=131,
        state="closed",
        message="The table is closed. Its players have moved to other tables.",
        moved=[MovedPlayer(name="ada", table="sunday.3-2", seat=3)],
    ),
    changes="nothing",
)


class TablePaused(Event, frozen=True, kw_only=True, tag="table_paused"):
    """The host has paused the table, after the hand in progress, or resumed it."""

    paused: Annotated[bool, Meta(description="No hand begins")]


declare_event(
    TablePaused(table=TABLE, seq=131, paused=True),
    changes="`paused` becomes that of the event",
)


class StakesChanged(Event, frozen=True, kw_only=True, tag="stakes_changed"):
    """The host has changed the stakes. They hold for hands that begin ten seconds later."""

    small_blind: Amount
    big_blind: Amount
    small_bet: Annotated[Amount | None, Meta(description="Fixed limit: pre-flop and flop; else null")]
    big_bet: Annotated[Amount | None, Meta(description="Fixed limit: turn and river; else null")]
    min_buy_in: Amount
    max_buy_in: Amount
    straddle: Annotated[Amount, Meta(description="Price of a straddle; 0 without straddles")] = 0


declare_event(
    StakesChanged(
        table=TABLE,
        seq=132,
        small_blind=200,
        big_blind=400,
        small_bet=None,
        big_bet=None,
        min_buy_in=8_000,
        max_buy_in=40_000,
        straddle=800,
    ),
    changes="the fields of `info` with these names become those of the event",
)


# The events that a table of any game tells
EveryGameEvent = ChatSaid | TableNotice

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
    | TablePaused
    | StakesChanged
    | EveryGameEvent
)
