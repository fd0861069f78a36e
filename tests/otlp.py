"""A receiver of traces on loopback, as a collector of OpenTelemetry is one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass(frozen=True, slots=True)
class Received:
    """One span and the node that has sent it."""

    node: str
    span: Span


@dataclass(slots=True)
class Receiver:
    """What has come so far; `url` is what a room's settings name."""

    url: str
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> list[Received]:
        """All spans."""
        found = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                named = {one.key: one.value.string_value for one in resource.resource.attributes}
                assert named["service.name"] == "pokerroom"
                found += [
                    Received(named["service.instance.id"], span)
                    for scope in resource.scope_spans
                    for span in scope.spans
                ]
        return found


@contextmanager
def receiver() -> Iterator[Receiver]:
    """One that listens until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 -- the name of its base

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Receiver(f"http://127.0.0.1:{server.server_port}/v1/traces")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
