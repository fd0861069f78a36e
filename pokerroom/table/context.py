"""The dependencies of a table: time, randomness, journal, ledger, and the room's callbacks.

The room passes the real ones, the simulation its own. Knows nothing of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.coordination.api import Journal, Payouts
from pokerroom.ledger.api import HandSettlement
from pokerroom.ledger.hosted_tables import HostedTableRow
from pokerroom.ledger.tournaments import TournamentLedger, TournamentRow
from pokerroom.ops.observer import Observer
from pokerroom.table.api import ActorSettings
from pokerroom.table.seal import Seal
from pokerroom.table.shuffle import RandomBytes
from pokerroom_protocol import messages as wire


class HandSettler(Protocol):
    """Sends finished hands to the ledger, grouped with those of other tables."""

    def submit(self, settlement: HandSettlement) -> Deferred[None]:
        """Submit a hand; fires after the commit."""


class TimeoutCount(Protocol):
    """How often each account was all-in by the clock today (UTC), in the whole room (H2)."""

    def today(self, account: int) -> int:
        """Return the account's uses since midnight."""

    def note(self, account: int, hand_id: str) -> None:
        """Count one more, in this hand. A hand has at most one, so repeating the call changes nothing."""


class SeatDirectory(Protocol):
    """The seats and waiting lists of the whole room, as the tables report them."""

    def claim(self, account: int, table: str) -> bool:
        """Claim a seat here for the account; return False if it holds as many as it may."""

    def freed(self, account: int, table: str) -> None:
        """Note that the account no longer holds a seat here."""

    def opening(self, table: str) -> None:
        """Note that a seat of this table may be free for a waiting account, also when a hold has lapsed."""

    def waiting(self, table: str) -> int:
        """Return how many accounts are before a newcomer on the waiting lists that a seat here would serve."""

    def held_seat_lapsed(self, account: int, table: str) -> None:
        """Note that a hold for an account from the waiting list has lapsed, or was given up."""

    def calls_lost(self, table: str) -> None:
        """Note that the table stops or restarts: an unanswered `offer_seat` will never be answered."""

    def seated(self, account: int, table: str) -> None:
        """Note that the account has bought in here: its claim is a seat now."""

    def closed(self, table: str) -> None:
        """Note that the table takes no new players, until the next `opening`."""


class TableHost(Protocol):
    """What the host of a private table has decided, as this node knows it."""

    @property
    def paused(self) -> bool:
        """Whether no hand begins."""

    @property
    def settings(self) -> ActorSettings | None:
        """The settings as they were told last; None: those with which the table was made."""

    @property
    def dealt(self) -> ActorSettings | None:
        """The settings of a hand that begins now: other stakes hold some seconds after they were told."""

    @property
    def row(self) -> HostedTableRow | None:
        """The table as the ledger has it; None if no player hosts it, or if it is closed for good."""

    def admits(self, account: int | None) -> bool:
        """Return whether the account may know of the table."""

    def takes(self, account: int) -> bool:
        """Return whether the account may sit down."""


class _NoHost:
    paused = False
    settings = None
    dealt = None
    row = None

    def admits(self, account: int | None) -> bool:  # noqa: ARG002 -- see `TableHost`
        return True

    def takes(self, account: int) -> bool:  # noqa: ARG002 -- see `TableHost`
        return True


NO_HOST: Final[TableHost] = _NoHost()
"""A table of the operator or of a tournament: it is for everyone, and goes on."""


@dataclass(slots=True, kw_only=True, eq=False)
class NodeLease:
    """What a node's tables may do now; they are told when they may do more (`TableActor.lease_renewed`)."""

    acts: bool = True
    """False: the node may count as dead. Tables get no requests, and no clock takes a decision."""
    deals: bool = True
    """False: `acts` is False, or the ledger does not answer. Hands in progress are played, none begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableContext:
    """All dependencies of a table; `now_ms` is the wall clock, `clock` runs timers."""

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
    """The epoch of the table, as its owner has it from the ledger. Each table has a context of its own."""
    tables_max: int
    """The number of tables at which an account may have a seat."""
    relinquished: Callable[[], None]
    """Called once the ledger has said that the table has another owner, and the table has stopped."""
    lease: NodeLease = field(default_factory=NodeLease)
    host: TableHost = NO_HOST
    payouts: Payouts | None = None
    """Gets prizes to pay; without it they are found in the ledger."""
    started: Callable[[TournamentRow, str], None] = lambda row, table: None  # noqa: ARG005 -- optional callback
    """Called with a tournament that was started, and the table of it that begins here."""
    moved: Callable[[int, wire.TournamentMoved | wire.SngStarted], None] = lambda account, moved: None  # noqa: ARG005 -- optional callback
    """Called with a player of a tournament that has come to a seat of this table, and what the player is told."""
    offered: Callable[[int, wire.ChipsOffered], None] = lambda account, offer: None  # noqa: ARG005 -- optional callback
    """Called with a player of a tournament that can buy chips, and what the player is told."""
    send: Callable[[str, Any], None] = lambda to, letter: None  # noqa: ARG005 -- optional callback
    """Sends a message to another actor of the room by its id, at whichever node that is. It may be lost."""
    tables_open: Callable[[Sequence[int]], None] = lambda _: None
    """Called when the tables of a tournament that is owned here are to be opened, if they are not."""
    over: Callable[[], None] = lambda: None
    """Called when nothing will be played here any more, and all viewers have been told."""

    @property
    def first_seq(self) -> int:
        """The number before the table's first event: events are numbered from epoch to epoch, and no number is used
        twice.

        The protocol's numbers (up to 2^53 - 1) hold two million epochs of four thousand million events each.
        """
        return (self.epoch - 1) << 32
