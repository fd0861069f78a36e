"""Messages of the room apart from events."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._declarations import HAND, NOW_MS, TABLE, declare
from ._fields import (
    AccountSettings,
    Amount,
    AnyTable,
    DisplayText,
    ErrorCode,
    HandId,
    LimitName,
    Millis,
    PlayerName,
    RequestId,
    SeatNumber,
    Seq,
    TableId,
)
from ._views import (
    EXAMPLE_INFO,
    HandView,
    LevelView,
    PreActView,
    SeatOptionsView,
    SeatView,
    TableInfo,
    TournamentPlace,
    TournamentView,
    TurnView,
)


class Answer(Struct, frozen=True, kw_only=True, tag_field="type"):
    """A message of the room. A client ignores unknown fields: version 1 may add fields, but never changes one."""


class Ok(Answer, frozen=True, kw_only=True, tag="ok"):
    """The request is accepted and stored durably."""

    re: RequestId


declare(
    Ok(re=9),
)


class Error(Answer, frozen=True, kw_only=True, tag="error"):
    """The request is refused and nothing has changed; `unavailable` leaves that open.

    `code` is stable; `message` is for display.
    """

    code: ErrorCode
    message: DisplayText
    re: Annotated[RequestId | None, Meta(description="null if the frame could not be read as a request")] = (
        None
    )
    retry_after_ms: Annotated[
        int | None,
        Meta(
            description="`rate_limited`, `seat_cooldown`, `log_in_delayed`, and `unavailable` for a log-in in a crowd: "
            "the same request may succeed after this time"
        ),
    ] = None
    amount: Annotated[
        Amount | None,
        Meta(
            description="`bring_back`: the smallest buy-in that is accepted; `limit_reached`: what is left of "
            "the limit, as `limits` counts"
        ),
    ] = None
    limit: Annotated[LimitName | None, Meta(description="`limit_reached`: the limit")] = None
    until_ms: Annotated[
        Millis | None,
        Meta(
            description="`limit_reached`: when the window ends; `excluded`: when you may play again, null: never; "
            "`chat_muted`: when you may chat again"
        ),
    ] = None
    path: Annotated[
        str | None,
        Meta(
            description="`bad_message`, `bad_table_settings`, `settings_not_offered`: the field that is wrong, as "
            "`$.amount`; null if unknown"
        ),
    ] = None
    versions: Annotated[
        list[int] | None, Meta(description="`unsupported_version`: the versions that the room speaks")
    ] = None


declare(
    Error(
        code="raise_too_small",
        message="The raise is below the minimum. Raise to at least min_raise_to.",
        re=10,
    ),
    Error(code="bad_encoding", message="The frame is not one valid value of the connection's encoding."),
    Error(
        code="bring_back",
        message="You left this table with a larger stack a short while ago. Buy in for at least that amount.",
        re=11,
        amount=14_500,
    ),
)


class Welcome(Answer, frozen=True, kw_only=True, tag="welcome"):
    """Answer to `hello`."""

    re: RequestId
    version: Annotated[int, Meta(description="Version of the protocol: 1")]
    server: Annotated[str, Meta(description="Name and version of the room, for display")]
    server_time_ms: Millis
    frame_bytes_max: Annotated[int, Meta(description="Largest frame that the room accepts")]
    idle_s: Annotated[
        int, Meta(description="A connection without a message for so many seconds is closed; send `ping`")
    ]
    features: Annotated[
        list[str],
        Meta(
            description="What the room takes beyond the first release of this version; ignore unknown names"
        ),
    ] = []


declare(
    Welcome(
        re=1, version=1, server="pokerroom 0.2.0", server_time_ms=NOW_MS, frame_bytes_max=16_384, idle_s=120
    ),
)


class Authenticated(Answer, frozen=True, kw_only=True, tag="authenticated"):
    """Answer to `register`, `log_in` and `resume`."""

    re: RequestId
    account: Annotated[int, Meta(ge=1, description="Permanent number of the account")]
    name: PlayerName
    token: Annotated[str, Meta(description="Secret; for `resume` on a new connection")]
    balance: Amount
    tables: Annotated[list[TableId], Meta(description="Tables where the account has a seat: `observe` them")]
    settings: Annotated[AccountSettings, Meta(description="Settings to apply now")] = AccountSettings()
    last_log_in_ms: Annotated[
        Millis | None,
        Meta(
            description="The log-in with a password before the latest one, or the registration; null before that"
        ),
    ] = None


declare(
    Authenticated(
        re=2,
        account=42,
        name="alice",
        token="q8Zl0c1yQm2rT5uVwX9aBd3EfGhJkLnP",  # noqa: S106 - an example
        balance=1_000_000,
        tables=[TABLE],
    ),
)


class Account(Answer, frozen=True, kw_only=True, tag="account"):
    """Answer to `get_account`."""

    re: RequestId
    account: Annotated[int, Meta(description="Permanent number of the account")]
    name: PlayerName
    balance: Amount
    tables: Annotated[list[TableId], Meta(description="Tables where the account has a seat")]


declare(
    Account(re=3, account=42, name="alice", balance=980_000, tables=[TABLE]),
)


class Pong(Answer, frozen=True, kw_only=True, tag="pong"):
    """Answer to `ping`."""

    re: RequestId
    server_time_ms: Millis


declare(
    Pong(re=2**31 - 1, server_time_ms=2**53 - 1),
)


class Goodbye(Answer, frozen=True, kw_only=True, tag="goodbye"):
    """Last message before the room closes the connection. `code` as in `error`."""

    code: ErrorCode
    message: DisplayText


declare(
    Goodbye(code="shutting_down", message="The room is shutting down; reconnect and resume."),
)


class Snapshot(Answer, frozen=True, kw_only=True, tag="snapshot"):
    """The whole state of a table as this client may see it. Events with a larger `seq` follow."""

    table: TableId
    seq: Seq
    info: Annotated[TableInfo, Meta(description="The line of the table in the lobby")]
    seats: Annotated[list[SeatView], Meta(description="Taken seats, by number")]
    hand: Annotated[HandView | None, Meta(description="Null between hands")]
    your_seat: Annotated[SeatNumber | None, Meta(description="Null without a seat")]
    re: RequestId | None = None
    reserved: Annotated[list[SeatNumber], Meta(description="Reserved free seats")] = []
    your_options: Annotated[SeatOptionsView | None, Meta(description="Null without a seat")] = None
    your_pre_act: Annotated[PreActView | None, Meta(description="Null without a pre-action")] = None
    tournament: Annotated[TournamentView | None, Meta(description="At a tournament's table")] = None
    paused: Annotated[bool, Meta(description="No hand begins: the host has paused the table")] = False


declare(
    Snapshot(
        table=TABLE,
        seq=118,
        info=EXAMPLE_INFO,
        seats=[
            SeatView(
                seat=1,
                name="alice",
                stack=19_900,
                status="playing",
                connected=True,
                in_hand=True,
                bet=100,
                cards=["As", "Td"],
            ),
            SeatView(
                seat=4, name="bob", stack=7_800, status="playing", connected=False, in_hand=True, bet=200
            ),
        ],
        hand=HandView(
            hand_id=HAND,
            street="preflop",
            board=[],
            pots=[],
            button=1,
            small_blind=1,
            big_blind=4,
            turn=TurnView(
                seat=1,
                seq=118,
                check=False,
                call_amount=100,
                min_raise_to=400,
                max_raise_to=20_000,
                countdown_ms=NOW_MS + 10_000,
                deadline_ms=NOW_MS + 30_000,
            ),
        ),
        your_seat=1,
        re=8,
    ),
    Snapshot(table=TABLE, seq=0, info=EXAMPLE_INFO, seats=[], hand=None, your_seat=None),
    Snapshot(
        table="six.17",
        seq=48,
        info=TableInfo(
            table="six.17",
            name="Six players 3.00",
            game="holdem",
            structure="no_limit",
            small_blind=15,
            big_blind=30,
            min_buy_in=0,
            max_buy_in=0,
            seats=6,
            occupied=2,
            players=2,
            ante=5,
            offer="six",
        ),
        seats=[
            SeatView(seat=1, name="ada", stack=4_000, status="playing", connected=True),
            SeatView(
                seat=4,
                name="lou",
                stack=5_000,
                status="away",
                connected=False,
                gone_since_ms=1_760_000_000_000,
            ),
        ],
        hand=None,
        your_seat=1,
        tournament=TournamentView(
            phase="running",
            seats=6,
            prizes=[1_000, 440],
            level=LevelView(level=2, small_blind=15, big_blind=30, ante=5, ends_ms=1_760_000_300_000),
            paused=False,
            break_until_ms=1_760_000_060_000,
            places=[TournamentPlace(number=3, place=3, name="kim", prize=0)],
        ),
    ),
)


class Reserved(Answer, frozen=True, kw_only=True, tag="reserved"):
    """Answer to `reserve_seat`: the seat is reserved for your buy-in until `until_ms`."""

    re: RequestId
    table: TableId
    seat: SeatNumber
    until_ms: Millis


declare(
    Reserved(re=8, table=TABLE, seat=3, until_ms=NOW_MS + 60_000),
)


class Waitlisted(Answer, frozen=True, kw_only=True, tag="waitlisted"):
    """Answer to `join_waitlist`."""

    re: RequestId
    table: TableId
    any_table: AnyTable
    position: Annotated[int, Meta(ge=1, description="1: you get the next offer")]


declare(
    Waitlisted(re=8, table=TABLE, any_table=True, position=2),
)


class SeatOffered(Answer, frozen=True, kw_only=True, tag="seat_offered"):
    """Your turn on a waiting list: the seat is reserved for you. Send `sit_down` at the table before it lapses."""

    table: TableId
    seat: SeatNumber
    until_ms: Millis


declare(
    SeatOffered(table=TABLE, seat=3, until_ms=NOW_MS + 60_000),
)


class WaitEnded(Answer, frozen=True, kw_only=True, tag="wait_ended"):
    """You are off this waiting list, without a request of yours."""

    table: TableId
    any_table: AnyTable
    reason: Annotated[Literal["offer_lapsed", "away", "table_closed"], Meta(description="Reason of the end")]


declare(
    WaitEnded(table=TABLE, any_table=False, reason="offer_lapsed"),
)


class TableTaken(Answer, frozen=True, kw_only=True, tag="table_taken"):
    """Another connection of your account observes this table from now on. No further events of it come here."""

    table: TableId


declare(
    TableTaken(table=TABLE),
)


class PreActCancelled(Answer, frozen=True, kw_only=True, tag="pre_act_cancelled"):
    """Your pre-action is void because the price has changed. You decide when your turn comes."""

    table: TableId
    hand_id: HandId


declare(
    PreActCancelled(table=TABLE, hand_id=HAND),
)


RoomAnswer = (
    Ok
    | Error
    | Welcome
    | Authenticated
    | Account
    | Pong
    | Goodbye
    | Snapshot
    | Reserved
    | Waitlisted
    | SeatOffered
    | WaitEnded
    | TableTaken
    | PreActCancelled
)
