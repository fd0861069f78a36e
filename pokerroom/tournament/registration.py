"""The registration service of a node: all offers of the room, for its clients and its operator.

It registers through the offers' registrars, tells what is filling and what runs, and finds the tournaments that can
start: those that fill here, and in a look now and then those that filled at a node that has died since. Who starts them
is told (`full`); how they are played it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import msgspec
import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.chips import Money
from pokerroom.coordination.api import Registrations
from pokerroom.coordination.registrations import RegistrationBook
from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.tournaments import RegistrationClosed, TournamentLedger, TournamentRow
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.ops.periodic_task import PeriodicTask, log_fault
from pokerroom.tournament.lobby_rows import line_of, standings_of
from pokerroom.tournament.offers import offer_of, opening_of, terms_of
from pokerroom.tournament.registrar import Registrar, Registration
from pokerroom_protocol import messages as wire

LOOK_S: Final = 2.0
"""[D] So often each node looks for tournaments that are full and have not started."""

FRESH_S: Final = 0.5
"""[D] What is filling and what runs is read so often at most, however many clients ask."""

Tell = Callable[[int, wire.Answer], None]
"""Tells an account something, wherever it is connected."""

_log = structlog.get_logger()


class UnknownOffer(LedgerRefusal):
    """The room offers no such sit-and-go."""

    code = "unknown_offer"


class UnknownTournament(LedgerRefusal):
    """There is none of this id, and never was."""

    code = "unknown_tournament"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What was read of an offer at a time."""

    at_s: float
    book: RegistrationBook
    running: Sequence[TournamentRow]


