"""The contract for keys of operators' orders: what was asked under a key, and what the room answered.

A key belongs to one operator. It is claimed before its order is carried out, so that an order with the key is carried
out once, whichever node is asked. Keys of orders that have moved money stay for ever, others for `KEPT_S`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final, Protocol

from twisted.internet.defer import Deferred

KEPT_S: Final = 86_400
"""A key that is not kept for ever is free again after this time."""

KEY_MAX: Final = 64
"""The longest key, in characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedOrder:
    """An order under a key. `request` is the hash of what was asked.

    `status` is None until the answer is known; `answer` is None for one that is not kept.
    """

    request: bytes
    status: int | None
    answer: str | None = field(repr=False)


def is_kept_for_ever(status: int) -> bool:
    """Return whether an answer with this HTTP status keeps the key of an order of money: a refusal moved none."""
    return status < HTTPStatus.BAD_REQUEST


class OrderKeyLedger(Protocol):
    """The contract. Every method may fail with `LedgerUnavailable`."""

    def claim_key(self, who: str, key: str, request: bytes, for_ever: bool) -> Deferred[KeyedOrder | None]:
        """Claims a key of an operator for an order. Returns the order that has the key already; None: it is claimed."""

    def keep_answer(self, who: str, key: str, status: int, answer: str | None) -> Deferred[None]:
        """Stores the answer to the order of a claimed key; what is stored already stays."""

    def release_key(self, who: str, key: str) -> Deferred[None]:
        """Frees a key whose order was not carried out; one with an answer stays."""
