"""A player's account for an operator: found by name, and told in short. For commands and pages alike."""

from __future__ import annotations

from typing import Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.account_standing import StandingLedger, gone_name
from pokerroom.ledger.api import AccountRow
from pokerroom.ops.reports import PlayerReport
from pokerroom.table.house_bots import is_house_bot


class FindsAccounts(Protocol):
    """What finding a player needs of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


class PlayersLedger(StandingLedger, FindsAccounts, Protocol):
    """What this module needs of the ledger."""


async def find_player(ledger: FindsAccounts, name: str) -> AccountRow | None:
    """Return the account of a player, ignoring case; a house bot's and a deleted one are no player's."""
    if is_house_bot(name) or not name.isprintable():  # PostgreSQL takes no zero byte
        return None
    row = await ledger.find_account(name)
    return None if row is None or row.name == gone_name(row.account) else row


async def player_report(ledger: PlayersLedger, name: str) -> PlayerReport | None:
    """Return what an operator is told of a player; None if no player has the name."""
    row = await find_player(ledger, name)
    if row is None:
        return None
    overview = await ledger.overview(row.account)
    barred = await ledger.barred([row.account], [])
    return PlayerReport(
        account=row.account,
        name=row.name,
        wallet=overview.balance,
        tables=tuple(overview.tables),
        is_locked=any(one.account == row.account and one.why == "locked" for one in barred),
        is_excluded=overview.exclusion is not None,
        excluded_until_ms=None if overview.exclusion is None else overview.exclusion.until_ms,
    )
