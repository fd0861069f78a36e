"""How many accounts of one address enter a tournament with a start, at whichever node.

A permit of the address is taken before the ledger books the entry. The ledger knows no address, so the permits are in
Redis: if Redis loses them, the entries of before count no more. It does not know what an entry costs.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

from twisted.internet.defer import Deferred

from pokerroom.coordination.api import Registrations
from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.tournaments import AlreadyEntered, TournamentRow
from pokerroom.tournament.offers import scheduled_offer_of
from pokerroom.tournament.registrar import AddressRegistered

HOLD_MS: Final = 60_000
"""[D] For so long an entry may be on its way to the ledger; after that a permit without an entry is free again."""

KEPT_S: Final = 7 * 86_400
"""[D] Permits are known for so long after late registration; breaks, and levels that are hands, make that longer."""


class AddressPermits:
    """The permits of addresses. `found` returns a tournament.

    An `address` stands for the client's address, as in `RegistrationSeat`; it is empty where it does not count.
    """

    def __init__(
        self,
        registrations: Registrations,
        found: Callable[[str], Deferred[TournamentRow]],
        now_ms: Callable[[], int],
    ) -> None:
        self._registrations = registrations
        self._found = found
        self._now_ms = now_ms

    @asynccontextmanager
    async def entering(self, row: TournamentRow, account: int, address: str) -> AsyncGenerator[None]:
        """Hold a permit of the address while the account enters this tournament; a refused entry gives it back.

        That of an entry that is returned later is free on demand: a request that is refused or late frees nothing.
        An account that enters again after the start is counted already. Raises `AddressRegistered`, `AlreadyEntered`,
        and `ConnectionError` or `TimeoutError` if the permits cannot be reached.
        """
        permits = _permits_of(row) if address else 0
        if not permits or (account in row.players and row.phase != "registering"):
            yield
            return
        tournament = row.opening.tournament
        if (
            account in row.players
        ):  # else it would keep its entry without a permit, if it is returned meanwhile
            raise AlreadyEntered(f"account {account} has an entry to {tournament}")
        own = await self._taken(row, account, address, permits)
        if not own:
            raise AddressRegistered(f"the address has {permits} entries to {tournament}")
        try:
            yield
        except AlreadyEntered:  # by another request of the account, and it has this permit, too
            raise
        except LedgerRefusal:
            with suppress(ConnectionError, TimeoutError):
                await self._registrations.free_permits(tournament, address, own)
            raise
        with suppress(
            ConnectionError, TimeoutError
        ):  # a refused request of the account may have given it back
            await self._take(row, account, address, permits)

    async def _taken(self, row: TournamentRow, account: int, address: str, permits: int) -> Mapping[int, int]:
        """Take a permit, also one that has no entry; return the account and when, or nothing without a permit."""
        taken = await self._take(row, account, address, permits)
        if account in taken:
            return _of(account, taken)
        tournament, since_ms = row.opening.tournament, self._now_ms() - HOLD_MS
        entered = (await self._found(tournament)).players
        unused = {
            other: at_ms for other, at_ms in taken.items() if at_ms <= since_ms and other not in entered
        }
        if not unused:
            return {}
        await self._registrations.free_permits(tournament, address, unused)
        return _of(account, await self._take(row, account, address, permits))

    async def _take(self, row: TournamentRow, account: int, address: str, permits: int) -> Mapping[int, int]:
        start = row.opening.scheduled
        assert start is not None
        now_ms = self._now_ms()
        ends_ms = max(now_ms, start.starts_ms) + scheduled_offer_of(row.opening).late_ms
        return await self._registrations.take_permit(
            row.opening.tournament,
            address,
            account,
            permits=permits,
            now_ms=now_ms,
            kept_s=KEPT_S + (ends_ms - now_ms) // 1000,
        )


def _permits_of(row: TournamentRow) -> int:
    return scheduled_offer_of(row.opening).seats_per_address


def _of(account: int, taken: Mapping[int, int]) -> Mapping[int, int]:
    return {account: taken[account]} if account in taken else {}
