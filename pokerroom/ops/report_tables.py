"""The reports of the room, declared once: for `pokerroom report`, the operator API and the console.

A report has a period of days (UTC), columns, and lines that come in parts. Its lines are values for JSON, or cells for
a table and CSV. Knows no port and no command.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.bridge import as_deferred
from pokerroom.chips import in_credits
from pokerroom.ledger.day_reports import (
    ActivityRow,
    DayReportLedger,
    PlayerTakings,
    ReportPart,
    ReportPeriod,
    ReportTooLong,
    TournamentTakings,
)
from pokerroom.ledger.operator_log import ArgumentValue, LogQuery, OperatorLog
from pokerroom.ledger.rake import ALL_LINES, RakeLedger, RakeRow
from pokerroom.ops.reports import OrderRefused

DAYS: Final = 30
"""A report without a first day begins so many days before its last one."""

DAYS_MAX: Final = 366
"""[D] The longest period: a year."""

DAY_LENGTH: Final = len("2026-11-30")

SKIP_MAX: Final = 1_000_000
"""The largest number of lines before a part."""

Cell = str | int

LogFacts = dict[str, ArgumentValue]


class ReportLedger(RakeLedger, DayReportLedger, OperatorLog, Protocol):
    """What the reports need of the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuery:
    """What is asked of a report. `table`: only this table; `whole`: sums of the whole period."""

    period: ReportPeriod
    part: ReportPart = ALL_LINES
    table: str | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report: its verb is `report.<name>`. `line` makes the cells of a row, `total` those of the sum of all rows.

    `of_tables`: it takes `table` and `whole`.
    """

    name: str
    help: str
    columns: tuple[str, ...]
    answer: Any
    rows: Callable[[ReportLedger, ReportQuery], Deferred[Any]]
    line: Callable[[Any], tuple[Cell, ...]]
    total: Callable[[Sequence[Any]], tuple[Cell, ...]] | None = None
    of_tables: bool = False

    @property
    def verb(self) -> str:
        """See `operator_roles.VERBS`."""
        return f"report.{self.name}"

    @as_deferred
    async def of(self, ledger: ReportLedger, query: ReportQuery) -> list[Any]:
        """Return the rows. Raises `OrderRefused`: `report_too_long`."""
        try:
            return list(await self.rows(ledger, query))
        except ReportTooLong:
            raise OrderRefused(
                ReportTooLong.code, "The database takes too long. Ask for fewer days."
            ) from None


def period_of(since: str, until: str, today: date) -> ReportPeriod:
    """Return the period of days such as `2026-11-30`; empty texts stand for the last `DAYS`. Raises `OrderRefused`."""
    last = _day(until, "until") if until else today
    first = _day(since, "since") if since else last - timedelta(days=min(DAYS, (last - date.min).days))
    days = (last - first).days + 1
    if days > DAYS_MAX:
        raise OrderRefused("bad_period", f"A report is of at most {DAYS_MAX} days. Ask for fewer.")
    if days < 1:
        raise OrderRefused("bad_period", "The last day is before the first one.")
    return ReportPeriod(first, last)


def _day(text: str, name: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise OrderRefused("bad_period", f"Write `{name}` as a day: 2026-11-30.")
    return day


def today() -> date:
    """Return the present day of UTC."""
    return datetime.now(UTC).date()


def csv_of(columns: Sequence[str], lines: Sequence[Sequence[Cell]]) -> str:
    """Return CSV. A text that a spreadsheet would take for a formula has an apostrophe before it."""
    text = io.StringIO()
    written = [[f"'{cell}" if str(cell).startswith(_FORMULAS) else cell for cell in line] for line in lines]
    csv.writer(text, lineterminator="\n").writerows([columns, *written])
    return text.getvalue()


_FORMULAS: Final = ("=", "+", "@", "\t", "-=", "-@")
"""A minus alone begins a number."""


def _rake(ledger: ReportLedger, query: ReportQuery) -> Deferred[list[RakeRow]]:
    return ledger.rake_by_day(
        query.period.since_ms, query.period.until_ms, table=query.table, whole=query.whole, part=query.part
    )


@as_deferred
async def _activity(ledger: ReportLedger, query: ReportQuery) -> list[ActivityRow]:
    part = query.part
    return (await ledger.activity(query.period))[part.skip : part.skip + part.limit]


@as_deferred
async def _events(ledger: ReportLedger, query: ReportQuery) -> list[LogFacts]:
    part = query.part
    lines = await ledger.log_lines(
        LogQuery(
            since_ms=max(0, query.period.since_ms),
            until_ms=query.period.until_ms,
            is_significant=True,
            skip=part.skip,
            limit=part.limit,
        )
    )
    return [line.facts() for line in lines]


def _moment(ms: ArgumentValue) -> str:
    assert isinstance(ms, int), "a line of the log has its time"
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_FACTS: Final = ("who", "role", "verb", "subject", "arguments", "reason", "address")


def _event(line: LogFacts) -> tuple[Cell, ...]:
    return int(str(line["n"])), _moment(line["at_ms"]), *(str(line[name]) for name in _FACTS)


REPORTS: Final = (
    Report(
        name="activity",
        help="""Report what was played on each day: players, new accounts, hands, rounds and entries.

        House bots are no players. What was played in the last minutes may be missing.""",
        columns=("day", "players", "new_accounts", "hands", "tournament_hands", "rounds", "entries"),
        answer=list[ActivityRow],
        rows=_activity,
        line=lambda row: (
            *(row.day, row.players, row.new_accounts, row.hands),
            *(row.tournament_hands, row.rounds, row.entries),
        ),
    ),
    Report(
        name="rake",
        help="""Report the rake of cash tables by day and table.

        A hand counts on the day on which it ended. Days and tables without a rake are left out.""",
        columns=("day", "table", "hands", "rake"),
        answer=list[RakeRow],
        rows=_rake,
        line=lambda row: (row.day, row.table, row.hands, in_credits(row.rake)),
        total=lambda rows: (
            *("total", "", sum(row.hands for row in rows)),
            in_credits(sum(row.rake for row in rows)),
        ),
        of_tables=True,
    ),
    Report(
        name="players",
        help="""Report what the room has taken of each player: rake and fees of tournaments, the most first.

        The rake of a hand is of its players by what each had put in. What was settled in the last minutes may be
        missing.""",
        columns=("account", "name", "hands", "rake", "entries", "fees", "sum"),
        answer=list[PlayerTakings],
        rows=lambda ledger, query: ledger.player_takings(query.period, query.part),
        line=lambda row: (
            *(row.account, row.name, row.hands, in_credits(row.rake), row.entries),
            *(in_credits(row.fees), in_credits(row.rake + row.fees)),
        ),
        total=lambda rows: (
            *("total", "", sum(row.hands for row in rows), in_credits(sum(row.rake for row in rows))),
            *(sum(row.entries for row in rows), in_credits(sum(row.fees for row in rows))),
            in_credits(sum(row.rake + row.fees for row in rows)),
        ),
    ),
    Report(
        name="tournaments",
        help="""Report entries and fees of tournaments, the largest fees first.

        Fees are taken with the start, and of later entries at once; those of a tournament that is rolled back are
        returned. What was booked in the last minutes may be missing.""",
        columns=("tournament", "entries", "fees"),
        answer=list[TournamentTakings],
        rows=lambda ledger, query: ledger.tournament_takings(query.period, query.part),
        line=lambda row: (row.tournament, row.entries, in_credits(row.fees)),
        total=lambda rows: (
            *("total", sum(row.entries for row in rows)),
            in_credits(sum(row.fees for row in rows)),
        ),
    ),
    Report(
        name="events",
        help="""Report significant events, the latest first.

        They are lines of the operators' log: faults, and orders about money, accounts, offers and running games.""",
        columns=("n", "time", *_FACTS),
        answer=list[LogFacts],
        rows=_events,
        line=_event,
    ),
)
"""Every report, in the order in which the console offers them."""
