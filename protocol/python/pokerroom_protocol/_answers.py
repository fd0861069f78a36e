"""What the room sends apart from events. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._fields import AccountSettings, Amount, HandId, Millis, RequestId, SeatNumber, Seq, TableId
from ._views import HandView, PreActView, SeatOptionsView, SeatView, TableInfo, TournamentView


class Answer(Struct, frozen=True, kw_only=True, tag_field="type"):
    """What the room sends. A client ignores fields it does not know: v1 may add fields, never change one."""


class Ok(Answer, frozen=True, kw_only=True, tag="ok"):
    """The request is accepted and cannot be lost any more."""

    re: RequestId


class Error(Answer, frozen=True, kw_only=True, tag="error"):
    """The request is refused and nothing has changed. `code` is stable; `message` is for people."""

    code: str
    message: str
    re: Annotated[
        RequestId | None, Meta(description="None when the frame could not be read as a request")
    ] = None


class Welcome(Answer, frozen=True, kw_only=True, tag="welcome"):
    """Answer to `hello`."""

    re: RequestId
    version: int
    server: str
    server_time_ms: Millis
    frame_bytes_max: Annotated[int, Meta(description="Largest frame the room accepts from a client")]
    idle_s: Annotated[
        int, Meta(description="A connection without any message for so long is closed; send `ping`")
    ]


class Authenticated(Answer, frozen=True, kw_only=True, tag="authenticated"):
    """Answer to `register`, `log_in` and `resume`."""

    re: RequestId
    account: Annotated[int, Meta(ge=1)]
    name: str
    token: Annotated[str, Meta(description="Secret; `resume` with it on a new connection")]
    balance: Amount
    tables: list[TableId]
    settings: Annotated[AccountSettings, Meta(description="To be applied now")] = AccountSettings()


class Account(Answer, frozen=True, kw_only=True, tag="account"):
    """Answer to `get_account`."""

    re: RequestId
    account: int
    name: str
    balance: Amount
    tables: list[TableId]


class Pong(Answer, frozen=True, kw_only=True, tag="pong"):
    """Answer to `ping`."""

    re: RequestId
    server_time_ms: Millis


class Goodbye(Answer, frozen=True, kw_only=True, tag="goodbye"):
    """Last message before the room closes the connection. `code` as in `error`."""

    code: str
    message: str


class Snapshot(Answer, frozen=True, kw_only=True, tag="snapshot"):
    """The whole state of a table as this client may see it. Events with a larger `seq` follow."""

    table: TableId
    seq: Seq
    info: TableInfo
    seats: list[SeatView]
    hand: HandView | None
    your_seat: SeatNumber | None
    re: RequestId | None = None
    reserved: Annotated[list[SeatNumber], Meta(description="Free seats held for somebody")] = []
    your_options: SeatOptionsView | None = None
    your_pre_act: PreActView | None = None
    tournament: Annotated[TournamentView | None, Meta(description="At a tournament's table")] = None


class Reserved(Answer, frozen=True, kw_only=True, tag="reserved"):
    """Answer to `reserve_seat`: the seat is yours to buy in at until then."""

    re: RequestId
    table: TableId
    seat: SeatNumber
    until_ms: Millis


class Waitlisted(Answer, frozen=True, kw_only=True, tag="waitlisted"):
    """Answer to `join_waitlist`."""

    re: RequestId
    table: TableId
    any_table: bool
    position: Annotated[int, Meta(ge=1, description="1: the next seat is offered to you")]


class SeatOffered(Answer, frozen=True, kw_only=True, tag="seat_offered"):
    """Your turn on a waiting list: the seat is held for you; `sit_down` at the table before it lapses."""

    table: TableId
    seat: SeatNumber
    until_ms: Millis


class WaitEnded(Answer, frozen=True, kw_only=True, tag="wait_ended"):
    """You are on this waiting list no more, without having asked for that."""

    table: TableId
    any_table: bool
    reason: Literal["offer_lapsed", "away", "table_closed"]


class PreActCancelled(Answer, frozen=True, kw_only=True, tag="pre_act_cancelled"):
    """Your pre-action is void: the price has changed. You are asked when your turn comes."""

    table: TableId
    hand_id: HandId
