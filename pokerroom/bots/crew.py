"""The worker processes of a swarm: started, listened to, told to stop, and never left behind.

It knows processes and pipes, and adds tallies up; what the processes do it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Any, Final

from pokerroom.bots.tally import Tally, total

PROGRESS_S: Final = 0.25
GIVEN_UP: Final = "all bots have given up"


class Crew:
    """One process for each piece of work; `target` is the life of one, given its work and a pipe."""

    def __init__(self, target: Callable[[Any, Connection], None], works: Sequence[Any]) -> None:
        self.problem: str | None = None
        """What went wrong, if anything did."""
        self._tallies: dict[Connection, Tally] = {}
        self._open: set[Connection] = set()
        self._processes: list[SpawnProcess] = []
        context = get_context("spawn")
        for work in works:
            ours, theirs = context.Pipe()
            process = context.Process(target=target, args=(work, theirs), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._tallies[ours] = Tally()
            self._open.add(ours)

    @property
    def at_work(self) -> bool:
        """Whether any process still lives, as far as known."""
        return bool(self._open)

    def total(self) -> Tally:
        """All together, as last told."""
        return total(list(self._tallies.values()))

    def listen(self) -> None:
        """Takes what the processes tell, for a moment."""
        for pipe in wait(list(self._open), timeout=PROGRESS_S):
            assert isinstance(pipe, Connection)
            try:
                tally = pipe.recv()
            except (EOFError, OSError):
                self.problem = self.problem or "a worker process has died"
                tally = None
            if tally is None:
                self._open.discard(pipe)
            else:
                self._tallies[pipe] = tally

    def play(
        self,
        told: Callable[[], Tally],
        *,
        enough: Callable[[Tally], bool],
        steps: Callable[[Tally], object],
        quiet_s_max: float,
        unit: str = "hand",
    ) -> bool:
        """Until it is `enough`, `steps` have not changed for so long, or somebody interrupts; whether it is enough.

        `told` is called again and again, and returns the total.
        """
        moved_at, before = monotonic(), steps(Tally())
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
                    self.problem = f"no {unit} has ended for {quiet_s_max:.0f} s"
        except KeyboardInterrupt:
            self.problem = "interrupted"
        return False

    def leave(self, within_s: float, listened: Callable[[], object]) -> None:
        """All are told to stop, and waited for; `listened` is called again and again meanwhile."""
        for pipe in self._open:
            try:
                pipe.send("stop")
            except OSError:
                self.problem = self.problem or "a worker process has died"
        give_up_at = monotonic() + within_s
        while self._open and monotonic() < give_up_at:
            self.listen()
            listened()

    def end(self) -> None:
        """No process is left behind."""
        for process in self._processes:
            process.join(timeout=2)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()
        for pipe in self._tallies:
            pipe.close()
