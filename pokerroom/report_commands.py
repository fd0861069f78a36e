"""`pokerroom report`: what was played, what the room has taken, and what has happened.

Reads the ledger, beside a running room or without one. `report_tables` declares the reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from inspect import cleandoc
from typing import Any, Protocol

import click

from pokerroom.ledger.day_reports import ReportPart
from pokerroom.ops.operator_client import (
    JSON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    ended,
    print_json,
    print_table,
)
from pokerroom.ops.report_tables import (
    DAYS,
    REPORTS,
    Report,
    ReportLedger,
    ReportQuery,
    csv_of,
    period_of,
    today,
)
from pokerroom.ops.reports import OrderRefused


class ReportCommandLedger(ReportLedger, CommandLedger, Protocol):
    """What the commands need of the ledger."""


def report_commands(on_ledger: OnLedger[ReportCommandLedger]) -> click.Group:
    """Return the group of commands."""

    @click.group("report")
    def group() -> None:
        """Report what was played, and what the room has earned."""

    for report in REPORTS:
        group.add_command(_command(report, on_ledger))
    return group


def _command(report: Report, on_ledger: OnLedger[ReportCommandLedger]) -> click.Command:
    options: list[Callable[[Any], Any]] = [
        click.option(
            "--since", default="", help=f"The first day, as 2026-11-30. [default: {DAYS} days before]"
        ),
        click.option("--until", default="", help="The last day. [default: today]"),
        click.option("--csv", "as_csv", is_flag=True, help="Print CSV."),
        JSON_OPTION,
    ]
    if report.of_tables:
        options += [
            click.option("--table", help="Only this table."),
            click.option("--whole", is_flag=True, help="One line for each table, of all days."),
        ]
    command = partial(_run, report, on_ledger)
    for option in reversed(options):
        command = option(command)
    help_ = f"{cleandoc(report.help)}\n\nDays are of UTC. Amounts are in credits, in JSON in 1/100 credit."
    return click.command(report.name, help=help_)(command)


def _run(
    report: Report,
    on_ledger: OnLedger[ReportCommandLedger],
    *,
    since: str,
    until: str,
    as_csv: bool,
    as_json: bool,
    table: str | None = None,
    whole: bool = False,
) -> None:
    if as_csv and as_json:
        raise click.UsageError("give either --csv or --json")
    acting(on_ledger)
    try:
        period = period_of(since, until, today())
        query = ReportQuery(period=period, table=table, whole=whole)
        rows = on_ledger(lambda ledger: _all(report, ledger, query))
    except OrderRefused as refused:
        ended(1, f"{refused.code}: {refused}")
    lines = [report.line(row) for row in rows]
    if as_json:
        print_json(rows)
    elif as_csv:
        click.echo(csv_of(report.columns, lines), nl=False)
    else:
        print_table(report.columns, lines if report.total is None else [*lines, report.total(rows)])


async def _all(report: Report, ledger: ReportLedger, query: ReportQuery) -> list[Any]:
    """Return all lines, which the ledger tells in parts."""
    rows: list[Any] = []
    while True:
        part = ReportPart(skip=len(rows))
        found = await report.of(ledger, replace(query, part=part))
        rows += found
        if len(found) < part.limit:
            return rows
