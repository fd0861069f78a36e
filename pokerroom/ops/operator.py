"""What an operator sees and does over the operations port: tables and nodes, the clock's protection.

    GET  /tables                  what every table of the room is doing
    POST /tables/<id>/close       no new players; the hand in progress is finished, then stacks go to their wallets
    POST /tables/<id>/open        players may come again
    POST /tables/<id>/freeze      the table stops where it is
    POST /tables/<id>/resume      a frozen table goes on
    POST /tables/<id>/void        the hand of a frozen table is void
    POST /tables/<id>/move        the table is given to another node between hands; /move/<node>: to that one
    GET  /nodes                   the nodes of the room
    GET  /timeouts                who was all-in by the clock, how often

Answers are JSON; an error is `{"code": ..., "message": ...}` with a stable code. A web page open in a browser on this
machine can send requests here as well. What changes something therefore needs the header `X-Pokerroom-Operator`: no
page may send it without asking first (a CORS preflight), and that is never granted; nor is a request answered that
names an `Origin`, as browsers do.

Any node answers for the whole room: what is asked of a table that lives elsewhere is passed on to its owner. Knows no
table and no room: `Operated` and `Neighbours` are asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Final, Protocol, cast, get_args

import msgspec
import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web.server import Request

from pokerroom.ledger.api import Ledger, LedgerUnavailable
from pokerroom.ops.neighbours import Neighbours
from pokerroom.ops.reports import (
    FORWARDED_HEADER,
    OPERATOR_HEADER,
    Accepted,
    AccountTimeouts,
    Asked,
    OrderRefused,
    Refused,
    TableReport,
)

_ASKED: Final = get_args(Asked)

_STATUS: Final = {
    "unknown_table": HTTPStatus.NOT_FOUND,
    "unknown_node": HTTPStatus.NOT_FOUND,
    "node_unreachable": HTTPStatus.BAD_GATEWAY,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Of refusals by the room; all others are conflicts with how things stand."""

_log = structlog.get_logger()


class Operated(Protocol):
    """The tables of this node, as their operator needs them."""

    def tables(self) -> list[TableReport]:
        """Every table of the settings, in their order; of one that lives elsewhere only what these say."""

    def order(self, table: str, asked: Asked, node: str | None) -> Deferred[Accepted]:
        """Does it, or sees to it that it is done in the table's own time. `node` is where a table is to move.

        Fails with `OrderRefused`: `unknown_table`, `table_elsewhere` if it does not live here, and as the table does.
        """

    def timeouts(self) -> Deferred[list[AccountTimeouts]]:
        """Every account that was ever protected; see `timeout_counts`. Fails with `LedgerUnavailable`."""


