"""All that a room asks of its ledger, in one contract. See the modules that it is made of."""

from __future__ import annotations

from typing import Protocol

from pokerroom.ledger.account_history import AccountHistoryLedger
from pokerroom.ledger.cashier import CashierLedger
from pokerroom.ledger.tournaments import TournamentLedger


class WholeLedger(TournamentLedger, AccountHistoryLedger, CashierLedger, Protocol):
    """What both adapters keep."""
