"""A file lock that names its holder. Knows nothing of what it protects.

One mechanism answers three questions: whether another room uses this data directory, whether a server of an earlier
room still runs, and whether a server that was told to stop has ended. The kernel frees the lock with the last process
that holds it, however that process ended, so that no stale state needs interpretation.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

_POLL_S = 0.01


class Lock:
    """An exclusive lock (flock) on a file whose text is the process id of the holder.

    `descriptor` may be passed to a child process: it then holds the lock too, and so do the children it
    forks.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int:
        """The open file, positioned at its start; only while the lock is held."""
        assert self._descriptor is not None
        return self._descriptor

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._descriptor is not None

    def acquire(self, *, within_s: float = 0.0) -> bool:
        """Takes the lock and empties the file. False, with nothing changed, if another holds it all that
        time.
        """
        deadline = time.monotonic() + within_s
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    return False
                time.sleep(_POLL_S)
            else:
                os.ftruncate(descriptor, 0)
                self._descriptor = descriptor
                return True

    def name_holder(self) -> None:
        """Writes our own process id into the file."""
        os.pwrite(self.descriptor, f"{os.getpid()}\n".encode(), 0)

    def holder(self) -> int | None:
        """The process id in the file. None if there is none: it is free, or is just being taken."""
        try:
            text = self._path.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return None
        return int(text) if text.strip().isdecimal() else None

    def release(self) -> None:
        """Gives up our hold; a child that got the descriptor keeps its own. Does nothing when not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def shared_on_directory(directory: Path) -> int:
    """Takes a shared lock on a directory and answers the open descriptor.

    systemd-tmpfiles deletes from /var/tmp files that were not used for a month, quiet tables of a database among
    them. It passes over a directory that a process has locked (tmpfiles.d(5)).
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
