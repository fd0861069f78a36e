"""A connected client as a table sees it, and one event as it leaves for clients."""

from __future__ import annotations

from typing import Final, Protocol

from msgspec import Struct

from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire

THE_ROOM: Final = "the room".ljust(65, ".")
"""The `instance` of the room itself, which asks for a player, and takes no table over.

It is longer than that of a client may be (`hello.instance`).
"""


class Viewer(Protocol):
    """A connected client that watches a table or asks something of it."""

    @property
    def account(self) -> int | None:
        """The client's account; None before log-in."""

    @property
    def name(self) -> str:
        """The account's name."""

    @property
    def instance(self) -> str:
        """The client's name for itself among those of its account: a later connection of the same name replaces it."""

    @property
    def address_group(self) -> str:
        """What the client's address has in common with others of one owner; empty if that bounds nothing."""

    @property
    def wants_pause(self) -> bool:
        """False for a client that needs no time to look at a result."""

    @property
    def connected(self) -> bool:
        """False once the connection is gone."""

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        """Queue messages for this client; never raises."""


class Broadcast(Struct, frozen=True, kw_only=True):
    """One event: the public form, and the private form that some accounts get in its place."""

    seq: int
    public: Outgoing
    private: dict[int, Outgoing] | None = None


def public(event: wire.Event) -> Broadcast:
    """Return an event that is the same for all viewers."""
    return Broadcast(seq=event.seq, public=Outgoing(event))
