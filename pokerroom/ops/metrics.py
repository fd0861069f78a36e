"""The metrics of a room for Prometheus, in a registry of their own. Which there are says `observer`.

An event of the hot path costs a fraction of a microsecond: it adds to a plain number. The library's own counters cost
several times more, for the sake of threads. Gauges of tables and nodes are not counted along; they are asked for when
the metrics are read.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from pokerroom.ops.minute_series import COUNTS, Reading
from pokerroom.ops.observer import METRICS, Metric, Observer, help_of
from pokerroom.ops.reports import NodeNow

_PREFIX = "pokerroom"


class Metrics(Observer):
    """The metrics of one room; any number may exist in a process. Events are counted in the reactor's thread."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        made: dict[str, _Numbers | _Durations] = {}
        for method, metric in METRICS.items():
            if metric.name not in made:
                kind = _Durations if metric.kind == "histogram" else _Numbers
                made[metric.name] = kind(metric, help_of(method))
                self.registry.register(made[metric.name])
            setattr(self, method, made[metric.name].recorder(metric))
        self._made = made

    def watch(self, name: str, text: str, ask: Callable[[], float]) -> None:
        """Add a gauge that is asked for when the metrics are read."""
        Gauge(name, text, namespace=_PREFIX, registry=self.registry).set_function(ask)

    def watch_tables(self, tables_by_state: Callable[[], Mapping[str, int]]) -> None:
        """Add the gauge of tables by state, asked for when the metrics are read. Call it once."""
        self.registry.register(_TablesCollector(tables_by_state))

    def now(self, node: str, at_ms: int, reasons: Sequence[str]) -> NodeNow:
        """Return what the node tells of itself at this moment. `reasons` are those against readiness."""
        counts = {name: self._values(name).get("", 0) for name in ("hands", "rounds", "actions")}
        return NodeNow(
            node=node,
            at_ms=at_ms,
            reasons=tuple(reasons),
            connections=self._values("connections"),
            processor_ms=_processor_ms(),
            **counts,
        )

    def reading(self, at_ms: int, seats: int) -> Reading:
        """Return what charts are made of. `at_ms` is a clock that only goes forward; so many `seats` are held."""
        other_names = {"faults": "table_crashes"}
        return Reading(
            at_ms=at_ms,
            processor_ms=_processor_ms(),
            levels={"connections": sum(self._values("connections").values()), "seats": seats},
            counts={name: sum(self._values(other_names.get(name, name)).values()) for name in COUNTS},
            times={
                "action_us": self._buckets("action_seconds"),
                "settlement_us": self._buckets("settlement_seconds"),
            },
        )

    def _values(self, name: str) -> dict[str, int]:
        """Return a counter or a gauge by the value of its label; "" if it has none."""
        numbers = self._made[name]
        assert isinstance(numbers, _Numbers)
        return numbers.by_label()

    def _buckets(self, name: str) -> list[int]:
        durations = self._made[name]
        assert isinstance(durations, _Durations)
        return durations.by_bucket()

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus's text format, to be served as `content_type`."""
        return generate_latest(self.registry)


class _Numbers(Collector):
    """A counter or a gauge, by the values of its label if it has one."""

    def __init__(self, metric: Metric, text: str) -> None:
        self._name, self._text, self._label = f"{_PREFIX}_{metric.name}", text, metric.label
        self._is_counter = metric.kind == "counter"
        self._since = time.time()
        known: list[tuple[str, ...]] = [(value,) for value in metric.values] if metric.label else [()]
        self._numbers = dict.fromkeys(known, 0)

    def recorder(self, metric: Metric) -> Callable[..., None]:
        """Return the function that takes the place of the observer's method."""
        numbers, step = self._numbers, metric.step

        def count(amount: int = 1) -> None:
            numbers[()] += amount * step

        def count_labelled(value: str) -> None:
            numbers[value,] = numbers.get((value,), 0) + step

        return count if metric.label is None else count_labelled

    def by_label(self) -> dict[str, int]:
        """Return the numbers by the value of the label; "" if there is none."""
        return {next(iter(values), ""): number for values, number in self._numbers.items()}

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        labels = () if self._label is None else (self._label,)
        if self._is_counter:
            counter = CounterMetricFamily(self._name, self._text, labels=labels)
            for values, number in self._numbers.items():
                counter.add_metric(values, number, created=self._since)
            yield counter
        else:
            gauge = GaugeMetricFamily(self._name, self._text, labels=labels)
            for values, number in self._numbers.items():
                gauge.add_metric(values, number)
            yield gauge


class _Durations(Collector):
    """A histogram of seconds."""

    def __init__(self, metric: Metric, text: str) -> None:
        self._name, self._text, self._bounds = f"{_PREFIX}_{metric.name}", text, metric.buckets
        self._since = time.time()
        self._counts = [0] * (len(metric.buckets) + 1)
        self._sum = 0.0

    def recorder(self, _metric: Metric) -> Callable[[float], None]:
        return self._observe

    def _observe(self, seconds: float) -> None:
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._sum += seconds

    def by_bucket(self) -> list[int]:
        """Return how many fell into each bucket, those above the last bound at the end."""
        return list(self._counts)

    def collect(self) -> Iterator[HistogramMetricFamily]:
        bounds = [*map(str, self._bounds), "+Inf"]
        family = HistogramMetricFamily(self._name, self._text)
        family.add_metric((), list(zip(bounds, accumulate(self._counts), strict=True)), self._sum)
        family.add_sample(f"{self._name}_created", {}, self._since)
        yield family


class _TablesCollector(Collector):
    def __init__(self, tables_by_state: Callable[[], Mapping[str, int]]) -> None:
        self._tables_by_state = tables_by_state

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Yield the name alone: registering must not ask tables that are not built yet."""
        yield self._tables()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        tables = self._tables()
        for state, count in self._tables_by_state().items():
            tables.add_metric([state], count)
        yield tables

    @staticmethod
    def _tables() -> GaugeMetricFamily:
        return GaugeMetricFamily(f"{_PREFIX}_tables", "Tables, by state.", labels=["state"])


def _processor_ms() -> int:
    """Return the time of a processor that this process has used."""
    return int(time.process_time() * 1_000)
