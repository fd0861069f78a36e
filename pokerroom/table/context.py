"""What a table needs of the world: time, randomness, journal, ledger, and who is told what.

The room hands in the real ones, the simulation others. Knows nothing of tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.coordination.api import Journal, Payouts
from pokerroom.ledger.api import HandSettlement
from pokerroom.ledger.tournaments import TournamentLedger, TournamentRow
from pokerroom.ops.observer import Observer
from pokerroom.table.seal import Seal
from pokerroom.table.shuffle import RandomBytes


class HandSettler(Protocol):
    """Takes the ends of hands to the ledger, grouped with those of other tables."""

    def submit(self, settlement: HandSettlement) -> Deferred[None]:
        """Fires after the commit."""


class TimeoutCount(Protocol):
    """How often each account was all-in by the clock today (UTC), in the whole room (H2)."""

    def today(self, account: int) -> int:
        """Uses since midnight."""

    def note(self, account: int, hand_id: str) -> None:
        """One more, in this hand: there can be one in a hand, so that saying it again changes nothing."""


class SeatDirectory(Protocol):
    """Who sits where in the whole room, and who waits to: told by the tables."""

    def claim(self, account: int, table: str) -> bool:
        """The account is about to hold a seat here; False when it holds as many as it may."""

    def freed(self, account: int, table: str) -> None:
        """The account no longer holds a seat here."""

    def opening(self, table: str) -> None:
        """A seat of this table may be free for who waits; also when a hold on it has lapsed."""

    def waiting(self, table: str) -> int:
        """How many are before a newcomer on the waiting lists that a seat here would serve."""

    def held_seat_lapsed(self, account: int, table: str) -> None:
        """A seat held for an account from the waiting list was not taken in time, or was given up."""

    def calls_lost(self, table: str) -> None:
        """The table stops or begins anew: an `offer_seat` that is not answered yet never will be."""

    def seated(self, account: int, table: str) -> None:
        """The account has bought in here: what it claimed is a seat now."""

    def closed(self, table: str) -> None:
        """The table takes no new players, until there is an `opening` again."""


@dataclass(slots=True, kw_only=True, eq=False)
class NodeLease:
    """What a node allows its tables now; they are told when it allows more (`Table.lease_renewed`)."""

    acts: bool = True
    """False: the node may count as gone. Nothing is asked of the tables, and no clock takes a decision."""
    deals: bool = True
    """False: that, or the ledger does not answer. Hands in progress are played, no new one begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableContext:
    """Everything handed to a table; `now_ms` is the wall clock, `clock` runs timers."""

    clock: IReactorTime
    now_ms: Callable[[], int]
    random_bytes: RandomBytes
    journal: Journal
    ledger: TournamentLedger
    settler: HandSettler
    seal: Seal
    observer: Observer
    seating: SeatDirectory
    timeouts: TimeoutCount
    epoch: int
    """Of the table, as its owner has it from the ledger: a world is one table's."""
    tables_max: int
    """At how many tables an account may have a seat."""
    relinquished: Callable[[], None]
    """Called once the ledger has said that the table has another owner, and it has stopped."""
    lease: NodeLease = field(default_factory=NodeLease)
    payouts: Payouts | None = None
    """Told of prizes that are to be paid; without it they are found in the ledger."""
    started: Callable[[TournamentRow], None] = lambda row: None  # noqa: ARG005 -- nobody need know
    """Told of a tournament that was started here."""
    over: Callable[[], None] = lambda: None
    """Called when nothing will be played here any more, and all who watch have been told."""

    @property
    def first_seq(self) -> int:
        """The number before the table's first event: its events are numbered from epoch to epoch, and none twice.

        The protocol's numbers (up to 2^53 - 1) hold two million epochs of four thousand million events each.
        """
        return (self.epoch - 1) << 32
