"""The registration service of a node: all offers of the room, for its clients and its operator.

It registers through the registrars of the offers, and lists the tournaments that fill and those that run. It finds the
tournaments that can start: those that fill here, and periodically those that filled at a node that has died since. It
passes them to `full`, which starts them. It does not know how a tournament is played.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import msgspec
import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.bridge import as_deferred
from pokerroom.coordination.api import Registrations
from pokerroom.coordination.registrations import RegistrationBook
from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.shared_reads import SharedReads
from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import (
    PrizePaid,
    RegistrationClosed,
    TournamentLedger,
    TournamentRow,
    table_number,
)
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.ops.periodic_task import PeriodicTask, log_fault
from pokerroom.tournament.lobby_rows import row_of, standings_of
from pokerroom.tournament.offers import offer_of, opening_of, terms_of
from pokerroom.tournament.registrar import Registrar, Registration
from pokerroom_protocol import messages as wire

LOOK_S: Final = 2.0
"""[D] Seconds between two searches for tournaments that are full and have not started."""

FRESH_S: Final = 0.5
"""[D] Seconds for which a reading of the ledger is reused, however many clients ask."""

Tell = Callable[[int, wire.Answer], None]
"""Sends an answer to an account, wherever it is connected."""

_log = structlog.get_logger()


class UnknownOffer(LedgerRefusal):
    """The room does not offer this sit-and-go."""

    code = "unknown_offer"


class UnknownTournament(LedgerRefusal):
    """No tournament has this id, and none ever had."""

    code = "unknown_tournament"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A reading of one offer, and its time."""

    at_s: float
    book: RegistrationBook
    running: Sequence[TournamentRow]


