"""Pipelined commands to Redis for the journal and the bus: one write, then all replies.

A `ServerConnection` needs less than half the processor time of a `Pipeline` of redis-py, which is a tenth of that of a
busy room. It does not know the commands and never retries.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeAlias, TypeVar, cast

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
"""A reply as redis-py reads RESP2. An error reply is a `ResponseError`."""

UNAVAILABLE = (RedisError, RedisClusterException, OSError)
"""The exceptions if Redis cannot be reached or its reply cannot be read. A `TimeoutError` is an `OSError`.

For a Cluster that cannot be reached redis-py raises an exception that is not a `RedisError`.
"""

T = TypeVar("T")

_OF_TWO_WORDS = frozenset({b"XINFO"})  # for redis-py both words are the name of the command

_packed = cast("Callable[[Command], bytes]", hiredis.pack_command)  # its stub says a tuple of one


_LOOKS: Final = 10
"""In so many parts the time for an answer is waited for."""


async def within(asked: Awaitable[T], seconds: float) -> T:
    """Waits for an answer. Raises `TimeoutError` if there is none after so many seconds of a loop that runs.

    If the process itself stands still, as it may on a busy machine, the timer of asyncio is late, and the answer that
    has come is not read yet. So no timer waits for more than a part of the time, and what it is late does not count.
    """
    task = asyncio.ensure_future(asked)
    try:
        for _ in range(_LOOKS):
            await asyncio.wait((task,), timeout=seconds / _LOOKS)
            if task.done():
                return task.result()
        raise TimeoutError
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))  # it closes its connection


async def answered(asked: Awaitable[T], seconds: float) -> T:
    """Waits for an answer. Raises `ConnectionError` or `TimeoutError`, and no exception of redis-py."""
    try:
        return await within(asked, seconds)
    except (RedisError, RedisClusterException) as error:
        raise ConnectionError(f"Redis: {type(error).__name__}") from error


def available(replies: list[Reply]) -> list[Reply]:
    """The same replies. Raises the error of a server that is loading its data: it is not available yet."""
    for reply in replies:
        if isinstance(reply, BusyLoadingError):
            raise reply
    return replies


class CommandChannel(Protocol):
    """A `ServerConnection`, or the connections to a Cluster."""

    @property
    def connected(self) -> bool:
        """Whether commands can be sent: false before `connect` and after an error."""

    async def connect(self) -> None:
        """Connects, if it is not connected. Raises one of `UNAVAILABLE`."""

    def ask(self, commands: Sequence[Command]) -> asyncio.Future[list[Reply]]:
        """As `exchange`, without a coroutine of the caller, and `available` is not checked.

        A caller that gives up or gets an error must `close` the connection. It must be connected.
        """

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """Sends commands and returns their replies in order. After one of `UNAVAILABLE` the outcome is unknown."""

    async def close(self) -> None:
        """Closes the connection; `connect` opens another."""


class _Replies(asyncio.Protocol):
    """Reads the replies of one connection. One caller at a time may wait for them."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self.lost = False
        """Whether the connection is lost."""
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._before = transport.get_protocol()  # that of redis-py, which waits for the end
        self._reader = hiredis.Reader(protocolError=InvalidResponse, replyError=_refusal)
        self._here: list[Reply] = []
        self._wanted = 0
        self._waiting: asyncio.Future[list[Reply]] | None = None

    def take(self, count: int) -> asyncio.Future[list[Reply]]:
        """The next `count` replies. Fails with `ConnectionError` if the connection is lost before."""
        self._wanted = count
        self._waiting = self._loop.create_future()
        if self.lost:
            self._waiting.set_exception(_gone())
        else:
            self._look()
        return self._waiting

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`. Invalid data breaks the connection."""
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
            replies, self._here = self._here[: self._wanted], self._here[self._wanted :]
            self._waiting.set_result(replies)


def _gone() -> ConnectionError:
    return ConnectionError("the connection is lost")


def _refusal(text: str) -> RedisError:
    """The exception for an error reply. A server that is loading its data is not available yet."""
    return BusyLoadingError(text) if text.startswith("LOADING") else ResponseError(text)


class ServerConnection:
    """One connection to one server (`CommandChannel`), kept until it breaks.

    Only one task may use it at a time, except for `send`.
    redis-py opens the connection. Its streams are bypassed afterwards, because they cost a third more time.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._connection: AbstractConnection | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._replies: _Replies | None = None

    @property
    def connected(self) -> bool:
        return self._replies is not None and not self._replies.lost

    async def connect(self) -> None:
        """See `CommandChannel`. It asks Sentinel for the master; of a Cluster it takes any node."""
        if self.connected:
            return
        await self.close()
        if isinstance(self._client, RedisCluster):
            await self._client.initialize()
            node = self._client.get_random_node()
            # not from the pool of the node, which is emptied when another node of the Cluster is unavailable
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
        """See `CommandChannel`. Raises `ConnectionError` if it is not connected."""
        transport, replies = self._opened()
        transport.write(b"".join(map(_packed, commands)))
        return replies.take(len(commands))

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        try:
            return available(await self.ask(commands))
        except BaseException:
            await self.close()  # later replies would be read as those of the next commands
            raise

    def send(self, *command: bytes) -> None:
        """Sends a command without waiting for its reply. Raises `ConnectionError` if it is not connected."""
        transport, _ = self._opened()
        transport.write(_packed(command))

    async def read(self) -> Reply:
        """The next reply or message. The connection is closed if it raises."""
        try:
            _, replies = self._opened()
            [reply] = await replies.take(1)
            if isinstance(reply, RedisError):
                raise reply  # noqa: TRY301 -- a reader has no command to which the error belongs
        except BaseException:
            await self.close()
            raise
        return reply

    async def close(self) -> None:
        connection, transport = self._connection, self._transport
        self._transport = self._replies = None
        if transport is not None:
            transport.abort()  # a normal close over TLS would wait for the server
        if connection is not None:
            await connection.disconnect(nowait=True)
        if isinstance(self._client, RedisCluster):
            self._connection = None  # the node may be gone: the next one may be another

    def _opened(self) -> tuple[asyncio.WriteTransport, _Replies]:
        if self._transport is None or self._replies is None:
            raise ConnectionError("not connected")
        return self._transport, self._replies


class ClusterConnections:
    """The nodes of a Cluster (`CommandChannel`). Each gets its commands in one write, in their order."""

    def __init__(self, client: RedisCluster) -> None:
        self._client = client
        self.connected = False

    async def connect(self) -> None:
        await self._client.initialize()
        self.connected = True

    def ask(self, commands: Sequence[Command]) -> asyncio.Future[list[Reply]]:
        return asyncio.ensure_future(self.exchange(commands))

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """See `CommandChannel`. redis-py knows which node has a key, also while keys move."""
        pipeline = self._client.pipeline()
        for command in commands:
            words = 2 if command[0] in _OF_TWO_WORDS else 1
            pipeline.execute_command(b" ".join(command[:words]).decode(), *command[words:])
        try:
            replies: list[Reply] = await pipeline.execute(raise_on_error=False)
            for reply in replies:
                if isinstance(reply, BaseException) and not isinstance(reply, ResponseError):
                    raise reply  # noqa: TRY301 -- as for a single server
        except BaseException:
            await self.close()
            raise
        return replies

    async def close(self) -> None:
        self.connected = False
        await self._client.aclose()  # it looks up the nodes again


def channel_to(client: Client) -> CommandChannel:
    """The channel for the commands of a client."""
    return ServerConnection(client) if isinstance(client, Redis) else ClusterConnections(client)
