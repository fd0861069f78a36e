"""All that a room asks of its ledger, in one contract. See the modules that it is made of."""

from __future__ import annotations

from typing import Protocol

from pokerroom.ledger.cashier import CashierLedger
from pokerroom.ledger.played import PlayedLedger
from pokerroom.ledger.tournaments import TournamentLedger


class WholeLedger(TournamentLedger, PlayedLedger, CashierLedger, Protocol):
    """What both adapters keep."""
