"""The offers of a node: those of the settings, and over them those that operators order.

Every node reads the orders from the ledger, periodically and after an order of its own. So all nodes offer the same
within seconds, and a room that starts again offers what it did. A tournament or table that was opened keeps its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.bridge import as_deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.offers import OfferLedger, OfferRow
from pokerroom.ops.config_hosting import PRIVATE_TABLES, HostingOffer
from pokerroom.ops.config_offer import AnyOffer, BadOffer, OfferLine, kind_of, offer_from
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.ops.config_tournament import ScheduledTournamentConfig
from pokerroom.ops.periodic_task import PeriodicTask

READ_S: Final = 2.0
"""[D] Seconds between two readings of the orders."""

_log = structlog.get_logger()


class OfferBoard:
    """See the module. `written` are the terms of the settings' offers as JSON, by id.

    `offer_sit_and_gos` and `offer_tournaments` are told what to offer from now on. The first may fail as the ledger
    does.
    """

    def __init__(
        self,
        *,
        settings: Sequence[AnyOffer],
        written: Mapping[str, str],
        ledger: OfferLedger,
        clock: IReactorTime,
        offer_sit_and_gos: Callable[[Sequence[SitAndGoConfig]], Deferred[None]],
        offer_tournaments: Callable[[Sequence[ScheduledTournamentConfig]], None],
    ) -> None:
        self._settings = {offer.id: offer for offer in settings}
        self._written = written
        self._ledger = ledger
        self._offer_sit_and_gos = offer_sit_and_gos
        self._offer_tournaments = offer_tournaments
        self._rows: Sequence[OfferRow] = ()
        self.private_tables = self._tables_offered()
        """Which tables players may open now."""
        self._passed_on: tuple[int, ...] | None = None
        self._once_more = False
        """A registration that began before a change may have opened a tournament after it: look for one again."""
        self._reading = PeriodicTask(clock, READ_S, self.read)

    async def start(self) -> None:
        """Offer what holds, and follow the orders from now on. Raises `LedgerUnavailable`."""
        await self._follow()
        self._reading.start()

    def stop(self) -> None:
        """Follow no more."""
        self._reading.stop()

    @as_deferred
    async def read(self) -> None:
        """Read the orders once. Never fails: the next reading finds what this one did not."""
        try:
            await self._follow()
        except LedgerUnavailable:
            return

    async def _follow(self) -> None:
        rows = await self._ledger.offers()
        numbers = tuple(row.number for row in rows)
        is_new = numbers != self._passed_on
        if not is_new and not self._once_more:
            return
        self._rows = rows
        offers = [
            offer for line in self.lines() if line.is_offered and (offer := self._offer(line)) is not None
        ]
        if is_new:
            self.private_tables = self._tables_offered()
            self._offer_tournaments([one for one in offers if isinstance(one, ScheduledTournamentConfig)])
        await self._offer_sit_and_gos([one for one in offers if isinstance(one, SitAndGoConfig)])
        self._once_more, self._passed_on = is_new, numbers

    def lines(self) -> list[OfferLine]:
        """Return all offers, as of the last reading: those of the settings in their order, then others by id."""
        ordered = {row.change.offer: row for row in self._rows}
        ids = dict.fromkeys([*self._settings, *ordered])
        found = (self._line(offer, ordered.get(offer)) for offer in ids)
        return [line for line in found if line is not None]

    def written(self, offer: str) -> str | None:
        """Return the terms of an offer in the settings; None if they have none of this id."""
        return self._written.get(offer)

    def _line(self, offer: str, row: OfferRow | None) -> OfferLine | None:
        if row is None or row.change.standing == "settings":
            if offer not in self._settings:
                return None
            kind = kind_of(self._settings[offer])
            return OfferLine(offer=offer, kind=kind, terms=self._written[offer], is_offered=True)
        change = row.change
        return OfferLine(
            offer=offer,
            kind=change.kind,
            terms=change.terms or change.before or "{}",
            is_offered=change.standing == "offered",
            ordered=row,
        )

    def _tables_offered(self) -> HostingOffer:
        """Return which tables players may open; where they may open none, their bounds hold for the open tables."""
        line = next((line for line in self.lines() if line.offer == PRIVATE_TABLES), None)
        found = None if line is None else self._offer(line)
        if isinstance(found, HostingOffer) and line is not None and line.is_offered:
            return found
        bounds = found if isinstance(found, HostingOffer) else self._settings.get(PRIVATE_TABLES)
        return replace(bounds if isinstance(bounds, HostingOffer) else HostingOffer(), tables_per_account=0)

    def _offer(self, line: OfferLine) -> AnyOffer | None:
        if line.ordered is None:
            return self._settings[line.offer]
        try:
            return offer_from(line.offer, line.kind, line.terms)
        except BadOffer as wrong:  # ordered at a version with other bounds
            _log.error("offer.unreadable", offer=line.offer, problem=str(wrong))
            return None
