"""What a player can do, as values. Amounts are always raise-to totals for the street (C3).

All-in is a condition, not an action: a short call and a short raise are different acts.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Give up the hand. Always legal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Pass without betting, facing no bet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Match the bet, or put in what is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseTo:
    """Bet or raise: `amount` is the player's whole bet on this street afterwards. A bet raises from 0."""

    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockAllIn:
    """The clock ran out: treat the player as all-in for what is in (H2, H3).

    He keeps his stack behind, acts no more, and contests only the layers up to what he has committed.
    """


Action = Fold | Check | Call | RaiseTo | ClockAllIn
