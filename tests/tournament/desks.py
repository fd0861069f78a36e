"""A registration desk for tests that need one beside what they are about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.interfaces import IReactorTime

from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ledger.tournaments import TournamentLedger
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.tournament.desk import Desk, Tell


def made_desk(
    ledger: TournamentLedger,
    clock: IReactorTime,
    *,
    offers: Sequence[SitAndGoConfig] = (),
    registrations: Any = None,
    now_ms: Callable[[], int] | None = None,
    tell: Tell = lambda *_: None,
    full: Callable[[str], None] = lambda _: None,
) -> Desk:
    """Over a store of its own, unless told otherwise."""
    return Desk(
        offers=offers,
        ledger=ledger,
        registrations=registrations or MemoryRegistrations({}),
        clock=clock,
        now_ms=now_ms or (lambda: round(clock.seconds() * 1000)),
        tell=tell,
        full=full,
    )
