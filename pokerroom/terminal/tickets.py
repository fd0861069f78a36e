"""Tickets in the terminal: their list, and which tournaments they pay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pokerroom.terminal.amounts import in_credits
from pokerroom.terminal.texts import t
from pokerroom_protocol import messages as m


def tickets_text(tickets: Sequence[m.TournamentTicket]) -> str:
    """Return two lines for each ticket, and what a ticket is."""
    if not tickets:
        return t("ticket.none")
    return "\n".join([*map(_lines, tickets), "", t("ticket.about")])


def pays(tickets: Sequence[m.TournamentTicket], one: m.ScheduledTournament) -> bool:
    """Return whether one of the tickets pays an entry to a tournament."""
    return any((ticket.offer, ticket.value) == (one.offer, one.buy_in) for ticket in tickets)


def _lines(ticket: m.TournamentTicket) -> str:
    expires = datetime.fromtimestamp(ticket.expires_ms // 1000, UTC).astimezone()
    key = "ticket.gift" if ticket.gift else "ticket.won"
    return f"{ticket.name}   {in_credits(ticket.value)}\n  {t(key, time=f'{expires:%Y-%m-%d %H:%M}')}"
