"""Which requests of a connection are followed, and how a trace ends."""

from __future__ import annotations

import socket
import sys
import time

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from twisted.internet.defer import Deferred, fail

from pokerroom.listeners import StartRefused
from pokerroom.open_telemetry import OPEN_MAX, ExportedTraces, OpenTelemetryTraces
from pokerroom.ops.config import ConfigError, parse
from pokerroom.ops.config_traces import TracesConfig
from pokerroom.table.outgoing import Outgoing
from pokerroom.traces import exported_traces
from pokerroom_protocol import messages as wire
from tests.cluster.rooms import MANY


class Traced:
    """Traces that stay here."""

    def __init__(self, every: int = 1) -> None:
        self._kept = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._kept))
        self.traces = OpenTelemetryTraces(provider.get_tracer("test"), every)

    def ended(self) -> list[ReadableSpan]:
        return list(self._kept.get_finished_spans())


def ok(re: int) -> Outgoing:
    return Outgoing(wire.Ok(re=re))


def test_of_so_many_requests_one_is_followed():
    """Over all connections, the first one too; all are handled."""
    traced, handled = Traced(every=3), []
    connections = [traced.traces.connection() for _ in range(2)]
    for number in range(1, 8):
        connections[number % 2].begin("t1", "Act", number, lambda number=number: handled.append(number))
        connections[number % 2].delivered(ok(number))
    assert handled == [1, 2, 3, 4, 5, 6, 7]
    assert len(traced.ended()) == 3


def test_a_trace_tells_the_code_of_a_refusal():
    """And nothing of its text."""
    traced = Traced()
    connection = traced.traces.connection()
    connection.begin("t1", "Act", 7, lambda: None)
    connection.delivered(ok(8))
    assert not traced.ended()
    connection.delivered(Outgoing(wire.Error(re=7, code="not_your_turn", message="wait")))
    [span] = traced.ended()
    assert dict(span.attributes or {}) == {"pokerroom.table": "t1", "pokerroom.refused": "not_your_turn"}


def test_a_closed_connection_ends_its_traces():
    """As failed ones; a client that asks and reads nothing keeps no more of them than `OPEN_MAX`."""
    traced = Traced()
    connection = traced.traces.connection()
    for number in range(1, OPEN_MAX + 10):
        connection.begin("t1", "Chat", number, lambda: None)
    connection.end()
    connection.end()
    assert [span.status.status_code for span in traced.ended()] == [StatusCode.ERROR] * OPEN_MAX


def test_a_handler_that_raises_does_not_leave_its_trace_behind():
    """What follows in another call belongs to no request."""
    traced = Traced()

    def raises() -> None:
        assert traced.traces.carried()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        traced.traces.connection().begin("t1", "Act", 1, raises)
    with pytest.raises(ZeroDivisionError):
        traced.traces.arrived("00-" + "1" * 32 + "-" + "2" * 16 + "-01", "t1", "Act", raises)
    assert traced.traces.carried() == ""


def test_a_hand_that_is_not_settled_stays_a_failure():
    """The table receives what the settler says."""
    traced, failures = Traced(), []

    class Refusing:
        def submit(self, _settlement: object) -> Deferred[None]:
            return fail(ValueError("no"))

    settler = traced.traces.settler(Refusing())

    def submit() -> None:
        settler.submit(None).addErrback(failures.append)  # type: ignore[arg-type]  # nothing looks at it here

    traced.traces.connection().begin("t1", "Act", 1, submit)
    assert [failure.value.args for failure in failures] == [("no",)]
    assert [span.name for span in traced.ended()] == ["settle"]


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        (
            'url = "localhost:4318"',
            'traces.url: should be an address with its path, such as "http://127.0.0.1:4318/v1/traces"',
        ),
        (
            'url = "http://[::1"',
            'traces.url: should be an address with its path, such as "http://127.0.0.1:4318/v1/traces"',
        ),
        (
            'url = "http://localhost:4318/"',
            'traces.url: should be an address with its path, such as "http://127.0.0.1:4318/v1/traces"',
        ),
        ("every = 5", "traces.every: is of traces: give url, or leave this out"),
        (
            'url = "http://x/v1/traces"\nevery = 0',
            "traces.every: should be from 1 to 1000000, not 0",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_explained(section, problem):
    """With the name of the setting."""
    with pytest.raises(ConfigError) as refused:
        parse(f"{MANY}\n[traces]\n{section}\n")
    assert [str(one) for one in refused.value.problems] == [problem]


def test_without_the_packages_the_room_says_what_to_install(monkeypatch):
    """And without an address it does not look for them."""
    monkeypatch.delitem(sys.modules, "pokerroom.open_telemetry")
    monkeypatch.setitem(sys.modules, "opentelemetry.context", None)
    assert exported_traces(parse(MANY).traces, "node") is None
    with pytest.raises(StartRefused, match=r"pip install 'pokerroom\[traces\]'"):
        exported_traces(TracesConfig(url="http://127.0.0.1:4318/v1/traces"), "node")


def test_a_collector_that_hangs_holds_no_node(monkeypatch):
    """It takes connections and says nothing: the node ends without it."""
    monkeypatch.setattr("pokerroom.open_telemetry.STOP_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces"
        exported = ExportedTraces(TracesConfig(url=url, every=1), "node")
        connection = exported.traces.connection()
        connection.begin("t1", "Act", 1, lambda: None)
        connection.delivered(ok(1))
        began = time.monotonic()
        exported.stop()
        assert time.monotonic() - began < 2


def test_with_the_sdk_switched_off_requests_go_on(monkeypatch):
    """By its standard variable: nothing travels to other nodes."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    traces = OpenTelemetryTraces(TracerProvider(shutdown_on_exit=False).get_tracer("test"), 1)
    carried = []
    traces.connection().begin("t1", "Act", 1, lambda: carried.append(traces.carried()))
    assert carried == [""]
