"""Redis servers of the harness's own, each with a directory in one home; the guard ends them with the run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.chaos.guard import Guard
from tests.coordination.support import Server, free_port


class OwnServers:
    """See the module. The home is made here."""

    def __init__(self, home: Path, guard: Guard) -> None:
        self._home = home
        self._guard = guard
        home.mkdir()

    def make(self, name: str, **options: Any) -> Server:
        """A server on a free port that `start` starts; the options are those of `Server`."""
        return Server(self._home / name, port=free_port(), **options)

    def start(self, server: Server, *, empty: bool = False) -> None:
        """Returns when it answers; with `empty` all that it had kept is deleted first."""
        if empty:
            shutil.rmtree(server.home / "appendonlydir", ignore_errors=True)
        server.start()
        self._guard.watch(server.pid)

    @staticmethod
    def stop(server: Server, *, hard: bool) -> None:
        """In order, or with kill -9."""
        (server.kill if hard else server.end)()
