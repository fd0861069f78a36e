"""Follows the stacks of cash tables from one hand to the next, in the order in which the ledger booked them.

A stay begins with a buy-in and ends with a cash-out of the whole stack. Between two hands a stack changes by top-ups
alone. A top-up that is booked during a hand counts from the next one on (A3), so a hand may begin without the last
ones. Only stays in progress are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from pokerroom.ledger.books import HeldStack


class _Stay:
    """A player at a table. `bought` is None for a stay that began before the first transfer that is followed."""

    __slots__ = ("bought", "is_known", "later", "stack")

    def __init__(self, stack: int, *, bought: int | None) -> None:
        self.stack = stack
        """After the last hand, or the buy-in."""
        self.later: list[int] = []
        """Top-ups that no hand has begun with yet."""
        self.bought = bought
        self.is_known = bought is not None
        """Whether `stack` is exact: of a stay from before, top-ups may still wait."""

    @property
    def total(self) -> int:
        return self.stack + sum(self.later)


class Stacks:
    """See the module. Methods return differences, without the subject."""

    def __init__(self, balances: Mapping[str, int] | None = None) -> None:
        """Begin with nothing, or with the stacks by their codes as of the first transfer that is followed.

        Those may lack stacks of nothing.
        """
        self._stays = {code: _Stay(balance, bought=None) for code, balance in (balances or {}).items()}
        self._is_whole = balances is None

    def buy_in(self, code: str, amount: int) -> Iterator[str]:
        """Follow a buy-in."""
        before = self._stays.get(code)
        if before is not None and before.total:  # the cash-out of nothing has no leg that names the stack
            yield f"buys in at {code}, which holds {before.total}"
        self._stays[code] = _Stay(amount, bought=amount)

    def top_up(self, code: str, amount: int) -> Iterator[str]:
        """Follow a top-up."""
        stay = self._stays.get(code)
        if stay is None:
            if self._is_whole:
                yield f"tops {code} up, where no stay has begun"
            stay = self._stays[code] = _Stay(0, bought=None)
        stay.later.append(amount)
        if stay.bought is not None:
            stay.bought += amount

    def cash_out(self, code: str, amount: int) -> Iterator[str]:
        """Follow a cash-out."""
        stay = self._stays.pop(code, None)
        if stay is None or stay.total != amount:
            yield f"cashes {amount} out of {code}, which holds {0 if stay is None else stay.total}"

    def hand(self, table: str, account: int, before: int, after: int) -> Iterator[str]:
        """Follow a hand, in which the account began with `before` and ended with `after`."""
        code = f"stack:{table}:{account}"
        stay = self._stays.get(code)
        if stay is None:
            yield f"account {account} plays it with {before}, without a buy-in"
            self._stays[code] = _Stay(after, bought=None)
            return
        possible = [stay.stack + more for more in accumulate(stay.later, initial=0)]
        if before in possible:
            stay.later = stay.later[possible.index(before) :]
        elif not stay.is_known and before < stay.stack:
            stay.later = [stay.stack - before, *stay.later]
        else:
            wanted = " or ".join(map(str, possible))
            yield f"account {account} begins it with {before}, the hands and transfers before it leave {wanted}"
            stay.later = []
        stay.stack, stay.is_known = after, True

    def change(self, code: str, amount: int) -> Iterator[str]:
        """Follow a hand of which only the change of the stack is known: it may have begun with top-ups that wait."""
        stay = self._stays.get(code)
        if stay is None:
            if self._is_whole:
                yield f"changes {code} by {amount}, where no stay has begun"
            stay = self._stays[code] = _Stay(0, bought=None)
        stay.stack += amount

    def finished(self, held: Sequence[HeldStack]) -> Iterator[str]:
        """Compare the stays in progress with the seats at the end."""
        for seat in held:
            stay = self._stays.pop(f"stack:{seat.table}:{seat.account}", None)
            total = 0 if stay is None else stay.total
            if total != seat.stack:
                yield (
                    f"account {seat.account} at {seat.table} holds {seat.stack},"
                    f" its hands and transfers leave {total}"
                )
            elif stay is not None and stay.bought is not None and stay.bought != seat.bought:
                yield (
                    f"account {seat.account} at {seat.table} is said to have brought {seat.bought},"
                    f" and has brought {stay.bought}"
                )
        for code, stay in sorted(self._stays.items()):
            if stay.total:
                yield f"{code} holds {stay.total} by its hands and transfers, and has no seat"
