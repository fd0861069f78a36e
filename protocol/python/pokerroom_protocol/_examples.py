"""One example of every message, and inputs that must be refused: the source of the files in
`protocol/vectors/`.

Plain data. A new message class needs an example here; a test sees to it.
"""

from __future__ import annotations

from typing import Final

from . import messages as m
from ._account_examples import ACCOUNT_CLIENT_EXAMPLES, ACCOUNT_SERVER_EXAMPLES
from ._sit_and_go_examples import SIT_AND_GO_CLIENT_EXAMPLES, SIT_AND_GO_SERVER_EXAMPLES
from ._ultimate_examples import ULTIMATE_CLIENT_EXAMPLES, ULTIMATE_SERVER_EXAMPLES
from .errors import Code

__all__ = ["CLIENT_EXAMPLES", "MALFORMED_JSON", "MALFORMED_MSGPACK", "SERVER_EXAMPLES"]

_TABLE: Final = "nl-6max-1"
_HAND: Final = "01J8ZQ4M3T7K9V2X5B6N8C0DEF"
_NOW: Final = 1_767_225_600_000

_INFO: Final = m.TableInfo(
    table=_TABLE,
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

CLIENT_EXAMPLES: Final[tuple[m.ClientMessage, ...]] = (
    m.Hello(id=1, version=1, client="example 1.0"),
    m.Hello(id=1, version=1, client="swarm", pause=False),
    m.Register(id=2, name="alice", password="correct horse"),  # noqa: S106 - an example
    m.LogIn(id=2, name="alice", password="correct horse"),  # noqa: S106 - an example
    m.Resume(id=2, token="q8Zl0c1yQm2rT5uVwX9aBd3EfGhJkLnP"),  # noqa: S106 - an example
    m.LogOut(id=99),
    m.GetAccount(id=3),
    m.Ping(id=2**31 - 1),
    m.ListTables(id=4),
    m.Observe(id=5, table=_TABLE),
    m.Unobserve(id=6, table=_TABLE),
    m.GetSnapshot(id=7, table=_TABLE),
    m.SitDown(id=8, table=_TABLE, buy_in=20_000),
    m.SitDown(id=8, table=_TABLE, buy_in=8_000, seat=3, post=True),
    m.ReserveSeat(id=8, table=_TABLE, seat=3),
    m.ReleaseSeat(id=8, table=_TABLE),
    m.JoinWaitlist(id=8, table=_TABLE, any_table=True),
    m.LeaveWaitlist(id=8, table=_TABLE),
    m.Act(id=9, table=_TABLE, hand_id=_HAND, seq=118, action="fold"),
    m.Act(id=10, table=_TABLE, hand_id=_HAND, seq=118, action="raise", amount=600),
    m.PreAct(id=10, table=_TABLE, hand_id=_HAND, action="fold_to_any_bet"),
    m.PreAct(id=10, table=_TABLE, hand_id=_HAND, action="check_fold", call_amount=0),
    m.PreAct(id=10, table=_TABLE, hand_id=_HAND, action="call", call_amount=400),
    m.CancelPreAct(id=10, table=_TABLE),
    m.SitOut(id=11, table=_TABLE),
    m.SitOut(id=11, table=_TABLE, when="next_big_blind"),
    m.SitIn(id=12, table=_TABLE, post=True),
    m.TopUp(id=13, table=_TABLE, amount=12_000),
    m.SeatOptions(id=13, table=_TABLE, auto_top_up_to=20_000, straddle=False),
    m.StandUp(id=14, table=_TABLE),
    m.Chat(id=15, table=_TABLE, text="gg, schönes Spiel 👍"),
    *SIT_AND_GO_CLIENT_EXAMPLES,
    *ULTIMATE_CLIENT_EXAMPLES,
    *ACCOUNT_CLIENT_EXAMPLES,
)

SERVER_EXAMPLES: Final[tuple[m.ServerMessage, ...]] = (
    m.Ok(re=9),
    m.Error(code="raise_too_small", message="The raise is below the minimum.", re=10),
    m.Error(code="bad_encoding", message="The frame is not one valid value of the connection's encoding."),
    m.Welcome(
        re=1, version=1, server="pokerroom 0.1.0", server_time_ms=_NOW, frame_bytes_max=16_384, idle_s=120
    ),
    m.Authenticated(
        re=2,
        account=42,
        name="alice",
        token="q8Zl0c1yQm2rT5uVwX9aBd3EfGhJkLnP",  # noqa: S106 - an example
        balance=1_000_000,
        tables=[_TABLE],
    ),
    m.Account(re=3, account=42, name="alice", balance=980_000, tables=[_TABLE]),
    m.Pong(re=2**31 - 1, server_time_ms=2**53 - 1),
    m.Tables(re=4, tables=[_INFO]),
    m.Goodbye(code="shutting_down", message="The room is shutting down; reconnect and resume."),
    m.Snapshot(
        table=_TABLE,
        seq=118,
        info=_INFO,
        seats=[
            m.SeatView(
                seat=1,
                name="alice",
                stack=19_900,
                status="playing",
                connected=True,
                in_hand=True,
                bet=100,
                cards=["As", "Td"],
            ),
            m.SeatView(
                seat=4, name="bob", stack=7_800, status="playing", connected=False, in_hand=True, bet=200
            ),
        ],
        hand=m.HandView(
            hand_id=_HAND,
            street="preflop",
            board=[],
            pots=[],
            button=1,
            small_blind=1,
            big_blind=4,
            turn=m.TurnView(
                seat=1,
                seq=118,
                check=False,
                call_amount=100,
                min_raise_to=400,
                max_raise_to=20_000,
                countdown_ms=_NOW + 10_000,
                deadline_ms=_NOW + 30_000,
            ),
        ),
        your_seat=1,
        re=8,
    ),
    m.Snapshot(table=_TABLE, seq=0, info=_INFO, seats=[], hand=None, your_seat=None),
    m.Reserved(re=8, table=_TABLE, seat=3, until_ms=_NOW + 60_000),
    m.Waitlisted(re=8, table=_TABLE, any_table=True, position=2),
    m.SeatOffered(table=_TABLE, seat=3, until_ms=_NOW + 60_000),
    m.WaitEnded(table=_TABLE, any_table=False, reason="offer_lapsed"),
    m.PreActCancelled(table=_TABLE, hand_id=_HAND),
    m.SeatReserved(table=_TABLE, seq=110, seat=3, until_ms=_NOW + 60_000),
    m.SeatReleased(table=_TABLE, seq=111, seat=3),
    m.SeatTaken(table=_TABLE, seq=112, seat=4, name="bob", stack=8_000, status="waiting"),
    m.SeatChanged(table=_TABLE, seq=113, seat=4, stack=8_000, status="playing", connected=False),
    m.SeatLeft(table=_TABLE, seq=140, seat=4, name="bob"),
    m.HandStarted(
        table=_TABLE,
        seq=114,
        hand_id=_HAND,
        button=1,
        small_blind=1,
        big_blind=4,
        seats=[
            m.HandSeat(seat=4, name="bob", stack=8_000),
            m.HandSeat(seat=1, name="alice", stack=20_000),
        ],
    ),
    m.Posted(table=_TABLE, seq=115, seat=1, kind="small_blind", amount=100, stack=19_900, all_in=False),
    m.HoleCards(table=_TABLE, seq=117, hand_id=_HAND, cards=["As", "Td"]),
    m.HoleCards(table=_TABLE, seq=117, hand_id=_HAND),
    m.Turn(
        table=_TABLE,
        seq=118,
        hand_id=_HAND,
        seat=1,
        check=False,
        call_amount=100,
        min_raise_to=400,
        max_raise_to=20_000,
        countdown_ms=_NOW + 10_000,
        deadline_ms=_NOW + 30_000,
    ),
    m.Acted(
        table=_TABLE,
        seq=119,
        hand_id=_HAND,
        seat=1,
        action="raise",
        added=500,
        bet=600,
        stack=19_400,
        all_in=False,
    ),
    m.Acted(
        table=_TABLE,
        seq=121,
        hand_id=_HAND,
        seat=4,
        action="clock_all_in",
        added=0,
        bet=200,
        stack=7_800,
        all_in=True,
        by_clock=True,
    ),
    m.StreetDealt(
        table=_TABLE,
        seq=122,
        hand_id=_HAND,
        street="flop",
        cards=["2c", "7h", "Qs"],
        pots=[m.PotView(amount=400, seats=[1, 4])],
    ),
    m.UncalledBet(table=_TABLE, seq=122, hand_id=_HAND, seat=1, amount=400, stack=19_800),
    m.Shown(table=_TABLE, seq=125, hand_id=_HAND, seat=1, cards=["As", "Td"], rank="pair"),
    m.Mucked(table=_TABLE, seq=126, hand_id=_HAND, seat=4),
    m.PotAwarded(
        table=_TABLE,
        seq=127,
        hand_id=_HAND,
        pot=0,
        amount=401,
        shares=[m.Share(seat=4, amount=201), m.Share(seat=1, amount=200)],
    ),
    m.HandEnded(
        table=_TABLE,
        seq=128,
        hand_id=_HAND,
        stacks=[
            m.HandSeat(seat=4, name="bob", stack=7_800),
            m.HandSeat(seat=1, name="alice", stack=20_200),
        ],
    ),
    m.HandEnded(
        table=_TABLE,
        seq=128,
        hand_id=_HAND,
        stacks=[m.HandSeat(seat=4, name="bob", stack=8_000)],
        void=True,
    ),
    m.ChatSaid(table=_TABLE, seq=129, name="alice", text="gg, schönes Spiel 👍"),
    m.TableNotice(table=_TABLE, seq=130, state="closing", message="The table takes no new players."),
    *SIT_AND_GO_SERVER_EXAMPLES,
    *ULTIMATE_SERVER_EXAMPLES,
    *ACCOUNT_SERVER_EXAMPLES,
)

# Requests that must be refused: why, the bytes, the code, and the request's id where it can be read.
# `81 a4 "type" a4 "ping"` is a map of one field; `82 … a2 "id" 05` of two.
_PING: Final = b"\x82\xa4type\xa4ping\xa2id"

MALFORMED_MSGPACK: Final[tuple[tuple[str, bytes, Code, int | None], ...]] = (
    ("no bytes at all", b"", Code.BAD_ENCODING, None),
    ("cut short", _PING, Code.BAD_ENCODING, None),
    ("a byte behind the message", _PING + b"\x05\xc0", Code.BAD_ENCODING, None),
    ("the byte msgpack never uses", b"\xc1", Code.BAD_ENCODING, None),
    ("not a map: an array", b"\x91\x05", Code.BAD_MESSAGE, None),
    ("not a map: nil", b"\xc0", Code.BAD_MESSAGE, None),
    ("not a map: a number", b"\x05", Code.BAD_MESSAGE, None),
    ("text that is not UTF-8", b"\x82\xa4type\xa4ping\xa2id\xa1\xff", Code.BAD_ENCODING, None),
    ("a surrogate in UTF-8", b"\x82\xa4type\xa4ping\xa2id\xa3\xed\xa0\x80", Code.BAD_ENCODING, None),
    ("a key that is no text", b"\x83\xa4type\xa4ping\xa2id\x05\x01\x02", Code.BAD_ENCODING, None),
    ("the same key twice", b"\x83\xa4type\xa4ping\xa2id\x05\xa2id\x06", Code.BAD_ENCODING, None),
    ("an extension type", _PING + b"\xd4\x01\x00", Code.BAD_ENCODING, None),
    ("a timestamp extension", _PING + b"\xd6\xff\x00\x00\x00\x00", Code.BAD_ENCODING, None),
    ("an extension of no bytes", _PING + b"\xc7\x00\x01", Code.BAD_ENCODING, None),
    ("binary in place of text", b"\x82\xa4type\xc4\x04ping\xa2id\x05", Code.BAD_ENCODING, None),
    ("nested a thousand deep", b"\x91" * 1100 + b"\xc0", Code.BAD_ENCODING, None),
    ("an array that announces 4 GiB", _PING + b"\xdd\xff\xff\xff\xff", Code.BAD_ENCODING, None),
    ("no type", b"\x81\xa2id\x05", Code.BAD_MESSAGE, 5),
    ("a type that is no text", b"\x82\xa4type\x05\xa2id\x05", Code.BAD_MESSAGE, 5),
    ("an unknown type", b"\x82\xa4type\xa4pong\xa2id\x05", Code.UNKNOWN_MESSAGE, 5),
    ("no id", b"\x81\xa4type\xa4ping", Code.BAD_MESSAGE, None),
    ("a boolean for an integer", _PING + b"\xc3", Code.BAD_MESSAGE, None),
    ("a float for an integer", _PING + b"\xcb\x40\x14\x00\x00\x00\x00\x00\x00", Code.BAD_MESSAGE, None),
    ("NaN for an integer", _PING + b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", Code.BAD_MESSAGE, None),
    ("infinity for an integer", _PING + b"\xca\x7f\x80\x00\x00", Code.BAD_MESSAGE, None),
    ("a negative id", _PING + b"\xff", Code.BAD_MESSAGE, None),
    ("an id of 2^31", _PING + b"\xce\x80\x00\x00\x00", Code.BAD_MESSAGE, None),
    ("an id of 2^64-1", _PING + b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", Code.BAD_MESSAGE, None),
    ("an unknown field", b"\x83\xa4type\xa4ping\xa2id\x05\xa1x\xc0", Code.BAD_MESSAGE, 5),
    ("a missing field", b"\x82\xa4type\xa7observe\xa2id\x05", Code.BAD_MESSAGE, 5),
    (
        "a line break behind a table's name",
        b"\x83\xa4type\xa7observe\xa2id\x05\xa5table\xa2a\n",
        Code.BAD_MESSAGE,
        5,
    ),
)

MALFORMED_JSON: Final[tuple[tuple[str, bytes, Code, int | None], ...]] = (
    ("no bytes at all", b"", Code.BAD_ENCODING, None),
    ("cut short", b'{"type":"ping","id":5', Code.BAD_ENCODING, None),
    ("a second value", b'{"type":"ping","id":5}{}', Code.BAD_ENCODING, None),
    ("not a map", b"[5]", Code.BAD_MESSAGE, None),
    ("the same key twice", b'{"type":"ping","id":5,"id":6}', Code.BAD_ENCODING, None),
    ("NaN", b'{"type":"ping","id":NaN}', Code.BAD_ENCODING, None),
    ("a number beyond every float", b'{"type":"ping","id":1e999}', Code.BAD_MESSAGE, None),
    ("a number with a point", b'{"type":"ping","id":5.0}', Code.BAD_MESSAGE, None),
    ("a boolean for an integer", b'{"type":"ping","id":true}', Code.BAD_MESSAGE, None),
    ("a numeral as text", b'{"type":"ping","id":"5"}', Code.BAD_MESSAGE, None),
    ("an integer of 400 digits", b'{"type":"ping","id":' + b"9" * 400 + b"}", Code.BAD_MESSAGE, None),
    ("UTF-16", '{"type":"ping","id":5}'.encode("utf-16"), Code.BAD_ENCODING, None),
    ("a byte order mark", b'\xef\xbb\xbf{"type":"ping","id":5}', Code.BAD_ENCODING, None),
    ("text that is not UTF-8", b'{"type":"ping","id":"\xff"}', Code.BAD_ENCODING, None),
    (
        "half a surrogate pair",
        b'{"type":"chat","id":5,"table":"t","text":"\\ud800"}',
        Code.BAD_ENCODING,
        None,
    ),
    ("nested ten thousand deep", b"[" * 10_000, Code.BAD_ENCODING, None),
    ("an unknown type", b'{"type":"sit","id":5}', Code.UNKNOWN_MESSAGE, 5),
    ("an unknown field", b'{"type":"ping","id":5,"x":1}', Code.BAD_MESSAGE, 5),
    (
        "an action that does not exist",
        b'{"type":"act","id":5,"table":"t","hand_id":"h","seq":1,"action":"all_in"}',
        Code.BAD_MESSAGE,
        5,
    ),
)
