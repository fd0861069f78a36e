"""A room as its operator sees it, without one, and requests to the operations port over a transport in memory."""

import json
from functools import partial

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.testing import StringTransport

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operators import Operator, OperatorRow, Role, operator_token_hash
from pokerroom.ops.health import make_ops_site
from pokerroom.ops.metrics import Metrics
from pokerroom.ops.minute_series import MinuteSeries
from pokerroom.ops.neighbours import Neighbours
from pokerroom.ops.node_passes import NodePasses
from pokerroom.ops.operator_access import OperatorAccess
from pokerroom.ops.operator_pages import OperatorPages
from pokerroom.ops.order_keys import OrderKeys
from pokerroom.ops.order_log import OrderLog
from pokerroom.ops.reports import (
    Accepted,
    AccountTimeouts,
    NodeReport,
    OrderRefused,
    SeatReport,
    TableDetail,
    TableReport,
)
from pokerroom.table.seal import Seal

METRICS = Metrics()
NOW_MS = 1_700_000_000_000
SEAL = Seal(bytes(32))


def token(role):
    """The header with the token of the operator `role-1`."""
    return {"Authorization": f"Bearer {role}-token"}


OPERATOR = token("admin")


class FakeTokens:
    """A `TokenLookup` that knows one operator for each role; it fails with `failure`."""

    failure: Exception | None = None

    def find_operator(self, token_hash):
        if self.failure is not None:
            return fail(self.failure)
        rows = {
            operator_token_hash(f"{role}-token"): OperatorRow(
                name=f"{role}-1", role=role, created_ms=0, expires_ms=None, is_revoked=False
            )
            for role in Role
        }
        return succeed(rows.get(token_hash))


def passes(name, seal=SEAL, now_ms=NOW_MS):
    """The passes of a node of this name."""
    return NodePasses(name, partial(seal.close, about="t"), partial(seal.open, about="t"), lambda: now_ms)


ANN = Operator("ann", Role.ADMIN)


def forwarded(method, path, operator=ANN, receiver="n1", **changes):
    """The header with a pass of the node n2."""
    issued = passes("n2", **changes).issue(operator, receiver, method, path)
    return {"Authorization": f"Pokerroom-Node {issued}"}


SEATS = (
    SeatReport(
        seat=2, name="[bold]Ünö", status="playing", connected=True, bot=False, stack=9_950, bet=50,
        in_hand=True, acts=True,
    ),
    SeatReport(
        seat=5, name="Bot.Ada", status="sitting_out", connected=False, bot=True, stack=None, bet=0,
        in_hand=False, acts=False,
    ),
)  # fmt: skip


class FakeRoom:
    """A `TablesPort` with three tables, two of them here; `asked` is what came.

    `waits` holds the answers of `timeouts` back; `refuses` is the code with which it refuses everything, if any.
    """

    def __init__(self):
        self.asked = []
        self.refuses: str | None = None
        self.waits: Deferred | None = None

    def tables(self):
        common = {"seats": 6, "waiting": 0}
        return [
            TableReport(
                table="one", node="n1", name="Table [bold]Ünö", state="betting", closing=False, hand_id="h7",
                occupied=5, connected=4, crashes=0, frozen=None, **common,
            ),
            TableReport(
                table="two", node="n1", name="Table two", state="frozen", closing=True, hand_id=None,
                occupied=2, connected=0, crashes=3, frozen="AssertionError", **common,
            ),
            TableReport(
                table="far", node=None, name="Table far", state="elsewhere", closing=False, hand_id=None,
                occupied=0, connected=0, crashes=0, frozen=None, **common,
            ),
        ]  # fmt: skip

    def detail(self, table):
        here = {report.table: report for report in self.tables() if report.node is not None}
        if table not in here:
            known = any(report.table == table for report in self.tables())
            return fail(OrderRefused("table_elsewhere" if known else "unknown_table", "Not here."))
        return succeed(TableDetail(report=here[table], seats=SEATS, pot=450))

    def order(self, table, asked, node):
        self.asked.append((asked, table) if node is None else (asked, table, node))
        if table not in {"one", "two", "far"}:
            return fail(OrderRefused("unknown_table", "There is no such table."))
        if table == "far":
            return fail(OrderRefused("table_elsewhere", "The table does not live at this node."))
        if self.refuses is not None:
            return fail(OrderRefused(self.refuses, "Not now."))
        return succeed(
            Accepted(table=table, asked=asked, node=node, hand_id="h7" if asked == "void" else None)
        )

    def queries(self):
        return {"timeouts": self.timeouts}

    def timeouts(self):
        counts = [AccountTimeouts(account=12, name="alice", today=2, total=31)]
        return succeed(counts) if self.waits is None else self.waits.addCallback(lambda _: counts)


