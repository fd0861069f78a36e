"""Requests about connections, accounts, the lobby and poker tables."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._declarations import CASH_KEY, HAND, LOGGED_IN, SEATED, TABLE, declare_request
from ._fields import (
    ONCE,
    ONE_LINE,
    Amount,
    AnyTable,
    CashKey,
    HandId,
    Name,
    Password,
    RequestId,
    SeatNumber,
    SecondCodeIfNeeded,
    Seq,
    TableId,
)


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """A message of a client. Unknown fields are refused, so a misspelt option is never silently ignored."""

    id: RequestId


class Hello(Request, frozen=True, kw_only=True, tag="hello"):
    """First message of every connection."""

    version: Annotated[int, Meta(ge=1, le=1000, description="Version of the protocol: 1")]
    client: Annotated[
        str, Meta(max_length=80, description="Name and version of the client, for the operator")
    ] = ""
    pause: Annotated[
        bool,
        Meta(
            description="False: this client needs no pause after a hand. A table deals its next hand at once "
            "if all its connected players say so."
        ),
    ] = True
    instance: Annotated[
        str,
        Meta(
            max_length=64,
            description="The client's name for itself among the clients of its account, such as a random text for "
            "each browser tab. A connection ends the account's earlier one of the same name (`taken_over`) and no "
            "other.",
        ),
    ] = ""


declare_request(
    Hello(id=1, version=1, client="example 1.0"),
    Hello(id=1, version=1, client="swarm", pause=False),
    Hello(id=1, version=1, client="example 1.0", instance="3f9c21"),
    sender="any client, once and first",
    answers="welcome",
    refusals="unsupported_version already_greeted",
)


class Register(Request, frozen=True, kw_only=True, tag="register"):
    """Open an account with play money and log in."""

    name: Annotated[Name, Meta(description="Public name; unique, upper and lower case make no difference")]
    password: Annotated[Password, Meta(description="Secret; the room stores only a hash")]


declare_request(
    Register(id=2, name="alice", password="correct horse"),  # noqa: S106 - an example
    sender="not logged in",
    answers="authenticated",
    refusals="name_taken name_reserved weak_password too_many_accounts already_authenticated",
)


class LogIn(Request, frozen=True, kw_only=True, tag="log_in"):
    """Log in."""

    name: Name
    password: Annotated[Password, Meta(description="Secret; the room stores only a hash")]
    code: SecondCodeIfNeeded = None


declare_request(
    LogIn(id=2, name="alice", password="correct horse"),  # noqa: S106 - an example
    sender="not logged in",
    answers="authenticated",
    refusals="bad_credentials code_needed bad_code log_in_delayed already_authenticated account_locked",
)


class Resume(Request, frozen=True, kw_only=True, tag="resume"):
    """Resume an earlier session. Answered by `authenticated` with the tables where the account has a seat."""

    token: Annotated[str, Meta(min_length=20, max_length=100, description="Secret token of the session")]


declare_request(
    Resume(id=2, token="q8Zl0c1yQm2rT5uVwX9aBd3EfGhJkLnP"),  # noqa: S106 - an example
    sender="not logged in",
    answers="authenticated",
    refusals="session_unknown already_authenticated",
)


class LogOut(Request, frozen=True, kw_only=True, tag="log_out"):
    """End the session: its token becomes invalid. Seats are kept as after a lost connection."""


declare_request(
    LogOut(id=99),
    sender=LOGGED_IN,
    answers="ok",
)


class GetAccount(Request, frozen=True, kw_only=True, tag="get_account"):
    """Request the wallet and the seats."""


declare_request(
    GetAccount(id=3),
    sender=LOGGED_IN,
    answers="account",
)


class Ping(Request, frozen=True, kw_only=True, tag="ping"):
    """Ask for the clock of the room. It also keeps an idle connection open."""


declare_request(
    Ping(id=2**31 - 1),
    sender="any client, at any time",
    answers="pong",
)


class ListTables(Request, frozen=True, kw_only=True, tag="list_tables"):
    """Request the lobby."""


declare_request(
    ListTables(id=4),
    sender="any client, after `hello`",
    answers="tables",
)


class Observe(Request, frozen=True, kw_only=True, tag="observe"):
    """Observe a table. Answered by a snapshot; every later event follows it.

    Another connection of the account that observes the table leaves it, and gets `table_taken`.
    """

    table: TableId
    take_over: Annotated[
        bool,
        Meta(
            description="False: leave the table to another connection of your account that observes it; the answer "
            "is `table_taken` then."
        ),
    ] = True


declare_request(
    Observe(id=5, table=TABLE),
    Observe(id=5, table=TABLE, take_over=False),
    sender=LOGGED_IN,
    answers="snapshot ultimate_snapshot",
    refusals="unknown_table request_pending table_taken",
)


class Unobserve(Request, frozen=True, kw_only=True, tag="unobserve"):
    """End `observe`. A seated player cannot end it (`seated_here`)."""

    table: TableId


declare_request(
    Unobserve(id=6, table=TABLE),
    sender="observing the table",
    answers="ok",
    refusals="not_observing seated_here",
)


class GetSnapshot(Request, frozen=True, kw_only=True, tag="get_snapshot"):
    """Request the whole visible state of a table, after a gap in `seq`. Answered by a snapshot."""

    table: TableId


declare_request(
    GetSnapshot(id=7, table=TABLE),
    sender="observing the table; after `resume`, `observe` first",
    answers="snapshot ultimate_snapshot",
    refusals="not_observing request_pending",
)


class SitDown(Request, frozen=True, kw_only=True, tag="sit_down"):
    """Take a seat with a buy-in from the wallet. Answered by `snapshot` once the buy-in is booked."""

    table: TableId
    buy_in: Amount
    seat: Annotated[SeatNumber | None, Meta(description="null: any free seat")] = None
    post: Annotated[bool, Meta(description="True: post a big blind now instead of waiting for it")] = False


declare_request(
    SitDown(id=8, table=TABLE, buy_in=20_000),
    SitDown(id=8, table=TABLE, buy_in=8_000, seat=3, post=True),
    sender="logged in, no seat at the table",
    answers="snapshot",
    refusals="address_seated already_seated seat_taken seat_held no_such_seat table_full waiting_list "
    "seat_not_accepted buy_in_too_small buy_in_too_large bring_back insufficient_balance wallet_busy "
    "wallet_refused limit_reached excluded account_locked too_many_tables request_pending table_closing",
)


class ReserveSeat(Request, frozen=True, kw_only=True, tag="reserve_seat"):
    """Reserve a free seat while the player chooses a buy-in.

    The reservation ends with `sit_down` at this table, `release_seat`, its deadline, or the connection. A `sit_down`
    that names no seat takes the reserved one.
    """

    table: TableId
    seat: Annotated[SeatNumber | None, Meta(description="null: any free seat")] = None


declare_request(
    ReserveSeat(id=8, table=TABLE, seat=3),
    sender="logged in, no seat at the table",
    answers="reserved",
    refusals="address_seated already_seated seat_taken seat_held no_such_seat table_full waiting_list "
    "seat_not_accepted insufficient_balance excluded seat_cooldown too_many_tables request_pending table_closing",
)


class ReleaseSeat(Request, frozen=True, kw_only=True, tag="release_seat"):
    """Give up a seat that is reserved or offered from a waiting list."""

    table: TableId


declare_request(
    ReleaseSeat(id=8, table=TABLE),
    sender="with a held or offered seat",
    answers="ok",
    refusals="no_seat_held request_pending",
)


class JoinWaitlist(Request, frozen=True, kw_only=True, tag="join_waitlist"):
    """Wait for a seat at this table, or with `any_table` at any table of the same game, structure and stakes.

    When a seat is free for the client, it gets `seat_offered`.
    """

    table: TableId
    any_table: AnyTable = False


declare_request(
    JoinWaitlist(id=8, table=TABLE, any_table=True),
    sender="logged in, no seat at the table",
    answers="waitlisted",
    refusals="excluded already_seated already_waiting table_closing",
)


class LeaveWaitlist(Request, frozen=True, kw_only=True, tag="leave_waitlist"):
    """Leave a waiting list."""

    table: TableId
    any_table: AnyTable = False


declare_request(
    LeaveWaitlist(id=8, table=TABLE),
    sender="on the waiting list",
    answers="ok",
    refusals="not_waiting",
)


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """Decide.

    Answered by `ok` once it is journalled. A repetition (same `hand_id`, `seq`) gets the first answer.
    """

    table: TableId
    hand_id: HandId
    seq: Annotated[Seq, Meta(description="`seq` of the answered `turn`")]
    action: Annotated[
        Literal["fold", "check", "call", "bet", "raise"],
        Meta(description="Action; see *Deciding* in holdem.md"),
    ]
    amount: Annotated[
        Amount | None, Meta(description="For bet and raise: the new total for the street (raise to)")
    ] = None


declare_request(
    Act(id=9, table=TABLE, hand_id=HAND, seq=118, action="fold"),
    Act(id=10, table=TABLE, hand_id=HAND, seq=118, action="raise", amount=600),
    sender="the seat to act",
    answers="ok",
    refusals="not_seated no_hand wrong_hand stale_seq not_your_turn cannot_check nothing_to_call "
    "amount_required amount_not_allowed raise_not_allowed raise_too_small raise_too_large",
)


class PreAct(Request, frozen=True, kw_only=True, tag="pre_act"):
    """Decide before the turn comes. A later pre-action replaces it.

    `fold_to_any_bet` holds for the rest of the hand: it checks if that is free, else folds. `check_fold` and `call`
    hold for the next decision, and only at the price that `call_amount` names. When the price changes, they are void
    and the client gets `pre_act_cancelled`. Refused with `price_changed` if the price differs already, with `your_turn`
    if the decision is pending.
    """

    table: TableId
    hand_id: HandId
    action: Annotated[
        Literal["fold_to_any_bet", "check_fold", "call"],
        Meta(description="Action; see *Deciding in advance* in holdem.md"),
    ]
    call_amount: Annotated[
        Amount | None,
        Meta(description="Price of a call as the client sees it; null with `fold_to_any_bet`"),
    ] = None


declare_request(
    PreAct(id=10, table=TABLE, hand_id=HAND, action="fold_to_any_bet"),
    PreAct(id=10, table=TABLE, hand_id=HAND, action="check_fold", call_amount=0),
    PreAct(id=10, table=TABLE, hand_id=HAND, action="call", call_amount=400),
    sender="in the hand, before its turn",
    answers="ok",
    refusals="not_seated no_hand wrong_hand not_in_hand your_turn price_changed nothing_to_call "
    "amount_required amount_not_allowed",
)


class CancelPreAct(Request, frozen=True, kw_only=True, tag="cancel_pre_act"):
    """Cancel the pre-action. Answered by `ok`, also without one."""

    table: TableId


declare_request(
    CancelPreAct(id=10, table=TABLE),
    sender=SEATED,
    answers="ok",
    refusals="not_seated",
)


class SitOut(Request, frozen=True, kw_only=True, tag="sit_out"):
    """Finish the hand in progress, and be dealt out until `sit_in`."""

    table: TableId
    when: Annotated[
        Literal["now", "next_big_blind"],
        Meta(description="`next_big_blind`: play until the big blind would be due; `sit_in` cancels it"),
    ] = "now"


declare_request(
    SitOut(id=11, table=TABLE),
    SitOut(id=11, table=TABLE, when="next_big_blind"),
    sender=SEATED,
    answers="ok",
    refusals="not_seated not_playing leaving",
)


class SitIn(Request, frozen=True, kw_only=True, tag="sit_in"):
    """Be dealt in again."""

    table: TableId
    post: Annotated[
        bool, Meta(description="Post a big blind and missed blinds now instead of waiting for the big blind")
    ] = False


declare_request(
    SitIn(id=12, table=TABLE, post=True),
    sender="sitting out",
    answers="ok",
    refusals="not_seated already_playing no_chips leaving",
)


class TopUp(Request, frozen=True, kw_only=True, tag="top_up"):
    """Add chips from the wallet, up to the table's maximum buy-in.

    During a hand they wait for its end.
    """

    table: TableId
    amount: Amount
    key: Annotated[CashKey | None, Meta(description=ONCE)] = None


declare_request(
    TopUp(id=13, table=TABLE, amount=12_000),
    TopUp(id=13, table=TABLE, amount=12_000, key=CASH_KEY),
    sender=SEATED,
    answers="ok",
    refusals="not_seated buy_in_too_small buy_in_too_large insufficient_balance wallet_busy wallet_refused "
    "limit_reached excluded account_locked request_pending leaving",
)


class SeatOptions(Request, frozen=True, kw_only=True, tag="seat_options"):
    """Set how a seat is played from the next hand on; null leaves an option unchanged."""

    table: TableId
    auto_top_up_to: Annotated[
        Amount | None,
        Meta(description="Top up a smaller stack to this amount between hands; 0: off"),
    ] = None
    straddle: Annotated[
        bool | None,
        Meta(
            description="Straddle whenever the seat is first left of the big blind, if the table has straddles"
        ),
    ] = None
    muck_losing: Annotated[
        bool | None, Meta(description="True (default): a losing hand is not shown at the showdown")
    ] = None


declare_request(
    SeatOptions(id=13, table=TABLE, auto_top_up_to=20_000, straddle=False),
    sender=SEATED,
    answers="ok",
    refusals="not_seated no_straddle buy_in_too_small buy_in_too_large leaving",
)


class StandUp(Request, frozen=True, kw_only=True, tag="stand_up"):
    """Leave the table; the stack goes to the wallet.

    During a hand the seat folds at its turn, and leaves at the end.
    """

    table: TableId


declare_request(
    StandUp(id=14, table=TABLE),
    sender="with a seat or a place at the table",
    answers="ok",
    refusals="not_seated leaving not_playing",
)


class Chat(Request, frozen=True, kw_only=True, tag="chat"):
    """Send a text to the table."""

    table: TableId
    text: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            pattern=ONE_LINE,
            description="One line without control characters, direction marks and invisible characters; U+200D may "
            "join emojis",
        ),
    ]


declare_request(
    Chat(id=15, table=TABLE, text="gg, schönes Spiel 👍"),
    sender="observing the table",
    answers="ok",
    refusals="not_observing chat_off excluded chat_muted",
)


ConnectionMessage = Hello | Register | LogIn | Resume | LogOut | GetAccount | Ping | ListTables
WaitlistMessage = JoinWaitlist | LeaveWaitlist
TableMessage = (
    Observe
    | Unobserve
    | GetSnapshot
    | ReserveSeat
    | ReleaseSeat
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
"""What the gateway routes to the table that the message names. Some tables answer `wrong_game`."""

HoldemMessage = ConnectionMessage | WaitlistMessage | TableMessage
