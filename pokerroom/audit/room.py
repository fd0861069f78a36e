"""The audit of a whole room: the sums of the ledger, its books, and the hands and rounds in progress in the journal.

A command runs it, beside a running room or without one. It needs an asyncio loop and no reactor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, get_args

from pokerroom.audit.books import BooksReport, Progress, follow
from pokerroom.audit.chain import follow_chain
from pokerroom.audit.since import WHOLE, Since
from pokerroom.audit.workers import RUN, Workers
from pokerroom.bridge import as_future
from pokerroom.coordination.api import Journal, UnusableAddress
from pokerroom.ledger.api import AuditReport, LedgerUnavailable
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.archives import ArchiveLedger
from pokerroom.ledger.books import AuditableLedger
from pokerroom.ledger.checkpoints import CheckpointLedger
from pokerroom.ledger.hosted_tables import HostedTableLedger, is_hosted
from pokerroom.ledger.operator_log import Acting, LoggedAct, LogHead, LogQuery, OperatorLog
from pokerroom.ledger.tournaments import TournamentLedger
from pokerroom.ops.config_table import BadTerms, hosted_table_settings
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.journal_audit import journalled_hands
from pokerroom.table.api import ActorSettings
from pokerroom.table.journal_audit import Fate, JournalledHand
from pokerroom.table.seal import Seal
from pokerroom.tournament.journal_audit import is_tournament, journalled_tournament_hands
from pokerroom.ultimate.journal_audit import is_ultimate, journalled_rounds
from pokerroom.verifier.published import Published
from pokerroom.verifier.verify import Verified


class AuditedLedger(
    TournamentLedger,
    HostedTableLedger,
    OperatorLog,
    AuditableLedger,
    CheckpointLedger,
    ArchiveLedger,
    Protocol,
):
    """What the audit needs of the ledger."""


OpenJournal = Callable[[], AbstractAsyncContextManager[Journal]]
"""Opens the journal for reading. Raises `UnusableAddress`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What the audit found. If the journal was not read, `journal` is None and `away` says why.

    `heads` has a sentence for each head of the operators' log that is not a line of it, and for a transfer to begin
    after that is not there.
    """

    ledger: AuditReport
    books: BooksReport
    chain: Verified
    journal: tuple[JournalledHand, ...] | None
    away: str | None = None
    heads: tuple[str, ...] = ()
    schema: tuple[str, ...] = ()
    """What of the database's schema is not as this build makes it."""
    published: bool = False
    """Whether the file of published checkpoints was compared."""
    files: tuple[str, ...] = ()
    """What of the files of archives is missing, was changed or is of another room."""
    archived: bool = False
    """Whether the files of archives were compared."""

    @property
    def differences(self) -> tuple[str, ...]:
        """Everything that is wrong, one sentence each."""
        hands = self.journal or ()
        of_hands = (hand.difference for hand in hands if hand.difference is not None)
        return (
            *self.ledger.differences,
            *self.books.differences,
            *self.chain.differences,
            *self.heads,
            *self.schema,
            *self.files,
            *of_hands,
        )

    @property
    def count(self) -> int:
        """The number of differences: more than `differences` has if there are very many."""
        kept = len(self.books.differences) + len(self.chain.differences)
        return len(self.differences) - kept + self.books.count + self.chain.count

    def fates(self) -> dict[str, int] | None:
        """The number of hands in the journal by fate."""
        if self.journal is None:
            return None
        counts = Counter(hand.fate for hand in self.journal)
        return {fate: counts[fate] for fate in get_args(Fate)}


async def log_failure(log: OperatorLog, count: int, by: Acting) -> None:
    """Write that an audit found so many differences, for the operators' log and webhooks. A copy takes no line."""
    with suppress(LedgerUnavailable):
        failed = LoggedAct(by=by, verb="audit.failed", arguments={"differences": count})
        await as_future(log.record_rarely(failed))


