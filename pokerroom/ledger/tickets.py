"""The contract for tickets (L14): entries to the tournaments of an offer that are paid already.

A satellite pays tickets as prizes; an operator may give one from a source of the cashier. The value of a player's
unused tickets is in the ledger account `tickets:<account>`. `TournamentLedger.enter` uses a ticket by itself: one of
the offer with exactly the buy-in as its value, of several the first to expire. What returns the entry, returns the
ticket. A ticket that can pay nothing any more ends: its value goes to the wallet, or back to the source. The keys:

    sng:<tournament>:place:<number>    a prize with a ticket
    ticket:<account>:<client's key>    a gift of an operator
    ticket_end:<account>:<number>      the end of a ticket
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import Acting

TICKET_DAYS: Final = 90
"""[D] A ticket that an operator gives expires after so many days, unless the order says another number."""

TICKET_DAYS_MAX: Final = 3_650
"""The longest that a ticket is valid, in days."""


class NoTicketTarget(LedgerRefusal):
    """The offer has announced no tournament with a start: a ticket for it has no value, and would pay nothing."""

    code = "no_ticket_target"


class TicketUsed(LedgerRefusal):
    """The ticket has paid an entry, which is not returned."""

    code = "ticket_used"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketPrize:
    """What each seat of a satellite is: a ticket for an offer, worth its buy-in. It expires `days` after it was won."""

    offer: str
    value: Money
    days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketGift:
    """A ticket that an operator gives from a source. `key` is the operator's: the same one gives nothing twice.

    It has no value: a ticket is worth the buy-in of the offer.
    """

    account: int
    key: str
    offer: str
    days: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketRow:
    """An unused ticket. `number` counts those of all accounts; `source` is empty if it was won."""

    number: int
    account: int
    offer: str
    value: Money
    expires_ms: int
    source: str = ""


class TicketLedger(Protocol):
    """The contract, a part of `TournamentLedger`."""

    def tickets(self, account: int) -> Deferred[list[TicketRow]]:
        """The unused tickets of an account, the first to expire first."""

    def tickets_due(self, targets: Collection[tuple[str, Money]]) -> Deferred[list[int]]:
        """The numbers of the unused tickets that end: expired, or without a target.

        `targets` are the offers that go on, with their buy-ins. A tournament that has not ended counts, too.
        """

    def give_ticket(self, gift: TicketGift, *, by: Acting) -> Deferred[TicketRow]:
        """Gives a ticket, once per key; writes a line of the operators' log.

        Its value is the buy-in of the offer's last tournament with a start. If the offer has another price since, or
        is retired, and no tournament at this one goes on, the ticket is due at once (`tickets_due`).

        Raises `NoTicketTarget`, `UnknownSource`, `SourceEmpty`, `CashKeyUsed`, `AccountLocked`, `FourEyesNeeded`, and
        LookupError for an unknown account.
        """

    def end_ticket(self, number: int, *, by: Acting) -> Deferred[None]:
        """Ends an unused ticket, once; writes a line of the operators' log. Raises `TicketUsed` and LookupError."""
