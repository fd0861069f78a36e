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


@dataclass(frozen=True, slots=True, kw_only=True)
class BountyShare:
    """What a winner gets of the bounty on a player: `cash` at once, and `on_head` more bounty on the winner."""

    winner: int
    cash: Money
    on_head: Money


def bounty_shares(bounty: Money, winners: Sequence[int], *, cash_bps: int) -> list[BountyShare]:
    """Return what each of the winners gets, who are from the first left of the button.

    They share equally; odd units go one each to the first. Of each share `cash_bps` (0 to 10,000) is paid at once,
    rounded down. With 10,000 it is a knockout tournament. Raises ValueError for other basis points.
    """
    if not 0 <= cash_bps <= SHARES_BPS:
        raise ValueError("the part of a bounty that is paid at once is 0 to 10,000 basis points")
    shared = []
    for winner, share in zip(winners, split(bounty, len(winners)), strict=True):
        cash = Money(share * cash_bps // SHARES_BPS)
        shared.append(BountyShare(winner=winner, cash=cash, on_head=Money(share - cash)))
    return shared


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

    `heads` are those of all players at the start of the hand, and count as they were then [D]. `bounty_shares` says
    what the winners get of each.
    """
    cash = dict[int, Money]()
    after = {account: head for account, head in heads.items() if account not in out}
    for account in out:
        for won in bounty_shares(heads[account], bounty_winners(pots, account), cash_bps=cash_bps):
            cash[won.winner] = Money(cash.get(won.winner, 0) + won.cash)
            after[won.winner] = Money(after[won.winner] + won.on_head)
    return HandBounties(cash=cash, heads=after)
