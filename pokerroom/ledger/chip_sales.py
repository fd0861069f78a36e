"""The contract for rebuys and add-ons of a tournament (L2): what it sells beside its entries, and what was bought.

A purchase moves its price at any node, as an entry does: the fee to the account `fees`, the rest into the escrow. The
chips come later: the owner of the tournament gives them between two hands of the player's table. So a purchase during a
hand counts for the next one, and a node that dies loses none. The permanent keys:

    sng:<tournament>:rebuy:<account>:<n>    the n-th rebuy of an account
    sng:<tournament>:add_on:<account>:<n>   its add-on

The owner says what is on sale, and whether late players enter. A player that has lost all chips can buy a rebuy until
the player declines, or until the owner lets the player out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Chips, Money
from pokerroom.ledger.api import LedgerRefusal

SaleKind = Literal["rebuy", "add_on"]

OnSale = SaleKind | Literal["entry"]
"""What an owner offers; entries come after the start only while it offers them."""


class SaleClosed(LedgerRefusal):
    """The tournament does not sell this now, or the player is out."""

    code = "sale_closed"


class PurchasesUsedUp(LedgerRefusal):
    """The account has bought as many as it may."""

    code = "purchases_used_up"


class PurchasePending(LedgerRefusal):
    """The account has bought one, and its chips come before the next hand."""

    code = "purchase_pending"


class StackTooLarge(LedgerRefusal):
    """A rebuy is sold to players with at most a starting stack, or fewer chips by the terms of the tournament.

    The ledger compares with the chips after the last settled hand, in the transaction that takes the price.
    """

    code = "stack_too_large"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipSale:
    """What a tournament sells: `prize` goes to the escrow, and `fee` to the house. `most` is for each account."""

    kind: SaleKind
    prize: Money
    fee: Money
    chips: Chips
    most: int

    @property
    def price(self) -> Money:
        """All that the account pays."""
        return Money(self.prize + self.fee)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipPurchase:
    """One rebuy or add-on. `number` counts those of the account and the kind, from 1."""

    account: int
    kind: SaleKind
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchaseRow:
    """A purchase as the ledger keeps it. `table` and `hands` are None until its chips are given.

    The chips came to the `entry` of the account at this table, by its number, after so many settled hands of it.
    """

    purchase: ChipPurchase
    entry: int
    table: int | None = None
    hands: int | None = None

    @property
    def given(self) -> bool:
        """Whether the player has the chips."""
        return self.table is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SalesNow:
    """What is on sale, the purchases without chips in order, and the accounts that may still decide on a rebuy."""

    on_sale: frozenset[OnSale]
    ordered: tuple[ChipPurchase, ...]
    undecided: frozenset[int]


class ChipSaleLedger(Protocol):
    """The contract. Raises LookupError for a tournament that was never opened."""

    def buy_chips(self, tournament: str, purchase: ChipPurchase) -> Deferred[None]:
        """Moves the price from the wallet, once per number.

        Raises `SaleClosed`, `NotEntered`, `PurchasesUsedUp`, `PurchasePending`, `StackTooLarge`,
        `InsufficientBalance`, and what `TournamentLedger.enter` raises for limits and exclusions.
        """

    def decline_rebuy(self, tournament: str, account: int) -> Deferred[None]:
        """Lets a player out that has lost all chips. Raises `NotEntered` for one that has chips or no entry."""

    def sales_now(self, tournament: str) -> Deferred[SalesNow]:
        """What the owner of the tournament must know."""

    def set_sales(self, tournament: str, epoch: int, kinds: Collection[OnSale]) -> Deferred[None]:
        """Puts these on sale, and no others. Raises `NotRunning`, `NotOwner`."""

    def add_chips(self, tournament: str, epoch: int, purchases: Sequence[ChipPurchase]) -> Deferred[None]:
        """Gives the chips of purchases, all or none, while the tables of the players have no hand.

        The same call again changes nothing. Raises `NotRunning`, `NotOwner`, and `LedgerConflict` for one that was not
        made.
        """

    def let_out(self, tournament: str, epoch: int, accounts: Sequence[int]) -> Deferred[None]:
        """Lets players out that have lost all chips and did not decide; one that has bought meanwhile stays in.

        Raises `NotRunning`, `NotOwner`.
        """
