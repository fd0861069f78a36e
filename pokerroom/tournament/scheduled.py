"""Tournaments that start at a time, at one node of the room: opening ahead, entries, start and cancelling.

The leader of the nodes opens the tournaments of the offers ahead of their starts. Every node enters its own clients
straight in the ledger, and looks for tournaments that are due: those with enough players are passed to `due`, which
starts them at one owner; the others are cancelled. So a node that dies delays nothing for longer than a look. It does
not know how a tournament is played.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.bridge import as_deferred
from pokerroom.chips import Money
from pokerroom.coordination.api import Registrations
from pokerroom.ledger.api import LedgerConflict, LedgerUnavailable
from pokerroom.ledger.chip_sales import ChipPurchase, SaleClosed, SaleKind
from pokerroom.ledger.hosted_tables import is_private
from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.shared_reads import SharedReads
from pokerroom.ledger.tickets import TicketUsed
from pokerroom.ledger.tournaments import NotEntered, RegistrationClosed, TournamentLedger, TournamentRow
from pokerroom.ops.config_tournament import STARTS_AHEAD, ScheduledTournamentConfig
from pokerroom.ops.periodic_task import PeriodicTask, log_fault
from pokerroom.ops.slots import Slots
from pokerroom.tournament.address_permits import AddressPermits
from pokerroom.tournament.lobby_rows import scheduled_row_of
from pokerroom.tournament.offers import scheduled_offer_of, scheduled_opening_of
from pokerroom.tournament.registrar import AT_ONCE
from pokerroom_protocol import messages as wire

LOOK_S: Final = 2.0
"""[D] Seconds between two looks for tournaments that are due, and for starts that are to be announced."""

FRESH_S: Final = 1.0
"""[D] Seconds for which a list is reused, however many clients ask."""

SHOWN_MS: Final = 3_600_000
"""How long a tournament is listed after its end."""

TICKETS_S: Final = 60.0
"""[D] Seconds between two looks for tickets that pay nothing any more."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    at_s: float
    rows: Sequence[TournamentRow]


