"""What nodes say to each other over the bus: typed messages, as msgpack arrays.

All nodes of a room run the same version: a message that cannot be read is a fault. What a client may see travels in the
bytes that the connection gets (`Deliveries`): no node on the way looks into them. This module knows nothing of
how a message travels, or of what follows from one.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from pokerroom_protocol import messages as wire

WaitlistRequest = wire.JoinWaitlist | wire.LeaveWaitlist

SeatOccasion = Literal["claimed", "freed", "seated", "opening", "lapsed", "calls_lost", "closed"]
"""What a table tells of its seats (`world.Seating`)."""


class BusPart(Struct, frozen=True, array_like=True):
    """Of a message, or a whole one. No repr: it may hold cards."""

    def __repr__(self) -> str:
        """The kind alone."""
        return f"<{type(self).__name__}>"


class BusMessage(BusPart, frozen=True, array_like=True):
    """What is sent."""


# --- a client at a table that lives elsewhere: his home node and the table's owner ---------------------------------


class ChannelOpened(BusMessage, frozen=True, array_like=True, tag=1):
    """Home to owner: a client of mine has to do with this table of yours. `line` is a number that I use once."""

    line: int
    table: str
    account: int
    name: str
    wants_pause: bool
    watches: bool
    """He watched the table at its last owner, or before something was lost: he is to be shown it, unasked."""


class ChannelRequest(BusMessage, frozen=True, array_like=True, tag=2):
    """Home to owner: what a client asks."""

    line: int
    request: wire.TableRequest


class ChannelsClosed(BusMessage, frozen=True, array_like=True, tag=3):
    """Home to owner: these clients are gone, or have nothing to do with the table any more."""

    lines: list[int]


class ChannelsResumed(BusMessage, frozen=True, array_like=True, tag=4):
    """Home to owner, after a loss: all lines that there are, at `table` or (None) at all of yours; no others are."""

    table: str | None
    lines: list[ChannelOpened]


class Delivery(BusPart, frozen=True, array_like=True):
    """The same bytes for the clients of some lines: whole frames, as they go to TCP."""

    lines: list[int]
    framed: bytes
    re: int | None = None
    """The request that it answers; then it is one message."""
    snapshot: bool = False
    """It is one snapshot."""
    watches: bool | None = None
    """Whether its client watches the table now; None where that has not changed."""


class Deliveries(BusMessage, frozen=True, array_like=True, tag=5):
    """Owner to home: what tables tell clients, in order."""

    deliveries: list[Delivery]


class TableAttached(BusMessage, frozen=True, array_like=True, tag=7):
    """Owner to all: the table lives here from now on, under this epoch. Others would find out half a second later."""

    table: str
    epoch: int


class DirectoryChanged(BusMessage, frozen=True, array_like=True, tag=8):
    """To all: what the directory says of me is new, as tables that I have given up. Half a second sooner, as above."""


class MessagesLost(BusMessage, frozen=True, array_like=True, tag=6):
    """Messages of yours were lost, or (with a table) I cannot answer what you asked of it: say how it stands."""

    table: str | None = None


# --- waiting lists: every node and the leader ------------------------------------------------------------------------


class WaitlistRequested(BusMessage, frozen=True, array_like=True, tag=10):
    """To the leader: a client wants to wait, or to wait no longer."""

    account: int
    name: str
    wish: WaitlistRequest


class WaitersConnected(BusMessage, frozen=True, array_like=True, tag=11):
    """To the leader: these who wait are connected here, as pairs of account and name; with `all`, no others."""

    accounts: list[tuple[int, str]]
    all: bool = False


class WaiterDisconnected(BusMessage, frozen=True, array_like=True, tag=12):
    """To the leader: the account is not connected here any more."""

    account: int


class WaiterDelivery(BusMessage, frozen=True, array_like=True, tag=13):
    """From the leader: one message for who waits."""

    account: int
    framed: bytes
    re: int | None


class SeatEvent(BusMessage, frozen=True, array_like=True, tag=14):
    """To the leader: a table of mine has told its `world.Seating` so."""

    occasion: SeatOccasion
    table: str
    account: int = 0
    """0 where it is about nobody."""


class TableSeats(BusMessage, frozen=True, array_like=True, tag=15):
    """To the leader: how a table of mine stands. `seated` and `held` (its claims, seats among them) are accounts."""

    table: str
    epoch: int
    closing: bool
    seated: list[int]
    held: list[int]
    offered: list[tuple[int, int, int]]
    """Of the held ones those from the waiting lists: account, seat, until when (epoch milliseconds)."""


class SeatOfferRequested(BusMessage, frozen=True, array_like=True, tag=16):
    """From the leader: hold a seat for this account. `call` is a number that I use once."""

    call: int
    table: str
    account: int


class SeatOfferWithdrawn(BusMessage, frozen=True, array_like=True, tag=17):
    """From the leader: who was offered a seat does not come."""

    table: str
    account: int


class SeatOfferAnswered(BusMessage, frozen=True, array_like=True, tag=18):
    """To the leader: the seat that is held and until when, or None and 0."""

    call: int
    seat: int | None
    until_ms: int


class WaiterEntry(BusPart, frozen=True, array_like=True):
    """One place on a waiting list. `joined` is larger for who has come later."""

    account: int
    table: str
    any_table: bool
    joined: int


class WaiterAdded(BusMessage, frozen=True, array_like=True, tag=19):
    """From the leader: one more waits."""

    waiter: WaiterEntry


class WaiterRemoved(BusMessage, frozen=True, array_like=True, tag=20):
    """From the leader: he waits no longer."""

    waiter: WaiterEntry


class WaiterList(BusMessage, frozen=True, array_like=True, tag=21):
    """From the leader: all who wait. From who was the leader: all who waited."""

    waiters: list[WaiterEntry]


class WaiterCounts(BusMessage, frozen=True, array_like=True, tag=22):
    """From the leader: how many come before a newcomer, by table, where that has changed."""

    waiting: dict[str, int]


# --- what everybody should know ------------------------------------------------------------------------------------


class AccountsArrived(BusMessage, frozen=True, array_like=True, tag=30):
    """To all: these accounts are connected at my node, each since a time (see `accounts`)."""

    accounts: list[tuple[int, int]]


class LobbyRowChange(BusPart, frozen=True, array_like=True):
    """A table's line in the lobby, as far as it changes."""

    table: str
    occupied: int
    players: int
    closing: bool


