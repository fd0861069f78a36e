"""The socket over which the nodes of one machine pass connections to each other.

It is a Unix socket for datagrams, in a directory that only the room's own user may enter, and is named for the node. A
datagram holds one message, perhaps with one descriptor; it comes whole or not at all. This module knows neither what is
said nor what a connection is.
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog
from twisted.internet.interfaces import IReadDescriptor
from twisted.python.failure import Failure
from zope.interface import implementer

_BYTES_MAX: Final = 1 << 16
_AT_ONCE: Final = 16
"""[D] Datagrams that are read in a turn of the reactor."""

_SUFFIX: Final = ".move"

_log = structlog.get_logger()

Heard = Callable[[bytes, socket.socket | None], bool]
"""Takes a datagram and the connection that came with it; returns False if the connection is to be closed."""


def socket_name(node: str) -> str:
    """Return the name of the file of a node's socket, which is short enough for any directory of a Unix socket."""
    return hashlib.blake2b(node.encode(), digest_size=6).hexdigest() + _SUFFIX


def has_ended(path: Path) -> bool:
    """Return whether the node with the socket at this path was killed: the file is there, and no process has it.

    A node that ends by itself removes the file. So does the next node to make a socket beside it. A file of another
    user says nothing: it may be in a directory that this user could not have.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        try:
            if path.lstat().st_uid == os.geteuid():
                probe.connect(os.fsencode(path))
        except OSError as error:
            return error.errno == errno.ECONNREFUSED
    return False


@implementer(IReadDescriptor)
class MoveSocket:
    """See the module. Raises `OSError` if the socket cannot be made."""

    def __init__(self, reactor: Any, directory: Path, node: str, heard: Heard) -> None:
        self._reactor = reactor
        self._directory = directory
        self._heard = heard
        _clear(directory)
        self._path = directory / socket_name(node)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.bind(os.fsencode(self._path))
        except OSError:
            self._socket.close()
            raise
        reactor.addReader(self)

    def send(self, node: str, said: bytes, descriptor: int | None = None) -> bool:
        """Send to a node of this machine, perhaps with a descriptor. Return False if it has not been sent.

        Then the node is none of this machine, or has too much to read now.
        """
        receiver = os.fsencode(self._directory / socket_name(node))
        beside = (
            [] if descriptor is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [descriptor]))]
        )
        try:
            self._socket.sendmsg([said], beside, 0, receiver)  # `socket.send_fds` forgets the receiver
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Hear nothing more."""
        self._reactor.removeReader(self)
        with suppress(OSError):
            self._path.unlink()  # first: without the file this node does not look as if it was killed
        self._socket.close()

    # --- `IReadDescriptor` --------------------------------------------------------------------------------------------

    def fileno(self) -> int:
        """Return the number of the socket's descriptor."""
        return self._socket.fileno()

    def doRead(self) -> None:  # noqa: N802 -- Twisted's name
        """Read datagrams."""
        for _ in range(_AT_ONCE):
            try:
                said, descriptors, _, _ = socket.recv_fds(self._socket, _BYTES_MAX, 1)
            except OSError:  # there are no more
                return
            self._take(said, descriptors)

    def _take(self, said: bytes, descriptors: list[int]) -> None:
        taken, connection = False, None
        try:
            connection = _connection_of(descriptors)
            taken = self._heard(said, connection)
        except Exception as error:  # noqa: BLE001 -- a defect costs this connection, and not those behind it
            _log.critical("moves.fault", exc_info=error)
        if connection is not None and not taken:
            connection.close()

    def connectionLost(self, reason: Failure) -> None:  # noqa: N802 -- Twisted's name
        """Note that the reactor ends."""

    def logPrefix(self) -> str:  # noqa: N802 -- Twisted's name
        """Return the name for Twisted's log."""
        return "moves"


def _connection_of(descriptors: list[int]) -> socket.socket | None:
    """Return the connection that came with a datagram. Raises `OSError` if its descriptor is no socket's."""
    if not descriptors:
        return None
    try:
        connection = socket.socket(fileno=descriptors[0])
    except OSError:
        os.close(descriptors[0])
        raise
    connection.set_inheritable(False)
    return connection


def _clear(directory: Path) -> None:
    """Remove the sockets of nodes that were killed."""
    for path in directory.glob(f"*{_SUFFIX}"):
        if has_ended(path):
            path.unlink(missing_ok=True)
