"""What a second node brings, and what the journal costs, each as a ratio of runs beside one another.

Six players at each of many tables, without think time, from processes of their own (`load`). The kernel spreads their
connections over the nodes; then each goes on at the node of its table, unless `move_clients` is false: then half of the
traffic of two nodes crosses the bus. Two nodes, the players, PostgreSQL and Redis want more than four cores; what the
machine itself allows is shown by two whole rooms side by side that know nothing of each other, each with half of the
tables: nodes that had nothing to say to each other would do as much as they. What two nodes reach of that, times two,
is what a second node brings where there are cores for it.

A machine that others share is a quarter faster in one minute than in the next. So all that is compared is there at the
same time and plays in turns, a few seconds each: the players of the others are stopped, and their rooms have nothing
to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.bench import path
from tests.bench.printing import note, row
from tests.bench.windows import Side, side_of
from tests.integration.support import RunningRoom

TABLES = 160
COST_TABLES = 20
WINDOW_S = 3
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
                side.play(WINDOW_S)
        found = {part: _found(side) for part, side in sides.items()}
        for side in sides.values():
            side.go_on()  # to their ends
    return {**found, "cores": os.cpu_count()}


@contextmanager
def _side(name: str, kinds: Sequence[type[RunningRoom]]) -> Iterator[Side]:
    tables = TABLES // len(kinds)
    with side_of(name, kinds, ROOM.format(tables=tables), tables, 2 // len(kinds)) as side:
        yield side
        for room in side.rooms:
            written = "pokerroom_journal_entries_total 0.0\n" not in room.get("/metrics")
            assert written != isinstance(room, Unjournalled), "its journal is not what was to be measured"


def cost(pairs: int) -> dict[str, Any]:
    """What an action costs both nodes of a room, beside one node: clients move to their tables, or stay."""
    moving = path.ROOM.replace(f"count = {path.TABLES}", f"count = {COST_TABLES}")
    staying = f"[listen]\nmove_clients = false\n{moving}"
    rooms = {
        "baseline": (RunningRoom, moving),
        "two_nodes": (TwoNodes, moving),
        "two_nodes_staying": (TwoNodes, staying),
    }
    return path.compared(rooms, pairs, tables=COST_TABLES)


def _found(side: Side) -> dict[str, Any]:
    """Of all windows until now. The list of `audits` is filled when the room is stopped."""
    actions = sum(window.actions for window in side.windows)
    took_s = sum(window.took_s for window in side.windows)
    cpu_s = sum(window.cpu_s for window in side.windows)
    return {
        "actions_per_s": round(actions / took_s, 1),
        "cpu_us_per_action": round(cpu_s / actions * 1e6, 1),
        "busy": round(cpu_s / took_s / sum(room.nodes for room in side.rooms), 2),
        "audits": side.audits,
    }


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
