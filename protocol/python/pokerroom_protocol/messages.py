"""Every message of protocol v1, as a typed class: what a client may send, what the room may send.

The classes are the source of the JSON Schema, of the test vectors and of the Python client;
`protocol/README.md` is their prose. This module knows field names, types and bounds. It knows nothing of
bytes (see `codec`), of connections, or of what the room does with a message.

Conventions: amounts are integers in the smallest unit of the game (1/100 credit at cash tables); bets are
street totals ("raise to"); cards are two characters, rank then suit (`As`, `Td`); times are milliseconds
since the Unix epoch by the server's clock; seats count from 1.
"""

from __future__ import annotations

from ._answers import (
    Account,
    Answer,
    Authenticated,
    Error,
    Goodbye,
    Ok,
    Pong,
    PreActCancelled,
    Reserved,
    SeatOffered,
    Snapshot,
    Tables,
    WaitEnded,
    Waitlisted,
    Welcome,
)
from ._events import (
    Acted,
    ChatSaid,
    Event,
    HandEnded,
    HandSeat,
    HandStarted,
    HoleCards,
    Mucked,
    Posted,
    PotAwarded,
    SeatChanged,
    SeatLeft,
    SeatReleased,
    SeatReserved,
    SeatTaken,
    Share,
    Shown,
    StreetDealt,
    TableEvent,
    TableNotice,
    Turn,
    UncalledBet,
)
from ._fields import (
    PROTOCOL_VERSION,
    Amount,
    CardText,
    HandId,
    Millis,
    Name,
    Password,
    RequestId,
    SeatNumber,
    SeatStatus,
    Seq,
    StreetName,
    TableId,
)
from ._requests import (
    Act,
    CancelPreAct,
    Chat,
    ClientMessage,
    GetAccount,
    GetSnapshot,
    Hello,
    JoinWaitlist,
    LeaveWaitlist,
    ListTables,
    LogIn,
    LogOut,
    Observe,
    Ping,
    PreAct,
    Register,
    ReleaseSeat,
    Request,
    ReserveSeat,
    Resume,
    SeatOptions,
    SitDown,
    SitIn,
    SitOut,
    StandUp,
    TopUp,
    Unobserve,
)
from ._views import HandView, PotView, PreActView, SeatOptionsView, SeatView, TableInfo, TurnView

__all__ = [
    "PROTOCOL_VERSION",
    "Account",
    "Act",
    "Acted",
    "Amount",
    "Answer",
    "Authenticated",
    "CancelPreAct",
    "CardText",
    "Chat",
    "ChatSaid",
    "ClientMessage",
    "Error",
    "Event",
    "GetAccount",
    "GetSnapshot",
    "Goodbye",
    "HandEnded",
    "HandId",
    "HandSeat",
    "HandStarted",
    "HandView",
    "Hello",
    "HoleCards",
    "JoinWaitlist",
    "LeaveWaitlist",
    "ListTables",
    "LogIn",
    "LogOut",
    "Millis",
    "Mucked",
    "Name",
    "Observe",
    "Ok",
    "Password",
    "Ping",
    "Pong",
    "Posted",
    "PotAwarded",
    "PotView",
    "PreAct",
    "PreActCancelled",
    "PreActView",
    "Register",
    "ReleaseSeat",
    "Request",
    "RequestId",
    "ReserveSeat",
    "Reserved",
    "Resume",
    "SeatChanged",
    "SeatLeft",
    "SeatNumber",
    "SeatOffered",
    "SeatOptions",
    "SeatOptionsView",
    "SeatReleased",
    "SeatReserved",
    "SeatStatus",
    "SeatTaken",
    "SeatView",
    "Seq",
    "ServerMessage",
    "Share",
    "Shown",
    "SitDown",
    "SitIn",
    "SitOut",
    "Snapshot",
    "StandUp",
    "StreetDealt",
    "StreetName",
    "TableEvent",
    "TableId",
    "TableInfo",
    "TableNotice",
    "Tables",
    "TopUp",
    "Turn",
    "TurnView",
    "UncalledBet",
    "Unobserve",
    "WaitEnded",
    "Waitlisted",
    "Welcome",
]

ServerMessage = (
    Ok
    | Error
    | Welcome
    | Authenticated
    | Account
    | Pong
    | Tables
    | Goodbye
    | Snapshot
    | Reserved
    | Waitlisted
    | SeatOffered
    | WaitEnded
    | PreActCancelled
    | SeatTaken
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
