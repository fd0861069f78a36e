"""What the room sends apart from events. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from ._fields import Amount, Millis, RequestId, SeatNumber, Seq, TableId
from ._views import HandView, SeatView, TableInfo


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


class Tables(Answer, frozen=True, kw_only=True, tag="tables"):
    """Answer to `list_tables`."""

    re: RequestId
    tables: list[TableInfo]


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
