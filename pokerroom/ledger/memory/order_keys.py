"""The keys of operators' orders in memory: see `OrderKeyLedger`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operators import MemoryOperators
from pokerroom.ledger.order_keys import KEPT_S, KeyedOrder, is_kept_for_ever


@dataclass(frozen=True, slots=True)
class _Claim:
    order: KeyedOrder
    ends_s: float | None


class MemoryOrderKeys(MemoryOperators):
    """An `OrderKeyLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._claims: dict[tuple[str, str], _Claim] = {}

    @fired
    def claim_key(self, who: str, key: str, request: bytes, for_ever: bool) -> KeyedOrder | None:
        now = self._now_s()
        self._claims = {
            name: claim for name, claim in self._claims.items() if claim.ends_s is None or claim.ends_s > now
        }
        if (found := self._claims.get((who, key))) is not None:
            return found.order
        order = KeyedOrder(request=request, status=None, answer=None)
        self._claims[who, key] = _Claim(order, None if for_ever else now + KEPT_S)
        return None

    @fired
    def keep_answer(self, who: str, key: str, status: int, answer: str | None) -> None:
        claim = self._claims.get((who, key))
        if claim is not None and claim.order.status is None:
            order = replace(claim.order, status=status, answer=answer)
            ends_s = claim.ends_s if is_kept_for_ever(status) else self._now_s() + KEPT_S
            self._claims[who, key] = replace(claim, order=order, ends_s=ends_s)

    @fired
    def release_key(self, who: str, key: str) -> None:
        claim = self._claims.get((who, key))
        if claim is not None and claim.order.status is None:
            del self._claims[who, key]
