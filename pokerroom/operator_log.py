"""`pokerroom operator log`: prints the operators' log. It works beside a running room or without one."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from pokerroom.ledger.operator_log import LogLine, LogQuery, OperatorLog
from pokerroom.ops.operator_client import JSON_OPTION, OnLedger, print_json, print_table


def log_command(on_ledger: OnLedger[OperatorLog]) -> click.Command:
    """Return the command."""

    @click.command("log")
    @click.option(
        "--since",
        type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
        help="Lines from this time on (UTC).",
    )
    @click.option("--who", help="Only lines of this operator, local:USER, account:NUMBER, room or stranger.")
    @click.option("--verb", help="Only lines of this verb, such as cashier.approve, or of a group: cashier.")
    @click.option("--limit", type=click.IntRange(1, 10_000), default=200, show_default=True)
    @JSON_OPTION
    def command(
        *, since: datetime | None, who: str | None, verb: str | None, limit: int, as_json: bool
    ) -> None:
        """Print what operators did, and what players did for their accounts: the newest lines, oldest first.

        `pokerroom audit` proves that no line was changed.
        """
        since_ms = 0 if since is None else int(since.replace(tzinfo=UTC).timestamp() * 1000)
        query = LogQuery(since_ms=since_ms, who=who, verb=verb, limit=limit)
        lines = on_ledger(lambda ledger: ledger.log_lines(query))[::-1]
        if as_json:
            print_json([_facts(line) for line in lines])
            return
        columns = "n", "time", "who", "role", "verb", "subject", "arguments", "result", "reason", "address"
        print_table(columns, [_row(line) for line in lines])

    return command


def _row(line: LogLine) -> tuple[str | int, ...]:
    at = datetime.fromtimestamp(line.at_ms // 1000, UTC)
    named = " ".join(f"{name}={value}" for name, value in line.named().items() if value is not None)
    by = line.by
    told = by.who, by.role, line.verb, line.subject, named, line.result, by.reason, by.address
    return (line.n, f"{at:%Y-%m-%d %H:%M:%S}", *told)


def _facts(line: LogLine) -> dict[str, object]:
    by = line.by
    return {
        "n": line.n,
        "at_ms": line.at_ms,
        "who": by.who,
        "role": by.role,
        "verb": line.verb,
        "subject": line.subject,
        "arguments": line.arguments,
        "reason": by.reason,
        "result": line.result,
        "address": by.address,
        "prev_hash": line.prev_hash.hex(),
        "hash": line.hash.hex(),
    }
