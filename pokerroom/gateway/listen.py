"""Listening on a TCP port: alone, or together with other processes of this machine.

Processes of one user that all set SO_REUSEPORT may listen on one port; the kernel spreads new connections over them. So
that no other room's port is shared by mistake, the process that starts them keeps the number (`ReservedPort`): it is
refused if any process listens there already. Knows no protocol.
"""

from __future__ import annotations

import socket
from typing import Any, Final, Self, cast

from twisted.internet.interfaces import IListeningPort
from twisted.internet.protocol import Factory
from twisted.internet.tcp import Port

BACKLOG: Final = 1024
ACCEPTED_AT_ONCE: Final = 8
"""[D] Connections that a port accepts in one turn of the reactor: less than 5 ms of work."""


def listen(reactor: Any, host: str, port: int, factory: Factory, *, shared: bool = False) -> IListeningPort:
    """Listen on a TCP port of a numeric address or host name; port 0 lets the system choose.

    `shared`: other processes may listen on the same port if they say so, too. Raises `OSError` (a `CannotListenError`
    becomes the `OSError` it was made of).
    """
    family, address = _resolved(host, port)
    with _bound(family, address, shared=shared) as bound:
        bound.listen(BACKLOG)
        bound.setblocking(False)
        # it keeps a duplicate, and closes that alone; `adoptStreamPort` does the same for the class without a bound
        made: Any = _FewAtOnce
        adopted = made._fromListeningDescriptor(reactor, bound.fileno(), family, factory)  # noqa: SLF001 -- as said
    adopted.startListening()
    return cast("IListeningPort", adopted)


class _FewAtOnce(Port):
    """A port that takes a few connections in a turn of the reactor. Twisted's own accepts more and more of a crowd."""

    @property
    def numberAccepts(self) -> int:  # noqa: N802 -- Twisted's name, an attribute there
        """The number of connections to accept at once."""
        return ACCEPTED_AT_ONCE

    @numberAccepts.setter
    def numberAccepts(self, number: int) -> None:  # noqa: N802 -- as above
        """Ignore what the last turn has accepted."""


class ReservedPort:
    """A port number for processes which will listen on it with `shared`; this process does not listen.

    Raises `OSError` if a process listens there already, sharing or not. `port` is the number; if 0 was asked for the
    system gives the number to no other process until it is released.
    """

    def __init__(self, host: str, port: int) -> None:
        family, address = _resolved(host, port)
        with _bound(family, address, shared=False) as alone:
            self.port: int = alone.getsockname()[1]
        # between these two binds another process may take it: then one of the binds fails
        self._socket = _bound(family, (address[0], self.port, *address[2:]), shared=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Give the number back to the system."""
        self._socket.close()


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[Any, ...]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, address = found[0]
    return family, address


def _bound(family: socket.AddressFamily, address: tuple[Any, ...], *, shared: bool) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # ports of connections that linger are free
        if shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind(address)
    except BaseException:
        bound.close()
        raise
    return bound
