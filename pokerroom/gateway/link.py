"""The two sides of a client connection: whole messages go in, whole messages come out.

TCP and WebSocket each make a `ClientLink`; a session cannot tell them apart. This module knows neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from twisted.internet.address import IPv4Address, IPv6Address

from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol.codec import Encoding
from pokerroom_protocol.errors import Code


class ClientLink(Protocol):
    """One client connection as its session sees it."""

    encoding: Encoding
    kind: Literal["tcp", "websocket"]
    peer: str
    """Address of the client, for the log."""

    def send(self, outgoing: Outgoing | Bundle) -> None:
        """Queue a message; everything queued in one reactor turn leaves in one write. Never blocks, never raises."""

    def close(self, code: Code) -> None:
        """Close after what is queued has left; the session itself says `goodbye` if the stream allows it.

        Nothing is received or sent afterwards. `lost` follows, soon or when the time for a farewell is over.
        """


class FrameReceiver(Protocol):
    """The session as its transport sees it."""

    @property
    def account(self) -> int | None:
        """The account that is logged in; None if there is none."""

    def received(self, body: bytes) -> int:
        """Handle one whole message from the client, undecoded. Returns the units that it has cost (`fair_turns`)."""

    def broken(self, code: Code) -> None:
        """Say goodbye: the stream cannot be read any further. Afterwards the link closes."""

    def lost(self, reason: str) -> None:
        """Note that the connection is gone. Called once, last; `reason` is a code, or that the client closed."""


ReceiverFactory = Callable[[ClientLink], FrameReceiver]


def host_of(peer: str) -> str:
    """Return the address in what `address_text` has formatted."""
    return peer.rpartition(":")[0].removeprefix("[").removesuffix("]")


def address_text(address: object) -> str:
    """Format a client's address for the log: `192.0.2.1:40000`, `[2001:db8::1]:40000`."""
    if isinstance(address, IPv6Address):
        return f"[{address.host}]:{address.port}"
    if isinstance(address, IPv4Address):
        return f"{address.host}:{address.port}"
    return str(address)
