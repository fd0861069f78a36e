"""The operations port: is the process alive, may it get players, what are its metrics, and the operator's pages.

Knows nothing of what readiness depends on: a function answers the reasons against it. What an operator may ask is in
`operator`.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from pokerroom.ops.answers import Answer
from pokerroom.ops.metrics import Metrics
from pokerroom.ops.operator import OperatorPages


def make_ops_site(
    metrics: Metrics, ready: Callable[[], list[str]], operator: OperatorPages | None = None
) -> Site:
    """The site to listen with. `ready` answers why the room should get no players now; empty when it may.

    Without `operator` there are no pages of his.
    """
    return _QuietSite(_Operations(metrics, ready, operator))  # type: ignore[no-untyped-call]  # Twisted's Site has no types


class _QuietSite(Site):
    """No line in the log for every probe."""

    noisy = False

    def log(self, request: http.Request) -> None:
        """Twisted writes its access log here."""


class _Operations(Resource):
    isLeaf = True  # noqa: N815 -- Twisted's name

    def __init__(
        self, metrics: Metrics, ready: Callable[[], list[str]], operator: OperatorPages | None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Twisted's Resource has no types
        self._metrics = metrics
        self._ready = ready
        self._operator = operator
        self._pages: dict[bytes, Callable[[], Answer]] = {
            b"/livez": self._livez,
            b"/readyz": self._readyz,
            b"/metrics": self._metrics_text,
        }

    def render(self, request: Request) -> bytes | int:
        """Every request ends here."""
        if self._operator is None or not self._operator.owns(request.path):
            return _begun(request, self._answer(request))
        gone = False

        def left(_: Failure) -> None:
            nonlocal gone
            gone = True

        def finish(answer: Answer) -> None:
            if not gone:
                request.write(_begun(request, answer))
                request.finish()

        request.notifyFinish().addErrback(left)
        self._operator.answer(request).addCallback(finish)
        return NOT_DONE_YET

    def _answer(self, request: Request) -> Answer:
        page = self._pages.get(request.path)
        if page is None:
            return Answer(status=http.NOT_FOUND, content_type="text/plain", body=b"not found\n")
        if request.method not in {b"GET", b"HEAD"}:
            return Answer(
                status=http.NOT_ALLOWED,
                content_type="text/plain",
                body=b"GET and HEAD only\n",
                headers={"allow": "GET, HEAD"},
            )
        return page()

    @staticmethod
    def _livez() -> Answer:
        # to have come here the reactor has turned
        return Answer(status=http.OK, content_type="text/plain", body=b"ok\n")

    def _readyz(self) -> Answer:
        reasons = self._ready()
        return Answer(
            status=http.SERVICE_UNAVAILABLE if reasons else http.OK,
            content_type="application/json",
            body=json.dumps({"ready": not reasons, "reasons": reasons}).encode() + b"\n",
        )

    def _metrics_text(self) -> Answer:
        return Answer(
            status=http.OK, content_type=self._metrics.content_type, body=self._metrics.exposition()
        )


def _begun(request: Request, answer: Answer) -> bytes:
    """Sets status and headers; returns the body to send."""
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