class RegistrationService:
    """See the module. `tell` sends a message to an account.

    `full` is called with tournaments that can start, as often as they are seen.
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
        self.offers: Mapping[str, SitAndGoConfig] = {offer.id: offer for offer in offers}
        self._ledger = ledger
        self._clock = clock
        self._tell = tell
        self._registrars = {
            offer.id: Registrar(
                offer=offer.id,
                seats=offer.seats,
                opening=partial(opening_of, offer),
                ledger=ledger,
                registrations=registrations,
                clock=clock,
                now_ms=now_ms,
            )
            for offer in offers
        }
        self._seen: dict[str, _Seen] = {}
        self._looking = PeriodicTask(clock, LOOK_S, self.look)
        self._in_reach = True

    async def start(self) -> None:
        """Looks for what can start, from now on; cancels what fills for offers that are no more.

        Raises `LedgerUnavailable`.
        """
        await self._close_retired()
        self._looking.start()

    def stop(self) -> None:
        """Looks no more."""
        self._looking.stop()

    # --- clients --------------------------------------------------------------------------------------------------

    def register(self, account: int, offer: str) -> Deferred[Registration]:
        """See `Registrar.register`; fails with `UnknownOffer`, too."""
        return Deferred.fromCoroutine(self._register(account, offer))

    def unregister(self, account: int, offer: str) -> Deferred[str]:
        """See `Registrar.unregister`; fails with `UnknownOffer`, too."""
        return Deferred.fromCoroutine(self._unregister(account, offer))

    def lines(self, account: int | None) -> Deferred[list[wire.SitAndGoInfo]]:
        """One line for each offer, in the order of the settings; as it was `FRESH_S` ago, or later.

        Fails with `LedgerUnavailable`, and with `ConnectionError` or `TimeoutError` where Redis does not answer.
        """
        return Deferred.fromCoroutine(self._lines(account))

    def standings(self, tournament: str, re: int) -> Deferred[wire.Standings]:
        """The answer to a request. Fails with `UnknownTournament`, `LedgerUnavailable`."""
        return Deferred.fromCoroutine(self._standings(tournament, re))

    # --- what happens to tournaments ------------------------------------------------------------------------------

    def started(self, row: TournamentRow) -> None:
        """Tell the players of a tournament that started here where they sit; they may enter the next one."""
        name = row.opening.tournament
        self._close(name)
        for seat, account in enumerate(row.players, 1):
            self._tell(account, wire.SngStarted(tournament=name, table=name, seat=seat))

    def refunded(self, row: TournamentRow, reason: Literal["cancelled", "rolled_back"]) -> None:
        """It was cancelled, or rolled back; `row` is from before that. Its players are told."""
        opening = row.opening
        self._close(opening.tournament)
        for account in row.players:
            self._tell(
                account,
                wire.SngRefunded(tournament=opening.tournament, amount=opening.buy_in, reason=reason),
            )

    def paid(self, tournament: str, number: int, prize: Money) -> None:
        """See `payouts.Paid`: the player is told."""

        async def told() -> None:
            try:
                row = await self._ledger.tournament(tournament)
            except LedgerUnavailable:
                return  # he sees it in his wallet
            given = next(one for one in row.places if one.number == number)
            message = wire.SngPrizePaid(tournament=tournament, place=given.place, prize=prize)
            self._tell(given.account, message)

        Deferred.fromCoroutine(told()).addErrback(log_fault)

    def cancel(self, tournament: str) -> Deferred[None]:
        """Before the start: all have their buy-ins back, once; whoever is connected is told.

        Fails with `UnknownTournament`, `RegistrationClosed`, `LedgerUnavailable`.
        """
        return Deferred.fromCoroutine(self._cancel(tournament))

    def found(self, tournament: str) -> Deferred[TournamentRow]:
        """As the ledger has it. Fails with `UnknownTournament`, `LedgerUnavailable`."""
        return Deferred.fromCoroutine(self._found(tournament))

    def look(self) -> Deferred[None]:
        """One look at all offers: `full` hears of those that can start."""
        return Deferred.fromCoroutine(self._look())

    # --- inside ---------------------------------------------------------------------------------------------------

    def _registrar(self, offer: str) -> Registrar:
        registrar = self._registrars.get(offer)
        if registrar is None:
            raise UnknownOffer(f"there is no sit-and-go {offer}")
        return registrar

    async def _register(self, account: int, offer: str) -> Registration:
        registered = await self._registrar(offer).register(account)
        self._seen.pop(offer, None)
        if registered.full:
            self._full(registered.tournament)
        return registered

    async def _unregister(self, account: int, offer: str) -> str:
        tournament = await self._registrar(offer).unregister(account)
        self._seen.pop(offer, None)
        return tournament

    async def _lines(self, account: int | None) -> list[wire.SitAndGoInfo]:
        lines = []
        for name, offer in self.offers.items():
            seen = await self._look_at(name)
            lines.append(line_of(offer, seen.book, seen.running, account))
        return lines

    async def _look_at(self, offer: str) -> _Seen:
        seen, now = self._seen.get(offer), self._clock.seconds()
        if seen is None or now - seen.at_s > FRESH_S:
            book = await self._registrars[offer].book()
            running = await self._ledger.tournaments(offer, "running")
            seen = self._seen[offer] = _Seen(at_s=now, book=book, running=running)
        return seen

    async def _standings(self, tournament: str, re: int) -> wire.Standings:
        row = await self._found(tournament)
        names = await self._ledger.account_names(sorted({entry.account for entry in row.entries}))
        return standings_of(row, names, re)

    async def _found(self, tournament: str) -> TournamentRow:
        try:
            return await self._ledger.tournament(tournament)
        except LookupError:
            raise UnknownTournament(f"there is no tournament {tournament}") from None

    async def _cancel(self, tournament: str) -> None:
        before = await self._found(tournament)
        await self._ledger.cancel_tournament(tournament)
        if before.phase == "registering":
            self.refunded(before, "cancelled")

    def _close(self, tournament: str) -> None:
        offer, _, number = tournament.rpartition(".")
        registrar = self._registrars.get(offer)
        self._seen.pop(offer, None)
        if registrar is not None:  # else it is not offered any more
            registrar.close(int(number)).addErrback(log_fault)

    async def _close_retired(self) -> None:
        """What fills for an offer that is no more is cancelled: nobody could enter it, or leave it.

        And what fills for one that is another now: who enters would play for other stakes than those that he is shown.
        """
        for tournament in await self._ledger.registering_tournaments():
            offer = self.offers.get(tournament.rpartition(".")[0])
            if offer is None or not _is_as(offer, await self._ledger.tournament(tournament)):
                try:
                    await self._cancel(tournament)
                except RegistrationClosed:
                    continue  # another node was faster, or has started it
                _log.warning("sit_and_go.retired", tournament=tournament)

    async def _look(self) -> None:
        for registrar in self._registrars.values():
            try:
                for tournament in await registrar.look():
                    self._full(tournament)
            except (ConnectionError, TimeoutError) as error:
                if self._in_reach:
                    _log.warning("registrations.unavailable", error=type(error).__name__)
                self._in_reach = False
                return
        self._in_reach = True


def _is_as(offer: SitAndGoConfig, row: TournamentRow) -> bool:
    """Whether what takes entries is played as the offer says, or nobody enters it any more, as it is full."""
    if len(row.players) == row.opening.seats:
        return True
    try:
        return terms_of(offer_of(row.opening)) == terms_of(offer)
    except msgspec.DecodeError:
        return False  # of a version that wrote offers in another way
