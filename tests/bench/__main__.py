"""`make bench`: the rules engine beside its peers, the room beside a bare server and beside its past; games.

Two nodes play beside one. The games are sit-and-gos and rounds against the house. Exports are read back, too.
"""

import argparse
import json
from collections.abc import Callable
from typing import Any

from tests.bench import (
    counting,
    exports,
    field,
    growth,
    histories,
    nodes,
    part,
    path,
    peers,
    returns,
    room,
    scale,
    settle,
    tournaments,
    traces,
    ultimate,
)

Options = argparse.Namespace

PARTS: dict[str, tuple[Callable[[Options], Any], Callable[[Any, Options], None]]] = {
    "engines": (lambda asked: peers.measure(asked.seconds), lambda found, _: peers.tell(found)),
    "room": (
        lambda asked: room.measure(asked.hands, asked.rate),
        lambda found, asked: room.tell(found, asked.rate),
    ),
    "path": (
        lambda asked: path.measure(asked.pairs, asked.baseline or path.BASELINE),
        lambda found, _: path.tell(found),
    ),
    "part": (
        lambda asked: part.measure(asked.pairs, asked.baseline or path.BASELINE),
        lambda found, _: part.tell(found),
    ),
    "traces": (lambda asked: traces.measure(asked.pairs), lambda found, _: path.tell(found)),
    "settle": (
        lambda asked: settle.measure(asked.pairs, asked.baseline or settle.BASELINE),
        lambda found, _: settle.tell(found),
    ),
    "nodes": (lambda _: nodes.measure(6), lambda found, _: nodes.tell(found)),
    "two": (lambda asked: nodes.cost(asked.pairs), lambda found, _: path.tell(found)),
    "tournaments": (
        lambda asked: tournaments.measure(asked.tournaments),
        lambda found, _: tournaments.tell(found),
    ),
    "mtt": (lambda asked: field.measure(asked.bots), lambda found, _: field.tell(found)),
    "exports": (lambda asked: exports.measure(asked.exported), lambda found, _: exports.tell(found)),
    "histories": (
        lambda asked: histories.measure(asked.played),
        lambda found, _: histories.tell(found),
    ),
    "growth": (lambda asked: growth.measure(asked.grown), lambda found, _: growth.tell(found)),
    "counting": (lambda _: counting.measure(), lambda found, _: counting.tell(found)),
    "returns": (lambda _: returns.measure(), lambda found, _: returns.tell(found)),
    "scale": (lambda asked: scale.measure(asked.of), lambda found, _: scale.tell(found)),
    "ultimate": (lambda asked: ultimate.measure(asked.rounds), lambda found, _: ultimate.tell(found)),
}
"""What is measured, and how it is told."""


def main() -> None:
    """Measures and prints; `--json` prints one object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--seconds", type=float, default=3, help="of each run of an engine")
    parser.add_argument("--hands", type=int, default=4000, help="of the room's run without think time")
    parser.add_argument("--rate", type=int, default=1000, help="offered actions/s where not all is asked")
    parser.add_argument("--tournaments", type=int, default=200, help="sit-and-gos to play")
    parser.add_argument("--bots", type=int, default=300, help="players of the tournament of many tables")
    parser.add_argument("--rounds", type=int, default=1000, help="against the house, of each of two runs")
    parser.add_argument("--pairs", type=int, default=8, help="windows beside an earlier revision")
    parser.add_argument("--baseline", help="the earlier revision, of git")
    parser.add_argument("--exported", type=int, default=10_000, help="hands to export and to read back")
    parser.add_argument(
        "--played", type=int, default=1_000_000, help="hands of the account with a long history"
    )
    parser.add_argument("--grown", type=int, default=1_000_000, help="hands of the ledger that grows")
    parser.add_argument("--of", nargs="*", choices=[*scale.PARTS], default=[], help="parts of scale")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measured = {}
    for name in options.what or PARTS:
        measure, tell = PARTS[name]
        measured[name] = measure(options)
        if not options.json:
            tell(measured[name], options)
    if options.json:
        print(json.dumps(measured))


main()
