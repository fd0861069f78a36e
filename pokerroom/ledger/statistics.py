"""The contract for statistics of players, with the rules of `api`.

The ledger stores sums, and knows no poker: `pokerroom.history.statistics` says what is counted. Every settled hand and
every tournament that is over is counted once, in the order of the ledger's numbers. The sums and the number up to which
they count are written in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final


@dataclass(slots=True)
class Counters:
    """What is counted of a player's hands; `pokerroom/history/statistics/README.md` defines each field.

    Amounts are of cash hands: `won` in the smallest unit, `won_squared` the sum of its squares, and `expected` in
    thousandths of the smallest unit.
    """

    hands: int = 0
    vpip_chances: int = 0
    vpip: int = 0
    pfr: int = 0
    three_bet_chances: int = 0
    three_bets: int = 0
    fold_to_three_bet_chances: int = 0
    folds_to_three_bet: int = 0
    c_bet_chances: int = 0
    c_bets: int = 0
    fold_to_c_bet_chances: int = 0
    folds_to_c_bet: int = 0
    bets: int = 0
    calls: int = 0
    flops: int = 0
    showdowns: int = 0
    showdowns_won: int = 0
    all_ins: int = 0
    won: int = 0
    won_squared: int = 0
    expected: int = 0

    def add(self, other: Counters) -> None:
        """Add what another has counted."""
        for name in COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))


COUNTED: Final = tuple(field.name for field in fields(Counters))
"""The names of all counters."""
