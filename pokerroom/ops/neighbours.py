"""The other nodes of the room, for the operator's pages of one node: which node owns a table, and how to ask that node.

What is known of the nodes comes from the directory; what a node alone knows is asked at its operations port. Knows no
table.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, Final, Protocol, TypeVar

import msgspec
import structlog
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.internet.protocol import Protocol as Receiver
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.client import Agent, ResponseDone, ResponseFailed
from twisted.web.http_headers import Headers

from pokerroom.ledger.operators import Operator
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.minute_series import fits
from pokerroom.ops.node_passes import SCHEME, NodePasses
from pokerroom.ops.operator_commands import API
from pokerroom.ops.reports import NodeCharts, NodeNow, NodeReport, OrderRefused, TableReport

N = TypeVar("N", NodeNow, NodeCharts)
T = TypeVar("T")

ANSWER_S: Final = 8.0
"""Another node's answer is waited for this long; less than the operator's client waits."""

_AWAY = (OSError, ConnectError, ConnectionClosed, ResponseFailed)  # a TimeoutError is an OSError

_log = structlog.get_logger()


class Ask(Protocol):
    """Sends a request without a body to `host:port`."""

    def __call__(
        self, address: str, method: str, path: str, headers: Mapping[str, str]
    ) -> Deferred[tuple[int, bytes]]:
        """Return status and body of the answer. Fails as connections do, and with `TimeoutError`."""


class Neighbours:
    """`known` returns what is known of all nodes, this one among them, in the order of their names.

    A request to another node carries the operator who asks, in a pass.
    """

    def __init__(self, known: Callable[[], list[NodeReport]], ask: Ask, passes: NodePasses) -> None:
        self._known = known
        self._ask = ask
        self._passes = passes

    def nodes(self) -> list[NodeReport]:
        """Return all nodes, also those that live no longer and are not forgotten yet."""
        return self._known()

    def owner(self, table: str) -> NodeReport | None:
        """Return the living node that reports the table, or the tournament, as its own."""
        return next(
            (
                node
                for node in self._known()
                if node.living and (table in node.tables or table in node.tournaments)
            ),
            None,
        )

    async def tables(self, operator: Operator) -> dict[str, TableReport]:
        """Return the tables of all other living nodes, as these report them; a node that does not
        answer is left out.
        """
        found = await self._all(f"{API}/tables", list[TableReport], operator)
        return {
            table.table: table
            for node, tables in found
            for table in tables
            if table.node == node.node  # the address may be another's by now
        }

    async def now(self, operator: Operator) -> list[NodeNow]:
        """Return what all other living nodes tell of themselves; a node that does not answer is left out."""
        return await self._of_themselves(f"{API}/now", list[NodeNow], operator)

    async def charts(self, operator: Operator, minutes: int, own: NodeCharts) -> list[NodeCharts]:
        """Return what all other living nodes have counted in the time and the steps of this node's `own`.

        A node is left out that does not answer, or tells numbers that do not fit `own`, as with a clock that is wrong.
        """
        path = f"{API}/charts?minutes={minutes}&step={own.step}"
        return await self._of_themselves(path, list[NodeCharts], operator, lambda told: fits(told, own))

    async def _of_themselves(
        self,
        path: str,
        expected: type[list[N]],
        operator: Operator,
        fits: Callable[[N], bool] = lambda _: True,
    ) -> list[N]:
        told = []
        for node, answer in await self._all(path, expected, operator):
            for one in answer:
                if one.node != node.node:  # the address may be another's by now
                    continue
                if fits(one):
                    told.append(one)
                else:
                    _log.warning("operator.node_does_not_fit", node=node.node)
        return told

    async def _all(self, path: str, expected: type[T], operator: Operator) -> list[tuple[NodeReport, T]]:
        """Return the answers of all other living nodes that answer."""
        asked = [node for node in self._known() if node.living and not node.here and node.ops]
        answers = await DeferredList(
            [Deferred.fromCoroutine(self._asked(node, path, expected, operator)) for node in asked]
        )
        return [
            (node, answer) for node, (_, answer) in zip(asked, answers, strict=True) if answer is not None
        ]

    async def passed_on(
        self, table: str, path: str, operator: Operator, *, again: bool, method: str = "POST"
    ) -> HttpAnswer:
        """Pass a request on to the owner of a table, and return its answer. `again`: it was passed on to this node
        already.

        Raises `OrderRefused`.
        """
        owner = self.owner(table)
        if owner is None or owner.here:
            raise OrderRefused("table_unowned", "No node has the table at the moment. Try again.")
        if again:
            raise OrderRefused(
                "table_elsewhere", f"The table lives at node {owner.node} ({owner.ops}). Try again."
            )
        status, body = await self.forward(owner, path, operator, method)
        return HttpAnswer(status=status, content_type="application/json", body=body)

    async def forward(
        self, owner: NodeReport, path: str, operator: Operator, method: str = "POST"
    ) -> tuple[int, bytes]:
        """Send a request to the owner, and return status and body of its answer. Raises `OrderRefused`."""
        try:
            if not owner.ops:
                raise ConnectionError("its address is not known")
            return await self._ask(owner.ops, method, path, self._headers(owner, method, path, operator))
        except _AWAY as error:
            reason = str(error) or type(error).__name__
            raise OrderRefused(
                "node_unreachable",
                f"Node {owner.node} ({owner.ops}), where it lives, did not answer, but may have got the request:"
                f" {reason}",
            ) from error

    def target(self, table: str, node: str | None) -> str:
        """Return the node to which a table moves: `node`, or else the one with the fewest tables. Raises
        `OrderRefused`.
        """
        known, owner = self._known(), self.owner(table)
        if node is not None:
            wanted = next((one for one in known if one.node == node), None)
            if wanted is None or not wanted.living:
                raise OrderRefused(
                    "unknown_node", "There is no living node of this name. See `pokerroom nodes`."
                )
            if wanted.draining:
                raise OrderRefused("node_draining", "That node is ending. Choose another node.")
            if owner is not None and owner.node == node:
                raise OrderRefused("already_there", "The table lives at that node already.")
            return node
        others = [one for one in known if one.living and not one.draining and one != owner]
        if not others:
            raise OrderRefused("no_other_node", "There is no other node that takes tables. Start one first.")
        return min(others, key=lambda one: (len(one.tables), one.node)).node

    async def _asked(self, node: NodeReport, path: str, expected: type[T], operator: Operator) -> T | None:
        """Return a node's answer to a query; None if it does not answer as expected."""
        try:
            status, body = await self._ask(node.ops, "GET", path, self._headers(node, "GET", path, operator))
            return msgspec.json.decode(body, type=expected) if status == 200 else None
        except (*_AWAY, msgspec.DecodeError) as error:
            _log.warning("operator.node_unreachable", node=node.node, error=type(error).__name__)
            return None

    def _headers(self, receiver: NodeReport, method: str, path: str, operator: Operator) -> dict[str, str]:
        issued = self._passes.issue(operator, receiver.node, method, path)
        return {"Authorization": f"{SCHEME} {issued}"}


