"""The other nodes of the room, as the operator's pages of one of them need them: who has a table, and asking there.

What is known of the nodes comes from the directory; what only a node itself knows is asked at its operations port.
Knows no table.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any, Final, Protocol

import msgspec
import structlog
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.internet.protocol import Protocol as Receiver
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.client import Agent, ResponseDone, ResponseFailed
from twisted.web.http_headers import Headers

from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.reports import FORWARDED_HEADER, OPERATOR_HEADER, NodeReport, OrderRefused, TableReport

ANSWER_S: Final = 8.0
"""Another node is waited for so long; less than the operator's own patience."""

_AWAY = (OSError, ConnectError, ConnectionClosed, ResponseFailed)  # a TimeoutError is an OSError

_log = structlog.get_logger()


class Ask(Protocol):
    """Sends a request without a body to `host:port`."""

    def __call__(
        self, address: str, method: str, path: str, headers: Mapping[str, str]
    ) -> Deferred[tuple[int, bytes]]:
        """Status and body of the answer. Fails as connections do, and with `TimeoutError`."""


class Neighbours:
    """`known` is what is known of all nodes, the own one among them, in the order of their names."""

    def __init__(self, known: Callable[[], list[NodeReport]], ask: Ask) -> None:
        self._known = known
        self._ask = ask

    def nodes(self) -> list[NodeReport]:
        """All nodes, also those that live no more and are not forgotten yet."""
        return self._known()

    def owner(self, table: str) -> NodeReport | None:
        """The living node that says that the table lives there."""
        return next((node for node in self._known() if node.living and table in node.tables), None)

    async def tables(self) -> dict[str, TableReport]:
        """The tables of all other living nodes, as these tell them; who does not answer is left out."""
        asked = [
            self._tables_of(node) for node in self._known() if node.living and not node.here and node.ops
        ]
        found = await DeferredList([Deferred.fromCoroutine(one) for one in asked])
        return {table.table: table for _, tables in found for table in tables}

    async def passed_on(self, table: str, path: str, *, again: bool) -> HttpAnswer:
        """What the owner of a table that is not here answers. `again`: it was passed on to this node already.

        Raises `OrderRefused`.
        """
        owner = self.owner(table)
        if owner is None or owner.here:
            raise OrderRefused("table_unowned", "No node has the table at the moment; ask again.")
        if again:
            raise OrderRefused(
                "table_elsewhere", f"The table lives at node {owner.node} ({owner.ops}); ask again."
            )
        status, body = await self.forward(owner, path)
        return HttpAnswer(status=status, content_type="application/json", body=body)

    async def forward(self, owner: NodeReport, path: str) -> tuple[int, bytes]:
        """Asks the owner to do what was asked here; what it answers. Raises `OrderRefused`."""
        try:
            if not owner.ops:
                raise ConnectionError("its address is not known")
            return await self._ask(owner.ops, "POST", path, {**self._passed_on(), OPERATOR_HEADER: "1"})
        except _AWAY as error:
            reason = str(error) or type(error).__name__
            raise OrderRefused(
                "node_unreachable",
                f"It lives at node {owner.node} ({owner.ops}), which has not answered; it may have heard: {reason}",
            ) from error

    def target(self, table: str, node: str | None) -> str:
        """The node where a table is to move: `node`, or else the one with the fewest tables. Raises `OrderRefused`."""
        known, owner = self._known(), self.owner(table)
        if node is not None:
            wanted = next((one for one in known if one.node == node), None)
            if wanted is None or not wanted.living:
                raise OrderRefused("unknown_node", "No node of this name lives.")
            if wanted.draining:
                raise OrderRefused("node_draining", "That node is about to end.")
            if owner is not None and owner.node == node:
                raise OrderRefused("already_there", "The table lives at that node.")
            return node
        others = [one for one in known if one.living and not one.draining and one != owner]
        if not others:
            raise OrderRefused("no_other_node", "There is no other node that takes tables.")
        return min(others, key=lambda one: (len(one.tables), one.node)).node

    async def _tables_of(self, node: NodeReport) -> list[TableReport]:
        try:
            status, body = await self._ask(node.ops, "GET", "/tables", self._passed_on())
            tables = msgspec.json.decode(body, type=list[TableReport]) if status == 200 else []
        except (*_AWAY, msgspec.DecodeError) as error:
            _log.warning("operator.node_unreachable", node=node.node, error=type(error).__name__)
            return []
        return [table for table in tables if table.node == node.node]  # the address may be another's by now

    def _passed_on(self) -> dict[str, str]:
        return {FORWARDED_HEADER: next((node.node for node in self._known() if node.here), "unknown")}


def http_ask(reactor: Any) -> Ask:
    """Asks over HTTP, a new connection each time, and waits `ANSWER_S`."""
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


def told_address(host: str, port: int) -> str:
    """Where other nodes reach an operations port that listens on `host`, as `host:port`.

    One that listens on every address is named by the machine; one of this machine only is reached from here alone.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return f"{host}:{port}"
    if address.is_unspecified:
        return f"{socket.getfqdn()}:{port}"
    return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
