"""The messages that nodes send each other over the bus: typed, encoded as msgpack arrays.

All nodes of a room run the same version, so a message that cannot be decoded is a fault. What a client may see travels
as the bytes of its connection (`Deliveries`): no node on the way decodes them. This module does not know how a message
travels or what follows from it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from pokerroom.tournament.messages import TournamentLetter, TournamentStatus
from pokerroom_protocol import messages as wire

WaitlistRequest = wire.JoinWaitlist | wire.LeaveWaitlist

SeatOccasion = Literal["claimed", "freed", "seated", "opening", "lapsed", "calls_lost", "closed"]
"""What a table tells its `SeatDirectory`."""


class BusPart(Struct, frozen=True, array_like=True):
    """A message or a part of one. Its repr hides the content, which may hold cards."""

    def __repr__(self) -> str:
        """Return the name of the class alone."""
        return f"<{type(self).__name__}>"


class BusMessage(BusPart, frozen=True, array_like=True):
    """A whole message."""


# --- a client at a table of another node: its home node and the table's owner --------------------------------------


class ChannelOpened(BusMessage, frozen=True, array_like=True, tag=1):
    """Home to owner: a client of the home node uses this table. `channel` is a number that the home uses once."""

    channel: int
    table: str
    account: int
    name: str
    instance: str
    address_group: str
    wants_pause: bool
    watches: bool
    """The client watched the table at its last owner or before a loss: show it the table without being asked."""


class ChannelRequest(BusMessage, frozen=True, array_like=True, tag=2):
    """Home to owner: a client's request. `trace` is the one that follows it; empty if none does."""

    channel: int
    request: wire.TableRequest
    trace: str = ""


class ChannelsClosed(BusMessage, frozen=True, array_like=True, tag=3):
    """Home to owner: these clients are gone, or do not use the table any more."""

    channels: list[int]


class ChannelsResumed(BusMessage, frozen=True, array_like=True, tag=4):
    """Home to owner, after a loss: all channels to `table`, or to all tables of the owner if None. No others exist."""

    table: str | None
    channels: list[ChannelOpened]


class Delivery(BusPart, frozen=True, array_like=True):
    """The same bytes for the clients of some channels: whole frames as on a TCP connection."""

    channels: list[int]
    framed: bytes
    re: int | None = None
    """The request that these bytes answer; they are one message then."""
    snapshot: bool = False
    """Whether the bytes are one snapshot."""
    watches: bool | None = None
    """Whether the client watches the table now; None if unchanged."""


class Deliveries(BusMessage, frozen=True, array_like=True, tag=5):
    """Owner to home: what tables send to clients, in order."""

    deliveries: list[Delivery]


class MessagesLost(BusMessage, frozen=True, array_like=True, tag=6):
    """The sender lost messages, or (with a table) cannot answer what was asked of that table: send your state."""

    table: str | None = None


class TableAttached(BusMessage, frozen=True, array_like=True, tag=7):
    """Owner to all: the table lives here under this epoch. Half a heartbeat earlier than the directory says it."""

    table: str
    epoch: int


class DirectoryChanged(BusMessage, frozen=True, array_like=True, tag=8):
    """To all: the sender's entry in the directory has changed, for example by tables that it gave up."""


# --- waiting lists: every node and the leader ----------------------------------------------------------------------


class WaitlistRequested(BusMessage, frozen=True, array_like=True, tag=10):
    """To the leader: a client joins or leaves a waiting list."""

    account: int
    name: str
    request: WaitlistRequest


class WaitersConnected(BusMessage, frozen=True, array_like=True, tag=11):
    """To the leader: waiting accounts that are connected here, as pairs of account and name; with `all`, no others."""

    accounts: list[tuple[int, str]]
    all: bool = False


class WaiterDisconnected(BusMessage, frozen=True, array_like=True, tag=12):
    """To the leader: the account is not connected here any more."""

    account: int


class WaiterDelivery(BusMessage, frozen=True, array_like=True, tag=13):
    """From the leader: one message for a waiting account."""

    account: int
    framed: bytes
    re: int | None


class SeatEvent(BusMessage, frozen=True, array_like=True, tag=14):
    """To the leader: what a table of the sender told its `SeatDirectory`."""

    occasion: SeatOccasion
    table: str
    account: int = 0
    """0 if no account is concerned."""


class TableSeats(BusMessage, frozen=True, array_like=True, tag=15):
    """To the leader: all seats of a table. `seated` and `held` (claims, seats among them) are accounts."""

    table: str
    epoch: int
    closing: bool
    seated: list[int]
    held: list[int]
    offered: list[tuple[int, int, int]]
    """The seats held for the waiting lists: account, seat, end of the offer (epoch milliseconds)."""


class SeatOfferRequested(BusMessage, frozen=True, array_like=True, tag=16):
    """From the leader: hold a seat for this account. `call` is a number that the leader uses once."""

    call: int
    table: str
    account: int


