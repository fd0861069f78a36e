"""A room as its operator sees it, without one, and requests to the operations port over a transport in memory."""

import json

from twisted.internet.defer import Deferred, succeed
from twisted.internet.testing import StringTransport

from pokerroom.ops.health import make_ops_site
from pokerroom.ops.metrics import Metrics
from pokerroom.ops.reports import AccountTimeouts, TableReport

OPERATOR = {"X-Pokerroom-Operator": "1"}


class FakeRoom:
    """`Operated` with two tables; `asked` is what came. `waits` holds the answers of `timeouts` back."""

    def __init__(self):
        self.asked = []
        self.waits: Deferred | None = None

    def tables(self):
        common = {"seats": 6, "waiting": 0}
        return [
            TableReport(
                table="one", name="Table [bold]Ünö", state="betting", closing=False, hand_id="h7",
                occupied=5, connected=4, crashes=0, frozen=None, **common,
            ),
            TableReport(
                table="two", name="Table two", state="frozen", closing=True, hand_id=None,
                occupied=2, connected=0, crashes=3, frozen="AssertionError", **common,
            ),
        ]  # fmt: skip

    def close(self, table):
        return self._known("close", table)

    def open(self, table):
        return self._known("open", table)

    def _known(self, what, table):
        self.asked.append((what, table))
        return table in {"one", "two"}

    def timeouts(self):
        counts = [AccountTimeouts(account=12, name="alice", today=2, total=31)]
        return succeed(counts) if self.waits is None else self.waits.addCallback(lambda _: counts)


class Asked:
    """One request line, sent to a site of its own."""

    def __init__(self, request, operated, headers=None, reasons=()):
        site = make_ops_site(Metrics(), lambda: list(reasons), operated)
        self.channel, self.transport = site.buildProtocol(None), StringTransport()
        self.channel.makeConnection(self.transport)
        lines = [f"{request} HTTP/1.1", "Host: x", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.channel.dataReceived("\r\n".join([*lines, "", ""]).encode())

    @property
    def answered(self):
        """Whether anything came back."""
        return bool(self.transport.value())

    @property
    def answer(self):
        """Status, headers and body."""
        head, _, body = self.transport.value().partition(b"\r\n\r\n")
        status, *headers = head.decode().split("\r\n")
        return int(status.split()[1]), dict(line.lower().split(": ", 1) for line in headers), body

    @property
    def json(self):
        """Status and decoded body, of an answer that is JSON."""
        status, headers, body = self.answer
        assert headers["content-type"] == "application/json"
        assert int(headers["content-length"]) == len(body)
        return status, json.loads(body)
