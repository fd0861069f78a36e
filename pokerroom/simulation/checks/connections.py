"""A connection as the checkers see it. They do not know the network."""

from __future__ import annotations

from typing import Protocol

from pokerroom_protocol.codec import Encoding


class CheckedConnection(Protocol):
    """One connection of a client. `account` is None until the room has confirmed it."""

    number: int
    encoding: Encoding
    address: str
    """Empty: one that does not count."""
    account: int | None
