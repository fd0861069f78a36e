"""Traces of single requests in the form of OpenTelemetry, for a room with `[traces]`.

A trace has one span for the request, from its connection to its answer, and below it one for each step in the journal,
for what is told when it is stored, and for a hand in the ledger; at the table's owner one more if that is another node.
Times are all that a trace tells: beside them it names the table, the kind of the request and the code of a refusal. No
account, no amount and no card is in it. Spans leave in a thread of their own.

All that follows from a request in the same call of the reactor belongs to it, so the present span is a field here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import structlog
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from twisted.internet.defer import Deferred

from pokerroom.coordination.api import Journal
from pokerroom.ledger.api import HandSettlement
from pokerroom.ops.config_traces import TracesConfig
from pokerroom.table.context import HandSettler
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire

_log = structlog.get_logger()

OPEN_MAX: Final = 64
"""Traced requests of one connection that wait for their answers; more are not traced."""

STOP_S: Final = 3.0
_TIMEOUT_S: Final = 5
_STATUSES: Final = range(100, 600)
_NO_REASONS: Final = {"spans", "Span", "unknown"}
_REASON_LENGTH: Final = 60
_SDK_LOGGER: Final = "opentelemetry"
_TRAVELS: Final = TraceContextTextMapPropagator()
_FIELD: Final = "traceparent"


class OpenTelemetryTraces:
    """The traces of one node: `table.traces.Traces`. One of `every` requests is traced."""

    def __init__(self, tracer: Tracer, every: int) -> None:
        self.tracer = tracer
        self._every = every
        self._until_next = 1
        self._present: Span | None = None

    def connection(self) -> _Connection:
        """See `Traces`."""
        return _Connection(self)

    def journal(self, journal: Journal) -> Journal:
        """See `Traces`."""
        return _TracedJournal(self, journal)

    def settler(self, settler: HandSettler) -> HandSettler:
        """See `Traces`."""
        return _TracedSettler(self, settler)

    def carried(self) -> str:
        """See `Traces`."""
        if self._present is None:
            return ""
        fields: dict[str, str] = {}
        _TRAVELS.inject(fields, set_span_in_context(self._present))
        return fields.get(_FIELD, "")  # none where the SDK is switched off

    def arrived(self, carried: str, table: str, kind: str, handle: Callable[[], None]) -> None:
        """See `Traces`."""
        if not carried:
            handle()
            return
        parent = _TRAVELS.extract({_FIELD: carried})
        span = self.tracer.start_span(
            f"{kind} at its owner", parent, SpanKind.CONSUMER, {"pokerroom.table": table}
        )
        try:
            self.within(span, handle)
        finally:
            span.end()

    def is_next(self) -> bool:
        """Return whether this request is to be traced."""
        self._until_next -= 1
        if self._until_next:
            return False
        self._until_next = self._every
        return True

    def within(self, span: Span, work: Callable[[], None]) -> None:
        """Call `work`; what it begins belongs to `span`."""
        before, self._present = self._present, span
        try:
            work()
        finally:
            self._present = before

    def begin(self, name: str) -> tuple[Span, Span] | None:
        """Begin a span below the present one; return both. None if nothing is traced."""
        if self._present is None:
            return None
        return self._present, self.tracer.start_span(name, set_span_in_context(self._present))


class _Connection:
    def __init__(self, traces: OpenTelemetryTraces) -> None:
        self._traces = traces
        self._open: dict[int, Span] = {}

    def begin(self, table: str, kind: str, re: int, handle: Callable[[], None]) -> None:
        if not self._traces.is_next() or re in self._open or len(self._open) >= OPEN_MAX:
            handle()
            return
        span = self._open[re] = self._traces.tracer.start_span(
            kind, Context(), SpanKind.SERVER, {"pokerroom.table": table}
        )
        self._traces.within(span, handle)

    def delivered(self, outgoing: Outgoing | Bundle) -> None:
        if not self._open:
            return
        for part in outgoing.parts:
            message = part.message
            re = getattr(message, "re", None)
            if re is None or re not in self._open:
                continue
            span = self._open.pop(re)
            if isinstance(message, wire.Error):
                span.set_attribute("pokerroom.refused", message.code)
            span.end()

    def end(self) -> None:
        for span in self._open.values():
            span.set_status(Status(StatusCode.ERROR, "the connection was closed before the answer"))
            span.end()
        self._open.clear()


class _TracedJournal:
    """A `Journal`."""

    def __init__(self, traces: OpenTelemetryTraces, journal: Journal) -> None:
        self._traces = traces
        self._journal = journal
        self.take = journal.take
        self.forget = journal.forget
        self.entries = journal.entries
        self.release = journal.release
        self.tables = journal.tables
        self.peek = journal.peek

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        self._journal.append(table, entry, self._followed(durable))

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        self._journal.begin(table, entry, self._followed(durable))

    def _followed(self, durable: Callable[[], None]) -> Callable[[], None]:
        begun = self._traces.begin("journal")
        if begun is None:
            return durable
        request, stored = begun

        def tell() -> None:
            stored.end()
            self._traces.within(request, told)

        def told() -> None:
            span = self._traces.begin("tell")
            try:
                durable()
            finally:
                if span is not None:
                    span[1].end()

        return tell


class _TracedSettler:
    """A `HandSettler`."""

    def __init__(self, traces: OpenTelemetryTraces, settler: HandSettler) -> None:
        self._traces = traces
        self._settler = settler

    def submit(self, settlement: HandSettlement) -> Deferred[None]:
        submitted = self._settler.submit(settlement)
        begun = self._traces.begin("settle")
        if begun is None:
            return submitted
        request, settled = begun
        followed: Deferred[None] = Deferred()

        def known(result: Any) -> None:
            settled.end()
            self._traces.within(request, lambda: followed.callback(result))  # a failure goes on as one

        submitted.addBoth(known)
        return followed


class _Silenced(logging.Handler):
    """Takes the place of what the SDK writes into the log: a line for each try, with tracebacks and addresses.

    `reason` is what the last lines were about: the class of an exception, the status of an answer, or what it says.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reason = ""

    def emit(self, record: logging.LogRecord) -> None:
        arguments = record.args if isinstance(record.args, tuple) else ()
        for argument in (*arguments, *(record.exc_info or ())):
            if isinstance(argument, BaseException):  # its text may name the address with a token
                self.reason = type(argument).__name__
            elif type(argument) is int and argument in _STATUSES:
                self.reason = f"status {argument}"
            elif isinstance(argument, str) and argument not in _NO_REASONS and not self.reason:
                self.reason = argument[:_REASON_LENGTH]