class SeatOfferWithdrawn(BusMessage, frozen=True, array_like=True, tag=17):
    """From the leader: the account does not take the seat that it was offered."""

    table: str
    account: int


class SeatOfferAnswered(BusMessage, frozen=True, array_like=True, tag=18):
    """To the leader: the seat that is held and until when, or None and 0."""

    call: int
    seat: int | None
    until_ms: int


class WaiterEntry(BusPart, frozen=True, array_like=True):
    """One place on a waiting list. `joined` is larger for a later entry."""

    account: int
    table: str
    any_table: bool
    joined: int


class WaiterAdded(BusMessage, frozen=True, array_like=True, tag=19):
    """From the leader: an entry was added."""

    waiter: WaiterEntry


class WaiterRemoved(BusMessage, frozen=True, array_like=True, tag=20):
    """From the leader: an entry was removed."""

    waiter: WaiterEntry


class WaiterList(BusMessage, frozen=True, array_like=True, tag=21):
    """From the leader: all entries. From the leader of until now: all entries that it had."""

    waiters: list[WaiterEntry]


class WaiterCounts(BusMessage, frozen=True, array_like=True, tag=22):
    """From the leader: how many accounts come before a newcomer, for each table where that has changed."""

    waiting: dict[str, int]


# --- what every node knows -----------------------------------------------------------------------------------------


class AccountsArrived(BusMessage, frozen=True, array_like=True, tag=30):
    """To all: accounts that are connected at the sender, each with its instance and its time (see `arrivals`)."""

    accounts: list[tuple[int, str, int]]


class LobbyRowChange(BusPart, frozen=True, array_like=True):
    """The part of a table's lobby row that changes."""

    table: str
    occupied: int
    players: int
    closing: bool


class LobbyRowChanges(BusMessage, frozen=True, array_like=True, tag=31):
    """To all: lobby rows of the sender's tables."""

    rows: list[LobbyRowChange]


class TimeoutsUsed(BusMessage, frozen=True, array_like=True, tag=32):
    """To all: uses of the timeout protection (H2), as account, hand and epoch milliseconds."""

    uses: list[tuple[int, str, int]]


class AccountDelivery(BusMessage, frozen=True, array_like=True, tag=33):
    """To all: whole frames for an account, wherever it is connected. They hold nothing that others may not know."""

    account: int
    framed: bytes


class TournamentMail(BusMessage, frozen=True, array_like=True, tag=34):
    """To the owner of `to`, a tournament or one of its tables: a message between them."""

    to: str
    letter: TournamentLetter


class SessionsEnded(BusMessage, frozen=True, array_like=True, tag=35):
    """To all: sessions of an account that have ended in the ledger; their connections are closed."""

    account: int
    sessions: list[int]


class HostedTableChanged(BusMessage, frozen=True, array_like=True, tag=36):
    """To all: the ledger has a newer version of a hosted table, or it is closed for good."""

    table: str


class TournamentStatusChanges(BusMessage, frozen=True, array_like=True, tag=37):
    """To all: the clocks of tournaments of the sender."""

    statuses: list[TournamentStatus]


ToLeader: TypeAlias = (
    WaitlistRequested | WaitersConnected | WaiterDisconnected | SeatEvent | TableSeats | SeatOfferAnswered
)
TO_LEADER: Final = get_args(ToLeader)
FromLeader: TypeAlias = (
    WaiterDelivery
    | SeatOfferRequested
    | SeatOfferWithdrawn
    | WaiterAdded
    | WaiterRemoved
    | WaiterList
    | WaiterCounts
)
FROM_LEADER: Final = get_args(FromLeader)

AnyBusMessage = (
    ChannelOpened
    | ChannelRequest
    | ChannelsClosed
    | ChannelsResumed
    | Deliveries
    | TableAttached
    | DirectoryChanged
    | MessagesLost
    | ToLeader
    | FromLeader
    | AccountsArrived
    | LobbyRowChanges
    | TimeoutsUsed
    | AccountDelivery
    | TournamentMail
    | SessionsEnded
    | HostedTableChanged
    | TournamentStatusChanges
)

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyBusMessage] = msgspec.msgpack.Decoder(AnyBusMessage)


class UnreadableBusMessage(Exception):  # noqa: N818 -- what was received is, not the program
    """Bytes are no message of this version."""


def packed(message: BusMessage) -> bytes:
    """Encode a message."""
    return _encoder.encode(message)


def unpacked(said: bytes) -> AnyBusMessage:
    """Decode a message. Raises `UnreadableBusMessage`."""
    try:
        return _decoder.decode(said)
    except msgspec.DecodeError as error:  # a ValidationError is one; its text may quote a value
        raise UnreadableBusMessage(type(error).__name__) from None