def http_ask(reactor: Any) -> Ask:
    """Ask over HTTP, with a new connection each time, and wait `ANSWER_S`."""
    agent = Agent(reactor, connectTimeout=ANSWER_S / 2)

    async def asked(address: str, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        sent = Headers({name: [value] for name, value in headers.items()})
        response = await agent.request(method.encode(), f"http://{address}{path}".encode(), sent)
        body = _Body()
        response.deliverBody(body)
        return response.code, await body.whole

    def ask(address: str, method: str, path: str, headers: Mapping[str, str]) -> Deferred[tuple[int, bytes]]:
        def late(_: Any, __: float) -> Failure:
            return Failure(TimeoutError("no answer in time"))

        return Deferred.fromCoroutine(asked(address, method, path, headers)).addTimeout(
            ANSWER_S, reactor, late
        )

    return ask


class _Body(Receiver):
    """Collects the body of an answer."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.whole: Deferred[bytes] = Deferred(self._given_up)

    def _given_up(self, _: Deferred[bytes]) -> None:
        if self.transport is not None:
            self.transport.loseConnection()

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        self._parts.append(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 -- Twisted's name
        if self.whole.called:  # given up meanwhile
            return
        if reason.check(ResponseDone):
            self.whole.callback(b"".join(self._parts))
        else:
            self.whole.errback(reason)


def network_address(host: str) -> str | None:
    """Return the address of this machine in its network, of the family of `host`; None without a network."""
    family, elsewhere = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((elsewhere, 9))  # chooses a route; nothing is sent
        return str(probe.getsockname()[0])
    return None


def told_address(host: str, port: int) -> str:
    """Return where others reach a port that listens on `host`, as `host:port`.

    One that listens on every address is named by the machine; one of this machine only is reached from here alone.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return f"{host}:{port}"
    if address.is_unspecified:
        return f"{socket.getfqdn()}:{port}"
    return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
