"""Connections between clients and the room: encoded bytes both ways, each message some time on its way.

A connection is the `Link` of its session. What is in flight when it breaks is lost. A client that stops reading fills
the room's buffer, and is cut when that is full. Knows no tables and decodes nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Generic, Literal, Protocol, TypeVar

from pokerroom.gateway.link import FrameReceiver
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.clock import ProcessClock, VirtualClock
from pokerroom.simulation.faults import Dice, Fault, InjectedFault
from pokerroom.simulation.streams import Stream
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol.codec import Encoding
from pokerroom_protocol.errors import Code

FAREWELL_S = 5.0
"""So long the room waits for a client to close its side, as `gateway.outbound` does."""

T = TypeVar("T")

_TOKEN = re.compile(rb"(token[^A-Za-z0-9_-]{1,5})[A-Za-z0-9_-]{43}")
"""The secret of a session that the room has made up: it is another one in every run of a seed, and as long."""


def _same_in_every_run(body: bytes) -> bytes:
    """A message without such a secret, which by chance looks like this or that."""
    return _TOKEN.sub(lambda found: found[1] + b"x" * 43, body) if b"token" in body else body


class ClientEnd(Protocol):
    """The client's end of a connection."""

    def body(self, connection: Connection, body: bytes) -> None:
        """One message from the room."""

    def closed(self, connection: Connection) -> None:
        """The connection is gone."""


class _Way(Generic[T]):
    """One direction: first in, first out, each item some time on its way."""

    def __init__(
        self, clock: VirtualClock, latency_s: Callable[[], float], arrive: Callable[[T], None]
    ) -> None:
        self._clock = clock
        self._latency_s = latency_s
        self._arrive = arrive
        self._queue: deque[tuple[float, T]] = deque()
        self._timer = False
        self._cut = False
        self.paused = False

    def send(self, item: T, *, at_s: float | None = None, overtakes: bool = False) -> None:
        """Puts an item on its way; `at_s` names the moment of its arrival, if nothing before it is later."""
        if self._cut:
            return
        due = self._clock.rightNow + self._latency_s() if at_s is None else max(at_s, self._clock.rightNow)
        queue = self._queue
        if overtakes and queue:
            queue.insert(len(queue) - 1, (queue[-1][0], item))
        else:
            queue.append((max(due, queue[-1][0]) if queue else due, item))
        self._wait()

    def cut(self) -> None:
        """What is in flight is lost."""
        self._cut = True
        self._queue.clear()

    def resume(self) -> None:
        """Goes on after `paused`."""
        self.paused = False
        self._wait()

    def _wait(self) -> None:
        if self._queue and not self._timer and not self.paused:
            self._timer = True
            self._clock.callLater(max(0.0, self._queue[0][0] - self._clock.rightNow), self._due)

    def _due(self) -> None:
        self._timer = False
        now = self._clock.rightNow
        while self._queue and not self.paused and self._queue[0][0] <= now:
            self._arrive(self._queue.popleft()[1])
        self._wait()


