"""What the room counts, for Prometheus. Owns a registry of its own; knows nothing of where the numbers come
from.

What is called on the hot path costs less than a microsecond: label values are bound beforehand. What a table
can be asked for (its state, its seats) is not counted along but asked when somebody reads the metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

_ACTION_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
_SETTLEMENT_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_PREFIX = "pokerroom"


class Metrics:
    """The metrics of one room; any number may exist in a process."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._hands = self._counter("hands", "Hands played to their end.")
        self._rounds = self._counter("rounds", "Rounds against the house played to their end.")
        self._actions = self._counter("actions", "Actions that players took.")
        self._action_s = self._histogram(
            "action_seconds", "From the receipt of an action to its fan-out.", _ACTION_BUCKETS_S
        )
        self._frames_in = self._counter("frames_in", "Frames received from clients.")
        self._frames_out = self._counter("frames_out", "Events of tables sent to clients.")
        self._refusals = self._counter("refusals", "Client messages refused, by code.", "code")
        self._refusals_by_code: dict[str, Counter] = {}
        self._timeout_all_ins = self._counter("timeout_all_ins", "Players who were all-in by the clock.")
        self._table_crashes = self._counter("table_crashes", "Faults that froze a table.")
        self._connections = Gauge(
            "connections", "Connected clients.", ["transport"], namespace=_PREFIX, registry=self.registry
        )
        self._connections_by_transport: dict[str, Gauge] = {}
        self._journal_flushes = self._counter("journal_flushes", "Flushes of the journal.")
        self._journal_entries = self._counter("journal_entries", "Entries written by flushes of the journal.")
        self._settlement_hands = self._counter("settlement_hands", "Hands settled in the ledger.")
        self._settlement_s = self._histogram(
            "settlement_seconds", "One batch of hands settled: one transaction.", _SETTLEMENT_BUCKETS_S
        )

    def hand(self) -> None:
        """A hand came to its end."""
        self._hands.inc()

    def round(self) -> None:
        """A round against the house came to its end."""
        self._rounds.inc()

    def action(self) -> None:
        """A player's action was taken."""
        self._actions.inc()

    def action_latency(self, seconds: float) -> None:
        """An action was told to the clients so long after it was received."""
        self._action_s.observe(seconds)

    def refusal(self, code: str) -> None:
        """A message was refused with this code; codes are those of the protocol, a bounded set."""
        child = self._refusals_by_code.get(code)
        if child is None:
            child = self._refusals_by_code[code] = self._refusals.labels(code)
        child.inc()

    def timeout_all_in(self) -> None:
        """A player was all-in by the clock (H2). Whose count it is, the operator asks elsewhere: no label."""
        self._timeout_all_ins.inc()

    def crash(self) -> None:
        """A table froze by a fault of ours."""
        self._table_crashes.inc()

    def frames_in(self, count: int = 1) -> None:
        """So many frames came in."""
        self._frames_in.inc(count)

    def frames_out(self, count: int = 1) -> None:
        """So many events of tables were handed to clients' connections."""
        self._frames_out.inc(count)

    def connection_opened(self, transport: str) -> None:
        """A client connected; `transport` is a short word, "tcp" or "websocket"."""
        self._of_transport(transport).inc()

    def connection_closed(self, transport: str) -> None:
        """A client of this transport is gone."""
        self._of_transport(transport).dec()

    def journal_flush(self, entries: int) -> None:
        """The journal was flushed with so many entries."""
        self._journal_flushes.inc()
        self._journal_entries.inc(entries)

    def settlement(self, hands: int, seconds: float) -> None:
        """A batch of so many hands was committed; it took so long."""
        self._settlement_hands.inc(hands)
        self._settlement_s.observe(seconds)

    def watch_tables(
        self, tables_by_state: Callable[[], Mapping[str, int]], seats_occupied: Callable[[], int]
    ) -> None:
        """Names the two functions that are asked whenever the metrics are read. Call it once."""
        self.registry.register(_TablesCollector(tables_by_state, seats_occupied))

    def watch_nodes(self, living: Callable[[], int], suspended: Callable[[], bool]) -> None:
        """Names the functions that say how many nodes live, as this one sees it, and whether its own tables wait."""
        self._asked("nodes_living", "Nodes of the room that live, as this one sees it.", living)
        self._asked(
            "suspended", "1 while this node cannot reach the directory and its tables wait.", suspended
        )

    def _asked(self, name: str, text: str, ask: Callable[[], int]) -> None:
        Gauge(name, text, namespace=_PREFIX, registry=self.registry).set_function(lambda: float(ask()))

    def exposition(self) -> bytes:
        """All metrics in Prometheus's text format, to be served as `content_type`."""
        return generate_latest(self.registry)

    def _of_transport(self, transport: str) -> Gauge:
        child = self._connections_by_transport.get(transport)
        if child is None:
            child = self._connections_by_transport[transport] = self._connections.labels(transport)
        return child

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, namespace=_PREFIX, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, text, namespace=_PREFIX, buckets=buckets, registry=self.registry)


class _TablesCollector(Collector):
    def __init__(
        self, tables_by_state: Callable[[], Mapping[str, int]], seats_occupied: Callable[[], int]
    ) -> None:
        self._tables_by_state = tables_by_state
        self._seats_occupied = seats_occupied

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """The names alone: registering must not ask tables that are not built yet."""
        yield self._tables()
        yield self._seats()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        tables = self._tables()
        for state, count in self._tables_by_state().items():
            tables.add_metric([state], count)
        yield tables
        seats = self._seats()
        seats.add_metric([], self._seats_occupied())
        yield seats

    @staticmethod
    def _tables() -> GaugeMetricFamily:
        return GaugeMetricFamily(f"{_PREFIX}_tables", "Tables, by state.", labels=["state"])

    @staticmethod
    def _seats() -> GaugeMetricFamily:
        return GaugeMetricFamily(f"{_PREFIX}_seats_occupied", "Seats somebody holds.", labels=[])
