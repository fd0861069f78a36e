"""The bus over Redis channels: one channel per node, one for all, and one PUBLISH per receiver and reactor turn.

Channels store nothing: a node that is not subscribed for a moment misses messages. It learns that from its broken
connection (`cut`) or from a gap in the numbers of a sender (`lost`, see `batches`). While Redis is unavailable messages
are dropped and counted, because late news is of no use. With Redis Cluster each node of the room connects to any node
of the Cluster; a channel reaches all of them.

A batch is encrypted: it has cards that only one client may see, and operators of Redis must not see them. A batch that
does not decrypt was not sent by a node of this room, and is ignored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import structlog
from cryptography.exceptions import InvalidTag
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from pokerroom.bridge import deferred
from pokerroom.coordination.batches import BEAT_S, Batch, IncomingBatches, OutgoingBatches
from pokerroom.coordination.redis.client import Client
from pokerroom.coordination.redis.connections import UNAVAILABLE, Command, Reply, ServerConnection

_RETRY_S_FIRST = 0.05
_RETRY_S_MAX = 1.0
_ANSWER_S_MAX = 2.0
_PAUSE_S = 0.002  # [D] the pause between two publications: one message costs nearly as much as fifty
_SILENCE_S_MAX = 3.0  # each heartbeat sends a PING on the subscribed connection

_log = structlog.get_logger()

Soon = Callable[[Callable[[], None]], object]
"""Calls a function in the next reactor turn."""

Cipher = Callable[[bytes], bytes]
"""Encrypts or decrypts a whole batch."""


class RedisBus:
    """See `api.Bus`. `client` is made by `redis_client`.

    `seal` encrypts a batch. `unseal` decrypts it or raises `InvalidTag`.
    """

    def __init__(
        self,
        client: Client,
        clock: IReactorTime,
        *,
        node: str,
        heard: Callable[[str, bytes], None],
        lost: Callable[[str], None],
        cut: Callable[[], None],
        seal: Cipher,
        unseal: Cipher,
        soon: Soon | None = None,
    ) -> None:
        self._clock = clock
        self._seal = seal
        self._unseal = unseal
        self._soon = soon or (lambda work: clock.callLater(0, work))
        self._node = node
        self._cut = cut
        self._outgoing = OutgoingBatches(node)
        self._incoming = IncomingBatches(node, heard, lost)
        self._talking = ServerConnection(client)
        self._listening = ServerConnection(client)
        self._task: asyncio.Task[None] | None = None
        self._asked: asyncio.Future[list[Reply]] | None = None
        """The replies to a publication in flight."""
        self._next_beat: IDelayedCall | None = None
        self._heard_at_s = 0.0
        self._published_at_s = 0.0
        self._flushing = False
        self._away = False

    def start(self) -> Deferred[None]:
        started: Deferred[None] = Deferred()
        self._task = asyncio.ensure_future(self._listen(started))
        self._task.add_done_callback(_listened)
        self._next_beat = self._clock.callLater(BEAT_S, self._beat)
        return started

    def stop(self) -> Deferred[None]:
        task, self._task = self._task, None
        if self._next_beat is not None:
            self._next_beat.cancel()
            self._next_beat = None
        return succeed(None) if task is None else deferred(self._stop(task))

    def send(self, node: str, message: bytes) -> None:
        self._put(node, message)

    def send_all(self, message: bytes) -> None:
        self._put(None, message)

    # --- talking ------------------------------------------------------------------------------------------------

    def _put(self, node: str | None, message: bytes) -> None:
        if self._task is None:
            return
        self._outgoing.put(node, message)
        if not self._flushing:
            self._flushing = True
            self._flush_soon()

    def _flush_soon(self) -> None:
        """Flushes at the end of this turn, or after the pause since the last publication."""
        wait_s = self._published_at_s + _PAUSE_S - self._clock.seconds()
        if wait_s > 0:
            self._clock.callLater(wait_s, self._flush)
        else:
            self._soon(self._flush)

    def _flush(self) -> None:
        batches = self._outgoing.batches()
        if not batches or self._away or self._task is None:
            self._flushing = False
        else:
            self._publish(batches)

    def _beat(self) -> None:
        self._next_beat = self._clock.callLater(BEAT_S, self._beat)
        deferred(self._ping()).addErrback(_unless_away)
        if self._asked is not None and self._clock.seconds() - self._published_at_s > _ANSWER_S_MAX:
            self._asked.cancel()
        if self._flushing:
            return
        if self._away:
            self._outgoing.again()
        batches = self._outgoing.batches() + self._outgoing.beats()
        if batches:
            self._flushing = True
            self._publish(batches)

    def _publish(self, batches: Sequence[Batch]) -> None:
        """Publishes batches, one publication at a time: later messages go with the next one, which keeps the order.

        An open connection needs no coroutine here: a busy node publishes for every few actions.
        """
        self._published_at_s = self._clock.seconds()
        commands = [(b"PUBLISH", _channel(node), self._seal(batch)) for node, batch in batches]
        if self._talking.connected:
            self._asked = self._talking.ask(commands)
            self._asked.add_done_callback(partial(self._answered, commands))
        else:
            self._publish_again(commands)

    def _answered(self, commands: Sequence[Command], asked: asyncio.Future[list[Reply]]) -> None:
        self._asked = None
        if self._task is None:
            asked.cancelled() or asked.exception()  # retrieved, so that asyncio does not report it
        elif asked.cancelled():  # see `_beat`
            deferred(self._talking.close()).addErrback(_fault)
            self._failed(TimeoutError())
        elif asked.exception() is None:
            self._published(asked.result())
        else:  # the connection was idle while the server restarted; a repeated batch is noticed
            self._publish_again(commands)

    def _publish_again(self, commands: Sequence[Command]) -> None:
        async def published() -> list[Reply]:
            async with asyncio.timeout(_ANSWER_S_MAX):
                await self._talking.connect()
                return await self._talking.exchange(commands)

        def failed(failure: Failure) -> None:
            self._failed(failure.value)
            _unless_away(failure)

        deferred(published()).addCallbacks(self._published, failed).addErrback(_fault)

    def _published(self, replies: Sequence[Reply]) -> None:
        refused = next((reply for reply in replies if isinstance(reply, Exception)), None)
        if refused is not None:
            self._failed(refused)
            return
        self._away = False
        if self._outgoing:
            self._flush_soon()
        else:
            self._flushing = False

    def _failed(self, error: BaseException | None) -> None:
        if not self._away:
            _log.error("bus.unavailable", error=type(error).__name__)
        self._away = True
        self._flush()

    # --- listening ----------------------------------------------------------------------------------------------

    async def _listen(self, started: Deferred[None]) -> None:
        failures = 0
        while True:
            try:
                async with asyncio.timeout(_ANSWER_S_MAX):
                    await self._subscribe()
                failures = 0
                if not started.called:
                    started.callback(None)
                else:
                    _log.warning("bus.cut")
                    self._away = False  # the receivers of `cut` send messages at once
                    self._incoming.cut()
                    self._call_cut()
                await self._hear()
            except UNAVAILABLE as error:
                failures += 1
                if failures == 1:
                    _log.error("bus.unavailable", error=type(error).__name__)
                await self._listening.close()
                await asyncio.sleep(min(_RETRY_S_MAX, _RETRY_S_FIRST * 2.0 ** min(failures, 10)))

    async def _subscribe(self) -> None:
        await self._listening.connect()
        self._listening.send(b"SUBSCRIBE", _channel(self._node), _channel(None))
        for _ in range(2):
            await self._listening.read()
        self._heard_at_s = self._clock.seconds()

    async def _hear(self) -> None:
        while True:
            said = await self._listening.read()
            self._heard_at_s = self._clock.seconds()
            match said:
                case [b"message", _, bytes(sealed)]:
                    self._receive(sealed)
                case _:
                    pass  # a reply to PING

    def _receive(self, sealed: bytes) -> None:
        try:
            batch = self._unseal(sealed)
        except InvalidTag:
            _log.error(
                "bus.unreadable", message="not sent by a node of this room, or with another journal key"
            )
            return
        self._incoming.receive(batch)

    async def _ping(self) -> None:
        if not self._listening.connected:
            return
        if self._clock.seconds() - self._heard_at_s > _SILENCE_S_MAX:
            await self._listening.close()  # the reader gets an exception
        else:
            self._listening.send(b"PING")

    def _call_cut(self) -> None:
        try:
            self._cut()
        except Exception as fault:  # noqa: BLE001 -- any error of the receiver is logged as a fault
            _log.critical("bus.fault", exc_info=fault)

    async def _stop(self, task: asyncio.Task[None]) -> None:
        task.cancel()
        await asyncio.wait([task])
        await self._listening.close()
        await self._talking.close()


def _channel(node: str | None) -> bytes:
    return b"{room}:bus" if node is None else b"{room}:bus:%b" % node.encode()


def _unless_away(failure: Failure) -> None:
    failure.trap(*UNAVAILABLE)


def _listened(task: asyncio.Task[None]) -> None:
    """Logs the end of the listening task, unless it was cancelled: a bug of the room."""
    if not task.cancelled() and task.exception() is not None:
        _log.critical("bus.fault", exc_info=task.exception())


def _fault(failure: Failure) -> None:
    _log.critical("bus.fault", exc_info=failure.value)
