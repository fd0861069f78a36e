"""The journal in Redis Streams: one stream per table, one pipelined flush per reactor turn for all tables.

One flush is in flight at a time; what arrives meanwhile goes with the next, so that a busy room sends fewer, larger
flushes. A flush that fails is tried again whole until the store answers; nothing is told to anybody before that.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from pokerroom.ops.bridge import deferred

_RETRY_S_FIRST = 0.05
_RETRY_S_MAX = 1.0
_FIELD = b"e"

_log = structlog.get_logger()

Observer = Callable[[int, float], None]
"""Called after each flush with the number of entries and the seconds it took."""

Soon = Callable[[Callable[[], None]], object]
"""Calls later, in the next reactor turn."""


def _stream(table: str) -> str:
    # the braces are Redis Cluster's hash tag: all keys of a table live on one shard
    return f"{{{table}}}:journal"


class RedisJournal:
    """See `api.Journal`. `client` must return bytes (`decode_responses=False`)."""

    def __init__(
        self,
        client: Redis,
        clock: IReactorTime,
        observer: Observer = lambda *_: None,
        soon: Soon | None = None,
    ) -> None:
        self._client = client
        self._clock = clock
        self._soon = soon or (lambda work: clock.callLater(0, work))
        self._observer = observer
        self._queue: list[tuple[str, bytes | None]] = []
        self._callbacks: list[Callable[[], None]] = []
        self._in_flight = False
        self._failures = 0
        self._stopped = False

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """See `api.Journal`."""
        self._put((_stream(table), entry))
        self._callbacks.append(durable)

    def forget(self, table: str) -> None:
        """See `api.Journal`."""
        self._put((_stream(table), None))

    def healthy(self) -> bool:
        """See `api.Journal`."""
        return self._failures == 0

    def stop(self) -> None:
        """Gives up on what is still queued: the room is going down and its hands in progress are void."""
        self._stopped = True

    def unfinished(self) -> Deferred[dict[str, list[bytes]]]:
        """See `api.Journal`."""
        return deferred(self._unfinished())

    async def _unfinished(self) -> dict[str, list[bytes]]:
        found: dict[str, list[bytes]] = {}
        async for key in self._client.scan_iter(match="{*}:journal", count=1000):
            name = key.decode()
            entries = cast("list[tuple[bytes, dict[bytes, bytes]]]", await self._client.xrange(name))
            found[name[1 : name.rindex("}")]] = [fields[_FIELD] for _, fields in entries]
        return found

    def _put(self, command: tuple[str, bytes | None]) -> None:
        if not self._queue and not self._in_flight:
            self._soon(self._flush)
        self._queue.append(command)

    def _flush(self) -> None:
        if self._in_flight or not self._queue or self._stopped:
            return
        self._in_flight = True
        queue, self._queue = self._queue, []
        callbacks, self._callbacks = self._callbacks, []
        self._send(queue, callbacks)

    def _send(self, queue: list[tuple[str, bytes | None]], callbacks: list[Callable[[], None]]) -> None:
        if self._stopped:
            return
        started = perf_counter()
        pipeline = self._client.pipeline(transaction=False)
        for stream, entry in queue:
            if entry is None:
                pipeline.delete(stream)
            else:
                pipeline.xadd(stream, {_FIELD: entry})

        def stored(_: object) -> None:
            self._failures = 0
            self._in_flight = False
            self._observer(len(queue), perf_counter() - started)
            if self._queue:
                self._soon(self._flush)
            for durable in callbacks:
                durable()

        def failed(failure: Failure) -> None:
            if not isinstance(failure.value, RedisError | OSError):
                failure.raiseException()
            self._failures += 1
            if self._failures == 1:
                _log.error("journal.unavailable", error=type(failure.value).__name__, entries=len(queue))
            delay_s = min(_RETRY_S_MAX, _RETRY_S_FIRST * 2 ** min(self._failures, 10))
            self._clock.callLater(delay_s, self._send, queue, callbacks)

        deferred(pipeline.execute()).addCallbacks(stored, failed).addErrback(
            lambda failure: _log.critical("journal.fault", exc_info=failure.value)
        )
