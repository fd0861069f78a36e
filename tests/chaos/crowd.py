"""A crowd of clients that are connected, and no more: they go all at once and come back within seconds.

Their accounts and sessions are put into the ledger by SQL, because hashing two thousand passwords would take long. A
few of them watch a table.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import Any, Final

import psycopg

from pokerroom_protocol import messages as m
from tests.chaos.player import Around
from tests.chaos.reading import Heard
from tests.chaos.wire import Lost, Wire

WATCH_ONE_IN: Final = 50
BACK_AT_ONCE: Final = 200
KEEP_S: Final = 2.0
KEEP_WATCHING_S: Final = 0.2


def open_accounts(
    database_url: str, count: int, kind: str = "crowd", chips: int = 0
) -> list[tuple[str, str]]:
    """Names and tokens of new accounts with so many chips each, and a session. Blocks."""
    made = [(f"{kind}-{number}", secrets.token_urlsafe(32)) for number in range(1, count + 1)]
    with psycopg.connect(database_url) as connection, connection.cursor() as cursor:
        cursor.executemany(
            "WITH made AS (SELECT create_account(%s, 'no password', %s) AS account)"
            " INSERT INTO sessions (token_hash, account) SELECT %s, account FROM made",
            [(name, chips, hashlib.sha256(token.encode()).digest()) for name, token in made],
        )
    return made


class _Member:
    def __init__(
        self, around: Around, name: str, token: str, table: str | None, port: int | None = None
    ) -> None:
        self._around = around
        self._port = port
        self._name = name
        self._token = token
        self._table = table
        self._last_seq: int | None = None
        self._wire: Wire | None = None

    def drop(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.abort()

    def _heard(self, wire: Wire, heard: Heard) -> None:
        if wire is not self._wire:
            return
        message = heard.message
        self._around.evidence.heard(self._name, heard, self._last_seq)
        if isinstance(message, m.Snapshot):
            self._last_seq = message.seq
        elif isinstance(message, m.Event):
            gap = self._last_seq is not None and message.seq > self._last_seq + 1
            self._last_seq = message.seq
            if gap:
                wire.send(m.GetSnapshot(id=wire.number(), table=message.table))

    async def come(self) -> None:
        """Connects until it is there."""
        while True:
            wire = Wire(self._around.reader, lambda heard: self._heard(wire, heard), lambda: None)  # noqa: B023
            self._wire, self._last_seq = wire, None
            try:
                await wire.open(self._port or self._around.random.choice(self._around.ports))
                answer: Any = await wire.ask(m.Resume(id=wire.number(), token=self._token))
                if self._table is not None and isinstance(answer, m.Authenticated):
                    answer = await wire.ask(m.Observe(id=wire.number(), table=self._table))
                if not isinstance(answer, m.Error):
                    return
                self._around.evidence.counts[f"crowd_{answer.code}"] += 1
            except (Lost, OSError):
                pass
            wire.abort()
            await asyncio.sleep(0.2 + 0.3 * self._around.random.random())

    async def keep(self) -> None:
        """Comes again as soon as it can, for as long as it runs."""
        while True:
            if not self.is_there:
                await self.come()
            await asyncio.sleep(KEEP_WATCHING_S)

    @property
    def is_there(self) -> bool:
        return self._wire is not None and not self._wire.ended


class Crowd:
    """All of them; and `watchers`, one at each node for each table, so that play is seen wherever a table comes to."""

    def __init__(
        self,
        around: Around,
        accounts: list[tuple[str, str]],
        watchers: list[tuple[str, str]],
        tables: list[str],
    ) -> None:
        self._around = around
        self._coming = asyncio.Lock()
        self._watchers = [
            _Member(around, name, token, table, port)
            for (name, token), (table, port) in zip(
                watchers, [(table, port) for port in around.ports for table in tables], strict=True
            )
        ]
        self._members = [
            _Member(
                around,
                name,
                token,
                tables[number // WATCH_ONE_IN % len(tables)] if number % WATCH_ONE_IN == 0 else None,
            )
            for number, (name, token) in enumerate(accounts)
        ]

    def __len__(self) -> int:
        return len(self._members)

    def drop(self) -> None:
        """All connections are gone at once."""
        for member in (*self._watchers, *self._members):
            member.drop()

    async def keep(self) -> None:
        """A client that is not there comes again, for as long as it runs."""
        await asyncio.gather(self._keep_members(), *(watcher.keep() for watcher in self._watchers))

    async def _keep_members(self) -> None:
        while True:
            async with self._coming:
                await self._come(KEEP_S)
            await asyncio.sleep(KEEP_S)

    async def come(self, within_s: float) -> None:
        """All who are not there come, spread over so many seconds; returns when all are."""
        async with self._coming:
            await self._come(within_s)

    async def _come(self, within_s: float) -> None:
        at_once = asyncio.Semaphore(BACK_AT_ONCE)

        async def one(member: _Member) -> None:
            await asyncio.sleep(within_s * self._around.random.random())
            async with at_once:
                await member.come()

        await asyncio.gather(*(one(member) for member in self._members if not member.is_there))
