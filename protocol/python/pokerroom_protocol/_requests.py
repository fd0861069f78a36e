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


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """A decision. Answered by `ok` once it is journalled. Repeated (`hand_id`, `seq`): its first answer."""

    table: TableId
    hand_id: HandId
    seq: Annotated[Seq, Meta(description="`seq` of the `turn` event that this answers")]
    action: Literal["fold", "check", "call", "bet", "raise"]
    amount: Annotated[
        Amount | None, Meta(description="For bet and raise: the total for the street after it (raise TO)")
    ] = None


class SitOut(Request, frozen=True, kw_only=True, tag="sit_out"):
    """Plays the hand in progress to its end and is dealt no further ones until `sit_in`."""

    table: TableId


class SitIn(Request, frozen=True, kw_only=True, tag="sit_in"):
    """Wants to be dealt in again."""

    table: TableId
    post: bool = False


class TopUp(Request, frozen=True, kw_only=True, tag="top_up"):
    """Adds chips from the wallet, up to the table's maximum buy-in; during a hand they wait for its end."""

    table: TableId
    amount: Amount


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


ClientMessage = (
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
    | SitDown
    | Act
    | SitOut
    | SitIn
    | TopUp
    | StandUp
    | Chat
)
