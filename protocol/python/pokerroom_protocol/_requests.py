"""What a client may send. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._fields import Amount, HandId, Name, Password, RequestId, SeatNumber, Seq, TableId


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """What a client sends. Unknown fields are refused: a misspelt option is never silently ignored."""

    id: RequestId


class Hello(Request, frozen=True, kw_only=True, tag="hello"):
    """First message on every connection. Answered by `welcome`, or by `error` with `unsupported_version`."""

    version: Annotated[int, Meta(ge=1, le=1000)]
    client: Annotated[
        str, Meta(max_length=80, description="Name and version of the client, for the operator")
    ] = ""
    pause: Annotated[
        bool,
        Meta(
            description="False: this client needs no time to look at a result. A table whose connected "
            "players all say so deals its next hand at once."
        ),
    ] = True


class Register(Request, frozen=True, kw_only=True, tag="register"):
    """Opens an account with play money and logs in. Answered by `authenticated`."""

    name: Name
    password: Password


class LogIn(Request, frozen=True, kw_only=True, tag="log_in"):
    """Answered by `authenticated`, or by `error` with `bad_credentials`."""

    name: Name
    password: Password


class Resume(Request, frozen=True, kw_only=True, tag="resume"):
    """Goes on with an earlier session. Answered by `authenticated` with the tables where the account sits."""

    token: Annotated[str, Meta(min_length=20, max_length=100)]


class LogOut(Request, frozen=True, kw_only=True, tag="log_out"):
    """Ends the session: its token is void from now on. Seats are kept as for a lost connection."""


class GetAccount(Request, frozen=True, kw_only=True, tag="get_account"):
    """Asks for the wallet and the seats. Answered by `account`."""


class Ping(Request, frozen=True, kw_only=True, tag="ping"):
    """Answered by `pong`. Also keeps an idle connection open."""


class ListTables(Request, frozen=True, kw_only=True, tag="list_tables"):
    """Answered by `tables`."""


class Observe(Request, frozen=True, kw_only=True, tag="observe"):
    """Asks for the events of a table. Answered by `snapshot`; every later event follows it."""

    table: TableId


class Unobserve(Request, frozen=True, kw_only=True, tag="unobserve"):
    """Ends `observe`. A seated player cannot end it (`seated_here`)."""

    table: TableId


class GetSnapshot(Request, frozen=True, kw_only=True, tag="get_snapshot"):
    """Asks for the whole visible state of a table, after a gap in `seq`. Answered by `snapshot`."""

    table: TableId


class SitDown(Request, frozen=True, kw_only=True, tag="sit_down"):
    """Takes a seat with a buy-in from the wallet. Answered by `snapshot` once the buy-in is booked."""

    table: TableId
    buy_in: Amount
    seat: Annotated[SeatNumber | None, Meta(description="None: any free seat")] = None
    post: Annotated[bool, Meta(description="True: post a big blind at once instead of waiting for it")] = (
        False
    )


class ReserveSeat(Request, frozen=True, kw_only=True, tag="reserve_seat"):
    """Holds a free seat while its holder decides on his buy-in. Answered by `reserved`.

    The hold ends with `sit_down` at this table (which takes the held seat where it names none), `release_seat`, when
    its time is over, or with the connection.
    """

    table: TableId
    seat: Annotated[SeatNumber | None, Meta(description="None: any free seat")] = None


class ReleaseSeat(Request, frozen=True, kw_only=True, tag="release_seat"):
    """Gives up the seat held by `reserve_seat`, or offered from a waiting list. Answered by `ok`."""

    table: TableId


class JoinWaitlist(Request, frozen=True, kw_only=True, tag="join_waitlist"):
    """Waits for a seat: at this table, or with `any_table` at any table of the same game, structure and stakes.

    Answered by `waitlisted`. When a seat is free for him the client gets `seat_offered`.
    """

    table: TableId
    any_table: bool = False


class LeaveWaitlist(Request, frozen=True, kw_only=True, tag="leave_waitlist"):
    """Waits no longer. Answered by `ok`, or by `error` with `not_waiting`."""

    table: TableId
    any_table: bool = False


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """A decision. Answered by `ok` once it is journalled. Repeated (`hand_id`, `seq`): its first answer."""

    table: TableId
    hand_id: HandId
    seq: Annotated[Seq, Meta(description="`seq` of the `turn` event that this answers")]
    action: Literal["fold", "check", "call", "bet", "raise"]
    amount: Annotated[
        Amount | None, Meta(description="For bet and raise: the total for the street after it (raise TO)")
    ] = None


class PreAct(Request, frozen=True, kw_only=True, tag="pre_act"):
    """Decides before the turn comes; a later one replaces it. Answered by `ok`.

    `fold_to_any_bet` holds for the rest of the hand: checks where that is free, else folds. `check_fold` (check, or
    fold at this price) and `call` are for the next decision, and only at the price that `call_amount` names: when it
    changes they are void and the client gets `pre_act_cancelled`. Refused with `price_changed` where the price is
    another already, with `your_turn` where the decision is awaited.
    """

    table: TableId
    hand_id: HandId
    action: Literal["fold_to_any_bet", "check_fold", "call"]
    call_amount: Annotated[
        Amount | None,
        Meta(description="What a call would add, as the client sees it; None with fold_to_any_bet"),
    ] = None


class CancelPreAct(Request, frozen=True, kw_only=True, tag="cancel_pre_act"):
    """Decides when the turn comes after all. Answered by `ok`, also when there was nothing to cancel."""

    table: TableId


class SitOut(Request, frozen=True, kw_only=True, tag="sit_out"):
    """Plays the hand in progress to its end and is dealt no further ones until `sit_in`."""

    table: TableId
    when: Annotated[
        Literal["now", "next_big_blind"],
        Meta(description="next_big_blind: plays on until the big blind would be his; `sit_in` takes it back"),
    ] = "now"


class SitIn(Request, frozen=True, kw_only=True, tag="sit_in"):
    """Wants to be dealt in again."""

    table: TableId
    post: bool = False


class TopUp(Request, frozen=True, kw_only=True, tag="top_up"):
    """Adds chips from the wallet, up to the table's maximum buy-in; during a hand they wait for its end."""

    table: TableId
    amount: Amount


