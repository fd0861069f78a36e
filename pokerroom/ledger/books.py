"""The contract for reading everything that was booked, in the order of the transfers: what an audit follows.

All that one opening of the books tells is as of one moment. It blocks no other transaction, and holds a bounded number
of rows in memory. The ledger does not know what a record means.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.tournaments import MoveRow, Opening, TournamentRow


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedHand:
    """A settled hand. `by_clock` are the accounts that were all-in by the clock.

    Times are Unix milliseconds. `record` contains hidden cards: no repr shows it. `sealed` is set for an archived
    record: the hash of its encrypted cards in the chain, None if it had none.
    """

    hand_id: str
    table: str
    epoch: int | None
    started_ms: int
    ended_ms: int
    record: bytes = field(repr=False)
    by_clock: frozenset[int]
    in_chips: bool
    """Whether it is of a tournament, and moves no money."""
    sealed: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedRound:
    """The end of a round against the house; see `RoundEnd`. `staked` has what each account put in, by kind of stake."""

    round_id: str
    table: str
    started_ms: int
    ended_ms: int
    void: bool
    house: int
    meter_fed: int
    meter_paid: int
    meter_reseeded: int
    tronc: int
    record: bytes = field(repr=False)
    staked: Mapping[tuple[int, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedTransfer:
    """A transfer with its legs by code of the ledger account, and what was booked with it.

    `account_opened_ms` is set for an opening: when the account of its key was opened.
    """

    number: int
    key: str
    kind: str
    created_ms: int
    legs: Mapping[str, int]
    hand: BookedHand | None = None
    round_end: BookedRound | None = None
    account_opened_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefillTermsRow:
    """The terms of refills since the transfer of this number; see `RefillTerms`."""

    number: int
    created_ms: int
    source: str
    below: int
    to: int
    every_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldStack:
    """A seat with its stack account: the stack by its balance, and what the player has brought since they sat down."""

    table: str
    account: int
    stack: int
    bought: int


class Books(Protocol):
    """The books at one moment. Numbers of transfers are at least 1. Methods raise `LedgerUnavailable`."""

    last: int
    """The number of the last transfer; 0 for none."""
    erased_to: int
    """Hands up to this transfer have lost their hidden cards."""
    rake_terms_since_ms: int
    """Each hand with a rake that was settled since this Unix time has the terms of it in its record."""
    refills_without_terms_to: int
    """Each refill after this transfer has its terms before it in the books; 0: all have."""
    late_seats_since_ms: int
    """The moves of each tournament that was started since this Unix time have the first seats of its late entries."""

    def transfers(self, after: int, until: int | None = None) -> AsyncIterator[BookedTransfer]:
        """All transfers with a higher number, in order; with `until` up to this number."""

    async def snapshot(self) -> str:
        """The name by which `AuditableLedger.books` opens the same books on other connections, while these are open."""

    async def number_at(self, at_ms: int) -> int:
        """The number of the last transfer that was created before this time; 0 for none."""

    async def minute_before(self, number: int) -> int:
        """The last transfer that was created a minute or more before this one; 0 for none.

        Numbers are given when a transfer begins. One with a lower number may have been committed since this one was.
        """

    async def count(self, after: int) -> int:
        """How many transfers have a higher number."""

    async def balances(self, after: int) -> Mapping[str, int]:
        """The balances of wallets, tickets, stacks, houses and meters as of this transfer, without zeros."""

    async def refill_terms(self) -> Sequence[RefillTermsRow]:
        """All terms of refills, in order."""

    async def last_refills(self, after: int) -> Mapping[int, int]:
        """When each account had its last refill up to this transfer, in Unix milliseconds."""

    async def held_stacks(self) -> Sequence[HeldStack]:
        """All seats with a stack account."""

    def openings(self) -> AsyncIterator[Opening]:
        """What each tournament was opened with."""

    async def tournament(self, tournament: str) -> TournamentRow | None:
        """A tournament with its entries and places."""

    async def moves(self, tournament: str) -> Sequence[MoveRow]:
        """The moves of its players, in order."""

    async def hands_before(self, tournament: str, number: int) -> Sequence[bytes]:
        """The records of the hands of all tables of a tournament up to this transfer, in order."""


class AuditableLedger(Protocol):
    """A ledger that can open its books, and compare its own schema."""

    def schema_differences(self) -> Deferred[list[str]]:
        """A sentence for each trigger, constraint, function and so on that is not as this build makes it.

        What is switched off or replaced there, no rule of the ledger holds any more. Fails with `LedgerUnavailable`.
        """

    def books(self, snapshot: str | None = None) -> AbstractAsyncContextManager[Books]:
        """Opens the books, as of now or as of a snapshot. Raises `LedgerUnavailable`."""
