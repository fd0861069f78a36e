"""The stakes of a hand: blinds, antes, straddle; and how a fixed limit's blinds follow from its bets (B2).

In no-limit and pot-limit a table sets its blinds: the big one is two small ones unless the settings differ.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """Blinds and antes of a hand, in the smallest unit."""

    small_blind: int
    big_blind: int
    ante: int = 0
    """Of every player (B9)."""
    big_blind_ante: int = 0
    """Of the big blind, for the table (B9)."""
    straddle: int = 0
    """The size of a straddle, usually two big blinds; 0: the table has none [D]."""


def fixed_limit_stakes(small_bet: int, *, unit: int = 1) -> Stakes:
    """Return the blinds of a limit of a/b, `small_bet` being a: the big blind is a, the small blind half of it (B2).

    Half is rounded down to a whole `unit` of the game's denomination: 5/10 in units of 1 has a small blind of 2.
    Raises ValueError unless 1 <= unit <= small_bet.
    """
    if not 1 <= unit <= small_bet:
        raise ValueError("a small bet is at least one unit of the game, and a unit at least 1")
    return Stakes(small_blind=small_bet // 2 // unit * unit, big_blind=small_bet)
