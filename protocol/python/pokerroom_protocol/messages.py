"""Every message of protocol v1, as a typed class: what a client may send, what the room may send.

The classes are the source of the JSON Schema, of the test vectors and of the Python client;
`protocol/README.md` is their prose. This module knows field names, types and bounds. It knows nothing of
bytes (see `codec`), of connections, or of what the room does with a message.

Conventions: amounts are integers in the smallest unit of the game (1/100 credit at cash tables); bets are
street totals ("raise to"); cards are two characters, rank then suit (`As`, `Td`); times are milliseconds
since the Unix epoch by the server's clock; seats count from 1.
"""

from __future__ import annotations

from ._account import (
    AccountAnswer,
    BoxDecision,
    Cashier,
    CashKind,
    CashRequested,
    CashRequestView,
    CashState,
    HandHistory,
    HandHistorySeat,
    HandHistoryView,
    HandStep,
    History,
    HistoryEntry,
    RoundHistory,
    RoundHistoryView,
    Settings,
)
from ._account_requests import (
    AccountMessage,
    ChangeSettings,
    GetCashier,
    GetHand,
    GetHistory,
    GetRound,
    GetSettings,
    RequestDeposit,
    RequestWithdrawal,
)
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
    HoldemEvent,
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
    TableNotice,
    Turn,
    UncalledBet,
)
from ._fields import (
    PROTOCOL_VERSION,
    AccountSettings,
    Amount,
    BoxNumber,
    CardText,
    HandId,
    Millis,
    Name,
    Password,
    RequestId,
    RoundId,
    SeatNumber,
    SeatStatus,
    Seq,
    StreetName,
    TableId,
    TournamentPhase,
)
from ._requests import (
    Act,
    CancelPreAct,
    Chat,
    GetAccount,
    GetSnapshot,
    Hello,
    HoldemMessage,
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
from ._sit_and_go import (
    GetStandings,
    ListSitAndGos,
    OfferId,
    RegisterSng,
    SitAndGoInfo,
    SitAndGoMessage,
    SitAndGos,
    SngFilling,
    SngLevel,
    SngNotice,
    SngPlace,
    SngPlayer,
    SngPrizePaid,
    SngRefunded,
    SngRegistered,
    SngRunning,
    SngStarted,
    Standings,
    UnregisterSng,
)
from ._sit_and_go_events import (
    BreakEnded,
    BreakStarted,
    LevelStarted,
    PlayerPlaced,
    TournamentEnded,
    TournamentEvent,
    TournamentPaused,
    TournamentResumed,
)
from ._ultimate import (
    BankResult,
    BetName,
    BetResult,
    BoxBetsView,
    BoxCards,
    BoxResult,
    DecisionsView,
    Light,
    LightView,
    PayRow,
    PlaceView,
    Prize,
    ProgressiveInfo,
    RefusedBet,
    RoundView,
    Slip,
    SlipBet,
    SlipView,
    Tables,
    UltimateInfo,
    UltimateSnapshot,
    UltimateStreet,
)
from ._ultimate_events import (
    BetsRefused,
    BoardDealt,
    Decided,
    Decisions,
    HandsDealt,
    LightChanged,
    PlaceChanged,
    PlaceLeft,
    PlaceTaken,
    RoundEnded,
    RoundStarted,
    TipGiven,
    UltimateEvent,
)
from ._ultimate_requests import ChangeBets, ChoosePlay, Decide, GiveTip, PlaceBet, TakePlace, UltimateMessage
from ._views import (
    HandView,
    LevelView,
    PotView,
    PreActView,
    SeatOptionsView,
    SeatView,
    TableInfo,
    TournamentPlace,
    TournamentView,
    TurnView,
)

__all__ = [
    "PROTOCOL_VERSION",
    "Account",
    "AccountAnswer",
    "AccountMessage",
    "AccountSettings",
    "Act",
    "Acted",
    "Amount",
    "Answer",
    "Authenticated",
    "BankResult",
    "BetName",
    "BetResult",
    "BetsRefused",
    "BoardDealt",
    "BoxBetsView",
    "BoxCards",
    "BoxDecision",
    "BoxNumber",
    "BoxResult",
    "BreakEnded",
    "BreakStarted",
    "CancelPreAct",
    "CardText",
    "CashKind",
    "CashRequestView",
    "CashRequested",
    "CashState",
    "Cashier",
    "ChangeBets",
    "ChangeSettings",
    "Chat",
    "ChatSaid",
    "ChoosePlay",
    "ClientMessage",
    "Decide",
    "Decided",
    "Decisions",
    "DecisionsView",
    "Error",
    "Event",
    "GetAccount",
    "GetCashier",
    "GetHand",
    "GetHistory",
    "GetRound",
    "GetSettings",
    "GetSnapshot",
    "GetStandings",
    "GiveTip",
    "Goodbye",
    "HandEnded",
    "HandHistory",
    "HandHistorySeat",
    "HandHistoryView",
    "HandId",
    "HandSeat",
    "HandStarted",
    "HandStep",
    "HandView",
    "HandsDealt",
    "Hello",
    "History",
    "HistoryEntry",
    "HoldemEvent",
    "HoldemMessage",
    "HoleCards",
    "JoinWaitlist",
    "LeaveWaitlist",
    "LevelStarted",
    "LevelView",
    "Light",
    "LightChanged",
    "LightView",
    "ListSitAndGos",
    "ListTables",
    "LogIn",
    "LogOut",
    "Millis",
    "Mucked",
    "Name",
    "Observe",
    "OfferId",
    "Ok",
    "Password",
    "PayRow",
    "Ping",
    "PlaceBet",
    "PlaceChanged",
    "PlaceLeft",
    "PlaceTaken",
    "PlaceView",
    "PlayerPlaced",
    "Pong",
    "Posted",
    "PotAwarded",
    "PotView",
    "PreAct",
    "PreActCancelled",
    "PreActView",
    "Prize",
    "ProgressiveInfo",
    "RefusedBet",
    "Register",
    "RegisterSng",
    "ReleaseSeat",
    "Request",
    "RequestDeposit",
    "RequestId",
    "RequestWithdrawal",
    "ReserveSeat",
    "Reserved",
    "Resume",
    "RoundEnded",
    "RoundHistory",
    "RoundHistoryView",
    "RoundId",
    "RoundStarted",
    "RoundView",
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
    "Settings",
    "Share",
    "Shown",
    "SitAndGoInfo",
    "SitAndGoMessage",
    "SitAndGos",
    "SitDown",
    "SitIn",
    "SitOut",
    "Slip",
    "SlipBet",
    "SlipView",
    "Snapshot",
    "SngFilling",
    "SngLevel",
    "SngNotice",
    "SngPlace",
    "SngPlayer",
    "SngPrizePaid",
    "SngRefunded",
    "SngRegistered",
    "SngRunning",
    "SngStarted",
    "StandUp",
    "Standings",
    "StreetDealt",
    "StreetName",
    "TableEvent",
    "TableId",
    "TableInfo",
    "TableNotice",
    "Tables",
    "TakePlace",
    "TipGiven",
    "TopUp",
    "TournamentEnded",
    "TournamentEvent",
    "TournamentPaused",
    "TournamentPhase",
    "TournamentPlace",
    "TournamentResumed",
    "TournamentView",
    "Turn",
    "TurnView",
    "UltimateEvent",
    "UltimateInfo",
    "UltimateMessage",
    "UltimateSnapshot",
    "UltimateStreet",
    "UncalledBet",
    "Unobserve",
    "UnregisterSng",
    "WaitEnded",
    "Waitlisted",
    "Welcome",
]

ClientMessage = HoldemMessage | SitAndGoMessage | UltimateMessage | AccountMessage
"""All that a client may send; `HoldemMessage` has what is the same for both games."""

TableEvent = HoldemEvent | TournamentEvent | UltimateEvent

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
    | LevelStarted
    | BreakStarted
    | BreakEnded
    | TournamentPaused
    | TournamentResumed
    | PlayerPlaced
    | TournamentEnded
    | SitAndGos
    | SngRegistered
    | Standings
    | SngStarted
    | SngPrizePaid
    | SngRefunded
    | Slip
    | UltimateSnapshot
    | PlaceTaken
    | PlaceChanged
    | PlaceLeft
    | LightChanged
    | BetsRefused
    | RoundStarted
    | HandsDealt
    | Decisions
    | Decided
    | BoardDealt
    | TipGiven
    | RoundEnded
    | Settings
    | History
    | HandHistory
    | RoundHistory
    | Cashier
    | CashRequested
)
