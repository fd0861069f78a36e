"""`pokerroom offer`: the offers of tournaments of a running room, by its operations port."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click
import msgspec

from pokerroom.ops.config_offer import KINDS
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
from pokerroom.ops.reports import OfferReport, OfferVersion
from pokerroom.ops.times import utc_minute


@click.group("offer")
def offer_commands() -> None:
    """Make, change and retire sit-and-gos and tournaments while the room runs.

    An order holds over the settings until `reset`.
    """


@offer_commands.command("list")
@CONFIG_OPTION
@JSON_OPTION
def _list(*, config_path: Path | None, as_json: bool) -> None:
    """List the offers, and which an order has changed or retired."""
    found = asked(config_path, f"{API}/offers", list[OfferReport])
    print_rows(
        found,
        ("offer", "kind", "is", "as", "changed (UTC)", "by"),
        lambda one: (
            *(one.offer, one.kind, "offered" if one.is_offered else "retired"),
            *(("settings", "", "") if one.ordered is None else _of_order(one.ordered)),
        ),
        as_json=as_json,
    )


@offer_commands.command("show")
@click.argument("offer", metavar="ID")
@CONFIG_OPTION
@JSON_OPTION
def _show(*, config_path: Path | None, as_json: bool, offer: str) -> None:
    """Show the terms of an offer."""
    _print(asked(config_path, _path(offer), OfferReport), as_json=as_json)


@offer_commands.command("history")
@click.argument("offer", metavar="ID")
@CONFIG_OPTION
@JSON_OPTION
def _history(*, config_path: Path | None, as_json: bool, offer: str) -> None:
    """List the orders about an offer: who, when, why, and what they changed."""
    found = asked(config_path, _path(offer, "history"), list[OfferVersion])
    print_rows(
        found,
        ("number", "time (UTC)", "by", "standing", "reason", "changes"),
        lambda one: (one.number, utc_minute(one.at_ms), one.who, one.standing, one.reason, _changes(one)),
        as_json=as_json,
    )


@offer_commands.command("set")
@click.argument("offer", metavar="ID")
@click.argument("values", metavar="[KEY=VALUE]...", nargs=-1)
@click.option("--kind", type=click.Choice(KINDS), help="Of a new offer. Default: sit_and_go.")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="All terms, in TOML, as below [[sit_and_go]] or [[tournament]] in the settings.",
)
@CONFIG_OPTION
@JSON_OPTION
@REASON_OPTION
def _set(
    *,
    config_path: Path | None,
    as_json: bool,
    reason: str,
    offer: str,
    values: tuple[str, ...],
    kind: str | None,
    file: Path | None,
) -> None:
    """Make an offer, or change it: VALUE is as in the settings.

    Without --file the other terms of an offer stay, and KEY= removes one. Registration for a changed sit-and-go is
    cancelled, and its buy-ins are returned; tournaments that run or are announced keep their terms.
    """
    if file is not None:
        terms = _toml(file.read_text(encoding="utf-8"), str(file))
    else:
        known = {one.offer: one for one in asked(config_path, f"{API}/offers", list[OfferReport])}
        terms = dict(known[offer].terms) if offer in known else {}
    for value in values:
        key, _, text = value.partition("=")
        if text:
            terms |= _toml(value, value) if _is_toml(value) else {key: text}
        else:
            terms.pop(key, None)
    sent = {"terms": msgspec.json.encode(terms).decode(), "reason": reason, "kind": kind or ""}
    _order(config_path, offer, "set", sent, as_json=as_json)


@offer_commands.command("retire")
@click.argument("offer", metavar="ID")
@CONFIG_OPTION
@JSON_OPTION
@REASON_OPTION
def _retire(*, config_path: Path | None, as_json: bool, reason: str, offer: str) -> None:
    """Open no more tournaments of an offer, also if the settings have it.

    Registration for a sit-and-go is cancelled, and its buy-ins are returned. Tournaments that run or are announced
    stay.
    """
    _order(config_path, offer, "retire", {"reason": reason}, as_json=as_json)


@offer_commands.command("reset")
@click.argument("offer", metavar="ID")
@CONFIG_OPTION
@JSON_OPTION
@REASON_OPTION
def _reset(*, config_path: Path | None, as_json: bool, reason: str, offer: str) -> None:
    """Give an offer back to the settings: it is as they say, or is not offered."""
    _order(config_path, offer, "reset", {"reason": reason}, as_json=as_json)


def _order(config_path: Path | None, offer: str, name: str, sent: dict[str, str], *, as_json: bool) -> None:
    query = urlencode({key: value for key, value in sent.items() if value})
    path = _path(offer, name) + (f"?{query}" if query else "")
    _print(asked(config_path, path, OfferReport, post=True), as_json=as_json)


def _path(*parts: str) -> str:
    return API + "/offers" + "".join(f"/{quote(part, safe='')}" for part in parts)


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        ended(2, f"{source}: {error}")


def _of_order(order: OfferVersion) -> tuple[str, str, str]:
    return "ordered" if order.standing != "settings" else "settings", utc_minute(order.at_ms), order.who


def _changes(order: OfferVersion) -> str:
    """What an order changed, key by key."""
    if order.terms is None:
        return ""
    before = order.before or {}
    keys = sorted(key for key in {*before, *order.terms} if before.get(key) != order.terms.get(key))
    return ", ".join(f"{key} {_text(before.get(key))} -> {_text(order.terms.get(key))}" for key in keys)


def _text(value: object) -> str:
    return "-" if value is None else msgspec.json.encode(value).decode()


def _print(found: OfferReport, *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    state = "offered" if found.is_offered else "retired"
    click.echo(
        f"{found.offer}: {found.kind}, {state}, as {'ordered' if found.ordered else 'the settings say'}"
    )
    print_table(("key", "value"), [(key, _text(value)) for key, value in found.terms.items()])
