"""What settling a hand costs PostgreSQL and a node, beside an earlier revision, and what its checkpoint costs.

Both settle the same hands of a simulated room in turns, each in a database of its own on one embedded PostgreSQL with
its data on disk. Processor time is that of the connections' backends and of the process that calls the ledger.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pokerroom.ops.embedded import EmbeddedServices, remove_data
from tests.audit.rooms import calls_of
from tests.bench.path import sources
from tests.bench.printing import note, row
from tests.bench.windows import ROOT

BASELINE = "0a9f0c35"
"""The last revision whose database compares no transfer with the grammar and has no checkpoints."""

PLAYED = ("holdem", 6, 60)
"""Game, seed, and hands at each table of the room whose hands are settled."""

SIZES = {1: 600, 10: 100}
"""Hands of a batch, and batches of a turn. Ten hands a second come alone, and are 600 from checkpoint to checkpoint."""

WARM_UP = 2

Turn = dict[str, float]


def measure(pairs: int, revision: str) -> dict[str, Any]:
    """Each side takes `pairs` turns with each size of batches."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp")))
        hands = folder / "hands.json"
        hands.write_text(json.dumps(played_hands()))
        data = folder / "data"
        stack.callback(remove_data, data)
        services = EmbeddedServices(data, note)
        addresses = services.start()
        stack.callback(services.stop)
        sides = {
            name: stack.enter_context(settling_process(name, tree, addresses, hands))
            for name, tree in (("baseline", sources(revision)), ("now", ROOT))
        }
        turns: dict[int, dict[str, list[Turn]]] = {size: {name: [] for name in sides} for size in SIZES}
        for number in range(-WARM_UP, pairs):
            note(f"pair {number + 1} of {pairs}")
            for size, batches in SIZES.items():
                order = list(sides) if number % 2 == 0 else list(sides)[::-1]
                for name in order:
                    turn = costs(sides[name], batches, size)
                    if number >= 0:
                        turns[size][name].append(turn)
    return {
        "revision": revision,
        "batches": {size: _found(of_size["baseline"], of_size["now"]) for size, of_size in turns.items()},
        "pairs": pairs,
        "cores": os.cpu_count(),
    }


def played_hands() -> list[tuple[str, list[int], int]]:
    """The record, the changes of the stacks and the rake of every hand of a room."""
    return [
        (hand.record.decode(), [delta for _, delta in hand.deltas], hand.rake)
        for name, arguments, _ in calls_of(*PLAYED)
        if name == "settle"
        for hand in arguments[0]
    ]


@contextmanager
def settling_process(name: str, tree: Path, addresses: Any, hands: Path) -> Iterator[subprocess.Popen[str]]:
    """A process with the sources of this tree, and its database."""
    with psycopg.connect(addresses.owner_database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    urls = [
        make_conninfo(**{**conninfo_to_dict(url), "dbname": name})
        for url in (addresses.database_url, addresses.owner_database_url)
    ]
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("settling.py")), *urls, str(hands)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tree, tree / "protocol/python")))},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise SystemExit(f"{name} does not settle")
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait(60)


def costs(side: subprocess.Popen[str], batches: int, size: int) -> Turn:
    """Microseconds for each hand."""
    assert side.stdin is not None
    assert side.stdout is not None
    print(batches, size, file=side.stdin, flush=True)
    told = json.loads(side.stdout.readline())
    return {f"{what}_{who}": cost / (batches * size) for what, of in told.items() for who, cost in of.items()}


def _found(baseline: list[Turn], now: list[Turn]) -> dict[str, Any]:
    """Medians in microseconds for each hand; ratios with quartiles."""
    turns = list(zip(now, baseline, strict=True))
    shares = {
        f"{what}_{who}": [ours[f"{what}_{who}_us"] / theirs[f"settling_{who}_us"] for ours, theirs in turns]
        for what in ("settling", "checkpoints")
        for who in ("postgres", "room")
    }
    shares.update(
        {
            f"{name} with checkpoints": [
                sum(turn.values()) / (turn["settling_postgres_us"] + turn["settling_room_us"])
                for turn in of_side
            ]
            for name, of_side in (("baseline", baseline), ("now", now))
            if any(turn["checkpoints_postgres_us"] > 1 for turn in of_side)
        }
    )
    shares["all"] = [sum(ours.values()) / sum(theirs.values()) for ours, theirs in turns]
    return {
        "us": {
            name: {what: round(median(turn[what] for turn in turns)) for what in turns[0]}
            for name, turns in (("baseline", baseline), ("now", now))
        },
        "ratios": {what: [round(figure, 3) for figure in quantiles(found)] for what, found in shares.items()},
    }


def tell(measured: dict[str, Any]) -> None:
    """Prints the table; the last line is JSON."""
    print(
        f"\nSettling a hand, {measured['cores']} cores, beside {measured['revision']}; {measured['pairs']} pairs"
    )
    for size, found in measured["batches"].items():
        print(f"batches of {size}")
        for name, costs in found["us"].items():
            for what, cost in costs.items():
                row(f"{name} {what.removesuffix('_us')}, µs", cost)
        for what, (low, middle, high) in found["ratios"].items():
            beside = "own settling" if "with" in what else "settling of the baseline"
            row(f"{what} / {beside} (quartiles)", f"{middle:.3f} ({low:.3f} to {high:.3f})")
    print(json.dumps(measured["batches"]))
