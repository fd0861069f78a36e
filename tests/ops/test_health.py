"""The operations port, driven through Twisted's own HTTP server over a transport in memory."""

import json

import pytest
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from pokerroom.ops.health import make_ops_site
from pokerroom.ops.metrics import Metrics
from tests.ops.fake_rooms import OPERATOR, Asked, FakeRoom, operator_site


def ask(request, reasons=()):
    """Sends one HTTP/1.1 request line to the site; answers status, headers and body."""
    site = make_ops_site(Metrics(), lambda: list(reasons))
    channel, transport = site.buildProtocol(None), StringTransport()
    channel.makeConnection(transport)
    channel.dataReceived(request.encode() + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
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


@pytest.mark.parametrize(
    "length", ["Content-Length: 5", "Content-Length: 314572800", "Transfer-Encoding: chunked"]
)
@pytest.mark.parametrize("line", ["POST /v1/tables/one/close", "GET /metrics", "POST /nothing"])
def test_no_request_has_a_body(line, length):
    """It is refused by its head, before any of it is kept; nothing is carried out."""
    room = FakeRoom()
    channel, transport = operator_site(room).buildProtocol(None), StringTransport()
    channel.makeConnection(transport)
    authorization = OPERATOR["Authorization"]
    head = f"{line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {authorization}\r\n{length}\r\n"
    head += "Expect: 100-continue\r\n\r\n"
    channel.dataReceived(head.encode() + b"12345")
    channel.dataReceived(b"x" * 1_000)
    assert transport.value().startswith(b"HTTP/1.1 413 ")
    assert transport.value().count(b"HTTP/1.1") == 1
    assert (transport.disconnecting, room.asked) == (True, [])


def test_a_slow_head_has_a_minute_in_all():
    """Bytes that trickle in do not make it longer, else strangers would hold all descriptors of the process."""
    clock, transport = Clock(), StringTransport()
    site = make_ops_site(Metrics(), list)
    site.reactor = clock
    channel = site.buildProtocol(None)
    channel.makeConnection(transport)
    for request in range(2):
        assert not transport.disconnecting, request
        for letter in b"GET /livez HTTP/1.1\r\nHost: me\r\n\r\n":
            clock.advance(1)
            channel.dataReceived(bytes([letter]))
    assert transport.value().count(b"200 OK") == 2
    for _ in range(60):
        channel.dataReceived(b"x")
        clock.advance(1)
    assert transport.disconnecting
    transport.abortConnection()
    channel.connectionLost(ConnectionDone())
    assert clock.getDelayedCalls() == []


@pytest.mark.parametrize("path", ["/livez", "/v1/tables"])
def test_requests_that_do_not_wait_for_an_answer_are_dropped(path):
    """One is answered, and the connection ends: else all of them would be answered in one turn of the reactor."""
    room = FakeRoom()
    channel, transport = operator_site(room).buildProtocol(None), StringTransport()
    channel.makeConnection(transport)
    authorization = OPERATOR["Authorization"]
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {authorization}\r\n\r\n".encode()
    channel.dataReceived(request)
    assert not transport.disconnecting
    channel.dataReceived(request * 1_000)
    assert transport.value().count(b"200 OK") == 2
    assert transport.value().lower().count(b"connection: close") == 1
    assert transport.disconnecting


def test_a_client_has_a_minute_to_take_the_last_answer():
    """Else it would hold its connection for ever by reading nothing."""
    clock, transport = Clock(), StringTransport()
    site = make_ops_site(Metrics(), list)
    site.reactor = clock
    channel = site.buildProtocol(None)
    channel.makeConnection(transport)
    channel.dataReceived(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert transport.disconnecting
    clock.advance(60)
    assert transport.disconnected
    channel.connectionLost(ConnectionDone())
    assert clock.getDelayedCalls() == []


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", None])
def test_a_page_that_names_this_machine_as_its_own_is_not_answered(host):
    """Its requests have its own name as `Host` (DNS rebinding). A probe may name what it likes."""
    for path in ("/metrics", "/v1/tables", "/nothing"):
        status, error = Asked(f"GET {path}", FakeRoom(), {"Host": host}).json
        assert (status, error["code"]) == (403, "host_refused")
    assert Asked("GET /livez", FakeRoom(), {"Host": host}).answer[0] == 200
    assert Asked("GET /readyz", FakeRoom(), {"Host": host}).answer[0] == 200


def test_probes_and_scrapers_need_no_token():
    """They tell sums without a name."""
    for path in ("/livez", "/readyz", "/metrics"):
        assert Asked(f"GET {path}", FakeRoom(), {"Authorization": None}).answer[0] == 200


@pytest.mark.parametrize("path", ["/", "/livez/", "/livez/x", "/metricsx", "//metrics", "/%2e%2e/metrics"])
def test_other_paths_are_not_found(path):
    """There are three pages and nothing else, and the server does not say what it is made of."""
    status, headers, _ = ask(f"GET {path}")
    assert (status, headers["server"]) == (404, "pokerroom")
