"""What an action costs a node at part load, where rooms live, beside an earlier revision.

As `path`, but the actions have intended times (see `arrivals`): so many a second over all tables, few tables or many.
Hardly two of them share a flush of the journal, a turn of the loop or a commit then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from statistics import median
from typing import Any, Final

from tests.bench import path
from tests.bench.printing import note, row
from tests.bench.windows import side_of
from tests.integration.support import RunningRoom

TABLES: Final = (10, 100)
RATE: Final = 600
"""Actions a second, over all tables of a room."""
WINDOW_S: Final = 5


def measure(pairs: int, revision: str) -> dict[str, Any]:
    """Each form of the room plays `pairs` windows at each number of tables, beside as many of the revision."""
    forms = path.forms_of(revision)
    return {"revision": revision, "cores": os.cpu_count()} | {
        str(tables): _compared(forms, tables, pairs) for tables in TABLES
    }


def _compared(forms: Mapping[str, type[RunningRoom]], tables: int, pairs: int) -> dict[str, Any]:
    from tests.bench import latency  # not in every environment, and only this part needs it

    config = path.ROOM.replace(f"count = {path.TABLES}", f"count = {tables}")
    latencies: dict[str, list[str]] = {name: [] for name in forms}
    with ExitStack() as stack:
        sides = {
            name: stack.enter_context(side_of(name, [kind], config, tables, 1))
            for name, kind in forms.items()
        }
        for number in range(pairs):
            note(f"{tables} tables, pair {number + 1} of {pairs}: {WINDOW_S} s of {RATE} actions/s each")
            order = list(sides.items())
            for name, side in order if number % 2 == 0 else reversed(order):
                window, found = side.play_open(RATE, WINDOW_S)
                side.windows.append(window)
                latencies[name] += [answer["latency"] for answer in found]
        for side in sides.values():
            side.go_on()  # to their ends
    baseline, *others = sides
    return {
        "cpu_us_per_action": {name: round(median(path.costs_of(side)), 1) for name, side in sides.items()},
        "latency_ms": {name: latency.figures(latency.merged(texts)) for name, texts in latencies.items()},
        "ratios": {name: path.ratios_of(sides[name], sides[baseline]) for name in others},
        "settled": all(not audit["differences"] for side in sides.values() for audit in side.audits),
    }


def tell(measured: dict[str, Any]) -> None:
    """Prints the tables; the last line is JSON."""
    last: dict[str, Any] = {}
    found = {tables: measured[str(tables)] for tables in TABLES}
    print(f"\nA node at {RATE} actions/s, {measured['cores']} cores, {measured['revision']} beside it")
    for tables, at in found.items():
        for name, cost in at["cpu_us_per_action"].items():
            latency = at["latency_ms"][name]
            row(f"{tables} tables, {name}, µs an action", cost)
            row(f"{tables} tables, {name}, p50 and p99, ms", f"{latency['p50']} {latency['p99']}")
        for name, ratios in at["ratios"].items():
            row(f"{tables} tables, {name} / baseline, median (spread)", path.spread(ratios))
            last[f"{name}_ratio_{tables}"] = round(median(ratios), 3)
            last[f"{name}_p99_ms_{tables}"] = at["latency_ms"][name]["p99"]
    print(json.dumps({**last, "settled": all(at["settled"] for at in found.values())}))
