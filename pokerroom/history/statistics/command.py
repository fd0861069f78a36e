"""`pokerroom statistics rebuild`: the operator has all statistics counted again."""

from __future__ import annotations

import asyncio
import sys
from typing import Final, Protocol

import click
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.history.statistics.counting import ADVICE, rebuild
from pokerroom.ledger.statistics import StatisticsLedger
from pokerroom.ops.operator_client import REASON_OPTION, CommandLedger, OnLedger, acting, ended, of_ledger

_PAUSE_S: Final = 0.1


class StatisticsCommandLedger(StatisticsLedger, CommandLedger, Protocol):
    """What the command needs of the ledger."""


def statistics_commands(on_ledger: OnLedger[StatisticsCommandLedger]) -> click.Group:
    """Return the group of commands."""

    @click.group("statistics")
    def group() -> None:
        """Statistics of players."""

    @group.command("rebuild")
    @REASON_OPTION
    def rebuild_command(reason: str) -> None:
        """Count the statistics of all players again, from the first hand on.

        They follow from the settled hands. Until the command ends, players see those that are counted so far. If it
        was interrupted, a running room goes on; without one, give it again. Each use is a line of the operators' log.
        It is refused once hands are in archives: their records are not here to count.
        """
        by = acting(on_ledger, reason, "statistics.rebuild")
        hands, unread = of_ledger(on_ledger, lambda ledger: rebuild(ledger, by, _pause, _progress))
        _progress(0)
        click.echo(f"{hands} hands counted")
        if unread:
            ended(
                1,
                f"{len(unread)} hands cannot be read, by their numbers: {', '.join(map(str, unread[:20]))}. {ADVICE}",
            )

    return group


def _pause() -> Deferred[None]:
    return deferred(asyncio.sleep(_PAUSE_S))


def _progress(hands: int) -> None:
    """Show a count on the terminal's error line while the command runs; 0 clears it."""
    if sys.stderr.isatty():
        click.echo(f"\r{hands} hands …" if hands else "\r\033[K", nl=False, err=True)