class Connection:
    """One connection of a client (`Link`); `number` counts them. `account` is None until the room has confirmed it.

    `address` is empty, or an IP address, of which the room may allow only so many accounts or entries.
    """

    kind: Literal["tcp", "websocket"]

    def __init__(
        self,
        *,
        number: int,
        client: ClientEnd,
        encoding: Encoding,
        address: str,
        world: VirtualClock,
        process: ProcessClock,
        referee: Referee,
        dice: Dice,
        stream: Stream,
        buffer_bytes: int,
        heard: Callable[[bytes, int, bytes], None],
    ) -> None:
        self.number = number
        self.encoding = encoding
        self.kind = "websocket" if encoding is Encoding.JSON else "tcp"
        self.address = address
        self.peer = f"{address}:{number}" if address else f"client-{number}"
        self.open = True
        """As the client sees it."""
        self.ended = False
        """The session has been told that it is lost."""
        self.account: int | None = None
        self._client = client
        self._process = process
        self._referee = referee
        self._dice = dice
        self._stream = stream
        self._base_s = stream.uniform(0.001, 0.08)
        self._buffer_bytes = buffer_bytes
        self._unread = 0
        self._reading = True
        self._session: FrameReceiver | None = None
        self._up: _Way[bytes] = _Way(world, self._latency_s, self._reached)
        self._down: _Way[list[bytes] | None] = _Way(world, self._latency_s, self._told)
        self._world = world
        self._heard = heard
        """Hears every message that reaches the room or a client: direction, number of the connection, bytes, which
        are the same in every run of a seed.
        """

    def _latency_s(self) -> float:
        late = self._base_s * (1.0 + self._stream.random())
        if self._dice.strikes(Fault.LATENCY, 600):
            late += self._dice.number(Fault.LATENCY, 0.2, 6.0)
        return late

    # --- the client's end -------------------------------------------------------------------------------------

    def attach(self, session: FrameReceiver) -> None:
        """The room has made the session."""
        self._session = session

    def send_bodies(self, bodies: list[bytes], *, at_s: float | None = None, overtakes: bool = False) -> None:
        """The client sends messages; see `_Way.send`."""
        for body in bodies:
            self._up.send(body, at_s=at_s, overtakes=overtakes)

    def stop_reading(self) -> None:
        """The client reads nothing until `read_on`."""
        self._down.paused = True

    def read_on(self) -> None:
        """The client reads again."""
        self._down.resume()

    def cut(self) -> None:
        """The connection breaks now; the room hears of it a little later."""
        if not self.open:
            return
        self._break()
        self._world.callLater(self._stream.uniform(0.0, 0.3), self._lost, "closed by the client")
        self._client.closed(self)

    def fall_silent(self) -> None:
        """Nothing passes any more, without notice to either side."""
        self._break()

    def _break(self) -> None:
        self.open = False
        self._up.cut()
        self._down.cut()

    # --- the room's end: `Link` -------------------------------------------------------------------------------

    def send(self, outgoing: Outgoing | Bundle) -> None:
        """See `Link`."""
        if self.ended or not self._reading:
            return
        bodies = [part.body(self.encoding) for part in outgoing.parts]
        self._referee.told(self, [_same_in_every_run(body) for body in bodies])
        if self._down.paused:
            self._unread += sum(map(len, bodies))
            if self._unread > self._buffer_bytes:
                self._reading = False
                self._break()
                self._world.callLater(0, self._lost, Code.TOO_SLOW.value)
                self._world.callLater(self._base_s, self._client.closed, self)
                return
        self._down.send(bodies)

    def close(self, code: Code) -> None:
        """See `Link`."""
        if not self._reading:
            return
        self._reading = False
        self._up.cut()
        self._down.send(None)
        self._world.callLater(FAREWELL_S, self._lost, code.value)

    def _reached(self, body: bytes) -> None:
        if self._session is None or self.ended or not self._reading or not self._process.alive:
            return
        self._heard(b">", self.number, _same_in_every_run(body))
        self._referee.reached(self, body)
        try:
            self._session.received(body)
        except InjectedFault:
            self._abort()
        except Exception as error:  # noqa: BLE001 -- whatever a session raises is a finding
            self._referee.fault("session", error)
            self._abort()

    def _abort(self) -> None:
        """As Twisted does with a protocol that raises."""
        self._break()
        self._lost("a fault of the room")
        self._client.closed(self)

    def _told(self, bodies: list[bytes] | None) -> None:
        if not self.open:
            return
        if bodies is None:
            self._break()
            self._world.callLater(self._base_s, self._lost, "closed")
            self._client.closed(self)
            return
        for body in bodies:
            if self.open:
                self._heard(b"<", self.number, _same_in_every_run(body))
                self._client.body(self, body)

    def _lost(self, reason: str) -> None:
        if self.ended or not self._process.alive:
            return
        self.ended = True
        self._reading = False
        self._referee.closed(self)
        if self._session is not None:
            self._session.lost(reason)

    def process_died(self) -> None:
        """The room's process is gone: the system closes its sockets."""
        was_open = self.open
        self.ended = True
        self._break()
        self._referee.closed(self)
        if was_open:
            self._world.callLater(self._base_s, self._client.closed, self)
