"""What the room asks of Redis: the journal of hands in progress, who the nodes are, and the bus between them.

All of it can be rebuilt or voided: losing it may void the hands in progress; it never loses or doubles money. Two
adapters keep these contracts, in Redis and in `memory`; both pass the tests in `tests/coordination`. Journal
entries and bus messages are opaque bytes here (whoever writes them encrypts the cards of entries; a bus message holds
what one client may know, and goes to nobody but his node).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from twisted.internet.defer import Deferred

from pokerroom.coordination.registrations import RegistrationBook

T = TypeVar("T")


class UnusableAddress(ValueError):  # noqa: N818 -- what the operator reads, not a fault
    """No client can be made of an address. The message says why and repeats nothing that may be a password."""


class Sealed(Exception):  # noqa: N818 -- named for what the caller is told
    """The journal of a table is another owner's now: what was to be written is refused, and was not stored.

    Or its store has lost entries that were durable. Then nobody has the table's journal and nothing is left in it: the
    owner is treated as any other who has lost it, and the table has to be taken again, with a larger epoch.
    """


class Journal(Protocol):
    """An append-only list of entries per table, holding at most the hand in progress.

    A table's journal belongs to the owner who has taken it last, by the table's epoch (`ledger.api.Ledger.take_table`).
    What an earlier owner still sends is refused by the store itself: `sealed(table)`, which the adapter is made with,
    is called once, nothing of that table that waits is stored or called durable any more, and nothing later either.
    """

    def take(self, table: str, epoch: int) -> Deferred[list[bytes]]:
        """Seals the table's journal against all smaller epochs; the entries that stand in it, oldest first.

        To be called before anything else is asked for this table. Waits while the store is away. Fails with `Sealed`
        if a larger epoch has it already. Taking it again with the same epoch is no error.
        """

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """Queues an entry; `durable` is called, in the order of the appends, once it is stored.

        All tables' entries of one reactor turn go in one flush. While the store is away entries wait and are tried
        again; each is stored once, also after an unknown outcome.
        """

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """As `append`, but all earlier entries of the table go at the same moment: a new hand, or the end of one."""

    def forget(self, table: str) -> None:
        """Queues the removal of the table's entries: it is closed."""

    def entries(self, table: str) -> Deferred[list[bytes]]:
        """The table's entries, oldest first, with everything that was appended before this call."""

    def release(self, table: str) -> Deferred[None]:
        """Fires when all that was queued for the table is stored; from then on the table is nobody's here.

        Fails with `Sealed`, as `entries` does, if the table was lost before that.
        """

    def tables(self) -> Deferred[list[str]]:
        """The tables that have entries, whoever owns them, in order. Fails as `peek` does."""

    def peek(self, table: str) -> Deferred[list[bytes]]:
        """The entries of any table, oldest first, as an onlooker: nothing is sealed, nothing is waited for.

        Fails with `ConnectionError` or `TimeoutError` while the store does not answer.
        """

    def healthy(self) -> bool:
        """False while entries wait for a store that does not answer."""


class Directory(Protocol):
    """What every node tells of itself, as opaque bytes by the name of the node."""

    def tell(self, node: str, said: bytes) -> Deferred[Mapping[str, bytes]]:
        """Stores what `node` says of itself in place of what it said before; what all nodes have said, its own too.

        Fails with `ConnectionError` or `TimeoutError` (it may have been stored) if there is no answer within a second.
        """

    def read(self) -> Deferred[Mapping[str, bytes]]:
        """What all nodes have said, for who is none himself. Fails as `tell` does."""

    def forget(self, node: str) -> Deferred[None]:
        """The node is gone: by itself, when it ends, or by another one that is sure of it. Fails as `tell` does."""


class Bus(Protocol):
    """Messages between the nodes of a room: in order between two nodes, at most once, and a loss is noticed.

    The adapter is made with `node`, the name of this one, and told of by three calls:
    `heard(sender, message)` for each message, `lost(sender)` when messages of a sender were lost (before the first one
    that came after them), `cut()` when this node may have missed messages of anybody (its connection was gone).
    Every start of a process is another sender, so names must not be used twice.
    """

    def send(self, node: str, message: bytes) -> None:
        """To one node; those of one reactor turn to the same node go together. Never fails: they may be lost."""

    def send_all(self, message: bytes) -> None:
        """To all other nodes."""

    def start(self) -> Deferred[None]:
        """Listens; fires when messages to this node are heard. Waits while the store is away."""

    def stop(self) -> Deferred[None]:
        """Hears and sends nothing more."""


class BookLost(Exception):  # noqa: N818 -- named for what the caller is told
    """The store has no book of the offer: it is new, or lost. It is to be made from the ledger."""


def known(
    decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]], book: RegistrationBook | None
) -> tuple[RegistrationBook, T]:
    """What `decide` makes of a book that must be there. Raises `BookLost`."""
    if book is None:
        raise BookLost
    return decide(book)


class Registrations(Protocol):
    """The books of all offers (see `registrations`), shared by all nodes."""

    def change(
        self, offer: str, decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        """Changes the book of an offer: what `decide` makes of it takes its place, and its answer is returned.

        Atomic: nobody else has changed the book in between, or `decide` is asked again, with the book as it is then.
        Fails with `BookLost`; with `ConnectionError` or `TimeoutError` if there is no answer within a second (it may
        have been changed), and with whatever `decide` raises, with nothing changed.
        """

    def make(
        self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        """As `change`, also where there is none: `decide` gets None then."""

    def read(self, offer: str) -> Deferred[RegistrationBook | None]:
        """The book, or None where there is none. Fails as `change` does."""


class Payouts(Protocol):
    """Places of sit-and-gos whose prizes are to be paid: what whoever gives them needs of it.

    Amounts are not in it, for the ledger knows them; what is lost here the ledger knows, too
    (`TournamentLedger.unpaid_places`).
    """

    def publish(self, tournament: str, number: int) -> None:
        """The place of this number has been given in the ledger, with a prize. Never fails, and may be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutJob:
    """A place whose prize is to be paid. `entry` is what the store calls this job; no amount: the ledger knows it."""

    entry: bytes
    tournament: str
    number: int


class PayoutStream(Protocol):
    """Prizes to pay, as jobs that all nodes share: who takes one has it until it is done, or until he is too slow.

    A job may be delivered more than once, also to two nodes at once, and all of them may be lost: the ledger pays each
    place once, and knows which are unpaid. Every call fails with `ConnectionError` or `TimeoutError` if there is no
    answer within a second; what was asked may have been done.
    """

    def publish(self, tournament: str, numbers: Sequence[int]) -> Deferred[None]:
        """Adds a job for each of these places, which the ledger has."""

    def take(self, node: str) -> Deferred[list[PayoutJob]]:
        """Jobs for this node: those that nobody has, and those that somebody has had for too long without an end."""

    def done(self, jobs: Sequence[PayoutJob]) -> Deferred[None]:
        """They are paid, as the ledger says: nobody gets them any more."""
