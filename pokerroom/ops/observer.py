"""The metrics of a room, each declared once: the parts of the room call an `Observer`, `metrics` counts for Prometheus.

To add a metric, declare it here as a method and call it where it happens. The declaration is its documentation: the
decorator names the metric, the docstring is its help text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

ACTION_BUCKETS_S: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
SETTLEMENT_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)

F = TypeVar("F", bound=Callable[..., None])


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """The declaration of a metric. With a `label` its first argument is the label's value, of a bounded set.

    Those of its `values` are there from the start, at 0: else a rate would miss the first of each.
    A gauge goes up or down by `step` at each call; a counter and a histogram take the amount of the call, by default 1.
    """

    kind: Literal["counter", "gauge", "histogram"]
    name: str
    label: str | None = None
    buckets: tuple[float, ...] = ()
    step: int = 1
    values: tuple[str, ...] = ()


METRICS: Final[dict[str, Metric]] = {}
"""All metrics by the names of their methods."""


def _metric(metric: Metric) -> Callable[[F], F]:
    def declare(method: F) -> F:
        METRICS[method.__name__] = metric
        return method

    return declare


def _counter(name: str, label: str | None = None, values: tuple[str, ...] = ()) -> Callable[[F], F]:
    return _metric(Metric(kind="counter", name=name, label=label, values=values))


def _gauge(name: str, label: str | None = None, step: int = 1) -> Callable[[F], F]:
    return _metric(Metric(kind="gauge", name=name, label=label, step=step))


def _histogram(name: str, buckets: tuple[float, ...]) -> Callable[[F], F]:
    return _metric(Metric(kind="histogram", name=name, buckets=buckets))


class Observer:
    """Is told what happens in a room. This class ignores it; subclasses count, or watch in tests."""

    @_counter("hands")
    def hand(self) -> None:
        """Hands that are settled."""

    @_counter("rake")
    def rake(self, amount: int) -> None:
        """Rake of settled hands, in 1/100 credit."""

    @_counter("rounds")
    def round(self) -> None:
        """Rounds of Ultimate that are settled."""

    @_counter("actions")
    def action(self) -> None:
        """Actions of players that were accepted."""

    @_histogram("action_seconds", ACTION_BUCKETS_S)
    def action_latency(self, seconds: float) -> None:
        """Time from the receipt of an action to its fan-out."""

    @_counter("refusals", label="code")
    def refusal(self, code: str) -> None:
        """Client messages that were refused, by code of the protocol."""

    @_counter("timeout_all_ins")
    def timeout_all_in(self) -> None:
        """Players that the clock put all-in (H2)."""

    @_counter("shuffle_checks", label="result", values=("fair", "unfair"))
    def shuffle_checked(self, result: str) -> None:
        """Daily checks of the shuffle, by result: fair or unfair (K1)."""

    @_counter("table_crashes")
    def crash(self) -> None:
        """Faults that froze a table."""

    @_counter("frames_in")
    def frames_in(self, count: int = 1) -> None:
        """Frames received from clients."""

    @_counter("frames_out")
    def frames_out(self, count: int = 1) -> None:
        """Events of tables sent to clients."""

    @_gauge("connections", label="transport")
    def connection_opened(self, transport: str) -> None:
        """Connected clients, by transport."""

    @_gauge("connections", label="transport", step=-1)
    def connection_closed(self, transport: str) -> None:
        """Connected clients, by transport."""

    @_counter("log_ins", label="result", values=("succeeded", "failed", "delayed"))
    def log_in(self, result: str) -> None:
        """Log-ins with a password, by result: succeeded, failed, or delayed (the password was not looked at)."""

    @_counter("tls_handshakes", label="result", values=("done", "failed", "late"))
    def tls_handshake(self, result: str) -> None:
        """Handshakes of TLS, by result: done, failed, or late."""

    @_counter("tls_reloads", label="result", values=("done", "failed"))
    def tls_reload(self, result: str) -> None:
        """Changes of the files of `[tls]`, by result: done, or failed (the earlier certificate stays in use)."""

    @_counter("webhook_messages", label="result", values=("delivered", "failed", "dead"))
    def webhook(self, result: str) -> None:
        """Tries to deliver messages of webhooks, by result: delivered or failed; dead counts the last tries, too."""

    @_counter("wallet_calls", label="result", values=("done", "refused", "failed"))
    def wallet_call(self, result: str) -> None:
        """Calls of the operator's wallet, by result: done, refused, or failed (the outcome is unknown)."""

    @_counter("journal_flushes")
    def journal_flushed(self) -> None:
        """Flushes of the journal."""

    @_counter("journal_entries")
    def journal_entries(self, count: int) -> None:
        """Entries written by flushes of the journal."""

    @_counter("settlement_hands")
    def settled_hands(self, count: int) -> None:
        """Hands settled in the ledger."""

    @_histogram("settlement_seconds", SETTLEMENT_BUCKETS_S)
    def settlement_latency(self, seconds: float) -> None:
        """Time of a transaction that settles a batch of hands."""

    # --- events of several metrics ------------------------------------------------------------------------------------

    def journal_flush(self, entries: int) -> None:
        """Count a flush of the journal with this many entries."""
        self.journal_flushed()
        self.journal_entries(entries)

    def settlement(self, hands: int, seconds: float) -> None:
        """Count a committed batch of hands, and the time that it took."""
        self.settled_hands(hands)
        self.settlement_latency(seconds)


def help_of(method: str) -> str:
    """Return the help text of a metric."""
    doc: Any = getattr(Observer, method).__doc__
    return str(doc)
