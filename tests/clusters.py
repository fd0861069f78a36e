"""PostgreSQL's clusters for tests: in memory if there is room; the first one is made, the others are copies of it.

`initdb` takes a second of processor time and flushes its files; a copy takes a tenth. All processes of a test run share
the copies: the first process makes their directory and names it in its environment.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from pokerroom.ops.embedded import postgres

DIRECTORY = "TESTS_CLUSTERS"
"""The environment variable that names it."""

MEMORY = Path("/dev/shm")
FREE_BYTES_MIN = 4 * 2**30
"""Memory is left alone where less is free, as in many containers: each worker has up to half a gigabyte there."""


def home(prefix: str) -> Path:
    """A new directory for what servers store, which their user may enter.

    Hundreds of databases are made and dropped. Each has some 300 files, with which a file system on disk has much work.
    """
    roomy = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > FREE_BYTES_MIN
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=MEMORY if roomy else None))
    if os.geteuid() == 0:
        made.chmod(0o711)
    return made


@contextmanager
def shared_by_processes() -> Iterator[None]:
    """The directory of the copies, for this process and those that it starts. The outermost one removes it."""
    if DIRECTORY in os.environ:
        yield
        return
    os.environ[DIRECTORY] = str(home("clusters-"))
    try:
        yield
    finally:
        shutil.rmtree(os.environ.pop(DIRECTORY))


class _CopyingInitdb:
    """What `postgres` needs of `subprocess`. One call of it is one run of `initdb`."""

    @staticmethod
    def run(command: list[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
        program, at, cluster, *rest = command
        assert at == "-D"
        what = repr((str(program), rest, options["user"]))
        kept = Path(os.environ[DIRECTORY]) / hashlib.sha256(what.encode()).hexdigest()
        if kept.exists():
            return subprocess.run(
                ["/bin/cp", "-a", f"{kept}/.", cluster], capture_output=True, text=True, check=False
            )
        done = subprocess.run(command, **options)  # noqa: PLW1510 -- among the options
        if done.returncode == 0:
            unfinished = Path(tempfile.mkdtemp(dir=kept.parent))
            subprocess.run(["/bin/cp", "-a", cluster, unfinished / "cluster"], check=True)
            if not kept.exists():  # else another process was faster
                (unfinished / "cluster").rename(kept)
        return done


@contextmanager
def copied() -> Iterator[None]:
    """`EmbeddedServices` that start with no data copy a cluster if there is one; outside of a test run they make it."""
    if DIRECTORY not in os.environ:
        yield
        return
    with mock.patch.object(postgres, "subprocess", _CopyingInitdb):
        yield
