"""Leaving a connection's socket to another process of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

MOVED: Final = "moved"
"""Why a connection was lost here that goes on at another node."""


@runtime_checkable
class SharableTransport(Protocol):
    """What leaves its socket to another process: a `twisted.internet.tcp.Connection` of `listen`, without TLS."""

    def getHandle(self) -> socket.socket: ...  # noqa: N802 -- Twisted's name and contract
    def give_up(self) -> None: ...


def can_leave(transport: object) -> bool:
    """Return whether the socket of this transport can be left to another process."""
    return isinstance(transport, SharableTransport)


def leave(transport: object, passed: Callable[[int], bool], left: Callable[[], None]) -> bool:
    """Leave the socket of a transport to another process. `passed` gives that the descriptor, and returns whether it
    has it; then `left` is called, and the connection is lost here.

    If not, or if the transport is one that cannot be left, it goes on. Returns whether it was left.
    """
    if not isinstance(transport, SharableTransport) or not passed(transport.getHandle().fileno()):
        return False
    left()
    transport.give_up()
    return True
