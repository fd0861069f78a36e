"""What a node tells another one of a session that goes on there, beside the socket itself.

It holds no token: the other node is one of this room, and believes what the session was.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pokerroom.ledger.account_standing import Exclusion
from pokerroom_protocol.codec import Encoding


class MovedSession(Struct, frozen=True, array_like=True, tag=3):
    """A session that is logged in, with no request on its way. `home` is the node that it comes from."""

    home: str
    account: int
    name: str
    session: int
    """The number of the session in the ledger."""
    instance: str
    client: str
    wants_pause: bool
    kind: Literal["tcp", "websocket"]
    peer: str
    """Address of the client, which a proxy may have told."""
    encoding: Encoding
    allowance: int
    """Units that are left of its rate limit."""
    refusals: int
    """Refusals that are left before it is closed for its rate."""
    exclusion: Exclusion | None
    muted_until_ms: int | None
    arrived_ms: int
    """When it was authenticated, for the nodes of the room (`cluster/arrivals.py`)."""
    announced: bool
    """Whether the client was told what operators announce."""
    tables: list[tuple[str, int]]
    """The tables that it uses, with the channel of each to the node that it moves to."""
