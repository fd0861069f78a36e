"""Runs commands of the operator on a ledger in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import CliRunner, Result
from twisted.internet.defer import Deferred

from pokerroom.ledger.memory.ledger import MemoryLedger
from tests.poker.support import now


def said(ledger: MemoryLedger, command: Callable[[Any], Any], *arguments: str) -> Result:
    """What the command of this maker answers."""

    def on_ledger(work: Callable[[MemoryLedger], Any]) -> Any:
        async def waited() -> Any:
            return await work(ledger)

        return now(Deferred.fromCoroutine(waited()))

    return CliRunner().invoke(command(on_ledger), arguments)
