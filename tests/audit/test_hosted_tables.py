"""`audit/room.py`: private tables in the journal, which no settings file has."""

from __future__ import annotations

from twisted.internet.defer import Deferred, succeed

from pokerroom.audit.room import hosted_tables_in
from pokerroom.chips import Money
from pokerroom.ledger.hosted_tables import HostedLimits
from pokerroom.ledger.memory.ledger import MemoryLedger

TERMS = {"name": "Friday", "small_blind": 50, "seats": 6}


class Journal:
    """As much of a journal as is asked: the tables with entries."""

    def tables(self) -> Deferred[list[str]]:
        return succeed(["host:bad", "host:gone", "host:open", "t1"])


def test_the_ledger_has_the_terms_of_private_tables_in_the_journal(run):
    """A hand at one would be played on by the next owner; a table that is closed or unreadable would not."""
    ledger = MemoryLedger(lambda: 0.0)
    host = run(ledger.create_account("alice", "hash", Money(0))).account
    limits = HostedLimits(per_account=2, in_room=3)
    for number, (name, terms) in enumerate({"open": TERMS, "bad": {**TERMS, "seats": 99}}.items()):
        run(ledger.open_hosted_table(f"host:{name}", host, terms, f"code-{number}", limits))
    found = run(Deferred.fromCoroutine(hosted_tables_in(Journal(), ledger)))
    assert {name: (one.name, one.seats, one.stakes.big_blind) for name, one in found.items()} == {
        "host:open": ("Friday", 6, 100)
    }
