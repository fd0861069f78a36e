"""What a client is told of a request that failed: the code, and what belongs to it. Knows no connections."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pokerroom.gateway.account_service import AccountRefused
from pokerroom.gateway.passwords import AuthenticationRefused
from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ops.slots import TooManyWaiting
from pokerroom_protocol.errors import Code


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRefusal:
    """A refusal that is no defect; without `detail` the client gets the sentence of the code."""

    code: Code
    detail: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def refusal_of(error: BaseException | None) -> KnownRefusal | None:
    """Return the refusal that an error means; None for a defect of the room."""
    if isinstance(error, AuthenticationRefused):
        again = {"retry_after_ms": error.retry_after_ms}
        return KnownRefusal(code=error.code, detail=error.detail, facts=again)
    if isinstance(error, LedgerRefusal):
        return KnownRefusal(code=Code(error.code), facts=dict(error.facts))
    if isinstance(error, AccountRefused):
        more = {"retry_after_ms": error.retry_after_ms, "path": error.path}
        return KnownRefusal(code=error.code, detail=error.detail, facts=more)
    if isinstance(error, TooManyWaiting):
        return KnownRefusal(code=Code.RATE_LIMITED)
    if isinstance(error, LedgerUnavailable | ConnectionError | TimeoutError):
        return KnownRefusal(code=Code.UNAVAILABLE)
    return None
