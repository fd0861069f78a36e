"""The operations port: whether the process is alive, whether it may get players, its metrics, and the operator's pages.

A function returns the reasons against readiness; this module does not know what they depend on. `operator_pages` holds
the operator's pages.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.metrics import Metrics
from pokerroom.ops.operator_pages import OperatorPages


def make_ops_site(
    metrics: Metrics, ready: Callable[[], list[str]], operator: OperatorPages | None = None
) -> Site:
    """Make the site to listen with. `ready` returns why the room should get no players now; empty if it may.

    Without `operator` there are no operator's pages.
    """
    return _QuietSite(_Operations(metrics, ready, operator))  # type: ignore[no-untyped-call]  # Twisted's Site has no types


class _QuietSite(Site):
    """Writes no log line for every probe."""

    noisy = False

    def log(self, request: http.Request) -> None:
        """Ignore the access log that Twisted writes here."""


class _Operations(Resource):
    isLeaf = True  # noqa: N815 -- Twisted's name

    def __init__(
        self, metrics: Metrics, ready: Callable[[], list[str]], operator: OperatorPages | None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Twisted's Resource has no types
        self._metrics = metrics
        self._ready = ready
        self._operator = operator
        self._pages: dict[bytes, Callable[[], HttpAnswer]] = {
            b"/livez": self._livez,
            b"/readyz": self._readyz,
            b"/metrics": self._metrics_text,
        }

    def render(self, request: Request) -> bytes | int:
        """Answer a request."""
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
        if request.method not in {b"GET", b"HEAD"}:
            return HttpAnswer(
                status=http.NOT_ALLOWED,
                content_type="text/plain",
                body=b"GET and HEAD only\n",
                headers={"allow": "GET, HEAD"},
            )
        return page()

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
