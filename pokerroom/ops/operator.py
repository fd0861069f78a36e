"""What an operator sees and does over the operations port: tables and nodes, the clock's protection.

    GET  /tables                  what every table of the room is doing
    POST /tables/<id>/close       no new players; the hand in progress is finished, then stacks go to their wallets
    POST /tables/<id>/open        players may come again
    POST /tables/<id>/freeze      the table stops where it is
    POST /tables/<id>/resume      a frozen table goes on
    POST /tables/<id>/void        the hand of a frozen table is void
    POST /tables/<id>/void_complete   the same, also where nothing is left to decide
    POST /tables/<id>/move        the table is given to another node between hands; /move/<node>: to that one
    GET  /nodes                   the nodes of the room
    GET  /timeouts                who was all-in by the clock, how often
    .... /sit_and_gos             see `sit_and_go_pages`

Answers are JSON; an error is `{"code": ..., "message": ...}` with a stable code. A web page open in a browser on this
machine can send requests here as well. What changes something therefore needs the header `X-Pokerroom-Operator`: no
page may send it without asking first (a CORS preflight), and that is never granted; nor is a request answered that
names an `Origin`, as browsers do.

Any node answers for the whole room: what is asked of a table that lives elsewhere is passed on to its owner. Knows no
table and no room: `Operated` and `Neighbours` are asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Final, Protocol, cast, get_args

import structlog
from twisted.internet.defer import Deferred
from twisted.web.server import Request

from pokerroom.ledger.api import Ledger
from pokerroom.ops import http_answers
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.neighbours import Neighbours
from pokerroom.ops.reports import (
    FORWARDED_HEADER,
    Accepted,
    AccountTimeouts,
    Asked,
    OrderRefused,
    TableReport,
)
from pokerroom.ops.sit_and_go_pages import SitAndGoPages

_ASKED: Final = get_args(Asked)

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


class OperatorPages:
    """Answers what is asked below `/tables`, `/nodes` and `/timeouts`, and has the pages of sit-and-gos answer."""

    def __init__(
        self, operated: Operated, neighbours: Neighbours, sit_and_gos: SitAndGoPages | None = None
    ) -> None:
        self._operated = operated
        self._neighbours = neighbours
        self._sit_and_gos = sit_and_gos

    @staticmethod
    def owns(path: bytes) -> bool:
        """Whether this path is answered here, if only with a refusal."""
        return path.split(b"/")[1:2] in (
            [b"tables"],
            [b"nodes"],
            [b"timeouts"],
            [b"sit_and_gos"],
        )

    def answer(self, request: Request) -> Deferred[HttpAnswer]:
        """Never fails: a fault of ours is an answer too."""
        return Deferred.fromCoroutine(self._routed(request)).addErrback(http_answers.fault)

    async def _routed(self, request: Request) -> HttpAnswer:
        if request.getHeader("origin") is not None:
            return http_answers.error(
                HTTPStatus.FORBIDDEN, "origin_refused", "Web pages are not answered here."
            )
        match request.path.decode("latin-1").split("/")[1:]:
            case ["tables"]:
                return http_answers.only(request, "GET, HEAD") or http_answers.as_json(
                    await self._tables(request)
                )
            case ["nodes"]:
                return http_answers.only(request, "GET, HEAD") or http_answers.as_json(
                    self._neighbours.nodes()
                )
            case ["timeouts"]:
                return http_answers.only(request, "GET, HEAD") or http_answers.as_json(
                    await self._operated.timeouts()
                )
            case ["sit_and_gos", *parts] if self._sit_and_gos is not None:
                return await self._sit_and_gos.routed(request, parts, self._tables)
            case ["tables", table, what] if what in _ASKED:
                return http_answers.only(request, "POST") or await self._asked(
                    request, table, cast("Asked", what), None
                )
            case ["tables", table, "move", node]:
                return http_answers.only(request, "POST") or await self._asked(request, table, "move", node)
            case _:
                return http_answers.error(HTTPStatus.NOT_FOUND, "not_found", "There is no such page.")

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

    async def _asked(self, request: Request, table: str, what: Asked, node: str | None) -> HttpAnswer:
        not_his = http_answers.ordered(request)
        if not_his is not None:
            return not_his
        try:
            if what == "move" and any(known.table == table for known in self._operated.tables()):
                node = self._neighbours.target(table, node)
            return await self._ordered(request, table, what, node)
        except OrderRefused as refused:
            return http_answers.refusal(refused)

    async def _ordered(self, request: Request, table: str, what: Asked, node: str | None) -> HttpAnswer:
        try:
            accepted = await self._operated.order(table, what, node)
        except OrderRefused as refused:
            if refused.refused.code != "table_elsewhere":
                raise
            path = f"/tables/{table}/{what}" + ("" if node is None else f"/{node}")
            return await self._neighbours.passed_on(
                table, path, again=request.getHeader(FORWARDED_HEADER) is not None
            )
        _log.info("operator.asked", what=what, table=table, node=node)
        return http_answers.as_json(accepted, HTTPStatus.ACCEPTED)
