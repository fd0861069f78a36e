"""The operator's pages for sit-and-gos, over the operations port:

    GET  /sit_and_gos                      tournaments that take entries or run, of all offers
    GET  /sit_and_gos/<id>                 all of one, however long it is over
    POST /sit_and_gos/<id>/cancel          before the start: everybody gets his buy-in back
    POST /sit_and_gos/<id>/roll_back       while it runs, before a prize is won: everybody gets his buy-in back
    POST /sit_and_gos/<id>/roll_forward    while it runs: who is left shares what is not won yet
    POST /sit_and_gos/<id>/pause           no more hands, and the clock of the levels stands
    POST /sit_and_gos/<id>/resume          it goes on

Any node answers for the whole room: what is asked of a tournament that runs elsewhere is passed on to its owner. Each
ending happens once, whichever node does it, for the ledger lets one through. Knows no table and no ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final, Protocol, cast, get_args

import structlog
from twisted.internet.defer import Deferred
from twisted.web.server import Request

from pokerroom.ops import http_answers
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.neighbours import Neighbours
from pokerroom.ops.reports import (
    FORWARDED_HEADER,
    OrderRefused,
    SitAndGoAccepted,
    SitAndGoAsked,
    SitAndGoDetail,
    SitAndGoReport,
    TableReport,
)

_ASKED: Final = get_args(SitAndGoAsked)

_log = structlog.get_logger()


class OperatedSitAndGos(Protocol):
    """The tournaments of the room, as their operator needs them. Everything may fail with `LedgerUnavailable`."""

    def going_on(self) -> Deferred[list[SitAndGoReport]]:
        """Those that take entries or run, by offer and number, without where they run."""

    def one(self, tournament: str) -> Deferred[SitAndGoDetail]:
        """All of one. Fails with `OrderRefused`: `unknown_tournament`."""

    def order(self, tournament: str, asked: SitAndGoAsked) -> Deferred[SitAndGoAccepted]:
        """Does it; fires when it is done, or was before.

        Fails with `OrderRefused`: `unknown_tournament`, `table_elsewhere` if it does not run here, and as it does.
        """


class SitAndGoPages:
    """See the module. `tables` are those of the room as `GET /tables` tells them: they say what a tournament does."""

    def __init__(self, operated: OperatedSitAndGos, neighbours: Neighbours) -> None:
        self._operated = operated
        self._neighbours = neighbours

    async def routed(
        self,
        request: Request,
        parts: list[str],
        tables: Callable[[Request], Coroutine[Any, Any, list[TableReport]]],
    ) -> HttpAnswer:
        """What is asked below `/sit_and_gos`; `parts` is the rest of the path. Raises `LedgerUnavailable`."""
        try:
            match parts:
                case []:
                    return http_answers.only(request, "GET, HEAD") or http_answers.as_json(
                        await self._going_on(await tables(request))
                    )
                case [tournament]:
                    return http_answers.only(request, "GET, HEAD") or http_answers.as_json(
                        await self._one(tournament, await tables(request))
                    )
                case [tournament, what] if what in _ASKED:
                    return (
                        http_answers.only(request, "POST")
                        or http_answers.ordered(request)
                        or await self._ordered(request, tournament, cast("SitAndGoAsked", what))
                    )
                case _:
                    return http_answers.error(HTTPStatus.NOT_FOUND, "not_found", "There is no such page.")
        except OrderRefused as refused:
            return http_answers.refusal(refused)

    async def _going_on(self, tables: list[TableReport]) -> list[SitAndGoReport]:
        return [_where(report, tables) for report in await self._operated.going_on()]

    async def _one(self, tournament: str, tables: list[TableReport]) -> SitAndGoDetail:
        found = await self._operated.one(tournament)
        return replace(found, report=_where(found.report, tables))

    async def _ordered(self, request: Request, tournament: str, what: SitAndGoAsked) -> HttpAnswer:
        try:
            accepted = await self._operated.order(tournament, what)
        except OrderRefused as refused:
            if refused.refused.code != "table_elsewhere":
                raise
            passed_on = request.getHeader(FORWARDED_HEADER) is not None
            return await self._neighbours.passed_on(
                tournament, f"/sit_and_gos/{tournament}/{what}", again=passed_on
            )
        _log.info("operator.asked", what=what, tournament=tournament)
        return http_answers.as_json(accepted)


def _where(report: SitAndGoReport, tables: list[TableReport]) -> SitAndGoReport:
    if report.phase != "running":
        return report
    table = next((table for table in tables if table.table == report.tournament), None)
    return report if table is None else replace(report, node=table.node, state=table.state)
