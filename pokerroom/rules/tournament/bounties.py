"""Bounties: what a player who knocks another one out gets at once, and what goes on their own head (L13).

Amounts are money. This module does not know the ledger: all bounties paid, and all heads left, are exactly the bounties
that were bought.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pokerroom.chips import Money, split
from pokerroom.rules.tournament.prizes import SHARES_BPS


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestedPot:
    """A pot of a hand: the accounts that could win it, and those that got a chip of it.

    The winners are from the first left of the button.
    """

    contested_by: frozenset[int]
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBounties:
    """The bounties of one hand: cash to pay by account, and the heads of the players that are left."""

    cash: Mapping[int, Money]
    heads: Mapping[int, Money]


def bounty_winners(pots: Sequence[ContestedPot], account: int) -> tuple[int, ...]:
    """Return the accounts that knocked a player out: the winners of the highest pot that the player contested.

    `pots` begin with the main pot. Raises LookupError if the player contested none.
    """
    for pot in reversed(pots):
        if account in pot.contested_by:
            return pot.winners
    raise LookupError("an eliminated player has contested a pot")


def hand_bounties(
    heads: Mapping[int, Money], pots: Sequence[ContestedPot], out: Sequence[int], *, cash_bps: int
) -> HandBounties:
    """Return what the players who went out in one hand were worth, and the heads after it.

    `heads` are those of all players at the start of the hand, and count as they were then [D]. The winners share a head
    equally; odd units go one each to the first left of the button. Of each share `cash_bps` (0 to 10,000) is paid at
    once, rounded down, and the rest goes on the winner's own head. With 10,000 it is a knockout tournament.
    """
    if not 0 <= cash_bps <= SHARES_BPS:
        raise ValueError("the part of a bounty that is paid at once is 0 to 10,000 basis points")
    cash = dict[int, Money]()
    after = {account: head for account, head in heads.items() if account not in out}
    for account in out:
        winners = bounty_winners(pots, account)
        for winner, share in zip(winners, split(heads[account], len(winners)), strict=True):
            paid = share * cash_bps // SHARES_BPS
            cash[winner] = Money(cash.get(winner, 0) + paid)
            after[winner] = Money(after[winner] + share - paid)
    return HandBounties(cash=cash, heads=after)
