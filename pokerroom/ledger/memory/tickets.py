"""Tickets in memory: see `TicketLedger`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import count

from pokerroom.chips import Money
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.bounties import MemoryBounties
from pokerroom.ledger.memory.tournament_state import GOES_ON, MemoryEntry, MemoryTournament
from pokerroom.ledger.tickets import TicketRow
from pokerroom.ledger.tournaments import Opening, PlaceGiven
from pokerroom.ledger.transfers import Legs, escrow_code, tickets_code, whole
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.satellites import Ticket

DAY_MS = 86_400_000


@dataclass(slots=True, kw_only=True, eq=False)
class MemoryTicket:
    """A ticket and what became of it. `given` is the key of the transfer that gave it."""

    row: TicketRow
    given: str
    used: bool = False
    ended: bool = False


class MemoryTickets(MemoryBounties):
    """The part of the ledger that keeps them."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._tournaments: dict[str, MemoryTournament] = {}
        self._tickets: dict[int, MemoryTicket] = {}
        self._ticket_numbers = count(1)

    @fired
    def tickets(self, account: int) -> list[TicketRow]:
        return [ticket.row for ticket in self._unused(account)]

    @fired
    def tickets_due(self, targets: Collection[tuple[str, Money]]) -> list[int]:
        openings = [found.opening for found in self._tournaments.values() if found.phase in GOES_ON]
        known = {*targets, *((opening.offer, opening.buy_in) for opening in openings)}
        now_ms = self._now_s() * 1000
        return [
            number
            for number, ticket in self._tickets.items()
            if not ticket.used
            and not ticket.ended
            and (ticket.row.expires_ms <= now_ms or (ticket.row.offer, ticket.row.value) not in known)
        ]

    # --- inside -----------------------------------------------------------------------------------------------

    def _check_invited(self, found: MemoryTournament, account: int) -> None:
        """Refuse an entry to a private tournament; a later part knows its guests."""

    def _has_entered(self, found: MemoryTournament) -> None:
        """An account has entered; a later part starts private tournaments."""

    def _unused(self, account: int) -> list[MemoryTicket]:
        own = [one for one in self._tickets.values() if one.row.account == account]
        unused = [one for one in own if not one.used and not one.ended]
        return sorted(unused, key=lambda one: (one.row.expires_ms, one.row.number))

    def _ticket_for(self, opening: Opening, account: int) -> MemoryTicket | None:
        """Return the ticket with which an account enters a tournament."""
        for one in self._unused(account):
            ticket = Ticket(offer=one.row.offer, value=one.row.value, expires_ms=one.row.expires_ms)
            try:
                ticket.check(opening.offer, opening.buy_in, int(self._now_s() * 1000))
            except TournamentRefusal:
                continue
            return one
        return None

    def _free_tickets(self, entries: Iterable[MemoryEntry]) -> None:
        """The tickets that have paid these entries are unused again."""
        for entry in entries:
            if entry.ticket is not None:
                self._tickets[entry.ticket].used = False

    def _prize_legs(self, found: MemoryTournament, given: PlaceGiven) -> Legs:
        """Return the legs of a prize: a seat of a satellite is a ticket, unless the player has an unused one."""
        prize, seat = found.opening.ticket, 0
        if prize is not None and found.phase == "finished" and given.prize >= prize.value:
            has_one = any(one.row.offer == prize.offer for one in self._unused(given.account))
            seat = 0 if has_one else prize.value
        return whole(
            [
                (escrow_code(found.opening.tournament), -given.prize),
                (found.purse(given.account), given.prize - seat),
                (tickets_code(given.account), seat),
            ]
        )

    def _add_ticket(  # noqa: PLR0917 -- the parts of its row
        self, key: str, account: int, offer: str, value: int, days: int, source: str = ""
    ) -> TicketRow:
        number = next(self._ticket_numbers)
        row = TicketRow(
            number=number,
            account=account,
            offer=offer,
            value=Money(value),
            expires_ms=int(self._now_s() * 1000) + days * DAY_MS,
            source=source,
        )
        self._tickets[number] = MemoryTicket(row=row, given=key)
        return row

    def _ticket_differences(self, sums: dict[str, int]) -> Iterable[str]:
        for account in self._accounts:
            held, worth = (
                sums.get(tickets_code(account), 0),
                sum(one.row.value for one in self._unused(account)),
            )
            if held != worth:
                yield f"tickets:{account} holds {held}, its tickets are worth {worth}"
        for number, ticket in self._tickets.items():
            _, legs = self._transfers.get(ticket.given, ("", ()))
            if dict(legs).get(tickets_code(ticket.row.account)) != ticket.row.value:
                yield f"ticket {number} was given by {ticket.given}, which does not move its value"
