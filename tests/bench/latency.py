"""Histograms of latencies: three digits of microseconds up to ten minutes, in constant memory (HdrHistogram).

Those of several processes add up. `hdrhistogram` is in the environment of the benchmarks alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from hdrh.histogram import HdrHistogram

LOWEST_US, HIGHEST_US, DIGITS = 1, 600_000_000, 3
PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)
NINES_MAX = 4
"""A curve ends at 99.99 %."""
STEPS = 20
"""Points of a curve for each nine."""


def histogram() -> HdrHistogram:
    """An empty one."""
    return HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)


def recorder(into: HdrHistogram) -> Callable[[float], None]:
    """What counts a number of seconds; more than ten minutes count as ten."""

    def record(seconds: float) -> None:
        into.record_value(min(HIGHEST_US, max(LOWEST_US, round(seconds * 1e6))))

    return record


def encoded(found: HdrHistogram) -> str:
    """As text, in the format that every HdrHistogram reads."""
    text: bytes = found.encode()
    return text.decode()


def merged(texts: Iterable[str]) -> HdrHistogram:
    """All of them as one."""
    together = histogram()
    for text in texts:
        together.decode_and_add(text.encode())
    return together


def figures(found: HdrHistogram) -> dict[str, float]:
    """`PERCENTILES`, named as "p99.9", and the longest, in milliseconds; zeros of an empty one."""
    named = {f"p{percent:g}": _ms(found, percent) for percent in PERCENTILES}
    return named | {"max": _ms(found, 100.0)}


def curve(found: HdrHistogram) -> list[tuple[float, float]]:
    """Percentiles by their number of nines (1 is 90 %, 2 is 99 %), in milliseconds."""
    nines = [step / STEPS for step in range(NINES_MAX * STEPS + 1)]
    return [(at, _ms(found, 100 * (1 - math.pow(10, -at)))) for at in nines]


def _ms(found: HdrHistogram, percent: float) -> float:
    return round(found.get_value_at_percentile(percent) / 1000, 3) if found.get_total_count() else 0.0
