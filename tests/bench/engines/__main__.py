"""One engine measured: `python -m tests.bench.engines ours --seconds 3` prints a JSON object."""

import argparse
import importlib
import json
import os
import time

from tests.bench.engines import Engine

DICE = 200_003
"""A prime number of them, so that the hands differ when they are used again."""


def dice(number: int) -> list[int]:
    """Dice of 0 to 9, the same in every run: a small seeded generator, for nothing that is dealt."""
    seed, drawn = 20_261_121, []
    for _ in range(number):
        seed = (seed * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        drawn.append((seed >> 33) % 10)
    return drawn


def main() -> None:
    """Warms up, finds how many hands fill the time, and measures them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    told = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    engine: Engine = importlib.import_module(f"tests.bench.engines.{options.engine}")
    drawn = dice(DICE)
    hands, seconds = 20, 0.0
    while seconds < options.seconds / 10:  # also the warm-up
        hands *= 2
        started = time.perf_counter()
        engine.play(drawn, hands)
        seconds = time.perf_counter() - started
    hands = max(1, round(hands * options.seconds / seconds))
    started = time.perf_counter()
    actions = engine.play(drawn, hands)
    seconds = time.perf_counter() - started
    result = {"name": engine.NAME, "hands": hands, "actions": actions, "seconds": seconds}
    os.write(told, json.dumps(result).encode())


main()
