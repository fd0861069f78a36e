"""The state of a poker table, as parts of other messages."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ._declarations import TABLE
from ._fields import (
    AllIn,
    Amount,
    CardText,
    Connected,
    DealKind,
    DealNumber,
    Game,
    HandId,
    Millis,
    PlaceNumber,
    PlayerName,
    SeatNumber,
    SeatStatus,
    Seq,
    StandingsNumber,
    StreetName,
    Structure,
    TableId,
    TimeoutAction,
    TournamentPhase,
)


class RakeCap(Struct, frozen=True, kw_only=True):
    """The most that is taken of a hand with so many players dealt in, or more."""

    players: Annotated[int, Meta(ge=2, le=10, description="From this number of players on")]
    amount: Amount


class RakeView(Struct, frozen=True, kw_only=True):
    """What the room takes of each hand of a cash table; see *Rake* in holdem.md."""

    bps: Annotated[int, Meta(ge=1, le=1000, description="Share of the pots, in 1/100 %")]
    caps: Annotated[list[RakeCap], Meta(description="Fewest players first; empty: no cap")]
    no_flop_no_drop: Annotated[bool, Meta(description="A hand that ends before the flop pays nothing")]
    unit: Annotated[Amount, Meta(description="The rake is a multiple of this")]
    min_pot: Annotated[Amount, Meta(description="Smaller pots pay nothing")]


class TableInfo(Struct, frozen=True, kw_only=True):
    """One poker table in the lobby."""

    table: TableId
    name: Annotated[str, Meta(description="Display name of the table")]
    game: Game
    structure: Structure
    small_blind: Amount
    big_blind: Amount
    min_buy_in: Amount
    max_buy_in: Amount
    seats: Annotated[int, Meta(ge=2, le=10, description="Number of seats")]
    occupied: Annotated[int, Meta(description="Number of taken or reserved seats")]
    players: Annotated[int, Meta(description="Number of connected players that are dealt in or waiting")]
    small_bet: Annotated[Amount | None, Meta(description="Fixed limit: pre-flop and flop")] = None
    big_bet: Annotated[Amount | None, Meta(description="Fixed limit: turn and river")] = None
    ante: Amount = 0
    big_blind_ante: Amount = 0
    straddle: Annotated[Amount, Meta(description="Price of a straddle; 0 without straddles")] = 0
    waiting: Annotated[
        int, Meta(description="Number of players who would be before you on the waiting list")
    ] = 0
    observer_delay_s: Annotated[int, Meta(description="Delay for observers without a seat, in seconds")] = 0
    closing: Annotated[bool, Meta(description="The table accepts no new players")] = False
    house_bots: Annotated[int, Meta(description="Number of house bots that play while seats are free")] = 0
    offer: Annotated[str, Meta(description="Offer of the sit-and-go played here; empty at a cash table")] = ""
    hole_cards: Annotated[int, Meta(ge=1, description="Number of hole cards of each player")] = 2
    rake: Annotated[RakeView | UnsetType, Meta(description="What the room takes; absent: nothing")] = UNSET


EXAMPLE_INFO: Final = TableInfo(
    table=TABLE,
    name="No-limit 1/2, six seats",
    game="holdem",
    structure="no_limit",
    small_blind=100,
    big_blind=200,
    min_buy_in=4_000,
    max_buy_in=20_000,
    seats=6,
    occupied=2,
    players=2,
)


class SeatView(Struct, frozen=True, kw_only=True):
    """A taken seat, as every viewer sees it."""

    seat: SeatNumber
    name: PlayerName
    stack: Amount
    status: SeatStatus
    connected: Connected
    gone_since_ms: Annotated[
        Millis | None, Meta(description="Since when the player is disconnected; null while connected")
    ] = None
    in_hand: Annotated[bool, Meta(description="Dealt in and not folded")] = False
    bet: Annotated[Amount, Meta(description="Bet of this street")] = 0
    all_in: AllIn = False
    cards: Annotated[
        list[CardText] | None, Meta(description="Your cards, or shown cards; null while hidden")
    ] = None
    bot: Annotated[bool, Meta(description="A house bot plays here")] = False
    waiting_top_up: Annotated[
        Amount,
        Meta(description="Chips bought during the hand: paid for, and added to the stack when it ends"),
    ] = 0


class PotView(Struct, frozen=True, kw_only=True):
    """A pot in the middle; the first is the main pot."""

    amount: Amount
    seats: Annotated[list[SeatNumber], Meta(description="Seats that can win the pot, by number")]


class TurnView(Struct, frozen=True, kw_only=True):
    """The pending decision, and what is legal."""

    seat: SeatNumber
    seq: Annotated[Seq, Meta(description="The `seq` for `act`")]
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
    time_bank_ms: Annotated[
        int, Meta(ge=0, description="Time bank of the player, which starts at the deadline")
    ] = 0
    in_time_bank: Annotated[bool, Meta(description="The time bank runs: the deadline is its end")] = False
    on_timeout: TimeoutAction | None = None


class PreActView(Struct, frozen=True, kw_only=True):
    """A decision made before the turn. Only its owner sees it."""

    action: Annotated[
        Literal["fold_to_any_bet", "check_fold", "call"],
        Meta(description="Action; see *Deciding in advance* in holdem.md"),
    ]
    call_amount: Amount | None = None


class SeatOptionsView(Struct, frozen=True, kw_only=True):
    """The options of a seat. Only its owner sees them."""

    auto_top_up_to: Annotated[Amount, Meta(description="0: no automatic top-up")] = 0
    straddle: Annotated[
        bool, Meta(description="Post a straddle whenever the seat is first left of the big blind")
    ] = False
    muck_losing: Annotated[bool, Meta(description="A losing hand is not shown at the showdown")] = True
    sits_out_next_big_blind: Annotated[
        bool, Meta(description="The seat sits out when it would post the big blind")
    ] = False


class HandView(Struct, frozen=True, kw_only=True):
    """The hand in progress."""

    hand_id: HandId
    street: Annotated[StreetName, Meta(description="Current street")]
    board: Annotated[list[CardText], Meta(description="Board cards so far, in dealing order")]
    pots: Annotated[list[PotView], Meta(description="Main pot first; without the bets of the current street")]
    button: Annotated[SeatNumber, Meta(description="Seat with the button; it may be empty")]
    small_blind: Annotated[
        SeatNumber | None, Meta(description="Seat of the small blind; null: no seat posts it in this hand")
    ]
    big_blind: Annotated[SeatNumber, Meta(description="Seat of the big blind")]
    turn: Annotated[TurnView | None, Meta(description="The pending decision; null without one")]


class LevelView(Struct, frozen=True, kw_only=True):
    """A level of a tournament; it applies from the next hand on. Blinds and antes are tournament chips."""

    level: Annotated[int, Meta(ge=1, description="Number of the level, from 1")]
    small_blind: Amount
    big_blind: Amount
    small_bet: Annotated[Amount | None, Meta(description="Fixed limit: pre-flop and flop")] = None
    big_bet: Annotated[Amount | None, Meta(description="Fixed limit: turn and river")] = None
    ante: Amount = 0
    big_blind_ante: Amount = 0
    ends_ms: Annotated[
        Millis | None,
        Meta(description="Start of the next level; null: none, by hands, or the clock stands"),
    ] = None
    hands_left: Annotated[int, Meta(ge=0, description="Number of hands until the next level")] | None = None


class TournamentPlace(Struct, frozen=True, kw_only=True):
    """The place of a player without chips. `number` is unique; tied players share `place`."""

    number: StandingsNumber
    place: PlaceNumber
    name: PlayerName
    prize: Amount


class DealShare(Struct, frozen=True, kw_only=True):
    """What a player gets by a deal. `icm` or `chips` is null where that kind is not offered, or was not agreed."""

    seat: SeatNumber
    name: PlayerName
    stack: Amount
    icm: Annotated[Amount | None, Meta(description="Amount by the independent chip model")] = None
    chips: Annotated[Amount | None, Meta(description="Amount by chips")] = None
    accepted: Annotated[bool, Meta(description="Whether the player has accepted")] = False


class DealView(Struct, frozen=True, kw_only=True):
    """A deal at the final table: open to the players' answers, or agreed."""

    deal: Annotated[
        DealNumber | None, Meta(description="Number that an answer names; null once the deal is agreed")
    ]
    proposer: PlayerName
    kind: Annotated[DealKind, Meta(description="Kind that the players accept")]
    for_the_winner: Annotated[Amount, Meta(description="Set aside for the winner, beside the own amount")]
    until_ms: Annotated[Millis | None, Meta(description="End of the time to answer; null once it is agreed")]
    shares: Annotated[list[DealShare], Meta(description="From the first left of the button")]


class TournamentView(Struct, frozen=True, kw_only=True):
    """The tournament of a table."""

    phase: Annotated[TournamentPhase, Meta(description="Current phase, or how the tournament ended")]
    seats: Annotated[int, Meta(ge=2, le=10_000, description="Number of players")]
    prizes: Annotated[list[Amount], Meta(description="Best place first")]
    level: Annotated[LevelView, Meta(description="Current level of the clock")]
    paused: Annotated[
        bool, Meta(description="Paused by the operator: no hand is dealt, and the clock stands")
    ] = False
    break_until_ms: Annotated[Millis | None, Meta(description="End of the break; null without one")] = None
    places: Annotated[list[TournamentPlace], Meta(description="Best first")] = []
    deals: Annotated[bool, Meta(description="Whether players may make a deal at the final table")] = False
    deal: Annotated[DealView | None, Meta(description="The deal that is open, or agreed")] = None