class SeatOptions(Request, frozen=True, kw_only=True, tag="seat_options"):
    """Says how a seat is to be played from the next hand on; what is None stays as it is. Answered by `ok`."""

    table: TableId
    auto_top_up_to: Annotated[
        Amount | None,
        Meta(description="Between hands a smaller stack is topped up to this from the wallet; 0 ends that"),
    ] = None
    straddle: Annotated[
        bool | None, Meta(description="Straddle whenever first left of the big blind, where the table has it")
    ] = None
    muck_losing: Annotated[
        bool | None, Meta(description="True (as at the start): a beaten hand is not shown at the showdown")
    ] = None


class StandUp(Request, frozen=True, kw_only=True, tag="stand_up"):
    """Leaves the table; the stack goes to the wallet. In a hand: folded at its turn, left when it ends."""

    table: TableId


class Chat(Request, frozen=True, kw_only=True, tag="chat"):
    """Says something to the table."""

    table: TableId
    text: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            pattern=r"^[^\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+$(?!\n)",
            description="One line, without control characters and without marks that turn the direction of writing",
        ),
    ]


HoldemMessage = (
    Hello
    | Register
    | LogIn
    | Resume
    | LogOut
    | GetAccount
    | Ping
    | ListTables
    | Observe
    | Unobserve
    | GetSnapshot
    | ReserveSeat
    | ReleaseSeat
    | JoinWaitlist
    | LeaveWaitlist
    | SitDown
    | Act
    | PreAct
    | CancelPreAct
    | SitOut
    | SitIn
    | TopUp
    | SeatOptions
    | StandUp
    | Chat
)
