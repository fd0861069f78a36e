"""Answers requests that protect a player: limits and exclusion. Knows the ledger, and no connections."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol, assert_never, cast

import structlog

from pokerroom.gateway.account_security import Known, acting
from pokerroom.gateway.password_queue import Claimant
from pokerroom.ledger.account_standing import StandingLedger
from pokerroom.ledger.limits import LIMITS, LimitLedger, LimitRow
from pokerroom_protocol import messages as wire

_log = structlog.get_logger()

_NAMES: Final = {f"{kind}_{period}": (kind, period) for kind, period in LIMITS}
"""The limits by their names in the protocol."""

_DAYS: Final[Mapping[str, int | None]] = {
    "day": 1,
    "week": 7,
    "two_weeks": 14,
    "month": 30,
    "six_weeks": 42,
    "half_year": 183,
    "year": 365,
    "five_years": 5 * 365,
    "ever": None,
}
"""The lengths of an exclusion in days: cool-off up to six weeks, exclusion from half a year on."""

_COOL_OFF_MAX: Final = 42
"""Days for which no password is asked: a break must be easy. A thief of a session cannot do more harm than this, for
what lasts longer needs the password, and nothing lifts it (house choice)."""

Prove = Callable[[Claimant, Known, str | None], Awaitable[None]]
"""Lets a player prove again who they are, with the password. Raises `AuthenticationRefused`."""


class ProtectionLedger(LimitLedger, StandingLedger, Protocol):
    """The part of the ledger that is asked here."""


class PlayerLimits:
    """Answers for accounts that are logged in. `excluded` is called once an account is."""

    def __init__(self, ledger: ProtectionLedger, prove: Prove, excluded: Callable[[], object]) -> None:
        self._ledger = ledger
        self._prove = prove
        self._excluded = excluded

    async def answered(self, message: wire.ProtectionMessage, client: Claimant, known: Known) -> wire.Limits:
        """Answer a request. Raises `AuthenticationRefused`, `ClientGone`, and what the ledger raises."""
        account = known.account
        match message:
            case wire.GetLimits():
                pass
            case wire.SetLimit():
                kind, period = _NAMES[message.limit]
                await self._ledger.set_limit(account, kind, period, message.value)
                _log.info("limit.set", account=account, limit=message.limit, value=message.value)
            case wire.Exclude():
                if needs_password(message):
                    await self._prove(client, known, message.password)
                await self._ledger.exclude(account, _DAYS[message.length], by=acting(account, client))
                _log.info("account.excluded", account=account, length=message.length)
                self._excluded()
            case _:
                assert_never(message)
        rows = await self._ledger.limits(account)
        exclusion = await self._ledger.exclusion(account)
        return wire.Limits(
            re=message.id,
            limits=[_view(row) for row in rows],
            excluded=exclusion is not None,
            excluded_until_ms=None if exclusion is None else exclusion.until_ms,
        )


def needs_password(message: wire.ProtectionMessage) -> bool:
    """Return whether the player must prove who they are. Only then the request waits in the queue of passwords."""
    if not isinstance(message, wire.Exclude):
        return False
    days = _DAYS[message.length]
    return days is None or days > _COOL_OFF_MAX


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
