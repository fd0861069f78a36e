"""Which requests of a connection are followed, and how a trace ends."""

from __future__ import annotations

import io
import json
import logging
import socket
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import structlog
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from twisted.internet.defer import Deferred, fail

from pokerroom.listeners import StartRefused
from pokerroom.open_telemetry import OPEN_MAX, ExportedTraces, OpenTelemetryTraces
from pokerroom.ops.config import ConfigError, parse
from pokerroom.ops.config_traces import TracesConfig
from pokerroom.ops.logs import configure
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
    monkeypatch.setattr("pokerroom.open_telemetry._TIMEOUT_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces"
        exported = ExportedTraces(TracesConfig(url=url, every=1), "node")
        connection = exported.traces.connection()
        connection.begin("t1", "Act", 1, lambda: None)
        connection.delivered(ok(1))
        began = time.monotonic()
        exported.stop()
        assert time.monotonic() - began < 0.8
        for thread in threading.enumerate():
            if thread.name.startswith("OtelBatch"):
                thread.join()


class Collector:
    """A collector that can refuse, hang and be away. Keeps all lines of the log."""

    def __init__(self) -> None:
        self.answer, self.bodies, self.released = 200, 0, threading.Event()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                collector.bodies += 1
                if collector.answer == HANGS:
                    collector.released.wait(20)
                self.send_response(collector.answer)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 -- the name of its base

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """The node closes a connection that hangs."""

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        url = f"http://me:mypassword@127.0.0.1:{self._server.server_port}/v1/traces?key=mykey"
        self._exported = ExportedTraces(TracesConfig(url=url, every=1), "node")
        self._connection = self._exported.traces.connection()
        self._number = 0

    def sends(self, answer: int, known: Callable[[], bool]) -> None:
        """One trace, which it answers so; until the outcome is known."""
        self.answer = answer
        self._number += 1
        self._connection.begin("t1", "Act", self._number, lambda: None)
        self._connection.delivered(ok(self._number))
        until = time.monotonic() + 15
        while not known() and time.monotonic() < until:
            time.sleep(0.01)
        assert known()

    def close(self) -> None:
        """Stop both."""
        self.released.set()
        self._exported.stop()
        self._server.shutdown()
        self._server.server_close()


HANGS = 599


@pytest.fixture
def lines(monkeypatch):
    """The log of a room, as it writes it."""
    kept = io.StringIO()
    before, handlers = structlog.get_config(), logging.getLogger().handlers[:]
    configure(form="json", level="info", stream=kept)
    monkeypatch.setattr("pokerroom.open_telemetry._log", structlog.get_logger())
    yield lambda: [json.loads(line) for line in kept.getvalue().splitlines()]
    structlog.configure(**before)
    logging.getLogger().handlers = handlers
    logging.getLogger().setLevel(logging.WARNING)


def test_the_log_tells_once_that_traces_are_not_sent(lines, monkeypatch):
    """And once that they are again: of a collector that refuses, is busy, or hangs. The SDK's lines are not there."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    monkeypatch.setattr("pokerroom.open_telemetry._TIMEOUT_S", 1.5)
    collector = Collector()
    try:
        collector.sends(200, lambda: collector.bodies == 1)
        collector.sends(401, lambda: len(lines()) == 1)
        collector.sends(401, lambda: collector.bodies == 3)
        collector.sends(200, lambda: len(lines()) == 2)
        collector.sends(503, lambda: len(lines()) == 3)
        collector.sends(200, lambda: len(lines()) == 4)
        collector.sends(HANGS, lambda: len(lines()) == 5)
        collector.sends(200, lambda: len(lines()) == 6)
    finally:
        collector.close()
    told = [(line.pop("level"), line.pop("event"), line) for line in lines() if line.pop("timestamp")]
    assert told == [
        ("warning", "traces.not_sent", {"reason": "status 401"}),
        ("info", "traces.sent_again", {"lost": 2}),
        ("warning", "traces.not_sent", {"reason": "Service Unavailable"}),
        ("info", "traces.sent_again", {"lost": 1}),
        ("warning", "traces.not_sent", {"reason": "timeout"}),
        ("info", "traces.sent_again", {"lost": 1}),
    ]


def test_a_collector_that_is_away_is_told_without_its_address(lines, monkeypatch):
    """The address may have a token; a node that stops says no more."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    monkeypatch.setattr("pokerroom.open_telemetry._TIMEOUT_S", 1.5)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    exported = ExportedTraces(
        TracesConfig(url=f"http://127.0.0.1:{port}/v1/traces?key=mykey", every=1), "node"
    )
    connection = exported.traces.connection()
    for number in range(3):
        connection.begin("t1", "Act", number, lambda: None)
        connection.delivered(ok(number))
        time.sleep(0.6)
    exported.stop()
    connection.begin("t1", "Act", 9, lambda: None)
    connection.delivered(ok(9))
    assert [(line["event"], line.get("reason")) for line in lines()] == [
        ("traces.not_sent", "ConnectionError")
    ]
    assert "mykey" not in json.dumps(lines())


def test_with_the_sdk_switched_off_requests_go_on(monkeypatch):
    """By its standard variable: nothing travels to other nodes."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    traces = OpenTelemetryTraces(TracerProvider(shutdown_on_exit=False).get_tracer("test"), 1)
    carried = []
    traces.connection().begin("t1", "Act", 1, lambda: carried.append(traces.carried()))
    assert carried == [""]
