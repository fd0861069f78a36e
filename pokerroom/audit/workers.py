"""Lets several processes examine the transfers, each with a connection of its own to one snapshot of the books.

The processes take the transfers in runs. What they find comes back in order, and at most `AHEAD` runs for each process
are under way, so memory is bounded. One of them first compares the checkpoints with the rows.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import msgspec

from pokerroom.audit.chain import follow_chain
from pokerroom.audit.examine import Examined, Examiner
from pokerroom.bridge import as_future
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.archives import ArchiveLedger
from pokerroom.ledger.books import AuditableLedger, Books
from pokerroom.ledger.checkpoints import CheckpointLedger
from pokerroom.verifier.published import Published
from pokerroom.verifier.verify import Verified

RUN: Final = 1_000
"""So many numbers of transfers are examined at a time."""

AHEAD: Final = 2
"""So many runs of each process are under way, or found and not yet followed."""

_DECODER: Final = msgspec.msgpack.Decoder(list[Examined])


class ExaminedLedger(AuditableLedger, CheckpointLedger, ArchiveLedger, Protocol):
    """What a process needs of the ledger."""


OpenLedger = Callable[[], AbstractAsyncContextManager[ExaminedLedger]]
"""Opens the ledger in another process, so it must be a thing that can be pickled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """`jobs` processes, at least 1, that open the ledger with `open_ledger`, and hidden cards with `keys`.

    `archive` is the directory of archived records, if it was given.
    """

    jobs: int
    open_ledger: OpenLedger
    keys: tuple[bytes, ...] | None
    archive: Path | None = None

    @asynccontextmanager
    async def at_work(self, snapshot: str) -> AsyncIterator[Team]:
        """The processes, which read this snapshot of the books. Raises `LedgerUnavailable`."""
        pool = ProcessPoolExecutor(
            self.jobs,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(self.open_ledger, snapshot, self.keys, self.archive),
        )
        try:
            yield Team(pool, self.jobs)
        except BrokenProcessPool as broken:
            raise LedgerUnavailable(
                "a process of the audit has ended; try again with --jobs 1, which tells why"
            ) from broken
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class Team:
    """Processes at work."""

    def __init__(self, pool: ProcessPoolExecutor, jobs: int) -> None:
        self._pool = pool
        self._jobs = jobs

    def verify_chain(self, after: int, published: Published | None = None) -> asyncio.Future[Verified]:
        """Begin to compare the checkpoints; see `follow_chain`."""
        return asyncio.wrap_future(self._pool.submit(_verified, after, published))

    async def examine_all(self, books: Books, after: int) -> AsyncIterator[Examined]:
        """Yield what all transfers after this number show, in order."""
        begins = iter(range(after, books.last, RUN))
        waiting: deque[asyncio.Future[bytes]] = deque()
        while True:
            for begin in begins:
                found = self._pool.submit(_examined, begin, min(begin + RUN, books.last))
                waiting.append(asyncio.wrap_future(found))
                if len(waiting) == self._jobs * AHEAD:
                    break
            if not waiting:
                return
            for examined in _DECODER.decode(await waiting.popleft()):
                yield examined


class _Worker:
    """What a process keeps from run to run: its event loop, and the books."""

    def __init__(
        self, open_ledger: OpenLedger, snapshot: str, keys: tuple[bytes, ...] | None, archive: Path | None
    ) -> None:
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._stack = AsyncExitStack()  # never closed: the connection ends with the process
        self._keys = keys
        self._books, self._examiner = self._loop.run_until_complete(
            self._open(open_ledger, snapshot, keys, archive)
        )

    async def _open(
        self, open_ledger: OpenLedger, snapshot: str, keys: tuple[bytes, ...] | None, archive: Path | None
    ) -> tuple[Books, Examiner]:
        self._ledger = ledger = await self._stack.enter_async_context(open_ledger())
        books = await self._stack.enter_async_context(ledger.books(snapshot))
        files = None if archive is None else ArchiveFolder(archive, await as_future(ledger.archives()))
        return books, Examiner(books, keys, files)

    def examined(self, after: int, until: int) -> bytes:
        return msgspec.msgpack.encode(self._loop.run_until_complete(self._run(after, until)))

    def verified(self, after: int, published: Published | None) -> Verified:
        return self._loop.run_until_complete(self._verify(after, published))

    async def _verify(self, after: int, published: Published | None) -> Verified:
        async with self._ledger.copies() as copies:
            return await follow_chain(copies, self._keys, after=after, published=published)

    async def _run(self, after: int, until: int) -> list[Examined]:
        return [await self._examiner.examine(one) async for one in self._books.transfers(after, until)]


_WORKERS: list[_Worker] = []
"""The one of this process, once it has begun."""


def _begin(
    open_ledger: OpenLedger, snapshot: str, keys: tuple[bytes, ...] | None, archive: Path | None
) -> None:
    _WORKERS.append(_Worker(open_ledger, snapshot, keys, archive))


def _examined(after: int, until: int) -> bytes:
    return _WORKERS[0].examined(after, until)


def _verified(after: int, published: Published | None) -> Verified:
    return _WORKERS[0].verified(after, published)
