"""What operators do about tickets, in memory: see `TicketLedger`."""

from __future__ import annotations

from pokerroom.ledger.account_standing import AccountLocked
from pokerroom.ledger.cashier import CashKeyUsed, SourceEmpty
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.cashier import MemoryCashier
from pokerroom.ledger.operator_log import Acting, account_subject
from pokerroom.ledger.tickets import TicketGift, TicketRow, TicketUsed
from pokerroom.ledger.transfers import (
    check_amount,
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
        check_amount(gift.value, at_least=1)
        self._check_account(gift.account)
        key, source = ticket_key(gift.account, gift.key), source_code(gift.source)
        for ticket in self._tickets.values():
            if ticket.given == key:
                row = ticket.row
                if (row.offer, row.value, row.source) != (gift.offer, gift.value, gift.source):
                    raise CashKeyUsed(f"the key {gift.key} was used for another ticket")
                return row
        self._check_alone()
        if gift.account in self._locked:
            raise AccountLocked(f"account {gift.account} is locked")
        self._check_source(gift.source)
        if self._balances[source] < gift.value:
            raise SourceEmpty(f"the source {gift.source} does not hold {gift.value}")
        self._write(key, "ticket", whole([(source, -gift.value), (tickets_code(gift.account), gift.value)]))
        row = self._add_ticket(key, gift.account, gift.offer, gift.value, gift.days, gift.source)
        self._log(
            by,
            "cashier.give_ticket",
            account_subject(gift.account),
            days=gift.days,
            key=gift.key,
            number=row.number,
            offer=gift.offer,
            source=gift.source,
            value=gift.value,
        )
        return row

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
