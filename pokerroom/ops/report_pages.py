"""The pages of the operator API for reports, with the verbs of `pokerroom report`, as JSON or as CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Final

from twisted.internet.defer import DeferredSemaphore

from pokerroom.ledger.day_reports import LINES_MAX, ReportPart
from pokerroom.ops.api_page import LISTED_MAX, ApiCall, Handler
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.report_tables import REPORTS, Report, ReportLedger, ReportQuery, csv_of, period_of, today

AT_ONCE: Final = 2
"""[D] Reports that a node asks of the database at a time; others wait. The tables need its connections, too."""


class ReportPages:
    """See the module. `day` returns the present day."""

    def __init__(self, ledger: ReportLedger, day: Callable[[], date] = today) -> None:
        self._ledger = ledger
        self._day = day
        self._turns = DeferredSemaphore(AT_ONCE)

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {report.verb: partial(self._report, report) for report in REPORTS}

    async def _report(self, report: Report, call: ApiCall) -> object:
        as_csv = call.flag("csv")
        query = ReportQuery(
            period=period_of(call.text("since"), call.text("until"), self._day()),
            part=ReportPart(
                skip=call.number("skip") or 0,
                limit=call.number("limit") or (LINES_MAX if as_csv else LISTED_MAX),
            ),
            table=call.text("table") or None,
            whole=call.flag("whole"),
        )
        rows = await self._turns.run(report.of, self._ledger, query)
        if not as_csv:
            return rows
        body = csv_of(report.columns, [report.line(row) for row in rows]).encode()
        return HttpAnswer(
            status=HTTPStatus.OK,
            content_type="text/csv; charset=utf-8",
            body=body,
            headers={"content-disposition": f'attachment; filename="{report.name}.csv"'},
        )
