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
from redis.exceptions import RedisError, ResponseError

from pokerroom.coordination.connect import Client

Command: TypeAlias = tuple[bytes, ...]
Reply: TypeAlias = object
"""As redis-py reads RESP2; an error that Redis answers is a `ResponseError` among the replies."""

AWAY = (RedisError, OSError)
"""What is raised when Redis was not reached, or its answer was not read; a `TimeoutError` is an `OSError`."""

T = TypeVar("T")

_OF_TWO_WORDS = frozenset({b"XINFO"})  # redis-py takes both as the name of a command

_packed = cast("Callable[[Command], bytes]", hiredis.pack_command)  # its stub says a tuple of one


async def answered(asked: Awaitable[T], seconds: float) -> T:
    """The answer within that time. Raises `ConnectionError` or `TimeoutError`, for those who do not know redis-py."""
    try:
        return await asyncio.wait_for(asked, seconds)
    except RedisError as error:
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


class Line:
    """One connection to one server, kept until it breaks. It is for one task at a time, but for `send`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._connection: AbstractConnection | None = None

    @property
    def connected(self) -> bool:
        """See `Wire`."""
        return self._connection is not None and self._connection.is_connected

    async def connect(self) -> None:
        """See `Wire`. With Sentinel it asks for the master, with a Cluster it goes to any node."""
        if self.connected:
            return  # before each publication of the bus: redis-py would look for a way to try again first
        if isinstance(self._client, RedisCluster):
            await self._client.initialize()
            if self._connection is None:
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

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """See `Wire`."""
        connection = self._opened()
        try:
            await connection.send_packed_command([b"".join(map(_packed, commands))])
            replies: list[Reply] = []
            for _ in commands:
                try:
                    replies.append(await connection.read_response())
                except ResponseError as error:
                    replies.append(error)
        except BaseException:
            await self.close()  # replies that are still to come belong to nobody
            raise
        return replies

    async def send(self, *command: bytes) -> None:
        """Without waiting for a reply."""
        await self._opened().send_packed_command([_packed(command)])

    async def read(self) -> Reply:
        """The next thing that Redis says. The connection is closed if it raises."""
        try:
            return await self._opened().read_response()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """See `Wire`."""
        connection = self._connection
        if connection is not None:
            await connection.disconnect(nowait=True)
        if isinstance(self._client, RedisCluster):
            self._connection = None  # that node may be gone for good: the next may be another

    def _opened(self) -> AbstractConnection:
        if self._connection is None:
            raise ConnectionError("not connected")
        return self._connection


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
