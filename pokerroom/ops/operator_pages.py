"""The operator's pages on the operations port: the operator API, as `operator_api` declares it.

Answers are JSON; an error is `{"code": ..., "message": ...}` with a stable code. An order may have a `?reason=`, which
goes to the log. Each page has a verb. `operator_access` says who asks and whether the role has the verb; both are asked
here for every page, before anything else. An order is in the operators' log before it is carried out (`order_log`).

Any node answers for the whole room: an order to a table of another node is passed on to its owner. This module knows no
table and no room; it asks `OperatedTables`, `OperatedTournaments` and `Neighbours`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Protocol
from urllib.parse import quote, unquote, urlencode

import structlog
from twisted.internet.defer import Deferred
from twisted.web.server import Request

from pokerroom.bridge import as_deferred
from pokerroom.ledger.operator_log import LogQuery, legible
from pokerroom.ops import http_answers as answers
from pokerroom.ops import openapi
from pokerroom.ops.api_page import LISTED_MAX, QUERY, REASON, ApiCall, ApiPage, Handler
from pokerroom.ops.http_answers import HttpAnswer, host_of
from pokerroom.ops.minute_series import MINUTES_KEPT
from pokerroom.ops.neighbours import Neighbours
from pokerroom.ops.operator_access import AccessRefused, Asker, OperatorAccess
from pokerroom.ops.operator_api import page_of
from pokerroom.ops.operator_commands import (
    API,
    CHART_STEP,
    NODES,
    TABLES,
    TOURNAMENTS,
    CommandGroup,
    OperatorOrder,
)
from pokerroom.ops.operator_roles import DONE, OperatorAct, verbs_of
from pokerroom.ops.order_keys import OrderKeys, key_of
from pokerroom.ops.order_log import OrderLog
from pokerroom.ops.reports import (
    Accepted,
    NodeAccepted,
    NodeCharts,
    NodeNow,
    OperatorIdentity,
    OrderRefused,
    SitAndGoAccepted,
    SitAndGoDetail,
    SitAndGoReport,
    TableDetail,
    TableReport,
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
    """See the module. `ledger` answers the verbs that the ledger carries out; `now` tells of this node, which `drain`
    lets give up its tables, and `charts` what it counted in so many minutes, in steps of so many.

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
        keys: OrderKeys,
        ledger: Mapping[str, Handler] = MappingProxyType({}),
        now: Callable[[], NodeNow],
        charts: Callable[[int, int], NodeCharts],
        drain: Callable[[], object],
        acts: Callable[[OperatorAct], None] = log_act,
    ) -> None:
        self._access = access
        self._orders = orders
        self._keys = keys
        self._tables = tables
        self._tournaments = tournaments
        self._neighbours = neighbours
        self._now = now
        self._charts = charts
        self._drain_here = drain
        self._acts = acts
        self._handlers: dict[str, Handler] = {
            "whoami": self._identity,
            "now": self._all_nodes_now,
            "charts": self._all_charts,
            "nodes": self._nodes,
            NODES.verb("drain"): self._drain,
            "timeouts": self._timeouts,
            "operator.log": self._log_lines,
            **self._of_group(TABLES, self._listed_tables, self._table),
            **ledger,
        }
        if tournaments is not None:
            self._handlers |= self._of_group(TOURNAMENTS, self._all_tournaments, self._tournament)

    def _of_group(self, group: CommandGroup, listed: Handler, shown: Handler) -> dict[str, Handler]:
        orders = {group.verb(order.name): partial(self._ordered, group, order) for order in group.orders}
        return {group.verb("list"): listed, group.verb("show"): shown, **orders}

    @staticmethod
    def owns(path: bytes) -> bool:
        """Return whether this path is answered here, if only with a refusal."""
        return path.startswith(f"{API}/".encode())

    def answer(self, request: Request) -> Deferred[HttpAnswer]:
        """Answer a request. Never fails: a fault of ours is an answer too."""
        return Deferred.fromCoroutine(self._routed(request)).addErrback(answers.fault)

    async def _routed(self, request: Request) -> HttpAnswer:
        if request.path == openapi.PATH.encode():
            return answers.only(request, QUERY) or openapi.ANSWER
        found = self._page(request)
        act = OperatorAct(
            operator=None,
            verb="" if found is None else found[0].verb,
            args={} if found is None else found[2],
            reason="",
            result="",
            address=host_of(request.getClientAddress()),
        )
        try:
            asker = await self._access.asker(request)
            act = replace(act, operator=asker.operator)
            if found is None:
                return answers.not_found()
            page, handler, args = found
            self._access.check(asker, page.verb)
            if (refused := answers.only(request, page.methods)) is not None:
                return refused
            act = replace(act, reason=str(REASON.read(request.args) or ""))
            values = {one.name: one.read(request.args) for one in page.parameters}
            key = key_of(request) if page.is_order else None
        except AccessRefused as denied:
            act = replace(act, result=denied.code)
            self._acts(act)
            await self._orders.refused(act)
            return answers.error(denied.status, denied.code, str(denied))
        except OrderRefused as denied:
            self._acts(replace(act, result=denied.code))
            return answers.refusal(denied)
        asker = replace(asker, reason=act.reason, address=act.address)
        call = ApiCall(page=page, asker=asker, args=args, values=values, key=key or "")
        if asker.forwarded or not page.is_order:  # the node that forwards an order logs it
            return await self._answered(act, handler, call)
        if key is None:
            return await self._given(act, handler, call)
        return await self._keys.once(
            key, call, lambda: self._given(act, handler, call).addErrback(answers.fault)
        )

    @as_deferred
    async def _given(self, act: OperatorAct, handler: Handler, call: ApiCall) -> HttpAnswer:
        """Carry out an order of a client, and see to its line of the log."""
        if call.page.is_booked:
            return await self._booked(act, handler, call)
        return await self._orders.carried_out(
            act, lambda: self._answered(act, handler, call).addErrback(answers.fault)
        )

    @as_deferred
    async def _answered(self, act: OperatorAct, handler: Handler, call: ApiCall) -> HttpAnswer:
        try:
            answer = await handler(call)
        except OrderRefused as denied:
            self._acts(replace(act, result=denied.code))
            return answers.refusal(denied)
        return answer if isinstance(answer, HttpAnswer) else answers.as_json(answer, call.page.status)

    async def _booked(self, act: OperatorAct, handler: Handler, call: ApiCall) -> HttpAnswer:
        """Carry out an order that the ledger logs."""
        answer = await self._answered(act, handler, call)
        if answer.status < HTTPStatus.BAD_REQUEST:
            self._acts(replace(act, result=DONE))
        return answer

    def _page(self, request: Request) -> tuple[ApiPage, Handler, Mapping[str, str]] | None:
        """Return the page of a path, who answers it, and the parts that the client chose."""
        parts = [legible(unquote(part)) for part in request.path.decode("latin-1").split("/")[2:]]
        found = page_of(parts)
        if found is None or (handler := self._handlers.get(found[0].verb)) is None:
            return None
        return found[0], handler, found[1]

    # --- queries --------------------------------------------------------------------------------------------------

    async def _timeouts(self, _: ApiCall) -> object:
        return await self._tables.queries()["timeouts"]()

    async def _nodes(self, _: ApiCall) -> object:
        return self._neighbours.nodes()

    async def _identity(self, call: ApiCall) -> OperatorIdentity:
        operator = call.asker.operator
        return OperatorIdentity(
            operator=operator.name, role=operator.role.value, verbs=verbs_of(operator.role)
        )

    async def _all_nodes_now(self, call: ApiCall) -> list[NodeNow]:
        """Return what all nodes tell of themselves; to another node, what this one tells."""
        asker = call.asker
        others = [] if asker.forwarded else await self._neighbours.now(asker.operator)
        return sorted([self._now(), *others], key=lambda one: one.node)

    async def _all_charts(self, call: ApiCall) -> list[NodeCharts]:
        """Return what all nodes counted; to another node, what this one counted."""
        asker = call.asker
        minutes, step = call.number("minutes") or MINUTES_KEPT, call.number("step") or CHART_STEP
        own = self._charts(minutes, step)
        others = [] if asker.forwarded else await self._neighbours.charts(asker.operator, minutes, own)
        return sorted([own, *others], key=lambda one: one.node)

    async def _table(self, call: ApiCall) -> object:
        table, asker = call.args["table"], call.asker
        try:
            return await self._tables.detail(table)
        except OrderRefused as refusal:
            if refusal.code != "table_elsewhere":
                raise
        path = _path(TABLES.path, table)
        return await self._neighbours.passed_on(
            table, path, asker.operator, again=asker.forwarded, method="GET"
        )

    async def _log_lines(self, call: ApiCall) -> object:
        return await self._orders.lines(
            LogQuery(
                before=call.number("before"),
                limit=call.number("limit") or LISTED_MAX,
                who=call.text("who") or None,
                verb=call.text("verb") or None,
            )
        )

    async def _listed_tables(self, call: ApiCall) -> list[TableReport]:
        return await self._all_tables(call.asker)

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

    async def _all_tournaments(self, call: ApiCall) -> list[SitAndGoReport]:
        assert self._tournaments is not None
        tables = await self._all_tables(call.asker)
        return [self._with_node(report, tables) for report in await self._tournaments.going_on()]

    async def _tournament(self, call: ApiCall) -> SitAndGoDetail:
        assert self._tournaments is not None
        tables = await self._all_tables(call.asker)
        found = await self._tournaments.one(call.args["tournament"])
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

    async def _ordered(self, group: CommandGroup, order: OperatorOrder, call: ApiCall) -> HttpAnswer:
        asker, subject = call.asker, call.args[group.subject]
        argument = None if order.argument is None else call.args.get(order.argument)
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
                args={**call.args, **({"node": argument} if argument else {})},
                reason=asker.reason,
                result=DONE,
            )
        )
        return answers.as_json(accepted, group.status)

    async def _drain(self, call: ApiCall) -> object:
        """Let a node give up its tables; another one is asked to."""
        name, asker, living = call.args["node"], call.asker, [n for n in self._neighbours.nodes() if n.living]
        node = next((one for one in living if one.node == name), None)
        if node is None:
            raise OrderRefused("unknown_node", "There is no living node of this name. See `pokerroom nodes`.")
        if not any(one.node != name and not one.draining for one in living):
            raise OrderRefused("no_other_node", "There is no other node that takes tables. Start one first.")
        if not node.here:
            query = f"?{urlencode({'reason': asker.reason})}" if asker.reason else ""
            status, body = await self._neighbours.forward(
                node, _path(NODES.path, name, "drain") + query, asker.operator
            )
            return HttpAnswer(status=status, content_type="application/json", body=body)
        self._drain_here()
        self._acts(
            OperatorAct(
                operator=asker.operator,
                verb=call.page.verb,
                args=call.args,
                reason=asker.reason,
                result=DONE,
            )
        )
        return NodeAccepted(node=name, asked="drain")

    async def _carried_out(
        self, group: CommandGroup, subject: str, order: str, argument: str | None
    ) -> object:
        if group is TABLES:
            return await self._tables.order(subject, order, argument)
        assert self._tournaments is not None
        return await self._tournaments.order(subject, order)


def _path(*parts: str) -> str:
    return API + "".join(f"/{quote(part, safe=':')}" for part in parts)