class ScheduledTournaments:
    """The scheduled tournaments of the room.

    `leads` tells whether this node opens tournaments; `found` returns a tournament, or fails as `UnknownTournament`.
    `due` is called with one that can start, each time that it is found; `cancel` cancels one and tells its players.
    """

    def __init__(
        self,
        *,
        offers: Sequence[ScheduledTournamentConfig],
        ledger: TournamentLedger,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        registrations: Registrations,
        leads: Callable[[], bool],
        found: Callable[[str], Deferred[TournamentRow]],
        due: Callable[[str], None],
        cancel: Callable[[str], Deferred[None]],
    ) -> None:
        self.offers = tuple(offers)
        self._ledger = ledger
        self._clock = clock
        self._now_ms = now_ms
        self._permits = AddressPermits(registrations, found, now_ms)
        self._leads = leads
        self._found = found
        self._due = due
        self._cancel = cancel
        self._slots = Slots(AT_ONCE)
        self._listed: _Listed | None = None
        self._readings = SharedReads(self._read)
        self._looking = PeriodicTask(clock, LOOK_S, self.look)
        self._starts: dict[str, IDelayedCall] = {}
        """Tournaments that start before the next look."""
        self._tickets_next_s = clock.seconds() + TICKETS_S
        """When tickets are looked for next; not at once, because the offers of operators may not be read yet."""
        self._first_opened_ms: dict[str, int] = {}
        """When the first tournament of each offer was opened, once that was read."""

    def start(self) -> None:
        """Start the periodic look."""
        self._looking.start()

    def stop(self) -> None:
        """Stop it, and leave nothing on the clock."""
        self._looking.stop()
        for call in self._starts.values():
            if call.active():
                call.cancel()

    def offer(self, offers: Sequence[ScheduledTournamentConfig]) -> None:
        """Announce tournaments of these offers from now on; those that are announced stay."""
        self.offers = tuple(offers)

    # --- clients --------------------------------------------------------------------------------------------------

    def register(
        self, account: int, tournament: str, address: str = ""
    ) -> Deferred[wire.TournamentRegistered]:
        """Enter the account; `re` of the answer is 0. Fails as `TournamentLedger.enter`, and with `UnknownTournament`.

        `address` stands for the client's address, as in `RegistrationSeat`. Fails with `AddressRegistered`, and with
        `ConnectionError` or `TimeoutError` if the permits of the address cannot be reached; nothing is booked then.

        The number follows those of the account's entries, so of two requests at once one finds the other's. Waits while
        `AT_ONCE` others register; see `Slots`.
        """
        return self._slots.run(account, self._register, account, tournament, address)

    @as_deferred
    async def _register(self, account: int, tournament: str, address: str) -> wire.TournamentRegistered:
        row = await self._of_schedule(tournament)
        number = 1 + max((entry.number for entry in row.entries if entry.account == account), default=0)
        async with self._permits.entering(row, account, address):
            by_ticket = await until_known(
                self._clock, partial(self._ledger.enter, tournament, account, number)
            )
        self._listed = None
        if is_private(tournament) and len(row.players) + 1 >= row.opening.seats:
            self.look().addErrback(log_fault)
        _log.info("tournament.entered", tournament=tournament, entry=number, by_ticket=by_ticket)
        return wire.TournamentRegistered(
            re=0, tournament=tournament, entry=number, buy_in=row.opening.buy_in, by_ticket=by_ticket
        )

    @as_deferred
    async def tickets(self, account: int) -> list[wire.TournamentTicket]:
        """Return the unused tickets of an account, the first to expire first. Fails with `LedgerUnavailable`."""
        names = {offer.id: offer.name for offer in self.offers}
        return [
            wire.TournamentTicket(
                offer=one.offer,
                name=names.get(one.offer, one.offer),
                value=one.value,
                expires_ms=one.expires_ms,
                gift=bool(one.source),
            )
            for one in await self._ledger.tickets(account)
        ]

    @as_deferred
    async def unregister(self, account: int, tournament: str) -> str:
        """Return the account's entry; fires with the tournament. Fails with `UnknownTournament`, `NotEntered`,
        `RegistrationClosed`.
        """
        row = await self._of_schedule(tournament)
        entry = next((one for one in row.entries if one.account == account and one.counts), None)
        if entry is None:
            raise NotEntered(f"account {account} has no entry to {tournament}")
        await until_known(self._clock, partial(self._ledger.return_entry, tournament, account, entry.number))
        self._listed = None
        return tournament

    def buy(self, account: int, tournament: str, kind: SaleKind, number: int) -> Deferred[wire.ChipsBought]:
        """Sell a rebuy or an add-on; `re` of the answer is 0. Fails as `ChipSaleLedger.buy_chips`, and with
        `UnknownTournament`.

        `number` is that of the purchase, one more than those of the account. One that was bought is answered again.
        """
        return self._slots.run(account, self._buy, account, tournament, kind, number)

    @as_deferred
    async def _buy(self, account: int, tournament: str, kind: SaleKind, number: int) -> wire.ChipsBought:
        row = await self._found(tournament)
        sale = row.opening.sale(kind)
        if sale is None:
            raise SaleClosed(f"{tournament} sells no {kind}")
        own = [one.purchase for one in row.purchases if one.purchase.account == account]
        following = 1 + sum(one.kind == kind for one in own)
        if number > following:
            raise SaleClosed(f"the next {kind} of account {account} in {tournament} is number {following}")
        purchase = ChipPurchase(account=account, kind=kind, number=number)
        await until_known(self._clock, partial(self._ledger.buy_chips, tournament, purchase))
        _log.info("tournament.chips_sold", tournament=tournament, kind=kind, number=number)
        return wire.ChipsBought(
            re=0, tournament=tournament, kind=kind, number=number, price=sale.price, chips=sale.chips
        )

    @as_deferred
    async def decline_rebuy(self, account: int, tournament: str) -> None:
        """Let a player out that has lost all chips. Fails with `UnknownTournament`, `NotEntered`."""
        await self._found(tournament)
        await until_known(self._clock, partial(self._ledger.decline_rebuy, tournament, account))

    @as_deferred
    async def leave(self, account: int, offer: str) -> str:
        """Return the account's entries to all tournaments of an offer that have not started; fires with the offer.

        Fails with `LedgerUnavailable`.
        """
        for row in await self._ledger.tournaments(offer, "registering"):
            if account in row.players:
                with contextlib.suppress(NotEntered, RegistrationClosed):  # it has started meanwhile
                    await self.unregister(account, row.opening.tournament)
        return offer

    @as_deferred
    async def rows(self, account: int | None) -> list[wire.ScheduledTournament]:
        """Return one row for each tournament, as this account sees it, at most `FRESH_S` old.

        Fails with `LedgerUnavailable`.
        """
        listed = self._listed
        if listed is None or self._clock.seconds() - listed.at_s > FRESH_S:
            listed = self._listed = await self._readings.ask("all")
        return [scheduled_row_of(row, account) for row in listed.rows]

    @as_deferred
    async def _read(self, _: str) -> _Listed:
        now_s = self._clock.seconds()
        return _Listed(at_s=now_s, rows=await self._ledger.scheduled_tournaments(self._now_ms() - SHOWN_MS))

    async def _of_schedule(self, tournament: str) -> TournamentRow:
        row = await self._found(tournament)
        if row.opening.scheduled is None:
            raise RegistrationClosed(f"{tournament} is a sit-and-go: it is entered by its offer")
        return row

    # --- what is due ----------------------------------------------------------------------------------------------

    @as_deferred
    async def look(self) -> None:
        """Open what is to be announced, if this node leads; start or cancel what is due."""
        try:
            if self._leads():
                for offer in self.offers:
                    await self._open(offer)
                await self._end_tickets()
            until_ms = self._now_ms() + round(LOOK_S * 1000)
            for row in await self._ledger.due_tournaments(until_ms):
                await self._begin(row)
        except LedgerUnavailable:
            return  # the next look finds them

    async def _open(self, offer: ScheduledTournamentConfig) -> None:
        """Open the tournaments of an offer up to its horizon; of missed ones those that would still take entries.

        An offer has missed no start from before its first tournament was opened.
        """
        now_ms = self._now_ms()
        since_ms = now_ms - offer.late_ms
        ahead = islice(offer.starts_after(now_ms), STARTS_AHEAD)
        missed = []
        for start in offer.starts_after(since_ms):
            if start > now_ms:
                break
            missed.append(start)
        wanted = [*missed, *(start for start in ahead if start <= now_ms + 1000 * offer.announce_s)]
        if not wanted:
            return
        opened = set(await self._ledger.opened_starts(offer.id, min(wanted)))
        for start in wanted:
            if start not in opened and (start > now_ms or await self._offered_at(offer, start)):
                await self._open_one(offer, start)

    async def _end_tickets(self) -> None:
        """Return what tickets are worth that pay nothing any more, now and then."""
        now_s = self._clock.seconds()
        if now_s < self._tickets_next_s:
            return
        self._tickets_next_s = now_s + TICKETS_S
        targets = [(offer.id, Money(offer.buy_in)) for offer in self.offers]
        for number in await self._ledger.tickets_due(targets):
            with contextlib.suppress(TicketUsed):  # it has paid an entry meanwhile
                await self._ledger.end_ticket(number, by=THE_ROOM)
                _log.info("ticket.ended", ticket=number)

    async def _offered_at(self, offer: ScheduledTournamentConfig, at_ms: int) -> bool:
        if offer.id not in self._first_opened_ms:
            if not await self._ledger.last_number(offer.id):
                return False
            first = await self._ledger.tournament(f"{offer.id}.1")
            self._first_opened_ms[offer.id] = first.opened_ms
        return self._first_opened_ms[offer.id] <= at_ms

    async def _open_one(self, offer: ScheduledTournamentConfig, starts_ms: int) -> None:
        try:
            offer = offer.for_target(self.offers)
        except ValueError as wrong:  # ordered by an operator, or its target was retired since
            _log.warning("tournament.no_target", offer=offer.id, problem=str(wrong))
            return
        opening = scheduled_opening_of(offer, 1 + await self._ledger.last_number(offer.id), starts_ms)
        try:
            await self._ledger.open_tournament(opening)
        except LedgerConflict:
            return  # a node that leads too was faster
        self._listed = None
        _log.info("tournament.announced", tournament=opening.tournament, starts_ms=starts_ms)

    async def _begin(self, row: TournamentRow) -> None:
        """Start a tournament, at its time, or cancel it."""
        tournament, start = row.opening.tournament, row.opening.scheduled
        assert start is not None
        now_ms = self._now_ms()
        if start.starts_ms > now_ms:
            if tournament not in self._starts:
                delay_s = (start.starts_ms - now_ms) / 1000
                self._starts[tournament] = self._clock.callLater(delay_s, self._at_its_time, tournament)
        elif len(row.players) >= start.players_min:
            self._due(tournament)
        elif now_ms >= self._given_up_ms(row):
            _log.warning("tournament.too_few", tournament=tournament, players=len(row.players))
            await self._cancel_it(tournament)

    def _at_its_time(self, tournament: str) -> None:
        self._starts.pop(tournament, None)
        self.look().addErrback(log_fault)

    def _given_up_ms(self, row: TournamentRow) -> int:
        """Return when a tournament with too few players is cancelled: at its start, or if it was opened after that, at
        the time at which its late registration would have closed [D].
        """
        start = row.opening.scheduled
        assert start is not None
        late_ms = scheduled_offer_of(row.opening).late_ms if row.opened_ms > start.starts_ms else 0
        return start.starts_ms + late_ms

    async def _cancel_it(self, tournament: str) -> None:
        try:
            await self._cancel(tournament)
        except RegistrationClosed:
            return  # another node was faster
        self._listed = None
