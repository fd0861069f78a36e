"""The Unix socket of the operations port: commands on the room's own machine need no set-up.

The kernel says which user is at the other end. The room's own user and root are admins: they could read the room's
secrets as well. The socket has mode 0600 in a directory of mode 0700, and is named by the number of the TCP port, so
nodes of one machine have one each. Linux only; elsewhere a token is the way.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

import structlog
from twisted.internet import tcp, unix
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort
from twisted.python.failure import Failure

from pokerroom.ledger.operators import Operator
from pokerroom.ops.embedded import EmbeddedError
from pokerroom.ops.embedded.places import make_operations_socket_dir
from pokerroom.ops.operator_roles import local_operator

_CREDENTIALS: Final = struct.Struct("iII")  # process, user, group: see socket(7)

_log = structlog.get_logger()


def listen_locally(reactor: Any, site: Any, data_dir: Path, port: int) -> IListeningPort | None:
    """Listen on the Unix socket. A room that cannot have one runs without; the log says why."""
    if sys.platform != "linux":
        return None
    try:
        path = make_operations_socket_dir(data_dir, port)
        path.unlink(missing_ok=True)  # of a room that was killed: the port is ours
        listening = _LocalPort(path, site, reactor)
        listening.startListening()  # type: ignore[no-untyped-call] # of Twisted
    except (CannotListenError, EmbeddedError, OSError) as error:
        _log.warning("operations.no_socket", data_dir=str(data_dir), reason=str(error))
        return None
    return cast("IListeningPort", listening)


class _LocalPort(unix.Port):
    """Twisted's own would never end if its file were gone."""

    def __init__(self, path: Path, site: Any, reactor: Any) -> None:
        super().__init__(os.fsencode(path), site, mode=0o600, reactor=reactor)
        self._path = path

    def connectionLost(self, reason: Failure) -> None:  # noqa: N802 -- Twisted's name
        with suppress(OSError):
            self._path.unlink()
        tcp.Port.connectionLost(self, reason)


def peer(connection: socket.socket) -> Operator | None:
    """Return the operator at the other end of a Unix socket; None for any other user."""
    if sys.platform != "linux":
        return None
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(told)
    return local_operator(user) if user in {0, os.geteuid()} else None
