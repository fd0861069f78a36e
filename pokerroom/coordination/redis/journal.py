"""The journal in Redis Streams: one stream per table, one pipelined flush per reactor turn for all tables.

One flush is in flight at a time. Entries that arrive meanwhile go with the next one: a busy room sends fewer, larger
flushes. A failed flush is retried as a whole until Redis answers; nothing is reported as durable before.

The id of an entry is `<epoch>-<n>`, with n counting up. Redis refuses an id that is not above the last one of the
stream. This has three effects:

- `take` writes a seal, `<epoch>-0`. From then on Redis refuses every entry of a smaller epoch.
- An entry that is sent again after an unknown outcome is refused if it was stored. It was stored if the last id of the
  stream is of this epoch.
- Redis that has lost entries is noticed. An append does not create a stream (NOMKSTREAM), and after each new connection
  the last id is compared with the last one that was stored. The owner then loses the table as if to another node,
  and the stream is emptied, so that the hand in progress is void.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Final, TypeVar, cast

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.python.failure import Failure

from pokerroom.bridge import deferred
from pokerroom.coordination.api import Sealed
from pokerroom.coordination.redis.client import Client
from pokerroom.coordination.redis.connections import (
    UNAVAILABLE,
    Command,
    Reply,
    answered,
    available,
    channel_to,
    within,
)
from pokerroom.coordination.redis.streams import (
    Id,
    Stored,
    entries_in,
    is_refused,
    last_id,
    stream_key,
    table_of,
)

_RETRY_S_FIRST = 0.05
_RETRY_S_MAX = 1.0
_LATE_S = 2.0
_ANSWER_S_MAX = 5.0  # then the connection is closed: a new one may reach the server that has replaced it
LOOK_S_MAX = 5.0
"""A look at the keys, or at the entries of one table, may take so long."""
_FIELD = b"e"
_STORED = frozenset({bytes, int})  # types of the replies to a stored entry and to XLEN

_log = structlog.get_logger()

Observer = Callable[[int, float], None]
"""Called after each flush with the number of entries and the duration in seconds."""

Soon = Callable[[Callable[[], None]], object]
"""Calls a function in the next reactor turn."""

T = TypeVar("T")

FORGOTTEN_MS: Final = 3_600_000
"""The time after which the empty stream of a forgotten journal, with the id of its last entry, expires."""

_FORGET: Final = b"""
local stored = redis.pcall('XADD', KEYS[1], 'NOMKSTREAM', 'MAXLEN', '=', '0', ARGV[1], ARGV[2], '')
if type(stored) == 'string' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return stored
"""
"""Adds an entry that removes all, itself included. If the owner may write it, the stream expires."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Stream:
    """The stream of a table that this node owns. `sent` and `stored` are the numbers of its last entries."""

    table: str
    key: bytes
    epoch: int
    sent: int
    stored: int
    lost: bool = False
    waiting: list[Deferred[None]] = field(default_factory=list)

    def entry(self, entry: bytes, *trimmed: bytes) -> Command:
        """Makes the command that stores the next entry."""
        self.sent += 1
        entry_id = b"%d-%d" % (self.epoch, self.sent)
        return (b"XADD", self.key, b"NOMKSTREAM", *trimmed, entry_id, _FIELD, entry)


_Item = tuple[Command, _Stream, int, Callable[[], None] | None]
"""A command, its stream, the number of the last entry of the stream at that time, and the callback after storing."""


