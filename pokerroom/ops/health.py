"""The operations port: whether the process is alive, whether it may get players, its metrics, and the operator's pages.

A function returns the reasons against readiness; this module does not know what they depend on. `operator_pages` has
the operator's pages, and asks for proof. The other pages are open: a probe and a scraper have no account, and they read
sums without a name. The files of the console are open, too: they are the same in every room, and hold no data.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

import structlog
from twisted.internet.interfaces import ITransport
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from pokerroom.ledger.operator_log import legible
from pokerroom.ops import http_answers as answers
from pokerroom.ops.http_answers import HttpAnswer, host_of
from pokerroom.ops.metrics import Metrics
from pokerroom.ops.operations_bounds import OperationsBounds
from pokerroom.ops.operator_pages import OperatorPages
from pokerroom.ops.trusted_hosts import TrustedHosts

_PROBES: Final = {b"/livez", b"/readyz"}
"""They tell nothing of value, and a load balancer names whatever host it likes."""

_CONSOLE: Final = (b"/operator", b"/operator/")
"""The path of the console's page, and the beginning of the paths of its files."""

_NUMBERS: Final = TrustedHosts()
_HOST_REFUSED: Final = answers.error(
    HTTPStatus.FORBIDDEN,
    "host_refused",
    "This name is not one of the room's. Ask by address or `localhost`, or list the name in ops_hosts of [listen].",
)
_TOO_MANY: Final = replace(
    answers.error(
        HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", "This address asks too often. Wait a second."
    ),
    headers={"retry-after": "1"},
)
_READING: Final = {b"GET", b"HEAD"}
_READING_ONLY: Final = HttpAnswer(
    status=http.NOT_ALLOWED,
    content_type="text/plain",
    body=b"GET and HEAD only\n",
    headers={"allow": "GET, HEAD"},
)
_BODY_REFUSED: Final = (
    b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"Send no body with a request.\n"
)

_LAST_ANSWER_S: Final = 60
"""A client that reads nothing holds its connection no longer, once the last answer is written."""

_log = structlog.get_logger()


def make_ops_site(
    metrics: Metrics,
    ready: Callable[[], list[str]],
    operator: OperatorPages | None = None,
    hosts: TrustedHosts = _NUMBERS,
    *,
    bounds: OperationsBounds | None = None,
    console: Resource | None = None,
) -> Site:
    """Make the site to listen with. `ready` returns why the room should get no players now; empty if it may.

    Without `operator` there are no operator's pages. All pages but the probes are for requests to one of `hosts`.
    Without `bounds` any client may have any number of connections and requests. `console` answers GET and HEAD for the
    console's files; a page asks for many at once, so the bound of requests is not for them.
    """
    return _QuietSite(_Operations(metrics, ready, operator, hosts, bounds=bounds, console=console), bounds)


