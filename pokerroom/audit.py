"""The audit of everything: the ledger, and beside it hands and rounds in progress. Stands on PostgreSQL and Redis.

For a command: needs an asyncio loop, and no reactor.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.coordination.connect import UnusableAddress, redis_client
from pokerroom.coordination.redis import RedisJournal
from pokerroom.ledger.api import AuditReport
from pokerroom.ledger.postgres import PostgresLedger
from pokerroom.ledger.tournaments import TournamentLedger
from pokerroom.poker.journal_audit import journalled_hands
from pokerroom.poker.settings import TableSettings
from pokerroom.table.api import ActorSettings
from pokerroom.table.journal_audit import Fate, JournalledHand
from pokerroom.table.seal import Seal
from pokerroom.tournament.journalled import is_tournament, journalled_tournament_hands
from pokerroom.ultimate.journalled import is_ultimate, journalled_rounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What was found. `journal` is None where no Redis was given, or it has not answered: `away` says so then."""

    ledger: AuditReport
    journal: tuple[JournalledHand, ...] | None
    away: str | None = None

    @property
    def differences(self) -> tuple[str, ...]:
        """Everything that is wrong."""
        hands = self.journal or ()
        return (*self.ledger.differences, *(hand.difference for hand in hands if hand.difference is not None))

    def fates(self) -> dict[str, int] | None:
        """How many hands of the journal have which fate."""
        if self.journal is None:
            return None
        counts = Counter(hand.fate for hand in self.journal)
        return {fate: counts[fate] for fate in get_args(Fate)}


async def audited(
    database_url: str, redis_url: str | None, tables: Mapping[str, ActorSettings], key: bytes | None
) -> Audit:
    """Adds up a whole ledger and looks into the journal; `key` opens the cards there, None if it is not known.

    Raises `LedgerUnavailable`, `SchemaMismatch`.
    """
    loop = asyncio.get_running_loop()
    ledger = PostgresLedger(database_url)
    await ledger.open().asFuture(loop)
    try:
        report = await ledger.audit().asFuture(loop)
        if redis_url is None:
            return Audit(ledger=report, journal=None, away="there is no Redis to ask")
        try:
            seal = None if key is None else Seal(key)
            hands = await _journalled(redis_url, ledger, tables, seal)
        except UnusableAddress as error:
            return Audit(ledger=report, journal=None, away=f"Redis cannot be asked: {error}")
        except OSError as error:  # a TimeoutError and a ConnectionError are ones
            reason = str(error) or type(error).__name__
            return Audit(ledger=report, journal=None, away=f"Redis does not answer: {reason}")
        return Audit(ledger=report, journal=tuple(hands))
    finally:
        await ledger.close().asFuture(loop)


async def _journalled(
    redis_url: str, ledger: TournamentLedger, tables: Mapping[str, ActorSettings], seal: Seal | None
) -> list[JournalledHand]:
    client = redis_client(redis_url)
    # an onlooker's journal writes nothing, so no time passes for it
    journal = RedisJournal(client, Clock(), sealed=lambda _: None)
    holdem = {name: one for name, one in tables.items() if isinstance(one, TableSettings)}

    async def all_of_them() -> list[JournalledHand]:
        hands = await journalled_hands(
            journal, ledger, holdem, seal, lambda table, found: is_tournament(table) or is_ultimate(found)
        )
        hands += await journalled_tournament_hands(journal, ledger, seal)
        return hands + await journalled_rounds(journal, ledger, tables.keys() - holdem.keys(), seal)

    try:
        asked = Deferred.fromCoroutine(all_of_them())
        return await asked.asFuture(asyncio.get_running_loop())
    finally:
        await client.aclose()
