"""What an action costs a node, as a ratio to an earlier revision that plays beside it.

The same players, without think time, at ten six-seat tables of each room, in turns. What is compared is the processor
time of the node per action, with journal and ledger. The earlier sources are read from git.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.peers import COMPILED
from tests.bench.printing import note, row
from tests.bench.windows import ROOT, Side, side_of
from tests.integration.support import RunningRoom

BASELINE = "661d36c"
"""The revision with which the figures of `README.md` began."""

TABLES = 10
WINDOW_S = 3
ROOM = f"""
[limits]
messages_per_s = 100000
message_burst = 100000
idle_s = 3600
[[tables]]
id = "six"
count = {TABLES}
seats = 6
small_blind = 50
hand_pause_ms = 0
action_clock_s = 600
"""


def measure(pairs: int, revision: str) -> dict[str, Any]:
    """Each form of the room plays `pairs` windows, beside as many of the revision."""
    found = compared({name: (kind, ROOM) for name, kind in forms_of(revision).items()}, pairs)
    return {"revision": revision, **found}


def compared(
    rooms: Mapping[str, tuple[type[RunningRoom], str]], pairs: int, *, tables: int = TABLES
) -> dict[str, Any]:
    """Each of these kinds of rooms with their settings plays `pairs` windows; the first one is the baseline."""
    with ExitStack() as stack:
        sides = {
            name: stack.enter_context(side_of(name, [kind], config, tables, 1))
            for name, (kind, config) in rooms.items()
        }
        for number in range(pairs):
            note(f"pair {number + 1} of {pairs}: {WINDOW_S} s of play each")
            order = list(sides.values())
            for side in order if number % 2 == 0 else reversed(order):
                side.play(WINDOW_S)
        for side in sides.values():
            side.go_on()  # to their ends
    baseline, *forms = sides
    ratios = {name: ratios_of(sides[name], sides[baseline]) for name in forms}
    return {
        "cpu_us_per_action": {name: round(median(costs_of(side)), 1) for name, side in sides.items()},
        "ratios": ratios,
        "settled": all(not audit["differences"] for side in sides.values() for audit in side.audits),
        "cores": os.cpu_count(),
    }


def forms_of(revision: str) -> dict[str, type[RunningRoom]]:
    forms: dict[str, type[RunningRoom]] = {
        "baseline": type("Baseline", (RunningRoom,), {"tree": sources(revision)}),
        "interpreted": RunningRoom,
    }
    if COMPILED.exists():
        forms["compiled"] = type("Compiled", (RunningRoom,), {"tree": COMPILED})
    return forms


def sources(revision: str) -> Path:
    """Unpack the files of a revision."""
    folder = ROOT / "build/baseline" / revision
    if not folder.exists():
        archive = subprocess.run(
            ["git", "archive", "--format=tar", revision], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
    return folder


def costs_of(side: Side) -> list[float]:
    return [window.cpu_us_per_action for window in side.windows]


def ratios_of(side: Side, baseline: Side) -> list[float]:
    return sorted(
        round(ours / theirs, 3) for ours, theirs in zip(costs_of(side), costs_of(baseline), strict=True)
    )


def tell(measured: dict[str, Any]) -> None:
    """Prints the table; the last line is JSON."""
    beside = f", {measured['revision']} beside it" if "revision" in measured else ""
    print(f"\nProcessor time of a node per action, {measured['cores']} cores{beside}")
    for name, cost in measured["cpu_us_per_action"].items():
        row(f"{name}, µs", cost)
    for name, ratios in measured["ratios"].items():
        row(f"{name} / baseline, median (lowest to highest)", spread(ratios))
    last = {f"{name}_ratio": round(median(ratios), 3) for name, ratios in measured["ratios"].items()}
    print(json.dumps({**last, "settled": measured["settled"]}))


def spread(ratios: Sequence[float]) -> str:
    return f"{median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
