"""`pokerroom webhook`: whom a running room tells what happens in it, by its operations port."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import click

from pokerroom.ledger.webhooks import KINDS, WebhookMessage, WebhookRow
from pokerroom.ops.operator_client import (
    CONFIG_OPTION,
    JSON_OPTION,
    REASON_OPTION,
    asked,
    ended,
    print_json,
    print_rows,
    print_table,
)
from pokerroom.ops.operator_commands import API
from pokerroom.ops.reports import NewWebhookSecret, WebhookDecided, WebhookTested
from pokerroom.ops.times import utc_minute

T = TypeVar("T")

_NUMBER = click.argument("number", type=click.IntRange(1), metavar="NUMBER")
_MESSAGE = click.option("--message", type=click.IntRange(1), help="Only the message of this number.")


@click.group("webhook")
def webhook_commands() -> None:
    """Tell programs of yours what happens in the room: signed messages over HTTPS."""


@webhook_commands.command("add")
@click.argument("url", metavar="URL")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    required=True,
    help="What it is told. Give it again for more.",
)
@click.option("--note", default="", help="A line for operators.")
@click.option(
    "--big-win",
    type=click.IntRange(1),
    help="A win of so much in a hand is a significant event, in 1/100 credit. Default: none is.",
)
@CONFIG_OPTION
@JSON_OPTION
@REASON_OPTION
def _add(
    *,
    config_path: Path | None,
    as_json: bool,
    reason: str,
    url: str,
    kinds: tuple[str, ...],
    note: str,
    big_win: int | None,
) -> None:
    """Add a webhook, and print the secret that signs its messages. It is printed once."""
    sent = {"url": url, "kinds": ",".join(kinds), "note": note, "big_win": big_win, "reason": reason}
    made = _order(config_path, "/add", sent, NewWebhookSecret)
    if as_json:
        print_json(made)
        return
    click.echo(f"webhook {made.number} is added. Its secret, which is not shown again:\n{made.secret}")


@webhook_commands.command("list")
@CONFIG_OPTION
@JSON_OPTION
def _list(*, config_path: Path | None, as_json: bool) -> None:
    """List the webhooks, and how many messages of each wait or are dead."""
    found = asked(config_path, f"{API}/webhooks", list[WebhookRow])
    print_rows(
        found,
        ("number", "url", "kinds", "is", "delivered", "wait", "dead", "note"),
        lambda one: (
            one.number,
            one.url,
            " ".join(one.kinds),
            _state(one),
            one.delivered,
            one.waiting,
            one.dead,
            one.note,
        ),
        as_json=as_json,
    )


@webhook_commands.command("show")
@_NUMBER
@CONFIG_OPTION
@JSON_OPTION
def _show(*, config_path: Path | None, as_json: bool, number: int) -> None:
    """Show one webhook."""
    _print(asked(config_path, f"{API}/webhooks/{number}", WebhookRow), as_json=as_json)


@webhook_commands.command("remove")
@_NUMBER
@CONFIG_OPTION
@REASON_OPTION
def _remove(*, config_path: Path | None, reason: str, number: int) -> None:
    """Remove a webhook with its messages."""
    gone = _order(config_path, f"/{number}/remove", {"reason": reason}, WebhookDecided)
    click.echo(f"webhook {number} is removed, with {gone.messages} messages")


@webhook_commands.command("enable")
@_NUMBER
@CONFIG_OPTION
@REASON_OPTION
def _enable(*, config_path: Path | None, reason: str, number: int) -> None:
    """Deliver to a webhook that was switched off; what waits is delivered, too."""
    _print(_order(config_path, f"/{number}/enable", {"reason": reason}, WebhookRow), as_json=False)


@webhook_commands.command("disable")
@_NUMBER
@CONFIG_OPTION
@REASON_OPTION
def _disable(*, config_path: Path | None, reason: str, number: int) -> None:
    """Deliver no more to a webhook, and write no messages for it. What waits stays."""
    _print(_order(config_path, f"/{number}/disable", {"reason": reason}, WebhookRow), as_json=False)


@webhook_commands.command("test")
@_NUMBER
@CONFIG_OPTION
@REASON_OPTION
def _test(*, config_path: Path | None, reason: str, number: int) -> None:
    """Send a test message at once, and print the answer. Exit code 1: it was not taken."""
    tested = _order(config_path, f"/{number}/test", {"reason": reason}, WebhookTested)
    if not tested.is_delivered:
        ended(1, f"webhook {number} did not take the message: {tested.result}")
    click.echo(f"webhook {number} took the message: {tested.result}")


@webhook_commands.command("dead")
@_NUMBER
@click.option("--before", type=click.IntRange(1), help="Continue below this number.")
@CONFIG_OPTION
@JSON_OPTION
def _dead(*, config_path: Path | None, as_json: bool, number: int, before: int | None) -> None:
    """List the dead messages of a webhook, the latest first: those that are not tried again."""
    query = "" if before is None else f"?before={before}"
    found = asked(config_path, f"{API}/webhooks/{number}/dead{query}", list[WebhookMessage])
    print_rows(
        found,
        ("number", "time (UTC)", "kind", "about", "tries", "last failure", "id"),
        lambda one: (
            one.number,
            utc_minute(one.at_ms),
            one.kind,
            one.reference,
            one.tries,
            one.failure,
            one.id,
        ),
        as_json=as_json,
    )


@webhook_commands.command("retry")
@_NUMBER
@_MESSAGE
@CONFIG_OPTION
@REASON_OPTION
def _retry(*, config_path: Path | None, reason: str, number: int, message: int | None) -> None:
    """Try dead messages of a webhook again, from the first try on."""
    sent = {"message": message, "reason": reason}
    again = _order(config_path, f"/{number}/retry", sent, WebhookDecided)
    click.echo(f"{again.messages} messages are tried again")


@webhook_commands.command("drop")
@_NUMBER
@_MESSAGE
@CONFIG_OPTION
@REASON_OPTION
def _drop(*, config_path: Path | None, reason: str, number: int, message: int | None) -> None:
    """Drop dead messages of a webhook: it is never told."""
    sent = {"message": message, "reason": reason}
    dropped = _order(config_path, f"/{number}/drop", sent, WebhookDecided)
    click.echo(f"{dropped.messages} messages are dropped")


def _order(config_path: Path | None, path: str, sent: dict[str, Any], expected: type[T]) -> T:
    query = urlencode({name: value for name, value in sent.items() if value not in {None, ""}})
    return asked(config_path, f"{API}/webhooks{path}" + (f"?{query}" if query else ""), expected, post=True)


def _state(one: WebhookRow) -> str:
    return "on" if one.is_on else f"off: {one.why_off}"


def _print(one: WebhookRow, *, as_json: bool) -> None:
    if as_json:
        print_json(one)
        return
    print_table(
        ("webhook", str(one.number)),
        [
            ("url", one.url),
            ("kinds", " ".join(one.kinds)),
            ("big win", "-" if one.big_win is None else str(one.big_win)),
            ("note", one.note),
            ("is", _state(one)),
            ("added (UTC)", utc_minute(one.created_ms)),
            ("delivered", one.delivered),
            ("last delivery (UTC)", _minute(one.delivered_ms)),
            ("last failure (UTC)", f"{_minute(one.failed_ms)} {one.failure}".strip()),
            ("wait", one.waiting),
            ("dead", one.dead),
        ],
    )


def _minute(at_ms: int | None) -> str:
    return "-" if at_ms is None else utc_minute(at_ms)
