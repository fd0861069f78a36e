"""Listening on a TCP port: alone, or together with other processes of this machine.

Processes of one user that all set SO_REUSEPORT may listen on one port; the kernel spreads new connections over them. So
that no other room's port is shared by mistake, the process that starts them keeps the number (`ReservedPort`): it is
refused if any process listens there already. Knows no protocol.
"""

from __future__ import annotations

import errno
import socket
from typing import Any, Final, Protocol, Self, cast

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IListeningPort
from twisted.internet.protocol import Factory
from twisted.internet.tcp import Port, Server
from twisted.python.failure import Failure

from pokerroom.gateway.crowd import Crowd

BACKLOG: Final = 1024
ACCEPTED_AT_ONCE: Final = 1
"""[D] Connections that a port accepts in one turn of the reactor: one costs as much time as some that have ended."""


def listen(
    reactor: Any, host: str, port: int, factory: Factory, *, crowd: Crowd | None = None, shared: bool = False
) -> IListeningPort:
    """Listen on a TCP port of a numeric address or host name; port 0 lets the system choose.

    `crowd`: what connections without an account are put into. `shared`: other processes may listen on the same port if
    they say so, too. Raises `OSError` (a `CannotListenError` becomes the `OSError` it was made of).
    """
    family, address = _resolved(host, port)
    with _bound(family, address, shared=shared) as bound:
        bound.listen(BACKLOG)
        bound.setblocking(False)
        # it keeps a duplicate, and closes that alone; `adoptStreamPort` does the same for the class without a bound
        made: Any = _FewAtOnce
        adopted = made._fromListeningDescriptor(reactor, bound.fileno(), family, factory)  # noqa: SLF001 -- as said
    adopted.crowd = crowd
    adopted.startListening()
    return cast("IListeningPort", adopted)


class _Connection(Server):
    """A connection that is in the crowd until its protocol says `is_account`."""

    server: _FewAtOnce
    told_peer: IPv4Address | IPv6Address | None = None
    """The address of the client, if a proxy that is believed has told it."""

    def __init__(  # noqa: PLR0917 -- Twisted's signature
        self,
        sock: socket.socket,
        protocol: Any,
        client: Any,
        server: _FewAtOnce,
        sessionno: int,
        reactor: Any,
    ) -> None:
        self._descriptor = sock.fileno()
        self.send_now = sock.send  # see `Outbound`
        self._crowd = server.crowd
        if self._crowd is not None:
            self._crowd.enter(self._descriptor)
        super().__init__(sock, protocol, client, server, sessionno, reactor)

    def getPeer(self) -> Any:  # noqa: N802 -- Twisted's name
        """Return the address of the client, or of the proxy that speaks for itself."""
        return self.told_peer or super().getPeer()  # type: ignore[no-untyped-call] # inherited, and not annotated in Twisted

    def doRead(self) -> Any:  # noqa: N802 -- Twisted's name
        """Read. Leave the crowd at the first message after the log-in."""
        ended = super().doRead()
        if self._crowd is not None and getattr(self.protocol, "is_account", False):
            self._leave()
        return ended

    def give_up(self) -> None:
        """Leave the socket to another process, which has a descriptor of it; the client notices nothing."""
        self._shouldShutdown = False
        self.connectionLost(Failure(ConnectionDone()))

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 -- Twisted's name
        """Give the descriptor's number back."""
        self._leave()
        super().connectionLost(reason)

    def _leave(self) -> None:
        if self._crowd is not None:
            self._crowd.leave(self._descriptor)
            self._crowd = None


class ReaderOfConnection(Protocol):
    """What Twisted calls a protocol, as far as it is used here (`twisted.internet.interfaces.IProtocol`)."""

    def makeConnection(self, transport: Any) -> None: ...  # noqa: N802 -- Twisted's name and contract
    def dataReceived(self, data: bytes) -> None: ...  # noqa: N802 -- as above
    def connectionLost(self, reason: Any) -> None: ...  # noqa: N802 -- as above


class _FewAtOnce(Port):
    """A port that takes a few connections in a turn of the reactor. Twisted's own accepts more and more of a crowd."""

    transport = _Connection  # type: ignore[assignment]  # Twisted's annotation is the class that it has itself
    crowd: Crowd | None

    def adopt(self, connection: socket.socket, protocol: ReaderOfConnection) -> None:
        """See `adopt`."""
        client = connection.getpeername()
        self.sessionno += 1
        protocol.makeConnection(_Connection(connection, protocol, client, self, self.sessionno, self.reactor))

    @property
    def numberAccepts(self) -> int:  # noqa: N802 -- Twisted's name, an attribute there
        """The number of connections to accept at once."""
        return ACCEPTED_AT_ONCE

    @numberAccepts.setter
    def numberAccepts(self, number: int) -> None:  # noqa: N802 -- as above
        """Ignore what the last turn has accepted."""


def adopt(port: IListeningPort, connection: socket.socket, protocol: ReaderOfConnection) -> None:
    """Go on with a connection of another process of this machine, as if `port` had accepted it.

    Raises `OSError` if the client is gone.
    """
    assert isinstance(port, _FewAtOnce)
    port.adopt(connection, protocol)


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


def why_not(error: OSError, setting: str, host: str, port: int) -> str:
    """Return why a port of these settings cannot be opened, and what to do."""
    variable = f"POKERROOM_{setting.upper()}"
    if error.errno == errno.EADDRINUSE:
        advice = f"Stop the program that uses this port, or set {variable} to a free port."
    elif error.errno == errno.EACCES:
        advice = f"Set {variable} to a port of 1024 or more."
    else:
        advice = "Correct the host or the port."
    return f"cannot listen on {host}:{port} ({setting}): {error.strerror or error}. {advice}"