class RegistrationService:
    """Registers accounts and lists tournaments. `tell` sends a message to an account.

    `full` is called with tournaments that can start, each time that they are found.
    """

    def __init__(
        self,
        *,
        offers: Sequence[SitAndGoConfig],
        ledger: TournamentLedger,
        registrations: Registrations,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        tell: Tell,
        full: Callable[[str], None],
    ) -> None:
        self._full = full
        self._ledger = ledger
        self._registrations = registrations
        self._clock = clock
        self._now_ms = now_ms
        self._tell = tell
        self.offers: Mapping[str, SitAndGoConfig] = {}
        self._registrars: dict[str, Registrar] = {}
        self._seen: dict[str, _Seen] = {}
        self._readings = SharedReads(self._read)
        self._going_on = SharedReads(ledger.tournaments)
        self._looking = PeriodicTask(clock, LOOK_S, self.look)
        self._in_reach = True
        self._set(offers)

    def _set(self, offers: Sequence[SitAndGoConfig]) -> None:
        before, registrars = self.offers, self._registrars
        self.offers = {offer.id: offer for offer in offers}
        self._registrars = {
            offer.id: registrars[offer.id] if before.get(offer.id) == offer else self._make_registrar(offer)
            for offer in offers
        }
        self._seen = {}

    def _make_registrar(self, offer: SitAndGoConfig) -> Registrar:
        return Registrar(
            offer=offer.id,
            seats=offer.seats,
            seats_per_address=offer.seats_per_address,
            opening=partial(opening_of, offer),
            ledger=self._ledger,
            registrations=self._registrations,
            clock=self._clock,
            now_ms=self._now_ms,
        )

    async def start(self) -> None:
        """Start the periodic search, and cancel filling tournaments of offers that no longer exist.

        Raises `LedgerUnavailable`.
        """
        await self._close_retired()
        self._looking.start()

    def stop(self) -> None:
        """Stop the periodic search."""
        self._looking.stop()

    @as_deferred
    async def offer(self, offers: Sequence[SitAndGoConfig]) -> None:
        """Offer these from now on, and cancel filling tournaments of others and of changed ones.

        Fails with `LedgerUnavailable`; then call it again.
        """
        self._set(offers)
        await self._close_retired()

    # --- clients --------------------------------------------------------------------------------------------------

    @as_deferred
    async def register(
        self, account: int, offer: str, since: str | None = None, *, address: str = ""
    ) -> Registration:
        """See `Registrar.register`; fails with `UnknownOffer`, too.

        If the account has entered the tournament `since` or a later one of the offer, that is the answer: a repeated
        request enters once.
        """
        registrar = self._registrar(offer)
        entered = None if since is None else partial(self._entered_since, account, offer, since)
        known = None if entered is None else await entered()  # before a seat is taken for it
        if known is not None:
            return Registration(tournament=known, full=False)
        registered = await registrar.register(account, entered, address=address)
        self._seen.pop(offer, None)
        if registered.full:
            self._full(registered.tournament)
        return registered

    @as_deferred
    async def unregister(self, account: int, offer: str) -> str:
        """See `Registrar.unregister`; fails with `UnknownOffer`, too."""
        tournament = await self._registrar(offer).unregister(account)
        self._seen.pop(offer, None)
        return tournament

    @as_deferred
    async def rows(self, account: int | None) -> list[wire.SitAndGoInfo]:
        """Return one row for each offer, in the order of the settings, at most `FRESH_S` old.

        Fails with `LedgerUnavailable`, and with `ConnectionError` or `TimeoutError` if Redis does not answer.
        """
        rows = []
        for name, offer in list(self.offers.items()):
            if name not in self._registrars:
                continue  # retired meanwhile
            seen = await self._look_at(name)
            rows.append(row_of(offer, seen.book, seen.running, account))
        return rows

    @as_deferred
    async def standings(self, asked: wire.GetStandings) -> wire.Standings:
        """Return the answer to a request. Fails with `UnknownTournament`, `LedgerUnavailable`."""
        row = await self.found(asked.tournament)
        names = await self._ledger.account_names(sorted({entry.account for entry in row.entries}))
        return standings_of(row, names, asked)

    # --- what happens to tournaments ------------------------------------------------------------------------------

    def started(self, row: TournamentRow, table: str) -> None:
        """Tell the players of a table where they sit: their tournament has started. They may enter the next one."""
        name = row.opening.tournament
        self._close(name)
        for entry in row.seated.at(table_number(table)):
            _, seat = table_and_seat(entry.seat or 0)
            self._tell(entry.account, wire.SngStarted(tournament=name, table=table, seat=seat))

    def refunded(self, row: TournamentRow, reason: Literal["cancelled", "rolled_back"]) -> None:
        """Tell the players that a tournament was cancelled or rolled back; `row` is from before that."""
        opening = row.opening
        self._close(opening.tournament)
        for account in dict.fromkeys(entry.account for entry in row.entries if not entry.returned):
            amount = row.paid_by(account)
            self._tell(
                account,
                wire.SngRefunded(tournament=opening.tournament, amount=amount, reason=reason),
            )

    def removed(self, row: TournamentRow, account: int) -> None:
        """Tell a player that the host of a private sit-and-go has returned the entry; `row` is from before that."""
        name = row.opening.tournament
        self._tell(account, wire.SngRefunded(tournament=name, amount=row.paid_by(account), reason="removed"))

    def paid(self, tournament: str, number: int, paid: PrizePaid) -> None:
        """See `payouts.Paid`: tell the player."""

        async def notify() -> None:
            try:
                row = await self._ledger.tournament(tournament)
            except LedgerUnavailable:
                return  # the player sees it in the wallet
            given = next(one for one in row.places if one.number == number)
            message = wire.SngPrizePaid(
                tournament=tournament, place=given.place, prize=paid.prize, ticket=paid.ticket
            )
            self._tell(given.account, message)

        Deferred.fromCoroutine(notify()).addErrback(log_fault)

    @as_deferred
    async def cancel(self, tournament: str) -> None:
        """Cancel before the start: all buy-ins go back, once, and connected players are told.

        Fails with `UnknownTournament`, `RegistrationClosed`, `LedgerUnavailable`.
        """
        before = await self.found(tournament)
        await self._ledger.cancel_tournament(tournament)
        if before.phase == "registering":
            self.refunded(before, "cancelled")

    @as_deferred
    async def found(self, tournament: str) -> TournamentRow:
        """Return the tournament as in the ledger. Fails with `UnknownTournament`, `LedgerUnavailable`."""
        try:
            return await self._ledger.tournament(tournament)
        except LookupError:
            raise UnknownTournament(f"there is no tournament {tournament}") from None

    @as_deferred
    async def look(self) -> None:
        """Search all offers once, and pass tournaments that can start to `full`."""
        for registrar in list(self._registrars.values()):
            try:
                for tournament in await registrar.look(once=True):
                    self._full(tournament)
            except (ConnectionError, TimeoutError) as error:
                if self._in_reach:
                    _log.warning("registrations.unavailable", error=type(error).__name__)
                self._in_reach = False
                return
        self._in_reach = True

    # --- inside ---------------------------------------------------------------------------------------------------

    @as_deferred
    async def _entered_since(self, account: int, offer: str, since: str) -> str | None:
        """Return the tournament that the account has entered, from `since` on; an ended one only if it is `since`."""
        named, _, number = since.rpartition(".")
        if named != offer or not number.isdecimal():
            raise UnknownTournament(f"{since} is no tournament of {offer}")
        rows = [row for row in await self._going_on.ask(offer) if row.opening.number >= int(number)]
        if all(row.opening.tournament != since for row in rows):
            with contextlib.suppress(LookupError):  # it is to be opened yet
                rows.append(await self._ledger.tournament(since))
        for row in rows:
            if any(entry.account == account and not entry.returned for entry in row.entries):
                return row.opening.tournament
        return None

    def _registrar(self, offer: str) -> Registrar:
        registrar = self._registrars.get(offer)
        if registrar is None:
            raise UnknownOffer(f"there is no sit-and-go {offer}")
        return registrar

    async def _look_at(self, offer: str) -> _Seen:
        seen = self._seen.get(offer)
        if seen is None or self._clock.seconds() - seen.at_s > FRESH_S:
            seen = self._seen[offer] = await self._readings.ask(offer)
        return seen

    @as_deferred
    async def _read(self, offer: str) -> _Seen:
        now = self._clock.seconds()
        book = await self._registrars[offer].book()
        return _Seen(at_s=now, book=book, running=await self._ledger.tournaments(offer, "running"))

    def _close(self, tournament: str) -> None:
        offer, _, number = tournament.rpartition(".")
        registrar = self._registrars.get(offer)
        self._seen.pop(offer, None)
        if registrar is not None:  # else the offer no longer exists
            registrar.close(int(number)).addErrback(log_fault)

    async def _close_retired(self) -> None:
        """Cancel filling tournaments of offers that no longer exist: no account could enter or leave them.

        Also cancel filling tournaments of a changed offer: an account that enters would play for other stakes than
        those shown.
        """
        for tournament in await self._ledger.registering_tournaments():
            offer, row = (
                self.offers.get(tournament.rpartition(".")[0]),
                await self._ledger.tournament(tournament),
            )
            if row.opening.scheduled is None and (offer is None or not _is_as(offer, row)):
                try:
                    await self.cancel(tournament)
                except RegistrationClosed:
                    continue  # another node was faster, or has started it
                _log.warning("sit_and_go.retired", tournament=tournament)


def _is_as(offer: SitAndGoConfig, row: TournamentRow) -> bool:
    """Return whether a filling tournament is played as the offer says, or is full so that no account can enter it."""
    if len(row.players) == row.opening.seats:
        return True
    try:
        return terms_of(offer_of(row.opening)) == terms_of(offer)
    except msgspec.DecodeError:
        return False  # written by a version that stored offers differently
