"""What a second node brings, and what the journal costs, each as a ratio of two runs after each other.

The clients are spread over the nodes at random, as the kernel does with connections to one port, so that half of the
traffic of two nodes crosses the bus. Two figures are taken of each room: actions/s without think time, which needs
a core for each node beside those of the bots, PostgreSQL and Redis; and the nodes' processor time per action at
a rate that leaves every core room, from which follows what two nodes do where there are cores enough.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.bench.printing import note, row
from tests.integration.support import RunningRoom, running_room

TABLES = 80
LOADS = 1
WARM_UP_S = 3
ROOM = f"""
[limits]
messages_per_s = 100000
message_burst = 100000
[[tables]]
id = "six"
count = {TABLES}
seats = 6
small_blind = 50
hand_pause_ms = 0
"""


def measure(seconds: int, rate: int) -> dict[str, Any]:
    """The same load on one node, on two, and on one whose journal is a list in its own memory."""
    return {
        "one": _measured("one node", seconds, rate, RunningRoom),
        "two": _measured("two nodes", seconds, rate, TwoNodes),
        "unjournalled": _measured("one node without its journal", seconds, rate, Unjournalled),
        "rate": rate,
        "cores": os.cpu_count(),
    }


class TwoNodes(RunningRoom):
    """`pokerroom serve --nodes 2`."""

    nodes = 2


class Unjournalled(RunningRoom):
    """See `unjournalled`."""

    module = "tests.bench.unjournalled"


def _measured(what: str, seconds: int, rate: int, kind: type[RunningRoom]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM, kind) as room:
        note(f"{what}: opening accounts")
        with _players(room) as load:
            note(f"{what}: {seconds} s, no think time")
            fast = _window(room, seconds)
            note(f"{what}: {seconds} s at {rate} actions/s offered")
            for process in load:
                _say(process, f"rate {rate // len(load)}")
            paced = _window(room, seconds)
        audit = room.audit()
    return {"fast": fast, "paced": paced, "audit": audit}


@contextmanager
def _players(room: RunningRoom) -> Iterator[list[subprocess.Popen[str]]]:
    """Six at each table, in processes of their own; see `load`."""
    tables = [f"six-{number}" for number in range(1, TABLES + 1)]
    command = [sys.executable, "-m", "tests.bench.load", str(room.game_port)]
    with ExitStack() as stack:
        load = [
            stack.enter_context(
                subprocess.Popen(
                    [*command, *tables[part::LOADS]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )
            for part in range(LOADS)
        ]
        try:
            for process in load:
                assert process.stdout is not None
                if process.stdout.readline() != "ready\n":
                    raise SystemExit("the players have not sat down")
            yield load
            for process in load:
                _say(process, "end")
            for process in load:
                process.wait(60)
        finally:
            for process in load:
                process.kill()


def _say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _window(room: RunningRoom, seconds: int) -> dict[str, float]:
    """Some time of steady play."""
    time.sleep(WARM_UP_S)
    started, actions, cpu_s = time.monotonic(), _actions(room), room.cpu_s()
    time.sleep(seconds)
    took, actions, cpu_s = time.monotonic() - started, _actions(room) - actions, room.cpu_s() - cpu_s
    return {
        "actions_per_s": round(actions / took, 1),
        "cpu_us_per_action": round(cpu_s / actions * 1e6, 1),
        "busy": round(cpu_s / took / room.nodes, 2),
    }


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
    one, two, without = measured["one"], measured["two"], measured["unjournalled"]
    print(f"\n{TABLES} six-seat no-limit tables, {6 * TABLES} bots over TCP, {measured['cores']} cores")
    for name, found in (("one node", one), ("two nodes", two), ("one node, no journal", without)):
        fast, paced = found["fast"], found["paced"]
        row(f"{name}: actions/s (each node busy)", f"{fast['actions_per_s']} ({fast['busy']:.0%})")
        row(f"{name}: processor time per action, µs", fast["cpu_us_per_action"])
        row(f"{name}: the same at {paced['actions_per_s']}/s", paced["cpu_us_per_action"])
        row(
            f"{name}: audit, differences / hands",
            f"{found['audit']['differences']} / {found['audit']['hands']}",
        )
    row("two nodes / one, actions/s", _ratio(two["fast"]["actions_per_s"], one["fast"]["actions_per_s"]))
    costs = one["paced"]["cpu_us_per_action"], two["paced"]["cpu_us_per_action"]
    row("two nodes / one, by processor time", _ratio(2 * costs[0], costs[1]))
    speeds = one["fast"]["actions_per_s"], without["fast"]["actions_per_s"]
    row("what the journal takes of the actions/s", f"{100 * (1 - speeds[0] / speeds[1]):.0f} %")


def _ratio(one: float, other: float) -> float:
    return round(one / other, 2)