class _BodilessRequest(Request):
    """Takes no body: no page needs one, and Twisted would collect it without a bound."""

    _has_body = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802 -- Twisted's name
        """Refuse a request with a body before any of it is read; None is a body in chunks."""
        super().gotLength(0)  # type: ignore[no-untyped-call] # of Twisted
        if length != 0:
            self._has_body = True
            self.requestHeaders.removeHeader(b"expect")  # the client is not told to go on
            cast("ITransport", self.channel.transport).write(_BODY_REFUSED)
            self.channel.loseConnection()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Drop what has come already."""

    def process(self) -> None:
        """Carry out nothing that was refused."""
        if not self._has_body:
            super().process()  # type: ignore[no-untyped-call] # of Twisted


class _Channel(http.HTTPChannel):
    """Gives each request head the time of an idle connection, a minute: bytes that trickle in do not make it longer."""

    left: Callable[[], None] | None = None
    """Called when the connection ends."""

    def resetTimeout(self) -> None:  # noqa: N802 -- Twisted's name
        """Let the time go on that began with the connection, or after the last request."""

    def checkPersistence(self, request: Request, version: bytes) -> bool:  # noqa: N802 -- Twisted's name
        """Drop requests that do not wait for the answer to this one, and close the connection after it.

        Twisted would answer all of them in one turn of the reactor: a few clients would stop the tables for minutes.
        """
        if self.clearLineBuffer():  # type: ignore[no-untyped-call] # of Twisted
            request.requestHeaders.setRawHeaders(b"connection", [b"close"])
        return bool(super().checkPersistence(request, version))  # type: ignore[no-untyped-call] # of Twisted

    def requestDone(self, request: Request) -> None:  # noqa: N802 -- Twisted's name
        """Bound the time in which the client takes the last answer."""
        super().requestDone(request)  # type: ignore[no-untyped-call] # of Twisted
        if not self.persistent:
            self.setTimeout(_LAST_ANSWER_S)  # type: ignore[no-untyped-call] # of Twisted

    def timeoutConnection(self) -> None:  # noqa: N802 -- Twisted's name
        """End a connection without a request at the end of its time; one that is closing is closed at once."""
        if self.persistent:
            super().timeoutConnection()  # type: ignore[no-untyped-call] # of Twisted
        else:
            self.forceAbortClient()  # type: ignore[no-untyped-call] # of Twisted

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 -- Twisted's name
        """End what the connection has begun."""
        if self.left is not None:
            self.left()
        super().connectionLost(reason)  # type: ignore[no-untyped-call] # of Twisted


class _QuietSite(Site):
    """Writes no log line for every probe. A connection beyond the bounds is closed at once."""

    noisy = False
    protocol = _Channel  # type: ignore[assignment]  # Twisted wraps its own for HTTP/2, which needs TLS
    requestFactory = _BodilessRequest  # noqa: N815 -- Twisted's name

    def __init__(self, resource: Resource, bounds: OperationsBounds | None) -> None:
        super().__init__(resource)  # type: ignore[no-untyped-call]  # Twisted's Site has no types
        self._bounds = bounds

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802 -- Twisted's name
        """Make a channel for a connection; none if there are too many."""
        if self._bounds is None:
            return super().buildProtocol(addr)  # type: ignore[no-untyped-call]  # of Twisted
        host = host_of(addr)
        if not self._bounds.enter(host):
            return None
        channel: Any = super().buildProtocol(addr)  # type: ignore[no-untyped-call]  # of Twisted
        channel.left = partial(self._bounds.leave, host)
        return channel

    def log(self, request: http.Request) -> None:
        """Ignore the access log that Twisted writes here."""


class _Operations(Resource):
    isLeaf = True  # noqa: N815 -- Twisted's name

    def __init__(
        self,
        metrics: Metrics,
        ready: Callable[[], list[str]],
        operator: OperatorPages | None,
        hosts: TrustedHosts,
        *,
        bounds: OperationsBounds | None,
        console: Resource | None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Twisted's Resource has no types
        self._metrics = metrics
        self._ready = ready
        self._operator = operator
        self._hosts = hosts
        self._bounds = bounds
        self._console = console
        self._pages: dict[bytes, Callable[[], HttpAnswer]] = {
            b"/livez": self._livez,
            b"/readyz": self._readyz,
            b"/metrics": self._metrics_text,
        }

    def render(self, request: Request) -> bytes | int:
        """Answer a request."""
        path = request.path
        is_file = self._console is not None and (path == _CONSOLE[0] or path.startswith(_CONSOLE[1]))
        if path not in _PROBES:
            host = host_of(request.getClientAddress())
            is_ours = self._hosts.allow(request.getHeader("host"))
            if not (is_file and is_ours) and self._bounds is not None and not self._bounds.allow(host):
                return _begun(request, _TOO_MANY)
            if not is_ours:
                _log.info("operator.refused", code="host_refused", path=legible(path.decode("latin-1")))
                return _begun(request, _HOST_REFUSED)
        if is_file:
            return self._file(request)
        if self._operator is None or not self._operator.owns(request.path):
            return _begun(request, self._answer(request))
        gone = False

        def left(_: Failure) -> None:
            nonlocal gone
            gone = True

        def finish(answer: HttpAnswer) -> None:
            if not gone:
                request.write(_begun(request, answer))
                request.finish()

        request.notifyFinish().addErrback(left)
        self._operator.answer(request).addCallback(finish)
        return NOT_DONE_YET

    def _answer(self, request: Request) -> HttpAnswer:
        page = self._pages.get(request.path)
        if page is None:
            return HttpAnswer(status=http.NOT_FOUND, content_type="text/plain", body=b"not found\n")
        return page() if request.method in _READING else _READING_ONLY

    def _file(self, request: Request) -> bytes:
        assert self._console is not None
        if request.method not in _READING:
            return _begun(request, _READING_ONLY)
        body: bytes = self._console.render(request)
        return body

    @staticmethod
    def _livez() -> HttpAnswer:
        # the reactor turns, or this would not run
        return HttpAnswer(status=http.OK, content_type="text/plain", body=b"ok\n")

    def _readyz(self) -> HttpAnswer:
        reasons = self._ready()
        return HttpAnswer(
            status=http.SERVICE_UNAVAILABLE if reasons else http.OK,
            content_type="application/json",
            body=json.dumps({"ready": not reasons, "reasons": reasons}).encode() + b"\n",
        )

    def _metrics_text(self) -> HttpAnswer:
        return HttpAnswer(
            status=http.OK, content_type=self._metrics.content_type, body=self._metrics.exposition()
        )


def _begun(request: Request, answer: HttpAnswer) -> bytes:
    """Set status and headers; return the body to send."""
    request.setResponseCode(answer.status)
    headers = {
        "content-type": answer.content_type,
        "content-length": str(len(answer.body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "server": "pokerroom",
        **answer.headers,
    }
    for name, value in headers.items():
        request.setHeader(name, value)
    return b"" if request.method == b"HEAD" else answer.body
