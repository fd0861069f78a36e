"""The contracts of coordination: journal, node directory, bus, registrations and payout jobs.

Everything here can be rebuilt or voided. Losing it may void the hands in progress; it never loses or doubles money.
Two adapters implement the contracts, `redis` and `memory`, and pass the same tests. Journal entries and bus messages
are opaque bytes. The writer of an entry encrypts the cards in it. A bus message for one client goes only to its node.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from twisted.internet.defer import Deferred

from pokerroom.coordination.registrations import RegistrationBook

T = TypeVar("T")


class UnusableAddress(ValueError):  # noqa: N818 -- what the operator reads, not a fault
    """No client can be made of an address. The message says why and repeats nothing that may be a password."""


class Sealed(Exception):  # noqa: N818 -- named for the state of the journal
    """Another owner has the journal of the table: the entry is refused and not stored.

    The same is raised if the store has lost durable entries. Then the journal is empty and has no owner: the table must
    be taken again with a larger epoch.
    """


class Journal(Protocol):
    """An append-only list of entries per table, with at most the hand in progress.

    The journal of a table belongs to the owner with the largest epoch (`ledger.api.Ledger.take_table`). The store
    refuses entries of an earlier owner. That owner gets one call of `sealed(table)`, which the adapter receives at
    construction. From then on none of its waiting or later entries is stored or reported as durable.
    """

    def take(self, table: str, epoch: int) -> Deferred[list[bytes]]:
        """Seals the journal of the table against all smaller epochs. Returns its entries, oldest first.

        Call it before any other method for this table. It waits while the store is unavailable. Fails with `Sealed` if
        a larger epoch has the journal. Taking it again with the same epoch is no error.
        """

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """Queues an entry. `durable` is called when it is stored, in the order of the appends.

        The entries of all tables of one reactor turn go in one flush. While the store is unavailable entries wait and
        are retried. Each is stored once, also after an unknown outcome.
        """

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """As `append`, and removes all earlier entries in the same step: a new hand begins, or one has ended."""

    def forget(self, table: str) -> None:
        """Queues the removal of all entries: the table is closed."""

    def entries(self, table: str) -> Deferred[list[bytes]]:
        """The entries of the table, oldest first, with all that were appended before this call."""

    def release(self, table: str) -> Deferred[None]:
        """Fires when all queued entries of the table are stored. The table then has no owner on this node.

        Fails with `Sealed`, as `entries` does, if another owner took the table before.
        """

    def tables(self, but: Container[str] = ()) -> Deferred[list[str]]:
        """The tables with entries, of all owners, in order, without those of `but`. Fails as `peek` does."""

    def peek(self, table: str) -> Deferred[list[bytes]]:
        """The entries of any table, oldest first, without sealing it and without waiting for queued entries.

        Fails with `ConnectionError` or `TimeoutError` if the store does not answer.
        """


class Directory(Protocol):
    """The node directory: the heartbeat of each node, as opaque bytes by the name of the node."""

    def tell(self, node: str, said: bytes) -> Deferred[Mapping[str, bytes]]:
        """Replaces the heartbeat of `node`. Returns those of all nodes, its own included.

        Fails with `ConnectionError` or `TimeoutError` if there is no answer within a second; it may have been stored.
        """

    def read(self) -> Deferred[Mapping[str, bytes]]:
        """The heartbeats of all nodes, for a process that is not a node. Fails as `tell` does."""

    def forget(self, node: str) -> Deferred[None]:
        """Removes a node: at its own end, or by another node that knows of its end. Fails as `tell` does."""


class Bus(Protocol):
    """Messages between the nodes of a room: at most once, in order between two nodes, and a loss is noticed.

    The adapter is constructed with `node`, the name of this node, and three callables:

    - `heard(sender, message)` is called for each message.
    - `lost(sender)` is called when messages of a sender were lost, before the first message after the gap.
    - `cut()` is called when the connection was lost and messages of any node may be missing.

    Names of nodes must be unique: each start of a process is another sender.
    """

    def send(self, node: str, message: bytes) -> None:
        """Sends to one node. Messages of one reactor turn go together. It never fails: messages may be lost."""

    def send_all(self, message: bytes) -> None:
        """Sends to all other nodes."""

    def start(self) -> Deferred[None]:
        """Subscribes, and fires when messages to this node arrive. It waits while the store is unavailable."""

    def stop(self) -> Deferred[None]:
        """Stops sending and receiving."""


class BookLost(Exception):  # noqa: N818 -- named for the state of the book
    """The store has no book of the offer: the offer is new, or the book was lost. Make it from the ledger."""


def known(
    decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]], book: RegistrationBook | None
) -> tuple[RegistrationBook, T]:
    """Calls `decide` with a book that must exist. Raises `BookLost`."""
    if book is None:
        raise BookLost
    return decide(book)


class Registrations(Protocol):
    """The registration books of all offers (see `registrations`), shared by all nodes."""

    def change(
        self, offer: str, decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        """Replaces the book of an offer by the one that `decide` returns, and returns its answer.

        The change is atomic: if another node has changed the book meanwhile, `decide` is called again with the new one.
        Fails with `BookLost`, and with `ConnectionError` or `TimeoutError` if there is no answer within a second; the
        book may have changed then. An exception of `decide` is passed on and changes nothing.
        """

    def make(
        self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        """As `change`. If there is no book, `decide` gets None."""

    def read(self, offer: str) -> Deferred[RegistrationBook | None]:
        """The book, or None. Fails as `change` does."""

    def take_permit(
        self, tournament: str, address: str, account: int, *, permits: int, now_ms: int, kept_s: int
    ) -> Deferred[Mapping[int, int]]:
        """Gives the account one of the `permits` (at least 1) that an address has in a tournament without a book.

        Returns when each account took its permit there, as `now_ms`; without this account if no permit is free. An
        account with a permit keeps it, with the new time. `address` stands for the address, as in `RegistrationSeat`.
        All permits of it are forgotten `kept_s` seconds after the last was taken.

        The change is atomic. Fails with `ConnectionError` or `TimeoutError` if there is no answer within a second; the
        permit may have been taken then.
        """

    def free_permits(self, tournament: str, address: str, taken: Mapping[int, int]) -> Deferred[None]:
        """Frees the permits of these accounts that were taken at these times. Fails as `take_permit` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessLimit:
    """How often a password may be wrong, and how long the next attempt then waits.

    After `free` failures the wait is 1 s, and it doubles with each further failure up to `wait_s_max`. All failures are
    forgotten `kept_s` seconds after the last one.
    """

    free: int
    wait_s_max: int
    kept_s: int = 3600

    def wait_ms(self, failures: int) -> int:
        """The wait after so many failures."""
        beyond = failures - self.free
        return 1000 * min(1 << min(beyond, 30), self.wait_s_max) if beyond >= 0 else 0

    def begins_wait(self, failures: int) -> bool:
        """Whether the last of so many failures begins a wait, or makes it longer."""
        return self.wait_ms(failures) > self.wait_ms(failures - 1)


