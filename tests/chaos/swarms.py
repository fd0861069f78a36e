"""The swarms of `tournaments`, `fields` and `rounds`: the room's own (`pokerroom swarm`), a process for each node.

Each plays through its node's port, and comes back when that is there again. What is asked of them, and what is looked
at of what they tell, their modules know.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from tests.chaos.guard import Guard

BEGUN_S_MAX = 60.0

Blame = Callable[[str, str, str, str], None]


class Swarms:
    """See the module. Those of a kind have a name, of which their files are, and arguments of `pokerroom swarm`."""

    name: ClassVar[str]
    arguments: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        *,
        ports: Sequence[int],
        bots: int,
        think_ms: int,
        seed: int,
        command: Sequence[str],
        logs: Path,
        guard: Guard,
    ) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.begun_count = 0
        self._outputs: list[Path] = []
        self._command = [
            *command,
            "swarm",
            *self.arguments,
            "--bots",
            str(bots),
            "--json",
            "--processes",
            "1",
        ]
        self._command += ["--think", str(think_ms)]
        self._seed, self._logs, self._guard = seed, logs, guard
        for number, port in enumerate(ports):
            self.begin(number, port)

    def offered(self, number: int) -> Sequence[str]:
        """Arguments of the swarm with this number, from 0."""
        return ()

    def begin(self, number: int, port: int) -> None:
        """Starts the swarm with this number, or again one that has ended."""
        self.begun_count += 1
        output = self._logs / f"{self.name}-{self.begun_count}.json"
        arguments = [
            *self.offered(number),
            "--port",
            str(port),
            "--seed",
            str(self._seed + port + self.begun_count),
        ]
        with output.open("wb") as out, output.with_suffix(".log").open("wb") as log:
            process = subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                start_new_session=True,
            )
        self._guard.watch(process.pid)
        self._outputs.append(output)
        self.processes[number : number + 1] = [process]

    async def begun(self) -> None:
        """Returns when each has told of bots that are seated; a blow before would only keep it from beginning.

        Raises `TimeoutError`.
        """
        give_up = time.monotonic() + BEGUN_S_MAX
        for output in self._outputs:
            log = output.with_suffix(".log")
            while " seated" not in log.read_text():
                if time.monotonic() > give_up:
                    raise TimeoutError(f"{log.name}: the swarm has not begun within {BEGUN_S_MAX:.0f} s")
                await asyncio.sleep(0.1)

    async def stopped(self, within_s: float) -> list[int]:
        """They are told to stop; the numbers, from 1, of those that had to be killed."""
        for process in self.processes:
            process.send_signal(signal.SIGINT)
        give_up = time.monotonic() + within_s
        killed = []
        for number, process in enumerate(self.processes, 1):
            try:
                await asyncio.to_thread(process.wait, max(0.0, give_up - time.monotonic()))
            except subprocess.TimeoutExpired:
                killed.append(number)
                process.kill()
                process.wait()
        return killed

    def forget_unstarted(self) -> None:
        """Forget swarms that have ended before they began to play, without a report: no room answered."""
        self._outputs = [output for output in self._outputs if output.stat().st_size]

    def told(self, figures: Iterable[str], blame: Blame) -> tuple[Counter[str], Counter[str]]:
        """Sums of these figures of their reports, and of errors by code."""
        sums: Counter[str] = Counter()
        errors: Counter[str] = Counter()
        for output in self._outputs:
            try:
                found = json.loads(output.read_text())
            except ValueError:
                blame("C8", "", "", f"{output.name}: the swarm has told nothing")
                continue
            for name in figures:
                sums[name] += found[name]
            errors.update(found["errors_by_code"])
        return sums, errors

    def end(self) -> None:
        """Nothing of them stays."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