class _TellingExporter(SpanExporter):
    """An exporter that logs when spans are not sent any more, and when they are again. Others of its lines go."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._sdk = _Silenced()
        self._lost = 0
        logger = logging.getLogger(_SDK_LOGGER)
        logger.handlers = [self._sdk]
        logger.propagate = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._sdk.reason = ""
        try:
            result = self._exporter.export(spans)
        except Exception as error:  # noqa: BLE001 -- the SDK would write its traceback
            self._sdk.reason = type(error).__name__
            result = SpanExportResult.FAILURE
        if result is not SpanExportResult.SUCCESS:
            if not self._lost:
                _log.warning("traces.not_sent", reason=self._sdk.reason or "timeout")
            self._lost += len(spans)
        elif self._lost:
            _log.info("traces.sent_again", lost=self._lost)
            self._lost = 0
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()


class ExportedTraces:
    """Traces that go to the address of the settings, until `stop`."""

    def __init__(self, config: TracesConfig, node: str) -> None:
        """Raises ValueError for an address that cannot be used."""
        exporter = _TellingExporter(OTLPSpanExporter(endpoint=config.url, timeout=_TIMEOUT_S))
        self._provider = TracerProvider(
            resource=Resource.create({"service.name": "pokerroom", "service.instance.id": node}),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self.traces = OpenTelemetryTraces(self._provider.get_tracer("pokerroom"), config.every)

    def stop(self) -> None:
        """Send what waits. Blocks, but for `STOP_S` at most: a collector that hangs holds no node."""
        ends = threading.Thread(target=self._provider.shutdown, daemon=True)
        ends.start()
        ends.join(STOP_S)
