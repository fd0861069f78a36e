"""How an audit is printed: facts as lines or as JSON on stdout, progress and differences on stderr."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import click

from pokerroom.audit.room import Audit
from pokerroom.chips import in_credits
from pokerroom.table.record_audit import NotPlayed
from pokerroom.verifier.command import print_differences

_EVERY_S: Final = 5.0

TERMS_MAX: Final = 5
"""So many of the newest terms of refills are printed as lines; JSON has all."""

_WHY: Final[dict[NotPlayed, str]] = {
    "erased": "cards erased",
    "sealed": "cards encrypted with a key that is not known here",
    "no_terms": "an older record without pay tables or terms of the rake",
    "archived": "in archives that were not given or lack them; name their directory with --archive",
}


class ProgressLine:
    """Says on stderr how far the books are followed, every few seconds."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _EVERY_S

    def __call__(self, followed: int, total: int) -> None:
        """See `books.Progress`."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            click.echo(f"followed {followed:,} of {total:,} transfers", err=True)


def print_audit(found: Audit, *, as_json: bool, every_s: int) -> None:
    """Print the audit. By the settings a node signs a checkpoint every so many seconds; 0: none."""
    if as_json:
        click.echo(json.dumps(_facts(found, every_s)))
    else:
        _print_lines(found, every_s)
    if found.away is not None:
        click.echo(f"the ledger alone was audited, no hands in progress: {found.away}", err=True)
    for hand in found.journal or ():
        if hand.fate == "void":
            click.echo(
                f"table {hand.table}: hand {hand.hand_id or '?'} would be void if the room started now:"
                f" {hand.reason}",
                err=True,
            )
    print_differences(found.differences, found.count)


def _facts(found: Audit, every_s: int) -> dict[str, Any]:
    report, books = found.ledger, found.books
    return {
        "differences": found.count,
        "accounts": report.accounts,
        "transfers": report.transfers,
        "hands": report.hands,
        "rounds": report.rounds,
        "tournaments": report.tournaments,
        "escrow": report.escrow,
        "cash_requests": report.cash_requests,
        "held": report.held,
        "log_lines": report.log_lines,
        "total": report.total,
        "hands_replayed": books.hands,
        "rounds_replayed": books.rounds,
        "not_replayable": {why: books.not_played.get(why, 0) for why in _WHY},
        "last_transfer": books.last,
        "refill_terms": [asdict(terms) for terms in books.refill_terms],
        "checkpoints": found.chain.checkpoints,
        "checkpoint_ms": found.chain.until_ms,
        "transfers_signed": found.chain.transfers,
        "transfers_unsigned": found.chain.open,
        "unsigned_since_ms": found.chain.open_since_ms,
        "log_lines_unsigned": found.chain.open_lines,
        "checkpoint_every_s": every_s,
        "signatures_checked": found.chain.signed,
        "published_compared": found.published,
        "archives_compared": found.archived,
        "journal": found.fates(),
    }


def _print_lines(found: Audit, every_s: int) -> None:
    report, books = found.ledger, found.books
    click.echo(
        f"{report.accounts} accounts, {report.transfers} transfers, {report.hands} hands, {report.rounds} rounds,"
    )
    if report.tournaments:
        held = in_credits(report.escrow)
        click.echo(f"{report.tournaments} sit-and-gos, {held} credits held for their players,")
    click.echo(f"{report.log_lines} lines of the operators' log,")
    click.echo(f"{books.hands} hands and {books.rounds} rounds played again, up to transfer {books.last},")
    for why, text in _WHY.items():
        if books.not_played.get(why):
            click.echo(f"{books.not_played[why]} not replayable: {text},")
    for terms in books.refill_terms[-TERMS_MAX:]:
        click.echo(
            f"refills since {_time(terms.created_ms)}: from {terms.source} to {in_credits(terms.to)} credits, below"
            f" {in_credits(terms.below)}, every {terms.every_s} seconds,"
        )
    chain = found.chain
    signed = "signed" if chain.signed else "(signatures not checked: the key is not known here)"
    period = f"one every {every_s} seconds" if every_s else "none any more"
    click.echo(
        f"{chain.checkpoints} checkpoints {signed}, by the settings {period}: {chain.transfers} transfers,"
    )
    if chain.until_ms is not None:
        click.echo(f"the last checkpoint of {_time(chain.until_ms)},")
    since = "" if chain.open_since_ms is None else f" since {_time(chain.open_since_ms)}"
    click.echo(
        f"not signed yet: {chain.open} transfers{since}, and {chain.open_lines} lines of the operators' log;"
        " of these only the rules are proven,"
    )
    click.echo(f"total {in_credits(report.total)} credits: {found.count} differences")
    fates = found.fates()
    if fates is not None:
        told = ", ".join(f"{count} {fate.replace('_', ' ')}" for fate, count in fates.items() if count)
        click.echo(f"in the journal: {told or 'no hand'}")


def _time(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S UTC}"
