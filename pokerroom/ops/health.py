"""The operations port: is the process alive, may it get players, what are its metrics. For operators and
probes.

Knows nothing of what readiness depends on: a function answers the reasons against it.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from pokerroom.ops.metrics import Metrics

_Answer = tuple[int, str, bytes]


def make_ops_site(metrics: Metrics, ready: Callable[[], list[str]]) -> Site:
    """The site to listen with. `ready` answers why the room should get no players now; empty when it may."""
    return _QuietSite(_Operations(metrics, ready))  # type: ignore[no-untyped-call]  # Twisted's Site has no types


class _QuietSite(Site):
    """No line in the log for every probe."""

    noisy = False

    def log(self, request: http.Request) -> None:
        """Twisted writes its access log here."""


class _Operations(Resource):
    isLeaf = True  # noqa: N815 -- Twisted's name

    def __init__(self, metrics: Metrics, ready: Callable[[], list[str]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Twisted's Resource has no types
        self._metrics = metrics
        self._ready = ready
        self._pages: dict[bytes, Callable[[], _Answer]] = {
            b"/livez": self._livez,
            b"/readyz": self._readyz,
            b"/metrics": self._metrics_text,
        }

    def render(self, request: Request) -> bytes:
        """Every request ends here."""
        code, content_type, body = self._answer(request)
        request.setResponseCode(code)
        request.setHeader(b"content-type", content_type.encode())
        request.setHeader(b"content-length", b"%d" % len(body))
        request.setHeader(b"cache-control", b"no-store")
        request.setHeader(b"server", b"pokerroom")
        return b"" if request.method == b"HEAD" else body

    def _answer(self, request: Request) -> _Answer:
        page = self._pages.get(request.path)
        if page is None:
            return http.NOT_FOUND, "text/plain", b"not found\n"
        if request.method not in {b"GET", b"HEAD"}:
            request.setHeader(b"allow", b"GET, HEAD")
            return http.NOT_ALLOWED, "text/plain", b"GET and HEAD only\n"
        return page()

    @staticmethod
    def _livez() -> _Answer:
        return http.OK, "text/plain", b"ok\n"  # to have come here the reactor has turned

    def _readyz(self) -> _Answer:
        reasons = self._ready()
        code = http.SERVICE_UNAVAILABLE if reasons else http.OK
        return (
            code,
            "application/json",
            json.dumps({"ready": not reasons, "reasons": reasons}).encode() + b"\n",
        )

    def _metrics_text(self) -> _Answer:
        return http.OK, self._metrics.content_type, self._metrics.exposition()
