"""Histograms of latencies; `hdrhistogram` is in the environment of the benchmarks alone."""

from __future__ import annotations

import pytest

pytest.importorskip("hdrh", reason="hdrhistogram: build/bench/bin/python -m pytest tests/bench")

from tests.bench import latency
from tests.bench.report import open_load


def of(*seconds: float) -> str:
    found = latency.histogram()
    for one in seconds:
        latency.recorder(found)(one)
    return latency.encoded(found)


def test_histograms_of_several_processes_add_up():
    """The percentiles are those of all values together."""
    slow, quick = of(*[0.1] * 10), of(*[0.001] * 990)

    found = latency.figures(latency.merged([slow, quick]))

    assert found["p50"] == pytest.approx(1, rel=0.002)
    assert found["p99"] == pytest.approx(1, rel=0.002)
    assert found["p99.9"] == found["max"] == pytest.approx(100, rel=0.002)


def test_values_beyond_the_ends_are_counted():
    """Nothing is left out because it is too short or too long."""
    merged = latency.merged([of(0.0, 1e9)])

    assert merged.get_total_count() == 2
    assert latency.figures(merged)["max"] == pytest.approx(latency.HIGHEST_US / 1000, rel=0.002)


def test_an_empty_histogram_has_figures():
    """A window without an action does not stop the report."""
    assert set(latency.figures(latency.histogram()).values()) == {0.0}


def test_a_curve_rises_to_the_longest():
    """From the shortest to 99.99 %, in milliseconds."""
    points = latency.curve(latency.merged([of(*(number / 1000 for number in range(1, 101)))]))

    assert [value for _, value in points] == sorted(value for _, value in points)
    assert points[0][1] == pytest.approx(1, rel=0.002)
    assert points[-1] == (4, pytest.approx(100, rel=0.002))


def test_a_level_is_told_from_all_processes_of_players():
    """Counts add up, and the curve and the percentiles are those of the merged histogram."""
    counts = {"offered": 3, "done": 2, "refused": 1, "unfinished": 0}
    answers = [{**counts, "latency": of(0.002, took), "answer": of(0.001)} for took in (0.002, 0.5)]

    told = open_load.told(answers)

    assert (told["offered"], told["done"], told["refused"]) == (6, 4, 2)
    assert told["latency_ms"]["max"] == pytest.approx(500, rel=0.002)
    assert told["answer_ms"]["max"] == pytest.approx(1, rel=0.002)
    assert latency.merged([told["histogram"]]).get_total_count() == 4
