"""Rooms that play in turns, a few seconds each, so that a machine that drifts slows down all of them.

The rooms and their players are there at the same time. The players of all but one are stopped, and their rooms have
nothing to do.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.printing import note
from tests.integration.support import RunningRoom, running_room

ROOT = Path(__file__).parents[2]
WARM_UP_S = 1  # what was said to players who were stopped is read by then
CORES_MIN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What the nodes of one side have done in a window."""

    took_s: float
    actions: int
    cpu_s: float
    services_cpu_s: Mapping[str, float]
    """Of the rooms' own servers, by the name of the program."""

    @property
    def cpu_us_per_action(self) -> float:
        return self.cpu_s / self.actions * 1e6


class Side:
    """One of those that are compared: its rooms, their players, and what they have done in each window."""

    def __init__(self, rooms: Sequence[RunningRoom], players: Sequence[subprocess.Popen[str]]) -> None:
        self.rooms = rooms
        self.players = players
        self.audits: list[dict[str, int]] = []
        self.windows: list[Window] = []

    def stop(self) -> None:
        """No bot acts."""
        for process in self.players:
            process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """All act again."""
        for process in self.players:
            process.send_signal(signal.SIGCONT)

    def play(self, seconds: float) -> None:
        """A window of steady play: opening accounts, taking and leaving seats are outside of it."""
        self.go_on()
        self.windows.append(self._window(seconds))
        self.stop()

    def play_open(self, rate: float, seconds: float) -> tuple[Window, list[dict[str, Any]]]:
        """A window in which actions have intended times, `rate` of them a second over all players.

        Afterwards the players wait, and are not stopped; what each process of them has found. See `load`.
        """
        self.go_on()
        for process in self.players:
            assert process.stdin is not None
            process.stdin.write(f"{rate / len(self.players)} {WARM_UP_S} {seconds}\n")
            process.stdin.flush()
        window, answers = self._window(seconds), []
        for process in self.players:
            assert process.stdout is not None
            answers.append(json.loads(process.stdout.readline()))
        return window, answers

    def _window(self, seconds: float) -> Window:
        time.sleep(WARM_UP_S)
        started, actions, cpu_s = time.monotonic(), self._all_actions(), self._all_cpu_s()
        services = self._all_services_cpu_s()
        time.sleep(seconds)
        return Window(
            took_s=time.monotonic() - started,
            actions=self._all_actions() - actions,
            cpu_s=self._all_cpu_s() - cpu_s,
            services_cpu_s=self._all_services_cpu_s() - services,
        )

    def _all_actions(self) -> int:
        return sum(map(_actions, self.rooms))

    def _all_cpu_s(self) -> float:
        return sum(room.cpu_s() for room in self.rooms)

    def _all_services_cpu_s(self) -> Counter[str]:
        return sum((room.services_cpu_s() for room in self.rooms), Counter())


@contextmanager
def side_of(
    what: str, kinds: Sequence[type[RunningRoom]], config: str, tables: int, processes: int
) -> Iterator[Side]:
    """Rooms of these kinds, each with so many tables of the `config`, with their players seated, and stopped.

    `processes` of players are at each room. When the side is left the rooms are audited.
    """
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in kinds]
        rooms = [
            stack.enter_context(running_room(folder / "data", config, kind))
            for folder, kind in zip(folders, kinds, strict=True)
        ]
        note(f"{what}: {6 * tables * len(rooms)} players take their seats")
        with ExitStack() as playing:
            players = [
                process
                for room in rooms
                for process in playing.enter_context(_players(room, tables, processes))
            ]
            side = Side(rooms, players)
            _give_cores(rooms, [process.pid for process in players])
            side.stop()
            yield side
        side.audits += [room.audit() for room in rooms]


@contextmanager
def _players(room: RunningRoom, tables: int, processes: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Six at each table; see `load`."""
    names = [f"six-{number}" for number in range(1, tables + 1)]
    command = [sys.executable, "-m", "tests.bench.load", str(room.game_port)]
    with ExitStack() as stack:
        load = [
            stack.enter_context(
                subprocess.Popen(
                    [*command, *names[part::processes]],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=room.environment(),
                    cwd=ROOT,  # the players are the same in each room; they speak the protocol of its sources
                )
            )
            for part in range(processes)
        ]
        try:
            for process in load:
                assert process.stdout is not None
                if process.stdout.readline() != "ready\n":
                    raise SystemExit("the players have not sat down")
            yield load
            for process in load:
                assert process.stdin is not None
                process.stdin.close()
            for process in load:
                process.wait(60)
        finally:
            for process in load:
                process.kill()


def _give_cores(rooms: Sequence[RunningRoom], players: Sequence[int]) -> None:
    """Each node has a core of its own, in every run the first two of the machine; players and services share the rest.

    So what is compared differs in the nodes alone, not in the cores on which the processes happened to run.
    """
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < CORES_MIN:
        note(f"{len(cores)} cores: nodes, players and services share them all")
        return
    nodes = [pid for room in rooms for pid in room.node_pids()]
    others = [*players, *(pid for room in rooms for pid in room.service_pids())]
    for pid, core in zip(nodes, cores[:2], strict=False):
        _pin(pid, {core})
    for pid in others:
        _pin(pid, set(cores[2:]))


def _pin(pid: int, cores: set[int]) -> None:
    """With all of its threads."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), cores)


def _actions(room: RunningRoom) -> int:
    """Those that players have taken since the nodes started."""
    return sum(
        int(float(match[1]))
        for port in room.ops_ports
        if (
            match := re.search(
                r"^pokerroom_actions_total (\S+)$", room.get("/metrics", port=port), re.MULTILINE
            )
        )
    )
