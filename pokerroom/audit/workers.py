"""Lets several processes examine the transfers, each with a connection of its own to one snapshot of the books.

The processes take the transfers in runs. What they find comes back in order, and at most `AHEAD` runs for each process
are under way, so memory is bounded.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Final

from pokerroom.audit.examine import Examined, Examiner
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.books import AuditableLedger, Books

RUN: Final = 1_000
"""So many numbers of transfers are examined at a time."""

AHEAD: Final = 2
"""So many runs of each process are under way, or found and not yet followed."""

OpenLedger = Callable[[], AbstractAsyncContextManager[AuditableLedger]]
"""Opens the ledger in another process, so it must be a thing that can be pickled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """`jobs` processes, at least 1, that open the ledger with `open_ledger`, and hidden cards with `keys`."""

    jobs: int
    open_ledger: OpenLedger
    keys: tuple[bytes, ...] | None

    async def examine_all(self, books: Books, after: int) -> AsyncIterator[Examined]:
        """Yield what all transfers after this number show, in order. Raises `LedgerUnavailable`."""
        pool = ProcessPoolExecutor(
            self.jobs,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(self.open_ledger, await books.snapshot(), self.keys),
        )
        begins = iter(range(after, books.last, RUN))
        waiting: deque[asyncio.Future[list[Examined]]] = deque()
        try:
            while True:
                for begin in begins:
                    waiting.append(asyncio.wrap_future(pool.submit(_examined, begin, begin + RUN)))
                    if len(waiting) == self.jobs * AHEAD:
                        break
                if not waiting:
                    return
                for examined in await waiting.popleft():
                    yield examined
        except BrokenProcessPool as broken:
            raise LedgerUnavailable(
                "a process of the audit has ended; try again with --jobs 1, which tells why"
            ) from broken
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _Worker:
    """What a process keeps from run to run: its event loop, and the books."""

    def __init__(self, open_ledger: OpenLedger, snapshot: str, keys: tuple[bytes, ...] | None) -> None:
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._stack = AsyncExitStack()  # never closed: the connection ends with the process
        self._books, self._examiner = self._loop.run_until_complete(self._open(open_ledger, snapshot, keys))

    async def _open(
        self, open_ledger: OpenLedger, snapshot: str, keys: tuple[bytes, ...] | None
    ) -> tuple[Books, Examiner]:
        ledger = await self._stack.enter_async_context(open_ledger())
        books = await self._stack.enter_async_context(ledger.books(snapshot))
        return books, Examiner(books, keys)

    def examined(self, after: int, until: int) -> list[Examined]:
        return self._loop.run_until_complete(self._run(after, until))

    async def _run(self, after: int, until: int) -> list[Examined]:
        return [await self._examiner.examine(one) async for one in self._books.transfers(after, until)]


_WORKERS: list[_Worker] = []
"""The one of this process, once it has begun."""


def _begin(open_ledger: OpenLedger, snapshot: str, keys: tuple[bytes, ...] | None) -> None:
    _WORKERS.append(_Worker(open_ledger, snapshot, keys))


def _examined(after: int, until: int) -> list[Examined]:
    return _WORKERS[0].examined(after, until)
