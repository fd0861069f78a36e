"""Amounts for players: credits with decimals, and the range of a raise.

An amount is an integer in 1/100 credit; no float touches it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pokerroom_protocol.messages import Snapshot

_CREDITS = re.compile(r"([0-9]{1,12})(?:[.,]([0-9]{1,2}))?")


def in_credits(amount: int) -> str:
    """Return 12.50 for 1250; whole credits have no decimals."""
    whole, rest = divmod(amount, 100)
    return f"{whole:,}.{rest:02d}" if rest else f"{whole:,}"


def parse_credits(text: str) -> int:
    """Parse a typed amount: 12, 12.5 or 12,50. Raise ValueError with a text for the player."""
    found = _CREDITS.fullmatch(text.strip().replace(" ", ""))
    if found is None:
        raise ValueError("Enter an amount like 12 or 12.50.")
    return int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseRange:
    """The range of a bet or raise, as totals for the street; `bets` is True without a bet before."""

    min_to: int
    max_to: int
    half_pot_to: int
    pot_to: int
    bets: bool


def raises(table: Snapshot) -> RaiseRange | None:
    """Return the range of a raise for the player to act; None without a turn, or if a raise is not allowed.

    A pot-sized raise adds the pot after the call to the call (D4), within the room's limits.
    """
    hand = table.hand
    turn = None if hand is None else hand.turn
    if hand is None or turn is None or turn.min_raise_to is None or turn.max_raise_to is None:
        return None
    low, high = turn.min_raise_to, turn.max_raise_to
    own = sum(seat.bet for seat in table.seats if seat.seat == turn.seat)
    pot = pot_total(table) + turn.call_amount

    def within(total: int) -> int:
        return max(low, min(high, total))

    called = own + turn.call_amount
    return RaiseRange(
        min_to=low,
        max_to=high,
        half_pot_to=within(called + pot // 2),
        pot_to=within(called + pot),
        bets=called == 0,
    )


def pot_total(table: Snapshot) -> int:
    """Return the pots and the bets in front of the seats."""
    pots = [] if table.hand is None else table.hand.pots
    return sum(pot.amount for pot in pots) + sum(seat.bet for seat in table.seats)
