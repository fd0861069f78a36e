"""Who pays whom after an evening at a hosted table. It moves no money: friends settle among themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """One account pays another. `amount` is in the smallest unit, at least 1."""

    payer: int
    payee: int
    amount: int


def settlement_list(nets: Mapping[int, int]) -> list[Payment]:
    """Return the payments after which no account owes or is owed anything. `nets` has what each account has won.

    The largest debtor pays the largest creditor, of equal ones the lower account, until all are square. Each payment
    makes at least one account square, and the last one makes two: n accounts need at most n - 1 payments, though not
    always the fewest. Raises ValueError if the nets do not sum to zero.
    """
    if sum(nets.values()):
        raise ValueError("the results of a table do not sum to zero")
    left = {account: net for account, net in sorted(nets.items()) if net}
    payments: list[Payment] = []
    while left:
        # both take the first of equal ones: the lower account
        payer, payee = min(left, key=left.__getitem__), max(left, key=left.__getitem__)
        amount = min(-left[payer], left[payee])
        payments.append(Payment(payer=payer, payee=payee, amount=amount))
        left[payer] += amount
        left[payee] -= amount
        left = {account: net for account, net in left.items() if net}
    return payments
