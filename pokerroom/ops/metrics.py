"""The metrics of a room for Prometheus, in a registry of their own. Which there are says `observer`.

An event of the hot path costs less than a microsecond: its method is bound to its metric beforehand. Gauges of tables
and nodes are not counted along; they are asked for when the metrics are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from pokerroom.ops.observer import METRICS, Metric, Observer, help_of

_PREFIX = "pokerroom"


class Metrics(Observer):
    """The metrics of one room; any number may exist in a process."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        made: dict[str, Counter | Gauge | Histogram] = {}
        for method, metric in METRICS.items():
            if metric.name not in made:
                made[metric.name] = self._make(metric, help_of(method))
            setattr(self, method, _recorder(made[metric.name], metric))

    def watch(self, name: str, text: str, ask: Callable[[], float]) -> None:
        """Add a gauge that is asked for when the metrics are read."""
        Gauge(name, text, namespace=_PREFIX, registry=self.registry).set_function(ask)

    def watch_tables(self, tables_by_state: Callable[[], Mapping[str, int]]) -> None:
        """Add the gauge of tables by state, asked for when the metrics are read. Call it once."""
        self.registry.register(_TablesCollector(tables_by_state))

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus's text format, to be served as `content_type`."""
        return generate_latest(self.registry)

    def _make(self, metric: Metric, text: str) -> Counter | Gauge | Histogram:
        labels = () if metric.label is None else (metric.label,)
        match metric.kind:
            case "counter":
                return Counter(metric.name, text, labels, namespace=_PREFIX, registry=self.registry)
            case "gauge":
                return Gauge(metric.name, text, labels, namespace=_PREFIX, registry=self.registry)
            case "histogram":
                return Histogram(
                    metric.name,
                    text,
                    labels,
                    namespace=_PREFIX,
                    registry=self.registry,
                    buckets=metric.buckets,
                )


def _recorder(made: Counter | Gauge | Histogram, metric: Metric) -> Callable[..., None]:
    """Return the function that takes the place of the observer's method."""
    if metric.label is not None:
        return _labelled(made, metric.step)
    if isinstance(made, Histogram):
        return made.observe
    return made.inc if metric.step == 1 else partial(made.inc, metric.step)


def _labelled(made: Any, step: int) -> Callable[[str], None]:
    @cache  # one for each value of the label: a bounded set
    def child(value: str) -> Any:
        return made.labels(value)

    return lambda value: child(value).inc(step)


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