class LobbyRowChanges(BusMessage, frozen=True, array_like=True, tag=31):
    """To all: lines of tables of mine."""

    lines: list[LobbyRowChange]


class TimeoutsUsed(BusMessage, frozen=True, array_like=True, tag=32):
    """To all: uses of the clock's protection (H2), as account, hand and epoch milliseconds."""

    uses: list[tuple[int, str, int]]


class AccountDelivery(BusMessage, frozen=True, array_like=True, tag=33):
    """To all: this is for the account, wherever it is connected; whole frames. Nothing that others may not know."""

    account: int
    framed: bytes


AnyBusMessage = (
    ChannelOpened
    | ChannelRequest
    | ChannelsClosed
    | ChannelsResumed
    | Deliveries
    | TableAttached
    | DirectoryChanged
    | MessagesLost
    | WaitlistRequested
    | WaitersConnected
    | WaiterDisconnected
    | WaiterDelivery
    | SeatEvent
    | TableSeats
    | SeatOfferRequested
    | SeatOfferWithdrawn
    | SeatOfferAnswered
    | WaiterAdded
    | WaiterRemoved
    | WaiterList
    | WaiterCounts
    | AccountsArrived
    | LobbyRowChanges
    | TimeoutsUsed
    | AccountDelivery
)

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyBusMessage] = msgspec.msgpack.Decoder(AnyBusMessage)


class UnreadableBusMessage(Exception):  # noqa: N818 -- what was said is, not the program
    """Bytes are no message of this version."""


def packed(message: BusMessage) -> bytes:
    """As it travels."""
    return _encoder.encode(message)


def unpacked(said: bytes) -> AnyBusMessage:
    """Raises `UnreadableBusMessage`."""
    try:
        return _decoder.decode(said)
    except msgspec.DecodeError as error:  # a ValidationError is one; its text may quote a value
        raise UnreadableBusMessage(type(error).__name__) from None
