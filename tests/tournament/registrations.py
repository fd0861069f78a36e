"""A registration service for tests that need one beside what they are about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.interfaces import IReactorTime

from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ledger.tournaments import TournamentLedger
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.tournament.registration import RegistrationService, Tell


def made_registration(
    ledger: TournamentLedger,
    clock: IReactorTime,
    *,
    offers: Sequence[SitAndGoConfig] = (),
    registrations: Any = None,
    now_ms: Callable[[], int] | None = None,
    tell: Tell = lambda *_: None,
    full: Callable[[str], None] = lambda _: None,
) -> RegistrationService:
    """Over a store of its own, unless told otherwise."""
    return RegistrationService(
        offers=offers,
        ledger=ledger,
        registrations=registrations or MemoryRegistrations({}),
        clock=clock,
        now_ms=now_ms or (lambda: round(clock.seconds() * 1000)),
        tell=tell,
        full=full,
    )