def node(name, *tables, **changes):
    """A node as the directory knows it."""
    facts = {
        "here": name == "n1", "living": True, "leader": name == "n1", "draining": False, "suspended": False,
        "seats": 7, "ops": f"{name}:4192", "uptime_s": 3_725,
    }  # fmt: skip
    return NodeReport(node=name, tables=tables, **{**facts, **changes})


class FakeRooms:
    """The other nodes: `asked` is what they were asked, `answers` what they answer by address (or an exception)."""

    def __init__(self, *nodes):
        self.known = list(nodes)
        self.asked = []
        self.answers = {}
        self.neighbours = Neighbours(lambda: self.known, self.ask, passes("n1"))

    def ask(self, address, method, path, headers):
        scheme, _, issued = headers["Authorization"].partition(" ")
        assert (scheme, len(headers)) == ("Pokerroom-Node", 1)
        operator = passes(address.partition(":")[0]).take(issued, method, path)
        self.asked.append((address, method, path, operator.name))
        answer = self.answers.get(address, ConnectionRefusedError("nobody there"))
        return fail(answer) if isinstance(answer, Exception) else succeed(answer)


def counted_minutes(*hands, node="n1"):
    """What a node counted in the minutes before `NOW_MS`: so many hands in each, at 5 connections."""
    metrics, clock = Metrics(), [NOW_MS - (len(hands) + 1) * 60_000]
    series = MinuteSeries(node, lambda: metrics.reading(clock[0], seats=2), lambda: clock[0])
    for _ in range(5):
        metrics.connection_opened("tcp")
    series.look()
    for dealt in (0, *hands):
        clock[0] += 60_000
        for _ in range(dealt):
            metrics.hand()
        series.look()
    return series


def operator_site(operated, rooms=None, reasons=(), **parts):
    """The operations port of a node named n1, alone unless `rooms` says otherwise."""
    rooms = rooms or FakeRooms(node("n1", "one", "two"))
    ledger = parts.pop("log", None) or MemoryLedger()
    bounds, console = parts.pop("bounds", None), parts.pop("console", None)
    access = OperatorAccess(parts.pop("tokens", None) or FakeTokens(), passes("n1"))
    pages = (
        None
        if operated is None
        else OperatorPages(
            access,
            operated,
            rooms.neighbours,
            orders=OrderLog(ledger),
            keys=OrderKeys(ledger),
            now=lambda: METRICS.now("n1", NOW_MS, reasons),
            charts=(parts.pop("minutes", None) or counted_minutes()).charts,
            drain=parts.pop("drain", lambda: operated.asked.append(("drain", "n1"))),
            **parts,
        )
    )
    return make_ops_site(METRICS, lambda: list(reasons), pages, bounds=bounds, console=console)


class Asked:
    """One request line, sent to a site of its own by an admin, unless `headers` say otherwise."""

    def __init__(self, request, operated, headers=None, reasons=(), rooms=None, **parts):
        site = operator_site(operated, rooms, reasons, **parts)
        self.channel, self.transport = site.buildProtocol(None), StringTransport()
        self.channel.makeConnection(self.transport)
        lines = [f"{request} HTTP/1.1"]
        sent = {"Host": "localhost", "Connection": "close", **token("admin"), **(headers or {})}
        lines += [f"{name}: {value}" for name, value in sent.items() if value is not None]
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
