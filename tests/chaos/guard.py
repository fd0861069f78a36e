"""Ends what the harness has started when the harness itself is gone, however it went: kill -9 too.

A small process that reads numbers of processes from its standard input. When that ends it kills those that still run,
and removes the directories that it was named. A process is known by its number and the moment of its start, so that a
number that is another program's by then is left alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self


def started(pid: int) -> str:
    """When a process was started, as an opaque text; empty if there is no such process."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self").exists():
        try:
            return stat.read_text().rsplit(")", 1)[1].split()[19]
        except (OSError, IndexError):
            return ""
    done = subprocess.run(
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return done.stdout.strip().replace(" ", "_")


class Guard:
    """The harness's side."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, text=True, start_new_session=True
        )

    def remove(self, directory: Path) -> None:
        """A directory that goes with the harness."""
        self._say(f"data {directory}")

    def watch(self, pid: int) -> None:
        """A process of ours, from now until it has ended."""
        self._say(f"pid {pid} {started(pid)}")

    def end(self) -> None:
        """Ends everything that still runs; waits for it."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()

    def _say(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def main() -> None:
    """The guard's own side."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    watched: dict[int, str] = {}
    directories: list[str] = []
    for line in sys.stdin:
        what, _, rest = line.rstrip("\n").partition(" ")
        if what == "data":
            directories.append(rest)
        else:
            pid, _, when = rest.partition(" ")
            watched[int(pid)] = when
    for pid, when in watched.items():
        if when and started(pid) == when:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
    for directory in directories:
        for _ in range(20):  # a server that was killed may write for a moment more
            shutil.rmtree(directory, ignore_errors=True)
            if not Path(directory).exists():
                break


if __name__ == "__main__":
    main()
