"""The operator's pages on the operations port, made of the declarations in `operator_commands`.

    GET  /tables  /nodes  /timeouts       what every table and node is doing; uses of the timeout protection
    GET  /sit_and_gos                     tournaments that take entries or run
    GET  /sit_and_gos/<id>                one tournament, however long it is over
    POST /tables/<id>/<order>             see `operator_commands.TABLES`; /move/<node> names the node
    POST /sit_and_gos/<id>/<order>        see `operator_commands.TOURNAMENTS`

Answers are JSON; an error is `{"code": ..., "message": ...}` with a stable code. A web page open in a browser on this
machine can send requests here as well. Orders therefore need the header `X-Pokerroom-Operator`: a page may send it only
after asking first (a CORS preflight), and that is never granted. Nor is a request answered that names an `Origin`, as
browsers do.

Any node answers for the whole room: an order to a table of another node is passed on to its owner. This module knows no
table and no room; it asks `OperatedTables`, `OperatedTournaments` and `Neighbours`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final, Protocol

import structlog
from twisted.internet.defer import Deferred
from twisted.web.server import Request

from pokerroom.ops import http_answers as answers
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.neighbours import Neighbours
from pokerroom.ops.operator_commands import GROUPS, QUERIES, TABLES, TOURNAMENTS, CommandGroup, OperatorOrder
from pokerroom.ops.reports import (
    FORWARDED_HEADER,
    Accepted,
    OrderRefused,
    SitAndGoAccepted,
    SitAndGoDetail,
    SitAndGoReport,
    TableReport,
)

_OWNED: Final = {group.path for group in GROUPS} | {query.path.strip("/") for query in QUERIES.values()}

_log = structlog.get_logger()


class TablesPort(Protocol):
    """The tables of this node as their operator needs them (`lobby.operated_tables`)."""

    def tables(self) -> list[TableReport]:
        """Return every table of the settings in order; a table of another node with only what the settings say."""

    def order(self, table: str, order: str, node: str | None) -> Deferred[Accepted]:
        """Carry out an order, or see to it that the table does so in its own time. `node` is where a table moves.

        Fails with `OrderRefused`: `unknown_table`, `table_elsewhere` if it does not live here, and what the table
        refuses with.
        """

    def queries(self) -> Mapping[str, Callable[[], Deferred[Any]]]:
        """Return the queries that this node answers for the whole room. They may fail with `LedgerUnavailable`."""


class TournamentsPort(Protocol):
    """The tournaments of the room as their operator needs them. Everything may fail with `LedgerUnavailable`."""

    def going_on(self) -> Deferred[list[SitAndGoReport]]:
        """Return those that take entries or run, by offer and number, without the node where each runs."""

    def one(self, tournament: str) -> Deferred[SitAndGoDetail]:
        """Return all of one tournament. Fails with `OrderRefused`: `unknown_tournament`."""

    def owned_as(self, tournament: str) -> str:
        """Return the id under which nodes report the tournament as their own."""

    def order(self, tournament: str, order: str) -> Deferred[SitAndGoAccepted]:
        """Carry out an order; fires when it is done, or was done before.

        Fails with `OrderRefused`: `unknown_tournament`, `table_elsewhere` if it does not run here, and what the
        tournament refuses with.
        """


class OperatorPages:
    """See the module."""

    def __init__(
        self, tables: TablesPort, neighbours: Neighbours, tournaments: TournamentsPort | None = None
    ) -> None:
        self._tables = tables
        self._tournaments = tournaments
        self._neighbours = neighbours

    @staticmethod
    def owns(path: bytes) -> bool:
        """Return whether this path is answered here, if only with a refusal."""
        return path.decode("latin-1").split("/")[1] in _OWNED if path.startswith(b"/") else False

    def answer(self, request: Request) -> Deferred[HttpAnswer]:
        """Answer a request. Never fails: a fault of ours is an answer too."""
        return Deferred.fromCoroutine(self._routed(request)).addErrback(answers.fault)

    async def _routed(self, request: Request) -> HttpAnswer:
        if request.getHeader("origin") is not None:
            return answers.error(HTTPStatus.FORBIDDEN, "origin_refused", "Web pages are not answered here.")
        path, *parts = request.path.decode("latin-1").split("/")[1:]
        group = next((group for group in GROUPS if group.path == path), None)
        if path == TOURNAMENTS.path and self._tournaments is None:
            return answers.not_found()
        try:
            match parts:
                case []:
                    return await _read(request, self._query(request, path))
                case [tournament] if group is TOURNAMENTS:
                    return await _read(request, lambda: self._tournament(request, tournament))
                case [subject, name, *rest] if group is not None and (order := group.order(name)):
                    if len(rest) <= (order.argument is not None):
                        return await self._ordered(request, group, order, subject, *rest)
        except OrderRefused as refused:
            return answers.refusal(refused)
        return answers.not_found()

    # --- queries --------------------------------------------------------------------------------------------------

    def _query(self, request: Request, path: str) -> Callable[[], Awaitable[object]]:
        match path:
            case TABLES.path:
                return lambda: self._all_tables(request)
            case TOURNAMENTS.path:
                return lambda: self._all_tournaments(request)
            case "nodes":
                return self._nodes
            case _:
                return self._tables.queries()[path]

    async def _nodes(self) -> object:
        return self._neighbours.nodes()

    async def _all_tables(self, request: Request) -> list[TableReport]:
        """Return the tables of all nodes; to another node, those of this one."""
        own = self._tables.tables()
        if request.getHeader(FORWARDED_HEADER) is not None:
            return own
        others = await self._neighbours.tables()
        return [table if table.node is not None else self._elsewhere(table, others) for table in own]

    def _elsewhere(self, table: TableReport, others: Mapping[str, TableReport]) -> TableReport:
        if table.table in others:
            return others[table.table]
        owner = self._neighbours.owner(table.table)
        if owner is None or owner.here:  # it came to live here while the others were asked
            return replace(table, state="unowned")
        return replace(table, state="unreachable", node=owner.node)

    async def _all_tournaments(self, request: Request) -> list[SitAndGoReport]:
        assert self._tournaments is not None
        tables = await self._all_tables(request)
        return [self._with_node(report, tables) for report in await self._tournaments.going_on()]

    async def _tournament(self, request: Request, tournament: str) -> SitAndGoDetail:
        assert self._tournaments is not None
        tables = await self._all_tables(request)
        found = await self._tournaments.one(tournament)
        return replace(found, report=self._with_node(found.report, tables))

    def _with_node(self, report: SitAndGoReport, tables: list[TableReport]) -> SitAndGoReport:
        """Return the report with the node that runs the tournament, and the state of its table or its own."""
        if report.phase != "running":
            return report
        by_id = {table.table: table for table in tables}
        table = by_id.get(report.tournament)
        actor = by_id.get(self._owned_as(TOURNAMENTS, report.tournament), table)
        if table is None or actor is None:
            return report
        return replace(report, node=actor.node, state="frozen" if actor.state == "frozen" else table.state)

    def _owned_as(self, group: CommandGroup, subject: str) -> str:
        """Return the id under which a node reports the table or the tournament as its own."""
        if group is TABLES:
            return subject
        assert self._tournaments is not None
        return self._tournaments.owned_as(subject)

    # --- orders ---------------------------------------------------------------------------------------------------

    async def _ordered(
        self,
        request: Request,
        group: CommandGroup,
        order: OperatorOrder,
        subject: str,
        argument: str | None = None,
    ) -> HttpAnswer:
        refused = answers.only(request, "POST") or answers.ordered(request)
        if refused is not None:
            return refused
        if order.argument == "node" and any(known.table == subject for known in self._tables.tables()):
            argument = self._neighbours.target(subject, argument)
        try:
            accepted = await self._carried_out(group, subject, order.name, argument)
        except OrderRefused as refusal:
            if refusal.code != "table_elsewhere":
                raise
            path = "/".join(("", group.path, subject, order.name, *([] if argument is None else [argument])))
            again = request.getHeader(FORWARDED_HEADER) is not None
            return await self._neighbours.passed_on(self._owned_as(group, subject), path, again=again)
        _log.info("operator.ordered", order=order.name, **{group.subject: subject, "argument": argument})
        return answers.as_json(accepted, group.status)

    async def _carried_out(
        self, group: CommandGroup, subject: str, order: str, argument: str | None
    ) -> object:
        if group is TABLES:
            return await self._tables.order(subject, order, argument)
        assert self._tournaments is not None
        return await self._tournaments.order(subject, order)


async def _read(request: Request, ask: Callable[[], Awaitable[object]]) -> HttpAnswer:
    return answers.only(request, "GET, HEAD") or answers.as_json(await ask())
