"""Registration for the tournaments of one offer, at any node: a seat in the shared book, then an entry in the ledger.

The book (`coordination.registrations`) tells all nodes at once which account has which seat. The ledger books the
buy-in, and is right if the two differ. Then the book is rebuilt from the ledger: at a refusal that the book should have
foreseen, if Redis has lost it, and in `look`, which every node calls periodically. So a registration survives the loss
of Redis and of the node that made it.

It starts no tournament: it tells when one is full.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.bridge import as_deferred
from pokerroom.coordination import registrations as books
from pokerroom.coordination.api import BookLost, Registrations
from pokerroom.coordination.registrations import Registering, RegistrationBook, SeatHold, TournamentEntries
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.tournaments import (
    AlreadyEntered,
    EntryOver,
    NotEntered,
    Opening,
    RegistrationClosed,
    TournamentFull,
    TournamentLedger,
    TournamentRow,
)
from pokerroom.ops.slots import Slots

T = TypeVar("T")

Entered = Callable[[], Deferred[str | None]]
"""Fires with the tournament that the account has entered already; None without one."""

AT_ONCE: Final = 4
"""[D] How many accounts a node registers for one offer, or for tournaments with a start, at the same time.

The ledger takes the entries to a tournament one after the other. A crowd that waits there would take all connections to
the ledger from the tables, and the holds of its seats would expire.
"""

TRIES_MAX: Final = 5
"""How often another seat is tried when the ledger has refused the seat from the book."""

_RETRY_S_FIRST: Final = 0.1
_RETRY_S_MAX: Final = 2.0

_FORESEEN: Final = (TournamentFull, RegistrationClosed, AlreadyEntered, EntryOver)
"""Refusals of the ledger that a correct book would have foreseen."""

_log = structlog.get_logger()


class AddressRegistered(LedgerRefusal):
    """The client's address has as many registrations as it may have."""

    code = "address_seated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A seat that is paid for. `full`: the tournament can start."""

    tournament: str
    full: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Truth:
    """The entries as read from the ledger. See `books.reconciled`."""

    entered: tuple[TournamentEntries, ...]
    last_number: int

    def put_right(self, book: RegistrationBook | None, now_ms: int) -> RegistrationBook:
        return books.reconciled(book, self.entered, last_number=self.last_number, now_ms=now_ms)


