"""Passes: how a node tells another one of the room for which operator it forwards a request.

A pass is sealed with a key that all nodes derive from POKERROOM_JOURNAL_KEY. It names the operator, the receiver and
the request, so it is of no use for another one. It is valid for a minute and is taken once. Knows no port.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag

from pokerroom.ledger.operators import Operator

SCHEME: Final = "Pokerroom-Node"
"""The scheme of the header `Authorization` with a pass."""

VALID_MS: Final = 60_000
"""The clocks of two nodes may differ by so much."""

Sealing = Callable[[bytes], bytes]


class PassRefused(Exception):  # noqa: N818 -- an answer to the node that asks, not a fault
    """A pass is not of a node of this room, is not for this request, was taken before, or is too old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claims:
    operator: Operator
    receiver: str
    method: str
    path: str
    at_ms: int


_DECODER: Final = msgspec.json.Decoder(_Claims)


class NodePasses:
    """`node` is the name of this node. `close` seals; `unseal` opens, or raises `InvalidTag`."""

    def __init__(self, node: str, close: Sealing, unseal: Sealing, now_ms: Callable[[], int]) -> None:
        self._node = node
        self._close = close
        self._unseal = unseal
        self._now_ms = now_ms
        self._taken: dict[bytes, int] = {}
        """The passes taken in the last minutes, and when they were issued."""

    def issue(self, operator: Operator, receiver: str, method: str, path: str) -> str:
        """Return a pass for one request to the node `receiver`."""
        claims = _Claims(operator=operator, receiver=receiver, method=method, path=path, at_ms=self._now_ms())
        return base64.urlsafe_b64encode(self._close(msgspec.json.encode(claims))).decode()

    def take(self, text: str, method: str, path: str) -> Operator:
        """Return the operator of a pass for this request. Raises `PassRefused`."""
        try:
            sealed = base64.b64decode(text, altchars=b"-_", validate=True)
            claims = _DECODER.decode(self._unseal(sealed))
        except (InvalidTag, ValueError) as error:  # an error of the decoder is a ValueError
            raise PassRefused("it is not sealed with the key of this room") from error
        now_ms = self._now_ms()
        if abs(now_ms - claims.at_ms) > VALID_MS:
            raise PassRefused("the clocks of the nodes differ by more than a minute")
        if (claims.receiver, claims.method, claims.path) != (self._node, method, path):
            raise PassRefused("it is for another request")
        self._taken = {one: ms for one, ms in self._taken.items() if ms >= now_ms - VALID_MS}
        if sealed in self._taken:
            raise PassRefused("it was used before")
        self._taken[sealed] = claims.at_ms
        return claims.operator
