"""Follows refills of play money from one transfer to the next: each has terms in the books, and keeps them.

A refill is what an account lacks to an amount, if it owns less than another one, and not too soon after the last. What
an account owned at that moment is not in the books: transfers were under way. So a lower bound is compared: without
what came to its wallet, tickets and stacks in the ten minutes around, and without private tables, bets in rounds, and
buy-ins of tournaments.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pokerroom.audit.examine import Examined
from pokerroom.ledger.books import RefillTermsRow

_AROUND_MS: Final = 600_000
"""Transactions wait: two that began so far apart may have been committed in either order [D]."""

_WAITED_MS: Final = 60_000
"""Twice as long as a call of a node waits for a lock [D]. The time of a transfer is that before it waits."""


class Refills:
    """The refills of a room. `terms` are all of its history.

    `balances` of ledger accounts and `last_ms`, when each account had its last refill, are those before the first
    transfer. Refills up to the transfer `without_to` have no terms: they are from before the upgrade.
    """

    def __init__(
        self,
        terms: Sequence[RefillTermsRow],
        *,
        last_ms: Mapping[int, int],
        balances: Mapping[str, int],
        without_to: int,
    ) -> None:
        self.terms = terms
        self._last_ms = dict(last_ms)
        self._without_to = without_to
        self._owned: Counter[int] = Counter()
        self._came: dict[int, deque[tuple[int, int]]] = {}
        """Account -> when and how much came to it, as far as it is not long ago."""
        if terms:
            for code, amount in balances.items():
                self._owned[_owner(code)] += amount

    def follow(self, examined: Examined) -> Iterator[str]:
        """Yield what is wrong with a refill, and remember what the transfer moves."""
        account = examined.refill_of
        if account is not None:
            yield from self._refill(account, examined)
            self._last_ms[account] = examined.created_ms
        if not self.terms:
            return  # a refill is wrong then
        for code, amount in examined.legs.items():
            owner = _owner(code)
            if owner:
                self._owned[owner] += amount
                if amount > 0:
                    came = self._came.setdefault(owner, deque())
                    while came and came[0][0] < examined.created_ms - 2 * _AROUND_MS:
                        came.popleft()
                    came.append((examined.created_ms, amount))

    def _refill(self, account: int, examined: Examined) -> Iterator[str]:
        before = [row for row in self.terms if row.number < examined.number]
        if not before and examined.number < self._without_to:
            return
        allowed = [
            row
            for row, following in zip(before, [*before[1:], None], strict=False)
            if following is None or following.created_ms >= examined.created_ms - _AROUND_MS
        ]
        wrong = [list(self._breach(account, examined, row)) for row in allowed]
        if not wrong:
            yield "is a refill, and the room had no terms for refills"
        elif all(wrong):
            yield from wrong[-1]

    def _breach(self, account: int, examined: Examined, terms: RefillTermsRow) -> Iterator[str]:
        amount = examined.legs.get(f"wallet:{account}", 0)
        if examined.legs.get(f"source:{terms.source}") != -amount:
            yield f"is a refill from another source than {terms.source}"
        came = sum(
            moved
            for at_ms, moved in self._came.get(account, ())
            if abs(at_ms - examined.created_ms) <= _AROUND_MS
        )
        owned = self._owned[account] - came
        if not terms.to - terms.below < amount <= terms.to:
            yield (
                f"is a refill of {amount}: by its terms it brings an account that owns less than {terms.below}"
                f" to {terms.to}"
            )
        elif owned + amount > terms.to:
            yield f"is a refill of {amount} for an account that owned {owned} or more, by its terms to {terms.to}"
        last_ms = self._last_ms.get(account)
        if last_ms is not None and examined.created_ms - last_ms < terms.every_s * 1_000 - _WAITED_MS:
            after_s = (examined.created_ms - last_ms) // 1_000
            yield f"is a refill {after_s} seconds after the last one, by its terms after {terms.every_s}"


def _owner(code: str) -> int:
    """Return the account of a wallet, its tickets, or a stack at a table that is not private; 0 for any other code."""
    kind, _, rest = code.partition(":")
    if kind in {"wallet", "tickets"} or (kind == "stack" and not rest.startswith("host:")):
        account = rest.rpartition(":")[2]
        return int(account) if account.isascii() and account.isdigit() and len(account) < 19 else 0
    return 0
