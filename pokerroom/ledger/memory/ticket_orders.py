"""What operators do about tickets, in memory: see `TicketLedger`."""

from __future__ import annotations

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountLocked
from pokerroom.ledger.cashier import CashKeyUsed, SourceEmpty
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.cashier import MemoryCashier
from pokerroom.ledger.operator_log import Acting, account_subject
from pokerroom.ledger.tickets import NoTicketTarget, TicketGift, TicketRow, TicketUsed
from pokerroom.ledger.transfers import (
    source_code,
    ticket_end_key,
    ticket_key,
    tickets_code,
    wallet_code,
    whole,
)


class MemoryTicketOrders(MemoryCashier):
    """The part of `TicketLedger` that moves money by hand."""

    @fired
    def give_ticket(self, gift: TicketGift, *, by: Acting) -> TicketRow:
        self._check_account(gift.account)
        key, source = ticket_key(gift.account, gift.key), source_code(gift.source)
        for ticket in self._tickets.values():
            if ticket.given == key:
                row = ticket.row
                if (row.offer, row.source) != (gift.offer, gift.source):
                    raise CashKeyUsed(f"the key {gift.key} was used for another ticket")
                return row
        self._check_alone()
        if gift.account in self._locked:
            raise AccountLocked(f"account {gift.account} is locked")
        self._check_source(gift.source)
        value = self._worth(gift.offer)
        if self._balances[source] < value:
            raise SourceEmpty(f"the source {gift.source} does not hold {value}")
        self._write(key, "ticket", whole([(source, -value), (tickets_code(gift.account), value)]))
        row = self._add_ticket(key, gift.account, gift.offer, value, gift.days, gift.source)
        self._log(
            by,
            "cashier.give_ticket",
            account_subject(gift.account),
            days=gift.days,
            key=gift.key,
            number=row.number,
            offer=gift.offer,
            source=gift.source,
            value=value,
        )
        return row

    def _worth(self, offer: str) -> Money:
        """Return what a ticket for an offer is worth."""
        openings = [found.opening for found in self._tournaments.values() if found.opening.offer == offer]
        announced = [opening for opening in openings if opening.scheduled is not None]
        if not announced:
            raise NoTicketTarget(
                f"no tournament of the offer {offer} was announced: see `pokerroom offer list`"
            )
        return max(announced, key=lambda opening: opening.number).buy_in

    @fired
    def end_ticket(self, number: int, *, by: Acting) -> None:
        ticket = self._tickets.get(number)
        if ticket is None:
            raise LookupError(f"there is no ticket {number}")
        if ticket.ended:
            return
        if ticket.used:
            raise TicketUsed(f"ticket {number} pays an entry")
        row, account = ticket.row, ticket.row.account
        to = source_code(row.source) if row.source else wallet_code(account)
        legs = whole([(tickets_code(account), -row.value), (to, row.value)])
        self._write(ticket_end_key(account, number), "ticket_end", legs)
        ticket.ended = True
        self._log(
            by,
            "cashier.end_ticket",
            account_subject(account),
            number=number,
            offer=row.offer,
            value=row.value,
        )
