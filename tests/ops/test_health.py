"""The operations port, driven through Twisted's own HTTP server over a transport in memory."""

import json

import pytest
from twisted.internet.testing import StringTransport

from pokerroom.ops.health import make_ops_site
from pokerroom.ops.metrics import Metrics


def ask(request, reasons=()):
    """Sends one HTTP/1.1 request line to the site; answers status, headers and body."""
    site = make_ops_site(Metrics(), lambda: list(reasons))
    channel, transport = site.buildProtocol(None), StringTransport()
    channel.makeConnection(transport)
    channel.dataReceived(request.encode() + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    head, _, body = transport.value().partition(b"\r\n\r\n")
    status, *headers = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.lower().split(": ", 1) for line in headers), body


def test_livez_answers_whatever_readiness_says():
    """Being alive does not depend on being ready, else a probe would restart a room that waits for its
    database.
    """
    assert ask("GET /livez", ["no database"])[::2] == (200, b"ok\n")


def test_readyz_is_200_only_without_reasons():
    """With a reason against it the answer is 503, and the reasons are in the body for a person to read."""
    status, headers, body = ask("GET /readyz")
    assert (status, json.loads(body)) == (200, {"ready": True, "reasons": []})
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    status, _, body = ask("GET /readyz", ["ledger: cannot be reached", "draining"])
    assert (status, json.loads(body)) == (
        503,
        {"ready": False, "reasons": ["ledger: cannot be reached", "draining"]},
    )


def test_metrics_are_prometheus_text():
    """The metrics come in Prometheus's own content type."""
    status, headers, body = ask("GET /metrics?x=1")
    assert status == 200
    assert headers["content-type"].startswith("text/plain; version=")
    assert b"pokerroom_hands_total 0.0" in body


def test_head_is_get_without_a_body():
    """HEAD has the length of what GET would send, and sends nothing."""
    status, headers, body = ask("HEAD /readyz", ["draining"])
    assert (status, body) == (503, b"")
    assert int(headers["content-length"]) == len(ask("GET /readyz", ["draining"])[2])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods_are_refused(method):
    """Only GET and HEAD are answered; the rest is told so."""
    status, headers, _ = ask(f"{method} /readyz")
    assert (status, headers["allow"]) == (405, "get, head")


@pytest.mark.parametrize("path", ["/", "/livez/", "/livez/x", "/metricsx", "//metrics", "/%2e%2e/metrics"])
def test_other_paths_are_not_found(path):
    """There are three pages and nothing else, and the server does not say what it is made of."""
    status, headers, _ = ask(f"GET {path}")
    assert (status, headers["server"]) == (404, "pokerroom")
