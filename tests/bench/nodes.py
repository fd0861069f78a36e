"""What a second node brings, and what the journal costs, each as a ratio of runs beside one another.

Six players at each of many tables, without think time, from processes of their own (`load`). The kernel spreads their
connections over the nodes, so that half of the traffic of two nodes crosses the bus. Two nodes, the players, PostgreSQL
and Redis want more than four cores; what the machine itself allows is shown by two whole rooms side by side that know
nothing of each other, each with half of the tables: nodes that had nothing to say to each other would do as much as
they. What two nodes reach of that, times two, is what a second node brings where there are cores for it.

A machine that others share is a quarter faster in one minute than in the next. So all that is compared is there at the
same time and plays in turns, a few seconds each: the players of the others are stopped, and their rooms have nothing
to do.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.bench.printing import note, row
from tests.integration.support import RunningRoom, running_room

TABLES = 160
CORES_MIN = 4
WINDOW_S = 3
WARM_UP_S = 1  # what was said to players who were stopped is read by then
ROOM = """
[limits]
messages_per_s = 100000
message_burst = 100000
idle_s = 3600
[[tables]]
id = "six"
count = {tables}
seats = 6
small_blind = 50
hand_pause_ms = 0
action_clock_s = 600
"""


class TwoNodes(RunningRoom):
    """`pokerroom serve --nodes 2`."""

    nodes = 2


class Unjournalled(RunningRoom):
    """See `unjournalled`."""

    module = "tests.bench.unjournalled"


KINDS: dict[str, tuple[str, Sequence[type[RunningRoom]]]] = {
    "one": ("one node", [RunningRoom]),
    "two": ("two nodes", [TwoNodes]),
    "apart": ("two rooms", [RunningRoom, RunningRoom]),
    "unjournalled": ("one node, no journal", [Unjournalled]),
}
"""What is compared: the same load on one node, on two, on two rooms, and on one node whose journal is in its memory."""


def measure(rounds: int) -> dict[str, Any]:
    """Each of `KINDS` plays for `rounds` windows of `WINDOW_S`."""
    with ExitStack() as stack:
        sides = {part: stack.enter_context(_side(name, kinds)) for part, (name, kinds) in KINDS.items()}
        for number in range(1, rounds + 1):
            note(f"round {number} of {rounds}: {WINDOW_S} s of play each")
            for side in sides.values():
                side.play()
        found = {part: side.found() for part, side in sides.items()}
        for side in sides.values():
            side.go_on()  # to their ends
    return {**found, "cores": os.cpu_count()}


class _Side:
    """One of those that are compared: its rooms, their players, and what they have done in their windows, added up."""

    def __init__(self, rooms: Sequence[RunningRoom], players: Sequence[subprocess.Popen[str]]) -> None:
        self.rooms = rooms
        self.players = players
        self.audits: list[dict[str, int]] = []
        self._actions = 0
        self._cpu_s = 0.0
        self._took_s = 0.0

    def stop(self) -> None:
        """Nobody acts."""
        for process in self.players:
            process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """All act again."""
        for process in self.players:
            process.send_signal(signal.SIGCONT)

    def play(self) -> None:
        """A window of steady play: opening accounts, taking and leaving seats are outside of it."""
        self.go_on()
        time.sleep(WARM_UP_S)
        started, actions, cpu_s = time.monotonic(), self._all_actions(), self._all_cpu_s()
        time.sleep(WINDOW_S)
        self._took_s += time.monotonic() - started
        self._actions += self._all_actions() - actions
        self._cpu_s += self._all_cpu_s() - cpu_s
        self.stop()

    def found(self) -> dict[str, Any]:
        """Of all windows until now. The list of `audits` is filled when the room is stopped."""
        nodes = sum(room.nodes for room in self.rooms)
        return {
            "actions_per_s": round(self._actions / self._took_s, 1),
            "cpu_us_per_action": round(self._cpu_s / self._actions * 1e6, 1),
            "busy": round(self._cpu_s / self._took_s / nodes, 2),
            "audits": self.audits,
        }

    def _all_actions(self) -> int:
        return sum(map(_actions, self.rooms))

    def _all_cpu_s(self) -> float:
        return sum(room.cpu_s() for room in self.rooms)


@contextmanager
def _side(what: str, kinds: Sequence[type[RunningRoom]]) -> Iterator[_Side]:
    """With its players seated, and stopped."""
    tables = TABLES // len(kinds)
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in kinds]
        rooms = [
            stack.enter_context(running_room(folder / "data", ROOM.format(tables=tables), kind))
            for folder, kind in zip(folders, kinds, strict=True)
        ]
        note(f"{what}: {6 * TABLES} players take their seats")
        with ExitStack() as playing:
            players = [
                process
                for room in rooms
                for process in playing.enter_context(_players(room, tables, 2 // len(rooms)))
            ]
            side = _Side(rooms, players)
            _give_cores(rooms, [process.pid for process in players])
            side.stop()
            yield side
        for room in rooms:
            written = "pokerroom_journal_entries_total 0.0\n" not in room.get("/metrics")
            assert written != isinstance(room, Unjournalled), "its journal is not what was to be measured"
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

    So that what is compared differs in the nodes alone, and not in who was moved to whose core when.
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


def tell(measured: dict[str, Any]) -> None:
    """Prints the table and the ratios."""
    names = {part: name for part, (name, _) in KINDS.items()}
    print(f"\n{TABLES} six-seat no-limit tables, {6 * TABLES} players over TCP, {measured['cores']} cores")
    for part, name in names.items():
        found = measured[part]
        row(f"{name}: actions/s", f"{found['actions_per_s']}  (nodes {found['busy']:.0%} busy)")
        row(f"{name}: processor time per action, µs", found["cpu_us_per_action"])
        row(f"{name}: audit, differences", sum(audit["differences"] for audit in found["audits"]))
    one, two, apart, without = (measured[part]["actions_per_s"] for part in names)
    row("two nodes / one", round(two / one, 2))
    row("two rooms / one: what this machine allows", round(apart / one, 2))
    row("two nodes / one, where the cores suffice", round(2 * two / apart, 2))
    row("what the journal takes of the actions/s", f"{1 - one / without:.0%}")
