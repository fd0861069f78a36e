"""Tickets under the nemesis: a satellite pays them, and its bots play the field that they pay.

What became of each is read from the ledger in the end. None is lost: a seat of a satellite is a ticket, which is
unused, has paid an entry that counts, or has ended. None counts twice: it has one transfer, and pays one entry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from tests.chaos.records import Books, Transfer
from tests.chaos.swarms import Blame
from tests.chaos.tournaments import Played, tournament_of_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A row of the ledger. `given` and `ended` are numbers of transfers; without `tournament` it pays no entry."""

    number: int
    account: int
    offer: str
    value: int
    given: int
    tournament: str | None = None
    entry: int | None = None
    ended: int | None = None

    @property
    def is_unused(self) -> bool:
        """Whether its value is in the account of the player's tickets."""
        return self.tournament is None and self.ended is None


def read_tickets(database_url: str) -> list[Ticket]:
    """All tickets that there ever were. Blocks."""
    names = ("number", "account", "offer", "value", "given", "tournament", "entry", "ended")
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT number, account, offer, value, given, tournament, entry, ended FROM tickets ORDER BY number"
        ).fetchall()
    return [Ticket(**dict(zip(names, row, strict=True))) for row in rows]


def check_tickets(
    tickets: Sequence[Ticket], played: Sequence[Played], books: Books, blame: Blame
) -> dict[str, Any]:
    """C1, C4: see the module. Return how many were won, and what became of them."""
    transfers = {transfer.number: transfer for transfer in books.transfers}
    _check_given(tickets, transfers, blame)
    _check_seats(tickets, played, books, blame)
    _check_used(tickets, played, books, blame)
    for one in tickets:
        if one.ended is not None and (
            one.tournament is not None or _moved(transfers.get(one.ended), one.account) != -one.value
        ):
            blame("C4", "", "", f"ticket {one.number} has not ended once, for its value")
    held: defaultdict[int, int] = defaultdict(int)
    for one in tickets:
        held[one.account] += one.value * one.is_unused
    for code, balance in books.balances.items():
        kind, _, account = code.partition(":")
        if kind == "tickets" and balance != held[int(account)]:
            blame("C1", "", "", f"{code} holds {balance}, its unused tickets are worth {held[int(account)]}")
    return {
        "tickets_won": len(tickets),
        "tickets_used": sum(one.tournament is not None for one in tickets),
        "tickets_unused": sum(one.is_unused for one in tickets),
        "tickets_ended": sum(one.ended is not None for one in tickets),
    }


def _moved(transfer: Transfer | None, account: int) -> int:
    """What a transfer moves to the tickets of an account."""
    return 0 if transfer is None else dict(transfer.legs).get(f"tickets:{account}", 0)


def _check_given(tickets: Sequence[Ticket], transfers: dict[int, Transfer], blame: Blame) -> None:
    """Each ticket has a prize of its own, and each prize that moves into tickets has its ticket."""
    for number, count in Counter(one.given for one in tickets).items():
        if count > 1:
            blame("C4", "", "", f"transfer {number} has given {count} tickets")
    for one in tickets:
        found = transfers.get(one.given)
        if found is None or found.kind != "prize" or _moved(found, one.account) != one.value:
            blame("C4", "", "", f"ticket {one.number} was not won for its value")
    given = {one.given for one in tickets}
    for transfer in transfers.values():
        moves = any(code.startswith("tickets:") for code, _ in transfer.legs)
        if transfer.kind == "prize" and moves and transfer.number not in given:
            blame("C4", "", "", f"{transfer.key} moves the value of a ticket that is not there")


def _check_seats(tickets: Sequence[Ticket], played: Sequence[Played], books: Books, blame: Blame) -> None:
    """A seat that was paid is a ticket, unless its player had one already."""
    keyed = {transfer.key: transfer for transfer in books.transfers}
    for one in played:
        if not one.seat_value or one.phase != "finished":
            continue
        for number, _, account, prize, _ in one.places:
            transfer = keyed.get(f"sng:{one.tournament}:place:{number}")
            if prize < one.seat_value or transfer is None or _moved(transfer, account) == one.seat_value:
                continue
            if not any(own.account == account and own.given < transfer.number for own in tickets):
                blame("C4", one.tournament, "", f"the seat of place {number} is no ticket")


def _check_used(tickets: Sequence[Ticket], played: Sequence[Played], books: Books, blame: Blame) -> None:
    """An entry that was paid from tickets, and counts, has one ticket; and each used ticket has such an entry."""
    cancelled = {one.tournament for one in played if one.phase in {"cancelled", "rolled_back"}}
    keys = {transfer.key for transfer in books.transfers}
    paid: dict[tuple[str, int, int], int] = {}
    for transfer in books.transfers:
        if transfer.kind not in {"entry", "late_entry"}:
            continue
        tournament = tournament_of_key(transfer.key)
        account, entry = transfer.key.split(":")[-2:]
        is_back = f"sng:{tournament}:return:{account}:{entry}" in keys or tournament in cancelled
        if not is_back and (moved := _moved(transfer, int(account))):
            paid[tournament, int(account), int(entry)] = -moved
    used = Counter((one.tournament, one.account, one.entry) for one in tickets if one.tournament is not None)
    worth = {(one.tournament, one.account, one.entry): one.value for one in tickets}
    for entry, value in paid.items():
        if used[entry] != 1 or worth[entry] != value:
            blame(
                "C4", entry[0], "", f"{used[entry]} tickets have paid entry {entry[2]} of account {entry[1]}"
            )
    for tournament, account, number in used:
        if (tournament, account, number) not in paid:
            line = f"a ticket has paid entry {number} of account {account}, which does not count"
            blame("C4", str(tournament), "", line)
