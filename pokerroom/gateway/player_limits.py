"""Answers what protects a player from playing too much: limits. Knows the ledger, and no connections."""

from __future__ import annotations

from typing import Final, Protocol, assert_never, cast

import structlog

from pokerroom.ledger.limits import LIMITS, LimitLedger, LimitRow
from pokerroom_protocol import messages as wire

_log = structlog.get_logger()

_NAMES: Final = {f"{kind}_{period}": (kind, period) for kind, period in LIMITS}
"""The limits by their names in the protocol."""


class ProtectionLedger(LimitLedger, Protocol):
    """The part of the ledger that is asked here."""


class PlayerLimits:
    """Answers for accounts that are logged in."""

    def __init__(self, ledger: ProtectionLedger) -> None:
        self._ledger = ledger

    async def answered(self, message: wire.ProtectionMessage, account: int) -> wire.Limits:
        """Answer a request. Raises what the ledger raises."""
        match message:
            case wire.GetLimits():
                pass
            case wire.SetLimit():
                kind, period = _NAMES[message.limit]
                await self._ledger.set_limit(account, kind, period, message.value)
                _log.info("limit.set", account=account, limit=message.limit, value=message.value)
            case _:
                assert_never(message)
        rows = await self._ledger.limits(account)
        return wire.Limits(re=message.id, limits=[_view(row) for row in rows])


def _view(row: LimitRow) -> wire.LimitView:
    return wire.LimitView(
        limit=cast("wire.LimitName", f"{row.kind}_{row.period}"),
        value=row.value,
        cap=row.cap,
        used=row.used,
        ends_ms=row.ends_ms,
        wanted=row.wanted,
        wanted_from_ms=row.wanted_from_ms,
    )
