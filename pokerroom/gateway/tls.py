"""TLS between a socket and the protocol behind it. Knows no messages, no HTTP and no files.

The standard library's TLS works on memory here, so that bytes are written to the socket as without TLS: at once if it
takes them, and through a pull producer otherwise. README.md says why Twisted's own does not do that.

Handshakes take their turns as all requests do (`fair_turns`): the room signs in each, which costs as much time as many
messages. A client has `HANDSHAKE_S` for its handshake, and counts as a connection meanwhile.

Decrypting is work, too, whatever a record holds: a client may send thousands of tiny ones at once, or new keys and
never a message. So it takes turns as well, and records without data are counted.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final, cast

from twisted.internet.interfaces import IAddress, IDelayedCall, IProtocol, IPushProducer, IReactorTime
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from pokerroom.gateway.fair_turns import FairTurns
from pokerroom.gateway.limits import TokenBucket
from pokerroom.ops.observer import Observer

HANDSHAKE_S: Final = 10.0
"""A new connection has this long to finish its handshake."""

HANDSHAKE_UNITS: Final = 16
"""[D] The units of a step of a handshake: it costs as much time as so many messages."""

RECORDS_PER_UNIT: Final = 8
"""[D] So many records cost as much time as a message. Fewer are free: honest clients send a few."""

SILENT_AT_ONCE: Final = 32
SILENT_PER_S: Final = 1
"""[D] A connection may send so many records without data; then it is cut. A change of keys is one record."""

_RECORD: Final = 1 << 14
"""The longest piece of plain text in a record of TLS."""

_RECORD_HEAD: Final = 5
"""The bytes before a record: its type, the version, and two bytes for the length of the rest."""


class TlsFactory(Factory):
    """Puts TLS before the protocols of another factory. `context` returns that of the certificate in use."""

    noisy = False

    def __init__(
        self,
        behind: Factory,
        context: Callable[[], ssl.SSLContext],
        *,
        turns: FairTurns,
        clock: IReactorTime,
        observer: Observer,
    ) -> None:
        self._behind = behind
        self._context = context
        self.turns = turns
        self.clock = clock
        self.observer = observer

    def buildProtocol(self, addr: IAddress | None) -> TlsConnection | None:  # noqa: N802 -- Twisted's name
        """Make one TLS connection, and the protocol behind it."""
        behind = self._behind.buildProtocol(cast("IAddress", addr))
        return None if behind is None else TlsConnection(self, self._context(), behind)


@implementer(IPushProducer)
class TlsConnection(Protocol):
    """One connection: a protocol to its socket, and the transport of the protocol behind it.

    It is a `fair_turns.Source`, for what has to be decrypted; so may the protocol behind it be, for its messages.
    """

    transport: Any  # `listen._Connection`: the methods below are passed on to it

    def __init__(self, parts: TlsFactory, context: ssl.SSLContext, behind: IProtocol) -> None:
        self._parts = parts
        self._behind = behind
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_open = False
        """Whether the handshake is done."""
        self._held = bytearray()
        """Received after the handshake, and not decrypted yet."""
        self._silent = TokenBucket(SILENT_PER_S, SILENT_AT_ONCE, parts.clock.seconds())
        self._is_paused = False
        """Whether the protocol behind wants nothing to be read."""
        self.pausable = _Turn(self)
        """See `fair_turns.Source`."""
        self._is_handling = False
        """Whether bytes are decrypted and handed on now."""
        self._early: list[bytes] = []
        """Written before that."""
        self._is_early_end = False
        """Whether our side was to be shut before that."""
        self._is_behind = False
        """Whether the socket's own buffer may hold bytes, behind which all others have to queue."""
        self._is_pulled = False
        """Whether the producer is asked for more when the socket's buffer is empty, and not before."""
        self._is_ended = False
        """Whether nothing is read or written any more."""

    # --- of the socket

    def connectionMade(self) -> None:  # noqa: N802 -- Twisted's name
        """Start the clock of the handshake. The protocol behind counts the connection from now on."""
        self._deadline: IDelayedCall = self._parts.clock.callLater(HANDSHAKE_S, self._late)
        self._behind.makeConnection(self)  # type: ignore[arg-type] # has what the protocols behind it use

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Decrypt, or shake hands, when it is this connection's turn."""
        if self._is_ended:
            return
        if self._is_open:
            self._held += data
        else:
            self._incoming.write(data)
        self._parts.turns.arrived(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 -- Twisted's name
        """Tell the protocol behind."""
        self._is_ended = True
        self._stop_deadline()
        self._behind.connectionLost(reason)

    @property
    def is_account(self) -> bool:
        """See `fair_turns.Source`."""
        return bool(getattr(self._behind, "is_account", False))

    def handle(self, units: int) -> tuple[int, bool]:
        """See `fair_turns.Source`: make one step of the handshake, or decrypt some records."""
        if self._is_ended or (self._is_open and self._is_paused):
            return 0, False
        self._is_handling = True
        try:
            used = self._read(units) if self._is_open else self._shake()
        finally:
            self._is_handling = False
        return used, self._may_go_on()

    def _may_go_on(self) -> bool:
        return not (self._is_ended or self._is_paused) and self._record_size() > 0

    def _shake(self) -> int:
        """Make one step of the handshake; return its units."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return HANDSHAKE_UNITS
        except ssl.SSLError:
            self._flush()  # the alert that tells the client why
            self._fail("failed")
            return HANDSHAKE_UNITS
        self._is_open = True
        self._stop_deadline()
        self._parts.observer.tls_handshake("done")
        self._flush()
        for data in self._early:
            self.write(data)
        self._early.clear()
        self._held += self._incoming.read()  # OpenSSL reads no further than the handshake
        if self._is_early_end:
            self.loseWriteConnection()
        return HANDSHAKE_UNITS

    def _read(self, units: int) -> int:
        """Decrypt records and hand on what they hold; return the units used."""
        plain, records, is_over = self._decrypted(units * RECORDS_PER_UNIT)
        if plain and not self._is_ended:
            self._behind.dataReceived(plain)
        self._flush()
        if is_over and not self._is_ended:
            self._is_ended = True
            self._say_end()
            if self._is_behind:  # the client has gone, and does not read what waits for it
                self.transport.abortConnection()
            else:
                self.transport.loseConnection()
        return records // RECORDS_PER_UNIT

    def _decrypted(self, records_max: int) -> tuple[bytes, int, bool]:
        """Return the data of records, their number, and whether the client has closed TLS.

        A bad record cuts the connection.
        """
        plain, records = bytearray(), 0
        while records < records_max and (record := self._next_record()):
            records += 1
            self._incoming.write(record)
            try:
                piece = self._tls.read(_RECORD)
            except ssl.SSLWantReadError:
                if self._silent.spent(1, self._parts.clock.seconds()):
                    self._abort()
                    break
                continue
            except ssl.SSLError:
                self._abort()
                break
            if not piece:
                return bytes(plain), records, True
            plain += piece
        return bytes(plain), records, False

    def _next_record(self) -> bytes:
        """Take a record from what is held; nothing if its end is not here yet."""
        size = self._record_size()
        record = bytes(self._held[:size])
        del self._held[:size]
        return record

    def _record_size(self) -> int:
        """Return the length of the record that is held, or 0 if its end is not here yet."""
        if len(self._held) < _RECORD_HEAD:
            return 0
        size = _RECORD_HEAD + int.from_bytes(self._held[_RECORD_HEAD - 2 : _RECORD_HEAD], "big")
        return size if len(self._held) >= size else 0

    def _late(self) -> None:
        self._fail("late")

    def _fail(self, result: str) -> None:
        self._parts.observer.tls_handshake(result)
        self._stop_deadline()
        self._is_ended = True
        if result == "late" or self._is_behind:
            self.transport.abortConnection()
        else:
            self.transport.loseConnection()

    def _abort(self) -> None:
        self._is_ended = True
        self.transport.abortConnection()

    def _stop_deadline(self) -> None:
        if self._deadline.active():
            self._deadline.cancel()

    # --- to the socket

    def _flush(self) -> object:
        """Send what TLS has made. Returns what is no number if the connection is lost."""
        data = self._outgoing.read()
        if not data:
            return 0
        if self._is_behind:
            self.transport.write(data)
            return len(data)
        taken = self.transport.writeSomeData(data)
        if isinstance(taken, int) and taken < len(data):
            self._is_behind = True
            self.transport.write(data[taken:])
        return taken

    def _say_end(self) -> None:
        with suppress(ssl.SSLError):  # the client's own end is not here yet
            self._tls.unwrap()
        self._flush()

    # --- the transport of the protocol behind

    @property
    def disconnecting(self) -> bool:
        """Whether our side is closing."""
        return bool(self.transport.disconnecting)

    def writeSomeData(self, data: bytes) -> int | BaseException:  # noqa: N802 -- Twisted's name
        """See `outbound.SocketTransport`: take what the socket takes, and at most one record more."""
        if not self._is_open:
            self._early.append(data)
            return len(data)
        if self._is_ended:
            return len(data)
        if self._is_behind:
            return 0
        taken = 0
        while taken < len(data) and not self._is_behind:
            piece = data[taken : taken + _RECORD]
            self._tls.write(piece)
            taken += len(piece)
            sent = self._flush()
            if not isinstance(sent, int):
                return cast("BaseException", sent)
        return taken

    def write(self, data: bytes) -> None:
        """Encrypt and send; what the socket does not take now waits in its buffer."""
        if not self._is_open:
            self._early.append(data)
        elif data and not self._is_ended:
            self._tls.write(data)
            self._flush()

    def writeSequence(self, data: Iterable[bytes]) -> None:  # noqa: N802 -- Twisted's name
        """See `write`."""
        self.write(b"".join(data))

    def loseWriteConnection(self) -> None:  # noqa: N802 -- Twisted's name
        """Say the end of TLS, and shut our side of the socket; during the handshake, after it."""
        if not self._is_open:
            self._is_early_end = True
        elif not self._is_ended:
            self._is_ended = True
            self._say_end()
            self.transport.loseWriteConnection()

    def loseConnection(self) -> None:  # noqa: N802 -- Twisted's name
        """Say the end of TLS, and close after everything has left."""
        if self._is_open and not self._is_ended:
            self._say_end()
        self._is_ended = True
        self.transport.loseConnection()

    def abortConnection(self) -> None:  # noqa: N802 -- Twisted's name
        """Close at once."""
        self._abort()

    def registerProducer(self, producer: Any, streaming: bool) -> None:  # noqa: N802 -- Twisted's name
        """Let the socket ask the producer for more."""
        self._is_pulled = not streaming
        self.transport.registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:  # noqa: N802 -- Twisted's name
        """Forget the producer. One that is pulled ends when the socket has taken everything."""
        if self._is_pulled:
            self._is_behind = False
        self.transport.unregisterProducer()

    def pauseProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Read no more from the socket."""
        self._is_paused = True
        self.transport.pauseProducing()

    def resumeProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Read again: first what is held."""
        self._is_paused = False
        if self._record_size() and not self._is_handling:
            self._parts.turns.arrived(self)
        self.read_again()

    def read_again(self) -> None:
        """Read from the socket, if neither the protocol behind nor fair turns let it wait."""
        if not (self._is_paused or self.pausable.is_waiting):
            self.transport.resumeProducing()

    def stopProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """See `loseConnection`."""
        self.loseConnection()

    def getPeer(self) -> Any:  # noqa: N802 -- Twisted's name
        """Return the client's address."""
        return self.transport.getPeer()

    def getHost(self) -> Any:  # noqa: N802 -- Twisted's name
        """Return the room's address."""
        return self.transport.getHost()

    def getHandle(self) -> Any:  # noqa: N802 -- Twisted's name
        """Return the socket."""
        return self.transport.getHandle()

    def setTcpNoDelay(self, enabled: bool) -> None:  # noqa: N802 -- Twisted's name
        """See `outbound.SocketOfTransport`."""
        self.transport.setTcpNoDelay(enabled)


class _Turn:
    """A connection as fair turns pause it: its socket is not read while the connection waits."""

    def __init__(self, connection: TlsConnection) -> None:
        self._connection = connection
        self.is_waiting = False

    def pauseProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Read no more from the socket."""
        self.is_waiting = True
        self._connection.transport.pauseProducing()

    def resumeProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Read again, unless the protocol behind has paused meanwhile."""
        self.is_waiting = False
        self._connection.read_again()

    def abortConnection(self) -> None:  # noqa: N802 -- Twisted's name
        """Close at once."""
        self._connection.abortConnection()
