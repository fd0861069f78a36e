"""Amounts for players: credits with decimals, whole tournament chips, and the range of a raise.

An amount is an integer, in 1/100 credit or in tournament chips; no float touches it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pokerroom.terminal.texts import t
from pokerroom_protocol.messages import Snapshot

_TYPED = re.compile(r"([0-9]{1,12})(?:[.,]([0-9]{1,2}))?")


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit that players read and type: it has `decimals` digits after the point."""

    decimals: int

    def text(self, amount: int) -> str:
        """Return 12.50 for 1250 in credits, in the player's language; whole ones have no decimals."""
        whole, point, rest = self.plain(amount).partition(t("number.decimal"))
        return f"{int(whole):,}".replace(",", t("number.group")) + point + rest

    def plain(self, amount: int) -> str:
        """Return the amount as a player types it, without groups of digits."""
        whole, rest = divmod(amount, int(10**self.decimals))
        return f"{whole}{t('number.decimal')}{rest:0{self.decimals}}" if rest else str(whole)

    def parse(self, text: str) -> int:
        """Parse a typed amount: 12, 12.5 or 12,50. Raise ValueError with a text for the player."""
        found = _TYPED.fullmatch(text.strip().replace(" ", ""))
        if found is None or len(found[2] or "") > self.decimals:
            raise ValueError(t("ask.amount"))
        return int(found[1]) * int(10**self.decimals) + int((found[2] or "").ljust(self.decimals, "0") or 0)


CREDITS: Final = Unit(2)
CHIPS: Final = Unit(0)
in_credits = CREDITS.text


def unit_of(table: Snapshot) -> Unit:
    """Return the unit of a table's stacks and bets."""
    return CREDITS if table.tournament is None else CHIPS


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
