"""The source of play money that the settings name: opened and funded as a node starts, if it is not there yet."""

from __future__ import annotations

from typing import Final

import structlog

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal
from pokerroom.ledger.whole import WholeLedger
from pokerroom.ops.config import CashierConfig

_FIRST_FUND: Final = "settings"
"""The key of the transfer that funds it."""

_log = structlog.get_logger()


async def open_first_source(ledger: WholeLedger, cashier: CashierConfig) -> None:
    """Open the source of the settings if there is none of its name, and fund it once. Then the operator decides.

    Raises `LedgerUnavailable`.
    """
    await ledger.set_four_eyes(on=cashier.four_eyes)
    if not cashier.source:
        return
    if cashier.source not in {row.source for row in await ledger.sources()}:
        await ledger.open_source(cashier.source)
    if cashier.fund:
        try:
            await ledger.fund_source(_FIRST_FUND, cashier.source, Money(cashier.fund))
        except LedgerConflict:  # it was funded with the amount of other settings
            return
        except LedgerRefusal as refusal:  # the operator has closed it, or the bank does not hold so much
            _log.warning("cashier.not_funded", source=cashier.source, reason=str(refusal))