@dataclass(frozen=True, slots=True)
class GuessCount:
    """An attempt has to wait `wait_ms` and is not counted; or it is a failure until it succeeds, and the last of
    `failures`.
    """

    wait_ms: int = 0
    failures: int = 0


class LogInAttempts(Protocol):
    """The wrong passwords of the last hour, shared by all nodes, by keys that tell no name and no address.

    Every call fails with `ConnectionError` or `TimeoutError` if there is no answer within a second; it may have been
    carried out. Losing all of it allows a few more guesses.
    """

    def begin(self, key: str, limit: GuessLimit) -> Deferred[GuessCount]:
        """Counts an attempt as a failure, unless it has to wait."""

    def clear(self, key: str) -> Deferred[None]:
        """Forgets all failures: an attempt has succeeded."""

    def take_back(self, key: str) -> Deferred[None]:
        """Forgets one failure, and any wait: an attempt has succeeded."""


class Payouts(Protocol):
    """The publisher's side of the payout jobs.

    Jobs have no amounts, and a lost job loses nothing: the ledger knows both (`TournamentLedger.unpaid_places`).
    """

    def publish(self, tournament: str, number: int) -> None:
        """Publishes a place that the ledger has, with a prize. It never fails, and the job may be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutJob:
    """An unpaid place. `entry` is the id of the job in the store. The ledger knows the amount."""

    entry: bytes
    tournament: str
    number: int


class PayoutStream(Protocol):
    """Payout jobs that all nodes share. A node that takes a job has it until it is done or a time limit has passed.

    A job may be delivered more than once, also to two nodes at the same time, and every job may be lost. The ledger
    pays each place once and knows the unpaid ones. Every call fails with `ConnectionError` or `TimeoutError` if there
    is no answer within a second; it may have been carried out.
    """

    def publish(self, tournament: str, numbers: Sequence[int]) -> Deferred[None]:
        """Adds a job for each of these places."""

    def take(self, node: str) -> Deferred[list[PayoutJob]]:
        """Takes jobs for this node: new ones, and those that another node has had for too long."""

    def done(self, jobs: Sequence[PayoutJob]) -> Deferred[None]:
        """Removes jobs that the ledger has paid."""
