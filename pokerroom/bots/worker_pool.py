"""The worker processes of a swarm: start them, read their tallies, stop them, and leave none behind.

This module knows processes and pipes. It does not know what the processes do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Any, Final

from pokerroom.bots.tally import SwarmTally, total

PROGRESS_S: Final = 0.25
GIVEN_UP: Final = "all bots gave up"


class WorkerPool:
    """One process for each task; `target` runs in the process with its task and a pipe."""

    def __init__(self, target: Callable[[Any, Connection], None], works: Sequence[Any]) -> None:
        self.problem: str | None = None
        """The first problem, if there was one."""
        self._tallies: dict[Connection, SwarmTally] = {}
        self._open: set[Connection] = set()
        self._processes: list[SpawnProcess] = []
        context = get_context("spawn")
        for work in works:
            ours, theirs = context.Pipe()
            process = context.Process(target=target, args=(work, theirs), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._tallies[ours] = SwarmTally()
            self._open.add(ours)

    @property
    def at_work(self) -> bool:
        """Tell whether any process is still connected."""
        return bool(self._open)

    def total(self) -> SwarmTally:
        """Return the sum of the latest tallies."""
        return total(list(self._tallies.values()))

    def listen(self) -> None:
        """Receive tallies for at most `PROGRESS_S`."""
        for pipe in wait(list(self._open), timeout=PROGRESS_S):
            assert isinstance(pipe, Connection)
            try:
                tally = pipe.recv()
            except (EOFError, OSError):
                self.problem = self.problem or "a worker process died"
                tally = None
            if tally is None:
                self._open.discard(pipe)
            else:
                self._tallies[pipe] = tally

    def play(
        self,
        told: Callable[[], SwarmTally],
        *,
        enough: Callable[[SwarmTally], bool],
        steps: Callable[[SwarmTally], object],
        quiet_s_max: float,
        unit: str = "hand",
    ) -> bool:
        """Run until it is `enough`, `steps` stand still for `quiet_s_max`, or Ctrl-C; return whether it is enough.

        `told` shows the progress and returns the sum of the tallies.
        """
        moved_at, before = monotonic(), steps(SwarmTally())
        try:
            while self.at_work and self.problem is None:
                self.listen()
                tally = told()
                if enough(tally):
                    return True
                now = steps(tally)
                if now != before:
                    moved_at, before = monotonic(), now
                elif monotonic() - moved_at > quiet_s_max:
                    self.problem = f"no {unit} ended for {quiet_s_max:.0f} s"
        except KeyboardInterrupt:
            self.problem = "interrupted"
        return False

    def leave(self, within_s: float, listened: Callable[[], object]) -> None:
        """Tell all processes to stop and wait for them; call `listened` after each batch of tallies."""
        for pipe in self._open:
            try:
                pipe.send("stop")
            except OSError:
                self.problem = self.problem or "a worker process died"
        give_up_at = monotonic() + within_s
        while self._open and monotonic() < give_up_at:
            self.listen()
            listened()

    def end(self) -> None:
        """Join all processes, and kill those that do not end."""
        for process in self._processes:
            process.join(timeout=2)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()
        for pipe in self._tallies:
            pipe.close()