def timeout_counts(ledger: Ledger, today: Mapping[int, int]) -> Deferred[list[AccountTimeouts]]:
    """The report of `Operated.timeouts`: today's uses by account, joined with those of the ledger; most first."""

    async def joined() -> list[AccountTimeouts]:
        total = await ledger.timeout_all_ins(0)
        accounts = sorted(total.keys() | today.keys())
        names = await ledger.account_names(accounts)
        counts = [
            AccountTimeouts(
                account=account,
                name=names[account],
                today=today.get(account, 0),
                total=total.get(account, 0),
            )
            for account in accounts
        ]
        return sorted(counts, key=lambda count: (-count.today, -count.total, count.account))

    return Deferred.fromCoroutine(joined())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer. `headers` are those beyond what every answer of the port has."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class OperatorPages:
    """Answers what is asked below `/tables`, `/nodes` and `/timeouts`."""

    def __init__(self, operated: Operated, neighbours: Neighbours) -> None:
        self._operated = operated
        self._neighbours = neighbours

    @staticmethod
    def owns(path: bytes) -> bool:
        """Whether this path is answered here, if only with a refusal."""
        return path.split(b"/")[1:2] in ([b"tables"], [b"nodes"], [b"timeouts"])

    def answer(self, request: Request) -> Deferred[Answer]:
        """Never fails: a fault of ours is an answer too."""
        return Deferred.fromCoroutine(self._routed(request)).addErrback(_fault)

    async def _routed(self, request: Request) -> Answer:
        if request.getHeader("origin") is not None:
            return _error(HTTPStatus.FORBIDDEN, "origin_refused", "Web pages are not answered here.")
        match request.path.decode("latin-1").split("/")[1:]:
            case ["tables"]:
                return _only(request, "GET, HEAD") or _json(await self._tables(request))
            case ["nodes"]:
                return _only(request, "GET, HEAD") or _json(self._neighbours.nodes())
            case ["timeouts"]:
                return _only(request, "GET, HEAD") or _json(await self._operated.timeouts())
            case ["tables", table, what] if what in _ASKED:
                return _only(request, "POST") or await self._asked(request, table, cast("Asked", what), None)
            case ["tables", table, "move", node]:
                return _only(request, "POST") or await self._asked(request, table, "move", node)
            case _:
                return _error(HTTPStatus.NOT_FOUND, "not_found", "There is no such page.")

    async def _tables(self, request: Request) -> list[TableReport]:
        """Those of all nodes; asked by another node, what is known here."""
        own = self._operated.tables()
        if request.getHeader(FORWARDED_HEADER) is not None:
            return own
        others = await self._neighbours.tables()
        return [table if table.node is not None else self._elsewhere(table, others) for table in own]

    def _elsewhere(self, table: TableReport, others: Mapping[str, TableReport]) -> TableReport:
        if table.table in others:
            return others[table.table]
        owner = self._neighbours.owner(table.table)
        if owner is None or owner.here:  # ours by now: it has come while the others were asked
            return replace(table, state="unowned")
        return replace(table, state="unreachable", node=owner.node)

    async def _asked(self, request: Request, table: str, what: Asked, node: str | None) -> Answer:
        if request.getHeader(OPERATOR_HEADER) != "1":
            return _error(
                HTTPStatus.FORBIDDEN, "operator_header_missing", f"Send the header {OPERATOR_HEADER}: 1."
            )
        try:
            if what == "move" and any(known.table == table for known in self._operated.tables()):
                node = self._neighbours.target(table, node)
            return await self._ordered(request, table, what, node)
        except OrderRefused as refused:
            status = _STATUS.get(refused.refused.code, HTTPStatus.CONFLICT)
            return _json(refused.refused, status)

    async def _ordered(self, request: Request, table: str, what: Asked, node: str | None) -> Answer:
        try:
            accepted = await self._operated.order(table, what, node)
        except OrderRefused as refused:
            if refused.refused.code != "table_elsewhere":
                raise
            return await self._passed_on(request, table, what, node)
        _log.info("operator.asked", what=what, table=table, node=node)
        return _json(accepted, HTTPStatus.ACCEPTED)

    async def _passed_on(self, request: Request, table: str, what: Asked, node: str | None) -> Answer:
        owner = self._neighbours.owner(table)
        if owner is None or owner.here:
            raise OrderRefused("table_unowned", "No node has the table at the moment; ask again.")
        if request.getHeader(FORWARDED_HEADER) is not None:
            raise OrderRefused(
                "table_elsewhere", f"The table lives at node {owner.node} ({owner.ops}); ask again."
            )
        path = f"/tables/{table}/{what}" + ("" if node is None else f"/{node}")
        status, body = await self._neighbours.forward(owner, path)
        return Answer(status=status, content_type="application/json", body=body)


def _only(request: Request, methods: str) -> Answer | None:
    """A refusal of every other method."""
    if request.method.decode("latin-1") in methods.split(", "):
        return None
    refused = _error(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", f"{methods} only.")
    return replace(refused, headers={"allow": methods})


def _json(value: object, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    return Answer(status=status, content_type="application/json", body=msgspec.json.encode(value) + b"\n")


def _error(status: HTTPStatus, code: str, message: str) -> Answer:
    return _json(Refused(code=code, message=message), status)


def _fault(failure: Failure) -> Answer:
    if failure.check(LedgerUnavailable):
        return _error(
            HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", "The ledger cannot be reached; try again."
        )
    _log.error("operator.fault", exc_info=failure.value)
    return _error(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "A fault of the room; its log says more.")
