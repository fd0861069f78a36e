"""`pokerroom operator`: the accounts of operators, and their log. It works beside a running room or without one."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from pokerroom.ledger.operator_log import LogLine, LogQuery
from pokerroom.ledger.operators import (
    OperatorRow,
    Role,
    check_operator_name,
    new_operator_token,
    operator_token_hash,
)
from pokerroom.ops.operator_client import (
    JSON_OPTION,
    REASON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    of_ledger,
    print_json,
    print_rows,
    print_table,
)
from pokerroom.ops.times import utc_minute

_DAY_S = 86_400


_EXPIRES = click.option(
    "--expires-days", "days", type=click.IntRange(1, 3_650), help="The token is valid for so many days."
)


def operator_account_commands(
    on_ledger: OnLedger[CommandLedger],
) -> click.Group:
    """Return the group of commands."""

    @click.group("operator")
    def group() -> None:
        """Manage the accounts of operators, which are apart from those of players.

        An operator asks the operations port with a token. On the room's own machine its user needs none.
        """

    @group.command("add")
    @click.argument("name", callback=_checked_name)
    @click.option("--role", type=click.Choice([role.value for role in Role]), required=True)
    @_EXPIRES
    @REASON_OPTION
    def add_command(name: str, role: str, days: int | None, reason: str) -> None:
        """Add an operator and print the token, which is shown once.

        Refused for a name that was used before.
        """
        token = new_operator_token()
        added = operator_token_hash(token), None if days is None else days * _DAY_S
        by = acting(on_ledger, reason)
        of_ledger(on_ledger, lambda ledger: ledger.add_operator(name, Role(role), *added, by=by))
        _print_token(token)

    @group.command("token")
    @click.argument("name")
    @_EXPIRES
    @REASON_OPTION
    def token_command(name: str, days: int | None, reason: str) -> None:
        """Print a new token, which is shown once. The old one is void at once.

        Refused for an operator that is revoked.
        """
        token = new_operator_token()
        given = operator_token_hash(token), None if days is None else days * _DAY_S
        by = acting(on_ledger, reason)
        of_ledger(on_ledger, lambda ledger: ledger.replace_operator_token(name, *given, by=by))
        _print_token(token)

    @group.command("revoke")
    @click.argument("name")
    @REASON_OPTION
    def revoke_command(name: str, reason: str) -> None:
        """End an operator for ever. The name is not given again: it stays in the log."""
        by = acting(on_ledger, reason)
        of_ledger(on_ledger, lambda ledger: ledger.revoke_operator(name, by=by))
        click.echo(f"{name} is revoked")

    @group.command("list")
    @JSON_OPTION
    def list_command(*, as_json: bool) -> None:
        """List all operators, those revoked too."""
        acting(on_ledger)
        now_ms = datetime.now(UTC).timestamp() * 1000
        print_rows(
            of_ledger(on_ledger, lambda ledger: ledger.operators()),
            ("operator", "role", "state", "created", "expires"),
            lambda row: (
                row.name,
                row.role.value,
                _state(row, now_ms),
                _time(row.created_ms),
                _time(row.expires_ms),
            ),
            as_json=as_json,
        )

    @group.command("log")
    @click.option(
        "--since",
        type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
        help="Lines from this time on (UTC).",
    )
    @click.option("--who", help="Only lines of this operator, local:USER, account:NUMBER, room or stranger.")
    @click.option("--verb", help="Only lines of this verb, such as cashier.approve, or of a group: cashier.")
    @click.option("--limit", type=click.IntRange(1, 10_000), default=200, show_default=True)
    @JSON_OPTION
    def log_command(
        *, since: datetime | None, who: str | None, verb: str | None, limit: int, as_json: bool
    ) -> None:
        """Print what operators did, and what players did for their accounts: the newest lines, oldest first.

        `pokerroom audit` proves that no line was changed.
        """
        acting(on_ledger)
        since_ms = 0 if since is None else int(since.replace(tzinfo=UTC).timestamp() * 1000)
        query = LogQuery(since_ms=since_ms, who=who, verb=verb, limit=limit)
        lines = of_ledger(on_ledger, lambda ledger: ledger.log_lines(query))[::-1]
        if as_json:
            print_json([line.facts() for line in lines])
            return
        columns = "n", "time", "who", "role", "verb", "subject", "arguments", "result", "reason", "address"
        print_table(columns, [_log_row(line) for line in lines])

    return group


def _print_token(token: str) -> None:
    """Print the token alone on stdout, for scripts, and what to do with it on stderr."""
    click.echo(token)
    click.echo(
        "This token is shown once: keep it secret. Sign in with it at /operator on the operations port, or set "
        "POKERROOM_OPERATOR_TOKEN for commands.",
        err=True,
    )


def _checked_name(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    try:
        check_operator_name(name)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    return name


def _state(row: OperatorRow, now_ms: float) -> str:
    if row.is_revoked:
        return "revoked"
    return "expired" if row.expires_ms is not None and row.expires_ms <= now_ms else "active"


def _time(ms: int | None) -> str:
    return "" if ms is None else utc_minute(ms)


def _log_row(line: LogLine) -> tuple[str | int, ...]:
    at = datetime.fromtimestamp(line.at_ms // 1000, UTC)
    named = " ".join(f"{name}={value}" for name, value in line.named().items() if value is not None)
    by = line.by
    told = by.who, by.role, line.verb, line.subject, named, line.result, by.reason, by.address
    return (line.n, f"{at:%Y-%m-%d %H:%M:%S}", *told)