async def audited(
    ledger: AuditedLedger,
    open_journal: OpenJournal | None,
    tables: Mapping[str, ActorSettings],
    keys: tuple[bytes, ...] | None,
    heads: Sequence[LogHead] = (),
    *,
    since: Since = WHOLE,
    published: Published | None = None,
    archive: Path | None = None,
    progress: Progress = lambda *_: None,
    workers: Workers | None = None,
) -> Audit:
    """Adds up the ledger, follows its books, and reads the journal. `keys` open cards; None if they are not known.

    `heads` are heads that the operators' log had earlier, and `published` checkpoints as they were before this call.
    `archive` is the directory with archived records; without it the hands are followed by their legs.
    The books are followed from `since` on, with the help of `workers` if there are many transfers; so are hands
    compared one by one in the ledger. The balances are always those of all legs.

    Raises `LedgerUnavailable`, OSError for a directory and `UnreadableRows` for published ones that cannot be read. A
    journal that cannot be read leaves an audit of the ledger alone.
    """
    async with ledger.books() as books:
        last = books.last
        if since.at_ms is None:
            after = await books.minute_before(since.number)
        else:
            after = await books.number_at(since.at_ms)
        files = None if archive is None else ArchiveFolder(archive, await as_future(ledger.archives()))
        sums = as_future(ledger.audit(after))  # the database adds up meanwhile
        try:
            # a process takes longer to begin than one run of transfers
            if workers is not None and workers.jobs > 1 and books.last - after > RUN:
                async with workers.at_work(await books.snapshot()) as team:
                    verifying = team.verify_chain(after, published)
                    followed = await follow(
                        books,
                        keys,
                        after=after,
                        archive=files,
                        progress=progress,
                        examine_all=team.examine_all,
                    )
                    chain = await verifying
            else:
                followed = await follow(books, keys, after=after, archive=files, progress=progress)
                async with ledger.copies() as copies:
                    chain = await follow_chain(copies, keys, after=after, published=published)
            report = await sums
        finally:
            sums.cancel()
    found = Audit(
        ledger=report,
        books=followed,
        chain=chain,
        journal=None,
        published=published is not None,
        files=() if files is None else tuple(files.differences()),
        archived=files is not None,
        schema=tuple(await as_future(ledger.schema_differences())),
        heads=(*_lost_transfers(last, since), *[head async for head in _lost_heads(ledger, heads)]),
    )
    if open_journal is None:
        return replace(found, away="no Redis is configured")
    try:
        async with open_journal() as journal:
            hands = await _journalled(journal, ledger, tables, None if keys is None else Seal(*keys))
    except UnusableAddress as error:
        return replace(found, away=f"the address of Redis cannot be used: {error}")
    except OSError as error:  # TimeoutError and ConnectionError included
        reason = str(error) or type(error).__name__
        return replace(found, away=f"Redis does not answer: {reason}")
    return replace(found, journal=tuple(hands))


def _lost_transfers(last: int, since: Since) -> Iterator[str]:
    """Say if the books end before the number that an earlier audit has printed."""
    if since.number > last:
        yield (
            f"the last transfer is {last}, and the audit was to begin after {since.number}: an earlier state was put"
            " back, or the number is of another room"
        )


async def _lost_heads(ledger: OperatorLog, heads: Sequence[LogHead]) -> AsyncIterator[str]:
    for head in heads:
        lines = await as_future(ledger.log_lines(LogQuery(before=head.n + 1, limit=1)))
        if (lines[0].n, lines[0].hash) != (head.n, head.hash) if lines else head != LogHead():
            yield f"the operators' log has no line {head.n} with the hash {head.hash.hex()}"


async def hosted_tables_in(journal: Journal, ledger: HostedTableLedger) -> dict[str, TableSettings]:
    """Return the settings of the private tables in the journal: the ledger has their terms, not the settings file."""
    found = {}
    for name in await journal.tables():
        row = await ledger.hosted_table(name) if is_hosted(name) else None
        if row is not None:
            with suppress(BadTerms):  # a node cannot open such a table either
                found[name] = hosted_table_settings(name, row.terms)
    return found


async def _journalled(
    journal: Journal, ledger: AuditedLedger, tables: Mapping[str, ActorSettings], seal: Seal | None
) -> list[JournalledHand]:
    poker = {name: settings for name, settings in tables.items() if isinstance(settings, TableSettings)}

    async def read() -> list[JournalledHand]:
        known = poker | await hosted_tables_in(journal, ledger)
        hands = await journalled_hands(
            journal, ledger, known, seal, lambda table, found: is_tournament(table) or is_ultimate(found)
        )
        hands += await journalled_tournament_hands(journal, ledger, seal)
        return hands + await journalled_rounds(journal, ledger, tables.keys() - poker.keys(), seal)

    return await as_future(read())