class RedisJournal:
    """See `api.Journal`. `client` is made by `redis_client`."""

    def __init__(
        self,
        client: Client,
        clock: IReactorTime,
        *,
        sealed: Callable[[str], None],
        observer: Observer | None = None,
        soon: Soon | None = None,
    ) -> None:
        self._client = client
        self._channel = channel_to(client)
        self._clock = clock
        self._soon = soon or (lambda work: clock.callLater(0, work))
        self._sealed = sealed
        self._observer = observer or _unobserved
        self._streams: dict[str, _Stream] = {}
        self._queue: list[_Item] = []
        self._in_flight = False
        self._asked: asyncio.Future[list[Reply]] | None = None
        """The replies to the batch in flight, unless it is sent again."""
        self._watched = False
        """Whether a timer looks for an overdue answer."""
        self._failures = 0
        self._stopped = False
        self._sent_at = 0.0

    def take(self, table: str, epoch: int) -> Deferred[list[bytes]]:
        return Deferred.fromCoroutine(self._take(table, epoch))

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        stream = self._streams[table]
        if not stream.lost:
            self._put((stream.entry(entry), stream, stream.sent, durable))

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """See `api.Journal`. One command, so that the stream is never empty between."""
        stream = self._streams[table]
        if not stream.lost:
            self._put((stream.entry(entry, b"MAXLEN", b"=", b"1"), stream, stream.sent, durable))

    def forget(self, table: str) -> None:
        """See `api.Journal`. An entry of the owner removes all, because Redis would accept DEL from any node."""
        stream = self._streams[table]
        if not stream.lost:
            stream.sent += 1
            entry_id, ends = b"%d-%d" % (stream.epoch, stream.sent), b"%d" % FORGOTTEN_MS
            command: Command = (b"EVAL", _FORGET, b"1", stream.key, entry_id, _FIELD, ends)
            self._put((command, stream, stream.sent, None))

    def entries(self, table: str) -> Deferred[list[bytes]]:
        flushed = self._flushed(self._streams[table])
        return flushed.addCallback(lambda _: Deferred.fromCoroutine(self._patiently(self._entries, table)))

    def release(self, table: str) -> Deferred[None]:
        """See `api.Journal`. Fails with `Sealed` if the table was lost before."""
        stream = self._streams[table]

        def released(result: T) -> T:
            if self._streams.get(table) is stream:
                del self._streams[table]
            return result

        return self._flushed(stream).addBoth(released)

    def tables(self, but: Container[str] = ()) -> Deferred[list[str]]:
        """See `api.Journal`. Fails with `ConnectionError` or `TimeoutError`."""
        return deferred(self._tables(but))

    def peek(self, table: str) -> Deferred[list[bytes]]:
        """See `api.Journal`. Fails with `ConnectionError` or `TimeoutError`."""
        return deferred(answered(self._entries(table), LOOK_S_MAX))

    def healthy(self) -> bool:
        """Return whether the store answers: False while entries wait for it."""
        late = self._in_flight and perf_counter() - self._sent_at > _LATE_S
        return self._failures == 0 and not late

    def stop(self) -> None:
        """Drops all queued entries: the room is shutting down."""
        self._stopped = True

    # --- taking and reading -------------------------------------------------------------------------------------

    async def _take(self, table: str, epoch: int) -> list[bytes]:
        assert epoch > 0, "Redis does not accept the id 0-0"
        before = self._streams.pop(table, None)
        if before is not None:
            self._lose(before, tell=False)
        stored, entries = await self._patiently(self._sealed_with, table, epoch)
        if stored.epoch != epoch:
            raise Sealed(table)
        self._streams[table] = _Stream(
            table=table, key=stream_key(table), epoch=epoch, sent=stored.n, stored=stored.n
        )
        return entries

    async def _sealed_with(self, table: str, epoch: int) -> tuple[Id, list[bytes]]:
        key = stream_key(table)
        pipeline = self._client.pipeline(transaction=False)
        pipeline.execute_command("XADD", key, f"{epoch}-0", _FIELD, b"")
        pipeline.persist(key)  # a forgotten journal has an expiry
        pipeline.xinfo_stream(key)
        pipeline.xrange(key)
        sealed, _, about, found = await pipeline.execute(raise_on_error=False)
        for reply in (about, found) if is_refused(sealed) else (sealed, about, found):
            if isinstance(reply, Exception):
                raise reply
        last = last_id(about)
        assert last is not None, "the stream has the seal"
        return last, entries_in(found, table)

    async def _entries(self, table: str) -> list[bytes]:
        found = cast("list[Stored]", await self._client.xrange(stream_key(table)))
        return entries_in(found, table)

    async def _tables(self, but: Container[str]) -> list[str]:
        """Each table is looked at for itself, in a time of its own: there may be thousands."""
        names = {table_of(key) for key in await answered(self._keys(), LOOK_S_MAX)}
        tables = sorted(name for name in names if name not in but)
        return [table for table in tables if await answered(self._entries(table), LOOK_S_MAX)]

    async def _keys(self) -> list[bytes]:
        return [key async for key in self._client.scan_iter(match=stream_key("*"), count=1000)]

    async def _patiently(self, ask: Callable[..., Awaitable[T]], *args: object) -> T:
        """Repeats a question until Redis answers. A Twisted coroutine."""
        failures = 0
        while True:
            try:
                return await deferred(within(ask(*args), _ANSWER_S_MAX))
            except UNAVAILABLE as error:
                failures += 1
                if failures == 1:
                    _log.error("journal.unavailable", error=type(error).__name__)
                await deferLater(self._clock, _delay_s(failures))
                if self._stopped:
                    await Deferred()  # never fires: the room is shutting down

    # --- writing --------------------------------------------------------------------------------------------------

    def _flushed(self, stream: _Stream) -> Deferred[None]:
        """Fires when all entries queued before are stored. Fails with `Sealed`."""
        done: Deferred[None] = Deferred()
        if stream.lost:
            done.errback(Sealed(stream.table))
            return done
        stream.waiting.append(done)

        def stored() -> None:
            stream.waiting.remove(done)
            done.callback(None)

        self._put(((b"XLEN", stream.key), stream, stream.sent, stored))
        return done

    def _put(self, item: _Item) -> None:
        if not self._queue and not self._in_flight:
            self._soon(self._flush)
        self._queue.append(item)

    def _flush(self) -> None:
        if self._in_flight or not self._queue or self._stopped:
            return
        self._in_flight = True
        queue, self._queue = self._queue, []
        self._send(queue)

    def _send(self, queue: list[_Item]) -> None:
        """Writes a batch. An open connection needs no coroutine here: a busy node writes for every few actions."""
        if self._stopped:
            return
        self._sent_at = perf_counter()
        queue = _kept(queue)
        if not self._channel.connected:
            self._send_again(queue, None)
            return
        self._asked = asked = self._ask(queue)
        if not self._watched:
            self._look_in(_ANSWER_S_MAX)
        asked.add_done_callback(partial(self._answered, queue))

    def _look_in(self, seconds: float) -> None:
        """Look so much later whether an answer is overdue. A busy node gets thousands for each timer."""
        self._watched = True
        asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        self._watched = False
        left = self._sent_at + _ANSWER_S_MAX - perf_counter()
        if self._asked is None:
            return
        if left > 0:
            self._look_in(left)
        else:
            self._asked.cancel()

    def _ask(self, queue: list[_Item]) -> asyncio.Future[list[Reply]]:
        return self._channel.ask([item[0] for item in queue])

    def _answered(self, queue: list[_Item], asked: asyncio.Future[list[Reply]]) -> None:
        self._asked = None
        if asked.cancelled() or asked.exception() is not None or not _all_stored(asked.result()):
            self._send_again(queue, asked)
            return
        try:
            self._stored(queue)
        except Exception as fault:  # noqa: BLE001 -- any error of a callback is logged as a fault
            _log.critical("journal.fault", exc_info=fault)

    def _send_again(self, queue: list[_Item], asked: asyncio.Future[list[Reply]] | None) -> None:
        deferred(self._written(queue, asked)).addCallbacks(
            lambda _: self._stored(queue), partial(self._failed, queue)
        ).addErrback(lambda failure: _log.critical("journal.fault", exc_info=failure.value))

    def _stored(self, queue: list[_Item]) -> None:
        self._failures = 0
        self._in_flight = False
        self._observer(len(queue), perf_counter() - self._sent_at)
        if self._queue:
            self._soon(self._flush)
        for _command, stream, number, durable in queue:
            if not stream.lost:
                stream.stored = number
                if durable is not None:
                    durable()

    def _failed(self, queue: list[_Item], failure: Failure) -> None:
        self._failures += 1
        if not isinstance(failure.value, UNAVAILABLE):
            # a fault of ours; it is tried again, as all tables of the node wait for this batch
            _log.critical("journal.fault", exc_info=failure.value)
        elif self._failures == 1:
            _log.error("journal.unavailable", error=type(failure.value).__name__, entries=len(queue))
        self._clock.callLater(_delay_s(self._failures), self._send, queue)

    async def _written(self, queue: list[_Item], asked: asyncio.Future[list[Reply]] | None) -> None:
        """Reads the replies to what was `asked`; connects and asks if it was not. Raises if it must be retried."""
        async with asyncio.timeout(_ANSWER_S_MAX):
            try:
                if asked is None:
                    await self._channel.connect()
                    await self._verify()
                    queue = _kept(queue)
                    asked = self._ask(queue)
                elif asked.cancelled():
                    raise TimeoutError  # noqa: TRY301 -- the connection is closed as after any other error
                replies = await asked
                if not _all_stored(replies):
                    await self._examine(queue, available(replies))
            except BaseException:
                await self._channel.close()
                raise

    # --- lost tables ----------------------------------------------------------------------------------------------

    async def _verify(self) -> None:
        """Checks on a new connection that Redis still has all durable entries and no other owner has the streams."""
        streams = [stream for stream in self._streams.values() if not stream.lost]
        for stream, last in await self._last_ids(streams):
            if last is None or last < Id(stream.epoch, stream.stored) or last.epoch != stream.epoch:
                await self._give_up(stream, last)

    async def _examine(self, items: list[_Item], replies: list[Reply]) -> None:
        """Finds out, table by table, why some entries were not stored."""
        refused: dict[_Stream, int] = {}
        untried: dict[_Stream, Exception] = {}
        holes: set[_Stream] = set()
        for (command, stream, number, _), reply in zip(items, replies, strict=True):
            if reply is None or is_refused(reply):
                refused[stream] = number
            elif isinstance(reply, Exception):
                untried.setdefault(stream, reply)
            elif stream in untried and command[0] == b"XADD":
                holes.add(stream)  # Redis was full for a moment, then stored a later entry
        for stream, last in await self._last_ids(list({**refused, **dict.fromkeys(holes)})):
            stored_before = (
                last is not None and last.epoch == stream.epoch and last.n >= refused.get(stream, 0)
            )
            if stream in holes or not stored_before:
                await self._give_up(stream, last)
        for stream, error in untried.items():
            if not stream.lost:
                raise error

    async def _last_ids(self, streams: list[_Stream]) -> list[tuple[_Stream, Id | None]]:
        replies = await self._channel.exchange([(b"XINFO", b"STREAM", stream.key) for stream in streams])
        return [(stream, last_id(reply)) for stream, reply in zip(streams, replies, strict=True)]

    async def _give_up(self, stream: _Stream, last: Id | None) -> None:
        """Loses the table: it has another owner, or its entries have a gap. With a gap the stream is emptied."""
        if last is not None and last.epoch <= stream.epoch:
            (reply,) = await self._channel.exchange([stream.entry(b"", b"MAXLEN", b"=", b"0")])
            if isinstance(reply, Exception) and not is_refused(reply):
                raise reply
        _log.warning("journal.sealed", table=stream.table, epoch=stream.epoch, last=last and last.epoch)
        self._lose(stream, tell=True)

    def _lose(self, stream: _Stream, *, tell: bool) -> None:
        stream.lost = True
        waiting, stream.waiting = stream.waiting, []
        for done in waiting:
            done.errback(Sealed(stream.table))
        if tell:
            self._soon(partial(self._sealed, stream.table))


def _unobserved(_entries: int, _seconds: float) -> None:
    pass


def _kept(queue: list[_Item]) -> list[_Item]:
    """The items of tables that are not lost."""
    return [item for item in queue if not item[1].lost]


def _all_stored(replies: list[Reply]) -> bool:
    return _STORED.issuperset(map(type, replies))


def _delay_s(failures: int) -> float:
    return min(_RETRY_S_MAX, _RETRY_S_FIRST * 2.0 ** min(failures, 10))
