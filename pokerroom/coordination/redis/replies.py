"""Commands to Redis in one write, and all their replies: the journal's and the bus's way, and nobody else's.

A `Line` does what a `Pipeline` of redis-py does at less than half of the processor time, which is a tenth of a busy
room's. It knows nothing of what the commands mean, and never tries anything twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias, TypeVar, cast

import hiredis
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import (
    BusyLoadingError,
    InvalidResponse,
    RedisClusterException,
    RedisError,
    ResponseError,
)

from pokerroom.coordination.redis.client import Client

Command: TypeAlias = tuple[bytes, ...]
Reply: TypeAlias = object
"""As redis-py reads RESP2; an error that Redis answers is a `ResponseError` among the replies."""

AWAY = (RedisError, RedisClusterException, OSError)
"""What is raised when Redis was not reached, or its answer was not read; a `TimeoutError` is an `OSError`.

Of a Cluster that cannot be reached redis-py says so with an exception that is no `RedisError`.
"""

T = TypeVar("T")

_OF_TWO_WORDS = frozenset({b"XINFO"})  # redis-py takes both as the name of a command

_packed = cast("Callable[[Command], bytes]", hiredis.pack_command)  # its stub says a tuple of one


async def answered(asked: Awaitable[T], seconds: float) -> T:
    """The answer within that time. Raises `ConnectionError` or `TimeoutError`, for those who do not know redis-py."""
    try:
        return await asyncio.wait_for(asked, seconds)
    except (RedisError, RedisClusterException) as error:
        raise ConnectionError(f"Redis: {type(error).__name__}") from error


class Wire(Protocol):
    """`Line`, or what stands for it with a Cluster."""

    @property
    def connected(self) -> bool:
        """False before the first `connect`, and after anything that failed."""

    async def connect(self) -> None:
        """Connects unless it is connected. Raises one of `AWAY`."""

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """The reply to each command, in order. If it raises, one of `AWAY`, what became of them is unknown."""

    async def close(self) -> None:
        """Breaks the connection; `connect` makes another."""


class _Replies(asyncio.Protocol):
    """What a server says on one connection, put together from what arrives; one at a time may wait for it."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self.lost = False
        """Whether the connection is gone."""
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._before = transport.get_protocol()  # redis-py's, which waits for the end
        self._reader = hiredis.Reader(protocolError=InvalidResponse, replyError=_refusal)
        self._here: list[Reply] = []
        self._wanted = 0
        self._waiting: asyncio.Future[list[Reply]] | None = None

    def take(self, count: int) -> asyncio.Future[list[Reply]]:
        """The next so many; fails with `ConnectionError` if the connection is gone before."""
        self._wanted = count
        self._waiting = self._loop.create_future()
        if self.lost:
            self._waiting.set_exception(_gone())
        else:
            self._look()
        return self._waiting

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`. What is not Redis breaks the connection."""
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not False:
                self._here.append(reply)
        except InvalidResponse:
            self._transport.abort()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self.lost = True
        self._before.connection_lost(exc)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(_gone())

    def _look(self) -> None:
        if self._waiting is not None and not self._waiting.done() and len(self._here) >= self._wanted:
            told, self._here = self._here[: self._wanted], self._here[self._wanted :]
            self._waiting.set_result(told)


def _gone() -> ConnectionError:
    return ConnectionError("the connection is gone")


def _refusal(text: str) -> RedisError:
    """What Redis answers with an error; while it reads its data it is not there yet."""
    return BusyLoadingError(text) if text.startswith("LOADING") else ResponseError(text)


class Line:
    """One connection to one server, kept until it breaks. It is for one task at a time, but for `send`.

    redis-py connects; what is said then does not go through its streams, which would cost a third more.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._connection: AbstractConnection | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._replies: _Replies | None = None

    @property
    def connected(self) -> bool:
        """See `Wire`."""
        return self._replies is not None and not self._replies.lost

    async def connect(self) -> None:
        """See `Wire`. With Sentinel it asks for the master, with a Cluster it goes to any node."""
        if self.connected:
            return
        await self.close()
        if isinstance(self._client, RedisCluster):
            await self._client.initialize()
            node = self._client.get_random_node()
            # not of the node's pool, which is emptied whenever another node of the Cluster is away
            self._connection = node.connection_class(**node.connection_kwargs)
        elif self._connection is None:
            self._connection = await self._client.connection_pool.get_connection()
        try:
            await self._connection.connect()
        except BaseException:
            await self.close()
            raise
        writer = self._connection._writer  # noqa: SLF001 -- redis-py has no other way to its transport
        assert writer is not None, "it is connected"
        self._transport = writer.transport
        self._replies = _Replies(self._transport)
        self._transport.set_protocol(self._replies)

    def ask(self, commands: Sequence[Command]) -> asyncio.Future[list[Reply]]:
        """As `exchange`, for who needs no coroutine; whoever gives it up must `close` the line.

        Raises `ConnectionError` if it is not connected.
        """
        transport, replies = self._opened()
        transport.write(b"".join(map(_packed, commands)))
        return replies.take(len(commands))

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """See `Wire`."""
        try:
            replies = await self.ask(commands)
            for reply in replies:
                if isinstance(reply, BusyLoadingError):
                    raise reply  # noqa: TRY301 -- the server is not there yet
        except BaseException:
            await self.close()  # replies that are still to come belong to nobody
            raise
        return replies

    def send(self, *command: bytes) -> None:
        """Without waiting for a reply. Raises `ConnectionError` if it is not connected."""
        transport, _ = self._opened()
        transport.write(_packed(command))

    async def read(self) -> Reply:
        """The next thing that Redis says. The connection is closed if it raises."""
        try:
            _, replies = self._opened()
            [reply] = await replies.take(1)
            if isinstance(reply, RedisError):
                raise reply  # noqa: TRY301 -- whoever only reads has nothing that it could belong to
        except BaseException:
            await self.close()
            raise
        return reply

    async def close(self) -> None:
        """See `Wire`."""
        connection, transport = self._connection, self._transport
        self._transport = self._replies = None
        if transport is not None:
            transport.abort()  # over TLS a server that says nothing would be waited for, to hear that it has understood
        if connection is not None:
            await connection.disconnect(nowait=True)
        if isinstance(self._client, RedisCluster):
            self._connection = None  # that node may be gone for good: the next may be another

    def _opened(self) -> tuple[asyncio.WriteTransport, _Replies]:
        if self._transport is None or self._replies is None:
            raise ConnectionError("not connected")
        return self._transport, self._replies


class ClusterWire:
    """The nodes of a Cluster: each gets its commands in one write, in their order."""

    def __init__(self, client: RedisCluster) -> None:
        self._client = client
        self.connected = False

    async def connect(self) -> None:
        """See `Wire`."""
        await self._client.initialize()
        self.connected = True

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """See `Wire`: redis-py knows which node has a key, also while keys move."""
        pipeline = self._client.pipeline()
        for command in commands:
            words = 2 if command[0] in _OF_TWO_WORDS else 1
            pipeline.execute_command(b" ".join(command[:words]).decode(), *command[words:])
        try:
            replies: list[Reply] = await pipeline.execute(raise_on_error=False)
            for reply in replies:
                if isinstance(reply, BaseException) and not isinstance(reply, ResponseError):
                    raise reply  # noqa: TRY301 -- it becomes what it is for a single server
        except BaseException:
            await self.close()
            raise
        return replies

    async def close(self) -> None:
        """See `Wire`."""
        self.connected = False
        await self._client.aclose()  # the nodes are asked for again


def wire_of(client: Client) -> Wire:
    """The way to a server, or to the nodes of a Cluster."""
    return Line(client) if isinstance(client, Redis) else ClusterWire(client)
