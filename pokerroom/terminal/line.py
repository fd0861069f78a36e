"""A line to the room that is made anew when it is lost: logs in once, then resumes, and follows its tables again.

It knows the protocol and no screen; who listens is told of everything that changes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, TypeVar

from pokerroom_protocol import Code, ConnectionEnded, PokerClient, Refused, ServerMessage
from pokerroom_protocol import messages as m
from pokerroom_protocol.client import Unasked

CLIENT: Final = "pokerroom play"
PAUSE_MIN_S: Final = 0.3
PAUSE_MAX_S: Final = 8.0

_A = TypeVar("_A", bound=ServerMessage)


class Line:
    """See the module. `heard` gets every event, and None when something else has changed."""

    def __init__(
        self, host: str, port: int, enter: m.Register | m.LogIn, heard: Callable[[Unasked | None], None]
    ) -> None:
        self._host = host
        self._port = port
        self._enter = enter
        self._heard = heard
        self._token: str | None = None
        self._client: PokerClient | None = None
        self._clock_ms = 0.0
        self._following: set[str] = set()
        self.name = enter.name
        self.balance = 0
        self.online = False
        self.tables: tuple[str, ...] = ()
        """Where the account has a seat, as of the last log-in."""

    async def run(self) -> None:
        """Stays connected. Raises `Refused` if the account cannot enter or went on elsewhere; OSError at first only."""
        pause_s = PAUSE_MIN_S
        while True:
            try:
                await self._live()
                pause_s = PAUSE_MIN_S
            except (OSError, ConnectionEnded):
                if self._token is None:
                    raise
            finally:
                self.online = False
                self._heard(None)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSE_MAX_S)

    async def _live(self) -> None:
        client = self._client = await PokerClient.connect(self._host, self._port, client=CLIENT)
        assert client.welcome is not None
        self._clock_ms = client.welcome.server_time_ms - time.time() * 1000
        beat = asyncio.create_task(self._beat(client, client.welcome.idle_s / 3))
        try:
            enter = self._enter if self._token is None else m.Resume(id=0, token=self._token)
            who = await client.request(enter, m.Authenticated)
            self._token, self.balance, self.tables = who.token, who.balance, tuple(who.tables)
            self._following.update(who.tables)
            self.online = True
            for table in sorted(self._following):
                await client.request(m.Observe(id=0, table=table), m.Snapshot)
            self._heard(None)
            async for event in client:
                self._heard(event)
        finally:
            beat.cancel()
            client.close()
        if client.goodbye is not None and client.goodbye.code == Code.TAKEN_OVER:
            raise Refused(m.Error(code=client.goodbye.code, message=client.goodbye.message))

    async def _beat(self, client: PokerClient, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            await client.request(m.Ping(id=0), m.Pong)

    async def request(self, message: m.ClientMessage, expect: type[_A]) -> _A:
        """Asks the room. Raises `Refused` or `ConnectionEnded`."""
        if self._client is None:
            raise ConnectionEnded("not connected")
        return await self._client.request(message, expect)

    async def observe(self, table: str) -> None:
        """Follows a table, also over later connections."""
        self._following.add(table)
        await self.request(m.Observe(id=0, table=table), m.Snapshot)

    async def look_at_wallet(self) -> None:
        """Asks what the wallet holds."""
        self.balance = (await self.request(m.GetAccount(id=0), m.Account)).balance
        self._heard(None)

    def table(self, name: str) -> m.Snapshot | None:
        """A followed table as it is now."""
        return None if self._client is None else self._client.session.tables.get(name)

    def server_now_ms(self) -> float:
        """The room's clock."""
        return time.time() * 1000 + self._clock_ms
