"""The operator's pages on the operations port, made of the declarations in `operator_commands`.

    GET  /whoami                          the operator that asks, and what the role may do
    GET  /now                             readiness, connections and settled hands of every node
    GET  /tables  /nodes  /timeouts       what every table and node is doing; uses of the timeout protection
    GET  /tables/<id>                     one table with its seats, without cards
    GET  /sit_and_gos                     tournaments that take entries or run
    GET  /sit_and_gos/<id>                one tournament, however long it is over
    GET  /operator_log                    the operators' log, newest first: ?before=N, ?limit=, ?who=, ?verb=
    POST /tables/<id>/<order>             see `operator_commands.TABLES`; /move/<node> names the node
    POST /sit_and_gos/<id>/<order>        see `operator_commands.TOURNAMENTS`

Answers are JSON; an error is `{"code": ..., "message": ...}` with a stable code. An order may have a `?reason=`, which
goes to the log. Each page has a verb. `operator_access` says who asks and whether the role has the verb; both are asked
here for every page, before anything else. An order is in the operators' log before it is carried out (`order_log`).

Any node answers for the whole room: an order to a table of another node is passed on to its owner. This module knows no
table and no room; it asks `OperatedTables`, `OperatedTournaments` and `Neighbours`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, Protocol
from urllib.parse import quote, unquote, urlencode

import structlog
from twisted.internet.defer import Deferred
from twisted.web.server import Request

from pokerroom.ledger.operator_log import REASON_MAX, TEXT_MAX, LogQuery, legible
from pokerroom.ops import http_answers as answers
from pokerroom.ops.bridge import as_deferred
from pokerroom.ops.http_answers import HttpAnswer, host_of
from pokerroom.ops.neighbours import Neighbours
from pokerroom.ops.operator_access import AccessRefused, Asker, OperatorAccess
from pokerroom.ops.operator_commands import GROUPS, QUERIES, TABLES, TOURNAMENTS, CommandGroup, OperatorOrder
from pokerroom.ops.operator_page import ORDER, QUERY, OperatorPage, line_of, number_of, query_page
from pokerroom.ops.operator_roles import DONE, OperatorAct, verbs_of
from pokerroom.ops.order_log import OrderLog
from pokerroom.ops.reports import (
    Accepted,
    NodeNow,
    OperatorIdentity,
    OrderRefused,
    SitAndGoAccepted,
    SitAndGoDetail,
    SitAndGoReport,
    TableDetail,
    TableReport,
)

LEDGER_PATHS: Final = frozenset({"cash_sources", "cash_requests", "players"})
"""The first parts of the paths of `cashier_pages` and `player_pages`."""

FindPage = Callable[[Request, str, list[str]], OperatorPage | None]
"""Finds the page of a request: the first part of its path, and the others. None: there is none."""

_LOG: Final = "operator_log"
_LOG_LINES_MAX: Final = 200
_OWNED: Final = (
    {group.path for group in GROUPS}
    | {query.path.strip("/") for query in QUERIES.values()}
    | {_LOG}
    | LEDGER_PATHS
)

_log = structlog.get_logger()


def log_act(act: OperatorAct) -> None:
    """Write an order or a refusal to the log of this node."""
    who = {} if act.operator is None else {"operator": act.operator.name, "role": act.operator.role.value}
    known = {"reason": act.reason, "address": act.address}
    # parts of a path, which a client makes as long as it likes
    args = {name: legible(text) for name, text in act.args.items()}
    facts = {"verb": act.verb, **who, **args, **{name: text for name, text in known.items() if text}}
    if act.result == DONE:
        _log.info("operator.ordered", **facts)
    else:
        _log.warning("operator.refused", code=act.result, **facts)


class TablesPort(Protocol):
    """The tables of this node as their operator needs them (`lobby.operated_tables`)."""

    def tables(self) -> list[TableReport]:
        """Return every table of the settings in order; a table of another node with only what the settings say."""

    def detail(self, table: str) -> Deferred[TableDetail]:
        """Return one table with its seats. Fails with `OrderRefused`: `unknown_table`, `table_elsewhere` if it does
        not live here.
        """

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
    """See the module. `ledger` has the pages on the ledger by the first part of their paths; `now` tells of this node.
    `acts` is told every order that was carried out here, and every refusal.
    """

    def __init__(
        self,
        access: OperatorAccess,
        tables: TablesPort,
        neighbours: Neighbours,
        tournaments: TournamentsPort | None = None,
        *,
        orders: OrderLog,
        ledger: Mapping[str, FindPage] = MappingProxyType({}),
        now: Callable[[], NodeNow],
        acts: Callable[[OperatorAct], None] = log_act,
    ) -> None:
        self._access = access
        self._orders = orders
        self._ledger = ledger
        self._tables = tables
        self._tournaments = tournaments
        self._neighbours = neighbours
        self._now = now
        self._acts = acts

    @staticmethod
    def owns(path: bytes) -> bool:
        """Return whether this path is answered here, if only with a refusal."""
        return path.decode("latin-1").split("/")[1] in _OWNED if path.startswith(b"/") else False

    def answer(self, request: Request) -> Deferred[HttpAnswer]:
        """Answer a request. Never fails: a fault of ours is an answer too."""
        return Deferred.fromCoroutine(self._routed(request)).addErrback(answers.fault)

    async def _routed(self, request: Request) -> HttpAnswer:
        page = self._page(request)
        verb, args = ("", dict[str, str]()) if page is None else (page.verb, page.args)
        act = OperatorAct(
            operator=None,
            verb=verb,
            args=args,
            reason="",
            result="",
            address=host_of(request.getClientAddress()),
        )
        try:
            asker = await self._access.asker(request)
            act = replace(act, operator=asker.operator)
            if page is None:
                return answers.not_found()
            self._access.check(asker, page.verb)
            if (refused := answers.only(request, page.methods)) is not None:
                return refused
            act = replace(act, reason=line_of(request, "reason", REASON_MAX, "bad_reason"))
        except AccessRefused as denied:
            act = replace(act, result=denied.code)
            self._acts(act)
            await self._orders.refused(act)
            return answers.error(denied.status, denied.code, str(denied))
        except OrderRefused as denied:
            self._acts(replace(act, result=denied.code))
            return answers.refusal(denied)
        asker = replace(asker, reason=act.reason, address=act.address)
        if page.is_booked:
            return await self._booked(act, page, asker)
        if asker.forwarded or not page.is_order:  # the node that forwards an order logs it
            return await self._answered(act, page, asker)
        return await self._orders.carried_out(
            act, lambda: self._answered(act, page, asker).addErrback(answers.fault)
        )

    @as_deferred
    async def _answered(self, act: OperatorAct, page: OperatorPage, asker: Asker) -> HttpAnswer:
        try:
            return await page.answer(asker)
        except OrderRefused as denied:
            self._acts(replace(act, result=denied.code))
            return answers.refusal(denied)

    async def _booked(self, act: OperatorAct, page: OperatorPage, asker: Asker) -> HttpAnswer:
        """Carry out an order that the ledger logs."""
        answer = await self._answered(act, page, asker)
        if answer.status < HTTPStatus.BAD_REQUEST:
            self._acts(replace(act, result=DONE))
        return answer

    def _page(self, request: Request) -> OperatorPage | None:
        """Return the page of a path."""
        path, *parts = [legible(unquote(part)) for part in request.path.decode("latin-1").split("/")[1:]]
        group = next((group for group in GROUPS if group.path == path), None)
        if path == TOURNAMENTS.path and self._tournaments is None:
            return None
        if path in LEDGER_PATHS:
            find = self._ledger.get(path)
            return None if find is None else find(request, path, parts)
        if path == _LOG:
            return None if parts else query_page("operator.log", lambda _: self._log_lines(request))
        match parts:
            case []:
                return query_page(path if group is None else group.verb("list"), self._query(path))
            case [table] if group is TABLES and table:
                return OperatorPage(
                    verb=group.verb("show"), methods=QUERY, answer=lambda asker: self._table(asker, table)
                )
            case [tournament] if group is TOURNAMENTS:
                return query_page(group.verb("show"), lambda asker: self._tournament(asker, tournament))
            case [subject, name, *rest] if group is not None and (order := group.order(name)):
                if len(rest) <= (order.argument is not None):
                    return OperatorPage(
                        verb=group.verb(order.name),
                        methods=ORDER,
                        answer=lambda asker: self._ordered(asker, group, order, subject, *rest),
                        args=_args(group, subject, *rest),
                    )
        return None

    # --- queries --------------------------------------------------------------------------------------------------

    def _query(self, path: str) -> Callable[[Asker], Awaitable[object]]:
        match path:
            case TABLES.path:
                return self._all_tables
            case TOURNAMENTS.path:
                return self._all_tournaments
            case "nodes":
                return self._nodes
            case "whoami":
                return self._identity
            case "now":
                return self._all_nodes_now
            case _:
                return lambda _: self._tables.queries()[path]()

    async def _nodes(self, _: Asker) -> object:
        return self._neighbours.nodes()

    async def _identity(self, asker: Asker) -> OperatorIdentity:
        operator = asker.operator
        return OperatorIdentity(
            operator=operator.name, role=operator.role.value, verbs=verbs_of(operator.role)
        )

    async def _all_nodes_now(self, asker: Asker) -> list[NodeNow]:
        """Return what all nodes tell of themselves; to another node, what this one tells."""
        others = [] if asker.forwarded else await self._neighbours.now(asker.operator)
        return sorted([self._now(), *others], key=lambda one: one.node)

    async def _table(self, asker: Asker, table: str) -> HttpAnswer:
        try:
            return answers.as_json(await self._tables.detail(table))
        except OrderRefused as refusal:
            if refusal.code != "table_elsewhere":
                raise
        path = _path(TABLES.path, table)
        return await self._neighbours.passed_on(
            table, path, asker.operator, again=asker.forwarded, method="GET"
        )

    async def _log_lines(self, request: Request) -> object:
        before, limit = line_of(request, "before", 16), line_of(request, "limit", 16)
        return await self._orders.lines(
            LogQuery(
                before=None if not before else number_of(before, 2**53, "before"),
                limit=_LOG_LINES_MAX if not limit else number_of(limit, _LOG_LINES_MAX, "limit"),
                who=line_of(request, "who", TEXT_MAX) or None,
                verb=line_of(request, "verb", TEXT_MAX) or None,
            )
        )

    async def _all_tables(self, asker: Asker) -> list[TableReport]:
        """Return the tables of all nodes; to another node, those of this one."""
        own = self._tables.tables()
        if asker.forwarded:
            return own
        others = await self._neighbours.tables(asker.operator)
        return [table if table.node is not None else self._elsewhere(table, others) for table in own]

    def _elsewhere(self, table: TableReport, others: Mapping[str, TableReport]) -> TableReport:
        if table.table in others:
            return others[table.table]
        owner = self._neighbours.owner(table.table)
        if owner is None or owner.here:  # it came to live here while the others were asked
            return replace(table, state="unowned")
        return replace(table, state="unreachable", node=owner.node)

    async def _all_tournaments(self, asker: Asker) -> list[SitAndGoReport]:
        assert self._tournaments is not None
        tables = await self._all_tables(asker)
        return [self._with_node(report, tables) for report in await self._tournaments.going_on()]

    async def _tournament(self, asker: Asker, tournament: str) -> SitAndGoDetail:
        assert self._tournaments is not None
        tables = await self._all_tables(asker)
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
        asker: Asker,
        group: CommandGroup,
        order: OperatorOrder,
        subject: str,
        argument: str | None = None,
    ) -> HttpAnswer:
        if order.argument == "node" and any(known.table == subject for known in self._tables.tables()):
            argument = self._neighbours.target(subject, argument)
        try:
            accepted = await self._carried_out(group, subject, order.name, argument)
        except OrderRefused as refusal:
            if refusal.code != "table_elsewhere":
                raise
            path = _path(group.path, subject, order.name, *([] if argument is None else [argument]))
            query = f"?{urlencode({'reason': asker.reason})}" if asker.reason else ""
            return await self._neighbours.passed_on(
                self._owned_as(group, subject), path + query, asker.operator, again=asker.forwarded
            )
        self._acts(
            OperatorAct(
                operator=asker.operator,
                verb=group.verb(order.name),
                args=_args(group, subject, argument),
                reason=asker.reason,
                result=DONE,
            )
        )
        return answers.as_json(accepted, group.status)

    async def _carried_out(
        self, group: CommandGroup, subject: str, order: str, argument: str | None
    ) -> object:
        if group is TABLES:
            return await self._tables.order(subject, order, argument)
        assert self._tournaments is not None
        return await self._tournaments.order(subject, order)


def _path(*parts: str) -> str:
    return "".join(f"/{quote(part, safe=':')}" for part in parts)


def _args(group: CommandGroup, subject: str, argument: str | None = None) -> dict[str, str]:
    return {group.subject: subject} | ({} if argument is None else {"argument": argument})
