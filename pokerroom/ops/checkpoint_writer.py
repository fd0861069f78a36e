"""Writes checkpoints at intervals, and publishes them in a file, so that copies of them leave the database."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import structlog
from twisted.internet.defer import Deferred

from pokerroom.bridge import as_deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.checkpoints import (
    BATCH,
    Checkpoint,
    CheckpointKey,
    CheckpointLedger,
    ForgedCheckpoint,
    checkpoint_hash,
)

T = TypeVar("T")

AT_A_TIME: Final = 50
"""Checkpoints that are published together."""

_TAIL: Final = 4_000_000
"""Bytes: more than a checkpoint of `BATCH` links has."""

_LOST: Final = (
    "nothing is signed. If you have put back an older database, move the file of checkpoints away and start the nodes"
    " again; if not, the history was changed"
)

_FORGED: Final = "nothing is signed; see *Checkpoints that stop* in deploy/operations/alerts.md"

_OTHER: Final = "the last line of {} is no checkpoint: move the file away, and a new one is begun"

_BEGIN: Final = b'{"checkpoint": '
"""So does each line begin."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointsConfig:
    """Seconds between checkpoints, 0 for none, and the file that gets each as a line; empty: none does."""

    every_s: int = 60
    file: str = ""


class InThread(Protocol):
    """Runs blocking work off the reactor, as `twisted.internet.threads.deferToThread` does."""

    def __call__(self, work: Callable[[], T], /) -> Deferred[T]: ...


class CheckpointWriter:
    """Writes while `writes` says that this node does. Each node publishes what it finds in the database."""

    def __init__(
        self,
        ledger: CheckpointLedger,
        key: CheckpointKey,
        file: str,
        *,
        writes: Callable[[], bool],
        in_thread: InThread,
        seconds: Callable[[], float] = time.time,
    ) -> None:
        self._ledger = ledger
        self._key = key
        self._file = Path(file) if file else None
        self._writes = writes
        self._in_thread = in_thread
        self._last = (0, "")  # the number and text of the last checkpoint that is known here
        self._seconds = seconds
        self.signed_s = 0.0
        """The Unix time at which this node last had signed all that there was; 0 before."""

    @as_deferred
    async def run(self) -> None:
        """Write what there is to write, and publish what is not published. A fault of ledger or file is logged.

        If the last checkpoint is not in the database as it was, an earlier state was put back, or the history was
        changed. Then nothing is signed: a new checkpoint would make it good. A file that cannot be read or written
        stops no signing: what was not published is published when it can be.
        """
        published = await self._published()
        try:
            if not await self._is_there():
                _log.critical("checkpoint.lost", number=self._last[0], advice=_LOST)
                return
            if self._writes():
                await self._sign()
            if self._file is not None and published is not None:
                await self._publish(self._file, published)
        except ForgedCheckpoint as forged:
            _log.critical("checkpoint.forged", reason=str(forged), advice=_FORGED)
        except LedgerUnavailable as fault:
            _log.warning("checkpoint.interrupted", reason=str(fault))

    async def _sign(self) -> None:
        while (made := await self._ledger.write_checkpoint(self._key)) is not None:
            self._last = made.number, made.body
            digest = checkpoint_hash(made.body).hex()
            _log.info("checkpoint.written", number=made.number, links=made.links, hash=digest)
            if made.links < BATCH:
                break
        self.signed_s = self._seconds()

    async def _published(self) -> int | None:
        """The number of the last checkpoint in the file; None if it cannot be read."""
        if self._file is None:
            return 0
        try:
            last = await self._in_thread(partial(last_published, self._file))
        except (OSError, ValueError) as fault:
            _log.critical("checkpoint.not_published", reason=str(fault))
            return None
        self._last = max(self._last, last)
        return last[0]

    async def _is_there(self) -> bool:
        number, body = self._last
        if not number:
            return True
        stored = await self._ledger.checkpoints(number - 1, 1)
        return [(each.number, each.body) for each in stored] == [(number, body)]

    async def _publish(self, file: Path, after: int) -> None:
        while more := await self._ledger.checkpoints(after, AT_A_TIME + 1):
            if len(more) <= AT_A_TIME:
                self._key.continues(more[-1])  # raises for the last one of all if it is forged
            more = more[:AT_A_TIME]
            try:
                await self._in_thread(partial(publish, file, more))
            except (OSError, ValueError) as fault:
                _log.critical("checkpoint.not_published", reason=str(fault))
                return
            after = more[-1].number


def last_published(file: Path) -> tuple[int, str]:
    """Return the number and the text of the last checkpoint in the file, 0 without one.

    Raises OSError, and ValueError for a file that has other lines.
    """
    if not file.exists():
        return 0, ""
    with file.open("rb") as lines:
        fcntl.flock(lines, fcntl.LOCK_SH)
        return _last(_whole_lines(lines.fileno(), file)[0], file)


def publish(file: Path, checkpoints: Sequence[Checkpoint]) -> None:
    """Append those that the file lacks. Nodes on one machine may share it. Raises as `last_published`."""
    with file.open("a+b") as lines:
        fcntl.flock(lines, fcntl.LOCK_EX)
        tail, size = _whole_lines(lines.fileno(), file)
        known, _ = _last(tail, file)
        lines.truncate(size)  # a node that died may have left a part of a line
        for checkpoint in checkpoints:
            if checkpoint.number > known:
                line = {"checkpoint": checkpoint.body, "signature": checkpoint.signature.hex()}
                lines.write(json.dumps(line).encode() + b"\n")
        lines.flush()
        os.fsync(lines.fileno())


def _whole_lines(opened: int, file: Path) -> tuple[bytes, int]:
    """The last lines of a file, and its size, without a line that has no end.

    Raises ValueError if that line is not the begin of a checkpoint's: it would be removed.
    """
    begin = max(0, os.fstat(opened).st_size - _TAIL)
    tail = os.pread(opened, _TAIL, begin)
    whole = tail[: tail.rfind(b"\n") + 1]
    part = tail[len(whole) :].rstrip(b"\0")  # zeros: what a file system leaves when the power fails
    if part[: len(_BEGIN)] != _BEGIN[: len(part)]:
        raise ValueError(_OTHER.format(file))
    return whole, begin + len(whole)


def _last(lines: bytes, file: Path) -> tuple[int, str]:
    if not lines:
        return 0, ""
    try:
        body = json.loads(lines.splitlines()[-1])["checkpoint"]
        return int(json.loads(body)["number"]), str(body)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(_OTHER.format(file)) from error
