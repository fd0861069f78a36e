"""An asyncio client that reconnects: it pings, resumes the session after a lost connection, and goes on.

Theory of operation. One `PokerClient` after the other carries the connection. When one ends, the client opens the next
after a growing pause, resumes the session, and observes its tables again: those observed before, and those where the
account has a seat, unless another client of the account has them open (`TableTaken`). Their snapshots replace the old
state. The iterator yields what `PokerClient` yields, and `LineLost`
(maybe several times), `LineBack`, and finally `LineEnded`. A request without a connection raises `ConnectionEnded`.
Only an idempotent one waits and is sent again: an `act` or `decide`, and what has a `key` or a `since`.

The client estimates the room's clock: see `room_time_ms`.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from functools import partial
from typing import Final, Self, TypeVar

from ._answers import Answer
from .client import ConnectionEnded, PokerClient, RequestRefused, Unasked
from .errors import Code
from .messages import (
    Act,
    Authenticated,
    ClientMessage,
    Decide,
    DeleteAccount,
    Error,
    Goodbye,
    LogOut,
    Observe,
    Ping,
    Pong,
    Resume,
    ServerMessage,
    Snapshot,
    TableTaken,
    UltimateSnapshot,
)

__all__ = ["Line", "LineBack", "LineEnded", "LineLost", "ReturningClient"]

PAUSE_S: Final = 0.5
PAUSE_MAX_S: Final = 10.0
ANSWER_S: Final = 10.0
"""A connection without an answer to a hello or a ping for so long counts as lost."""
PING_S: Final = 20.0

_A = TypeVar("_A", bound=ServerMessage | Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLost:
    """The connection is lost; the next attempt follows in `retry_s` seconds.

    `goodbye` is the room's last message; `refused` is its answer to an attempt, if it refuses one.
    """

    reason: str
    retry_s: float
    goodbye: Goodbye | None = None
    refused: Error | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBack:
    """The client has reconnected. `authenticated` is None without a valid session: log in."""

    authenticated: Authenticated | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEnded:
    """The client will not reconnect: `close` was called, or the account has connected elsewhere (`taken_over`)."""

    reason: str
    goodbye: Goodbye | None = None


Line = LineLost | LineBack | LineEnded


class ReturningClient:
    """See the module. Open it with `connect`, close it with `close` or `async with`. One task iterates, any may
    request.

    `token` resumes an earlier session. It is kept up to date, and is a secret like a password.
    """

    def __init__(
        self, host: str, port: int, *, client: str, pause: bool, instance: str, token: str | None
    ) -> None:
        """Use `connect`."""
        self.token = token
        self._connect = partial(
            PokerClient.connect, host, port, client=client, pause=pause, instance=instance
        )
        self._client: PokerClient | None = None
        self._last: PokerClient | None = None
        self._stands = asyncio.Event()
        self._happened: asyncio.Queue[Unasked | Line] = asyncio.Queue()
        self._closed = False
        self._over = False
        self._ahead_ms = 0.0
        self._living: asyncio.Task[None] | None = None

    @classmethod
    async def connect(
        cls,
        host: str,
        port: int,
        *,
        client: str = "pokerroom-python",
        pause: bool = True,
        instance: str = "",
        token: str | None = None,
    ) -> Self:
        """Open the first connection, and resume if there is a token: it takes over the account's tables.

        Raise `OSError`, `RequestRefused` or `ConnectionEnded`.
        """
        self = cls(host, port, client=client, pause=pause, instance=instance, token=token)
        first, authenticated = await self._opened(set(), take_over=True)
        self._happened.put_nowait(LineBack(authenticated=authenticated))
        self._take(first)
        self._living = asyncio.create_task(self._live(first))
        return self

    @property
    def tables(self) -> dict[str, Snapshot]:
        """The latest states of the followed tables, also without a connection."""
        return {} if self._last is None else dict(self._last.session.tables)

    @property
    def ultimate_tables(self) -> dict[str, UltimateSnapshot]:
        """The same of tables of Ultimate."""
        return {} if self._last is None else dict(self._last.session.ultimate_tables)

    def room_time_ms(self) -> float:
        """Return the estimated clock of the room, in milliseconds since the Unix epoch."""
        return time.time() * 1000 + self._ahead_ms

    async def request(self, message: ClientMessage, expect: type[_A]) -> _A:
        """Do as `PokerClient.request`, and repeat an idempotent request over the next connection if one is lost."""
        idempotent = _is_idempotent(message)
        while True:
            if idempotent and not self._over:
                await self._stands.wait()
            client = self._client
            if client is None:
                raise ConnectionEnded("there is no connection")
            try:
                answer = await client.request(message, expect)
            except ConnectionEnded:
                if not idempotent or self._over or client.ended is None:
                    raise
                if self._client is client:
                    self._stands.clear()
                continue
            if isinstance(answer, Authenticated):
                self.token = answer.token
            elif isinstance(message, LogOut | DeleteAccount):
                self.token = None
            return answer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Unasked | Line:
        """Return the next happening; the iteration ends after `LineEnded`."""
        if self._over and self._happened.empty():
            raise StopAsyncIteration
        return await self._happened.get()

    async def close(self) -> None:
        """End the connection for good; the session and the seats remain."""
        self._closed = True
        if self._client is not None:
            self._client.close()
        elif self._living is not None:
            self._living.cancel()
        if self._living is not None:
            await asyncio.gather(self._living, return_exceptions=True)
        self._end(LineEnded(reason="closed"))

    # --- one connection after the other -------------------------------------------------------------------------

    async def _live(self, client: PokerClient) -> None:
        while True:
            pinging = asyncio.create_task(self._ping(client))
            try:
                async for event in client:
                    self._happened.put_nowait(event)
            finally:
                pinging.cancel()
            self._client = None
            self._stands.clear()
            ended = client.ended or ConnectionEnded("lost")
            if self._closed or (ended.goodbye is not None and ended.goodbye.code == Code.TAKEN_OVER):
                self._end(LineEnded(reason=str(ended), goodbye=ended.goodbye))
                return
            followed = {*client.session.tables, *client.session.ultimate_tables}
            client = await self._next(ended, followed)

    async def _next(self, ended: ConnectionEnded, tables: set[str]) -> PokerClient:
        reason, goodbye, refused, pause_s = str(ended), ended.goodbye, None, PAUSE_S
        while True:
            # Jitter: clients that lost their connections together do not reconnect together.
            retry_s = pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
            self._happened.put_nowait(
                LineLost(reason=reason, retry_s=retry_s, goodbye=goodbye, refused=refused)
            )
            await asyncio.sleep(retry_s)
            pause_s = min(2 * pause_s, PAUSE_MAX_S)
            try:
                client, authenticated = await self._opened(tables, take_over=False)
            except (OSError, TimeoutError, RequestRefused, ConnectionEnded) as failure:
                reason = str(failure) or type(failure).__name__
                goodbye = failure.goodbye if isinstance(failure, ConnectionEnded) else None
                refused = failure.error if isinstance(failure, RequestRefused) else None
                continue
            self._happened.put_nowait(LineBack(authenticated=authenticated))
            self._take(client)
            return client

    async def _opened(self, tables: set[str], *, take_over: bool) -> tuple[PokerClient, Authenticated | None]:
        """Return a greeted connection that has resumed, if there is a token, and observes its tables again."""
        async with asyncio.timeout(ANSWER_S):
            client = await self._connect()
            try:
                authenticated = await self._resumed(client)
                if authenticated is not None:
                    for table in sorted({*tables, *authenticated.tables}):
                        await self._observe(client, table, take_over=take_over)
            except BaseException:
                client.close()
                raise
        if client.welcome is not None:
            self._ahead_ms = client.welcome.server_time_ms - time.time() * 1000
        return client, authenticated

    async def _observe(self, client: PokerClient, table: str, *, take_over: bool) -> None:
        try:
            await client.request(
                Observe(id=0, table=table, take_over=take_over), Answer
            )  # a snapshot of its game
        except RequestRefused as refused:
            # Otherwise the table is gone or unavailable. Its events do not come; that is harmless.
            if refused.code == Code.TABLE_TAKEN:
                self._happened.put_nowait(TableTaken(table=table))

    async def _resumed(self, client: PokerClient) -> Authenticated | None:
        if self.token is None:
            return None
        try:
            return await client.request(Resume(id=0, token=self.token), Authenticated)
        except RequestRefused as refused:
            if refused.code != Code.SESSION_UNKNOWN:
                raise
            self.token = None
            return None

    async def _ping(self, client: PokerClient) -> None:
        """Keep the connection open, detect a dead one, and adjust the clock."""
        assert client.welcome is not None
        every_s = min(PING_S, client.welcome.idle_s / 3)
        while True:
            began = time.time() * 1000
            try:
                async with asyncio.timeout(ANSWER_S):
                    pong = await client.request(Ping(id=0), Pong)
            except RequestRefused:
                pass  # rate limited: the other messages keep the connection open
            except (TimeoutError, ConnectionEnded):
                client.close()
                return
            else:
                self._ahead_ms = pong.server_time_ms - (began + time.time() * 1000) / 2
            await asyncio.sleep(every_s)

    def _take(self, client: PokerClient) -> None:
        self._client = self._last = client
        self._stands.set()

    def _end(self, ended: LineEnded) -> None:
        if not self._over:
            self._over = True
            self._client = None
            self._happened.put_nowait(ended)
            self._stands.set()  # wakes requests that wait for a connection


def _is_idempotent(message: ClientMessage) -> bool:
    named = getattr(message, "key", None) or getattr(message, "since", None)
    return isinstance(message, Act | Decide) or named is not None
