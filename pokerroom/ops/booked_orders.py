"""Orders of the operations port that the ledger carries out, with their line of the operators' log in one transaction.

A refusal of the ledger has a line of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from secrets import token_hex

from pokerroom.ledger.api import AccountRow, LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.cashier import CashDecided
from pokerroom.ledger.operator_log import Acting, OperatorLog, first_line, refusal_line
from pokerroom.ops.api_page import ApiCall
from pokerroom.ops.reports import OrderRefused

FindPlayer = Callable[[str], Awaitable[AccountRow]]
"""Finds a player by name, as `PlayersDesk.account`. Raises `OrderRefused`."""


def ledger_key(call: ApiCall) -> str:
    """Return the key of an order for the ledger, of 35 characters: always the same one for a key of its operator.

    An order without a key gets a new one, so it is another order each time.
    """
    name = f"{call.by.who}:{call.key}" if call.key else token_hex(16)
    return f"op-{sha256(name.encode()).hexdigest()[:32]}"


class BookedOrders:
    """See the module. `log` is the operators' log."""

    def __init__(self, log: OperatorLog) -> None:
        self._log = log

    async def carried_out(self, call: ApiCall, work: Callable[[Acting], Awaitable[object]]) -> object:
        """Carry out an order, and return its answer. Raises `OrderRefused`."""
        by = call.by
        try:
            return await work(by)
        except (LedgerRefusal, CashDecided, LookupError) as refused:
            with suppress(LedgerUnavailable):
                await self._log.record_rarely(refusal_line(by, call.page.verb, refused))
            raise _refusal(refused) from refused


def _refusal(refused: Exception) -> OrderRefused:
    match refused:
        case LedgerRefusal():
            return OrderRefused(refused.code, first_line(refused))
        case CashDecided():
            return OrderRefused(
                "cash_decided", "The request was decided differently before. Nothing has changed."
            )
        case _:
            return OrderRefused("unknown_request", "There is no request of this number.")