class Registrar:
    """Registers accounts for one offer.

    `opening(number)` returns how its tournament of that number is opened, with `seats`. An address may take
    `seats_per_address` of them, 0 for any number.
    """

    def __init__(
        self,
        *,
        offer: str,
        seats: int,
        seats_per_address: int,
        opening: Callable[[int], Opening],
        ledger: TournamentLedger,
        registrations: Registrations,
        clock: IReactorTime,
        now_ms: Callable[[], int],
    ) -> None:
        self.offer = offer
        self._seats = seats
        self._seats_per_address = seats_per_address
        self._opening = opening
        self._ledger = ledger
        self._registrations = registrations
        self._clock = clock
        self._now_ms = now_ms
        self._slots = Slots(AT_ONCE)

    def register(
        self, account: int, entered: Entered | None = None, *, address: str = ""
    ) -> Deferred[Registration]:
        """Take a seat for the account, and put its buy-in into escrow.

        `address` stands for the client's address, as in `RegistrationSeat`.

        If `entered` tells of a tournament, that is the answer, and nothing is paid. It is asked once the account has
        its seat in the book: an earlier request of the account has that same seat, or is in the ledger.

        Fails with a refusal of `TournamentLedger.enter`; with `AlreadyEntered` also if the account has a seat in
        another filling tournament of the offer; with `AddressRegistered`. Fails with `ConnectionError` or
        `TimeoutError` if the book cannot be reached; nothing is booked then. Waits while the ledger is unavailable, and
        while `AT_ONCE` others register; see `Slots`.
        """
        return self._slots.run(account, self._register, account, entered, address)

    @as_deferred
    async def _register(self, account: int, entered: Entered | None, address: str) -> Registration:
        refused: LedgerRefusal = TournamentFull("no seat was found")
        for _ in range(TRIES_MAX):
            held = await self._changed(
                lambda book: books.hold(
                    book,
                    account,
                    seats=self._seats,
                    now_ms=self._now_ms(),
                    address=address,
                    seats_per_address=self._seats_per_address,
                )
            )
            if held is None:
                raise AddressRegistered(f"the address has {self._seats_per_address} seats of {self.offer}")
            found = None if entered is None else await until_known(self._clock, entered)
            if found is not None and (held.confirmed or found != self._tournament(held.number)):
                if not held.confirmed:
                    await self._forget(account, held)
                return Registration(tournament=found, full=False)
            if held.confirmed:
                refused = await self._already_entered(account, held)
                continue
            try:
                return await self._enter(account, held, address)
            except _FORESEEN as refusal:
                _log.info("registration.reconciled", offer=self.offer, refusal=refusal.code)
                await self._forget(account, held)
                await self.look()
                if isinstance(refusal, AlreadyEntered):
                    raise
                refused = refusal
            except LedgerRefusal:
                await self._forget(account, held)
                raise
        raise refused

    def unregister(self, account: int) -> Deferred[str]:
        """Free the seat and return the buy-in; fires with the tournament. Waits as `register` does.

        Fails with `NotEntered`, `RegistrationClosed`, or as `register` does if the book cannot be reached.
        """
        return self._slots.run(account, self._unregister, account)

    @as_deferred
    async def _unregister(self, account: int) -> str:
        refused: LedgerRefusal = NotEntered(f"account {account} has no seat in a tournament of {self.offer}")
        for _ in range(2):
            found = (await self.book()).of(account)
            entry = None if found is None else await self._booked(found[0], account)
            if found is not None and entry is not None:
                number, tournament = found[0].number, self._tournament(found[0].number)
                try:
                    await until_known(
                        self._clock, partial(self._ledger.return_entry, tournament, account, entry)
                    )
                except (RegistrationClosed, NotEntered) as refusal:  # the book may have been wrong
                    refused = refusal
                else:
                    await self._patiently(
                        partial(books.release, number=number, account=account, entry=found[1].entry)
                    )
                    return tournament
            await self.look()
        raise refused

    def close(self, number: int) -> Deferred[None]:
        """Remove the tournament of this number, which has started or was cancelled, from the book."""
        return Deferred.fromCoroutine(self._patiently(partial(books.close, number=number)))

    @as_deferred
    async def look(self, *, once: bool = False) -> list[str]:
        """Correct the book from the ledger; fires with the tournaments that are full and have not started.

        Every node calls this periodically, because a node may have died between the entry and what follows it. If the
        book has changed while the ledger was read, read again. After `TRIES_MAX` tries the last reading counts: the
        ledger refuses what the book promises wrongly, and the next look corrects it. With `once` a changed book stays
        as it is: while a crowd registers, it changes during each reading, and a large field takes long to read.
        """
        for again in range(1 if once else TRIES_MAX, 0, -1):
            before = await self._registrations.read(self.offer)
            truth = await self._truth()
            put_right = partial(
                _put_right,
                before=before,
                truth=truth,
                now_ms=self._now_ms(),
                anyway=again == 1 and not once,
            )
            if await self._registrations.make(self.offer, put_right):
                break
        return [f"{self.offer}.{one.number}" for one in truth.entered if len(one.entries) == one.seats]

    @as_deferred
    async def book(self) -> RegistrationBook:
        """Return the book for the lobby; if there is none, build it from the ledger."""
        found = await self._registrations.read(self.offer)
        if found is None:
            await self.look()
            found = await self._registrations.read(self.offer)
        return found or RegistrationBook()

    # --- entering -----------------------------------------------------------------------------------------------

    async def _already_entered(self, account: int, held: SeatHold) -> LedgerRefusal:
        """Raise `AlreadyEntered` if the ledger says so, too; else correct the book and return that refusal."""
        tournament = self._tournament(held.number)
        refusal = AlreadyEntered(f"account {account} has a seat in {tournament}")
        phase, entry = await until_known(self._clock, partial(self._ledger.entry_of, tournament, account))
        if phase == "registering" and entry is not None:
            raise refusal
        await self.look()
        return refusal

    async def _enter(self, account: int, held: SeatHold, address: str) -> Registration:
        tournament = self._tournament(held.number)
        if not held.opened:
            try:
                await until_known(
                    self._clock, lambda: self._ledger.open_tournament(self._opening(held.number))
                )
            except LedgerConflict as conflict:  # another node knew first that the offer is changed
                raise RegistrationClosed(f"{tournament} was opened on other terms") from conflict
        await until_known(self._clock, lambda: self._ledger.enter(tournament, account, held.entry))
        full = await self._patiently(
            partial(books.confirm, number=held.number, account=account, entry=held.entry, address=address)
        )
        return Registration(tournament=tournament, full=full)

    async def _forget(self, account: int, held: SeatHold) -> None:
        await self._patiently(partial(books.release, number=held.number, account=account, entry=held.entry))

    # --- leaving ------------------------------------------------------------------------------------------------

    async def _booked(self, one: Registering, account: int) -> int | None:
        """Return the number of the account's entry in the ledger, whatever the book says; None if there is none."""
        if not one.opened:
            return None
        ask = partial(self._ledger.entry_of, self._tournament(one.number), account)
        _, entry = await until_known(self._clock, ask)
        return entry

    # --- the book -----------------------------------------------------------------------------------------------

    async def _changed(self, decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]]) -> T:
        """Change the book; if there is none, change one that is built from the ledger in the same step."""
        try:
            return await self._registrations.change(self.offer, decide)
        except BookLost:
            _log.warning("registrations.lost", offer=self.offer)
        truth = await self._truth()
        return await self._registrations.make(
            self.offer, lambda book: decide(truth.put_right(None, self._now_ms()) if book is None else book)
        )

    async def _patiently(self, decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]]) -> T:
        """Change the book as `_changed` does, after the ledger has booked: retry until the book is available."""
        delay_s = _RETRY_S_FIRST
        while True:
            try:
                return await self._changed(decide)
            except (ConnectionError, TimeoutError) as error:
                _log.warning("registrations.unavailable", offer=self.offer, error=type(error).__name__)
                await deferLater(self._clock, delay_s)
                delay_s = min(_RETRY_S_MAX, delay_s * 2)

    async def _truth(self) -> _Truth:
        last = await until_known(self._clock, lambda: self._ledger.last_number(self.offer))
        rows = await until_known(self._clock, lambda: self._ledger.tournaments(self.offer, "registering"))
        return _Truth(
            entered=tuple(_entered(row) for row in rows),
            last_number=max([last, *(row.opening.number for row in rows)]),
        )

    def _tournament(self, number: int) -> str:
        return f"{self.offer}.{number}"


def _put_right(
    book: RegistrationBook | None,
    *,
    before: RegistrationBook | None,
    truth: _Truth,
    now_ms: int,
    anyway: bool,
) -> tuple[RegistrationBook, bool]:
    """Return the book as read from the ledger and True; or False and the same book if it differs from `before`."""
    if book is not None and book != before and not anyway:
        return book, False
    return truth.put_right(book, now_ms), True


def _entered(row: TournamentRow) -> TournamentEntries:
    used: dict[int, int] = {}
    for entry in row.entries:
        used[entry.account] = max(entry.number, used.get(entry.account, 0))
    return TournamentEntries(
        number=row.opening.number,
        seats=row.opening.seats,
        entries={entry.account: entry.number for entry in row.entries if not entry.returned},
        used=used,
    )
