"""Archives in PostgreSQL: see `ArchiveLedger`. Functions of `schema/functions/archives.sql` decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection, errors
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.archives import (
    ArchivableRecord,
    ArchiveFailed,
    ArchiveRow,
    RecordsChanged,
    WrittenArchive,
)
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls, array
from pokerroom.ledger.postgres.migrations import APPLICATION, owns_tables

SINCE: Final = 80
"""The schema version of the first build that reads what archives leave of a record."""

_EARLIER_PROGRAMS: Final = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND starts_with(application_name, %s)"
    " AND coalesce(substring(application_name FROM '^[a-z]+ ([0-9]+)')::integer, 0) < %s"
)
_NO_EARLIER_BUILD: Final = (
    "UPDATE schema_migrations SET beside = NULL WHERE version = %s AND beside IS NOT NULL",
    "UPDATE schema_functions SET beside = NULL WHERE beside < %s",
)
"""From the first archive on an earlier build is refused at its start."""

_REFUSALS: Final[dict[str | None, type[ArchiveFailed]]] = {
    "archive_is_the_next": ArchiveFailed,
    "archive_has_its_records": RecordsChanged,
}


class PostgresArchives(PostgresCalls):
    """`ArchiveLedger` over the connections of a ledger."""

    def archives(self) -> Deferred[list[ArchiveRow]]:

        async def found() -> list[ArchiveRow]:
            rows = await self._rows(
                "SELECT number, file, sha256, last, hands, rounds FROM archives ORDER BY number"
            )
            return [
                ArchiveRow(number=number, file=file, sha256=sha256, last=last, hands=hands, rounds=rounds)
                for number, file, sha256, last, hands, rounds in rows
            ]

        return deferred(found())

    def room_mark(self) -> Deferred[str]:
        return deferred(
            self._value(
                "SELECT coalesce((SELECT left(encode(sha256(convert_to(body, 'UTF8')), 'hex'), 16)"
                " FROM checkpoints WHERE number = 1), '')"
            )
        )

    def archive_bound(self, before_ms: int) -> Deferred[int]:
        return deferred(
            self._value(
                "SELECT archive_bound(least(timestamptz 'epoch' + %s * interval '1 millisecond',"
                " now() - interval '1 day'))",
                before_ms,
            )
        )

    def records_to_archive(self, after: int, until: int, at_most: int) -> Deferred[list[ArchivableRecord]]:

        async def found() -> list[ArchivableRecord]:
            rows = await self._rows(
                "SELECT transfer, is_round, digest, record FROM records_to_archive(%s, %s, %s)",
                after,
                until,
                at_most,
            )
            return [
                ArchivableRecord(transfer=transfer, is_round=is_round, digest=digest, record=record.encode())
                for transfer, is_round, digest, record in rows
            ]

        return deferred(found())

    def cards_erased_to(self) -> Deferred[int]:
        return deferred(
            self._value("SELECT CASE WHEN hands_days > 0 THEN erased_to ELSE 0 END FROM retention")
        )

    def without_cards(self, records: Sequence[bytes]) -> Deferred[list[tuple[bytes, str]]]:

        async def found() -> list[tuple[bytes, str]]:
            rows = await self._rows(
                "SELECT without_hidden_cards(one::jsonb)::text, archive_digest(one::jsonb, false)"
                " FROM unnest(%s::text[]) WITH ORDINALITY AS given (one, n) ORDER BY n",
                [record.decode() for record in records],
            )
            return [(record.encode(), digest) for record, digest in rows]

        return deferred(found())

    def archive_records(self, written: WrittenArchive, by: Acting) -> Deferred[None]:
        return deferred(
            self._as_owner(
                "SELECT archive_records(%s, %s, %s, %s, %s::bigint[], %s::bytea[], ROW(%s, %s, %s, %s)::acting)",
                written.number,
                written.file,
                written.sha256,
                written.last,
                array([transfer for transfer, _ in written.texts]),
                [text for _, text in written.texts],
                *by.row(),
            )
        )

    def archive_again(self, old_file: str, written: WrittenArchive, by: Acting) -> Deferred[None]:
        return deferred(
            self._as_owner(
                "SELECT archive_again(%s, %s, %s, %s, ROW(%s, %s, %s, %s)::acting)",
                written.number,
                old_file,
                written.file,
                written.sha256,
                *by.row(),
            )
        )

    async def _as_owner(self, query: LiteralString, *values: Any) -> None:
        """Raises `ArchiveFailed` if the ledger refuses, and without the owner of the tables."""

        async def once() -> None:
            parameters = self._owner_parameters or self._parameters
            async with await AsyncConnection.connect(**parameters) as connection:
                if not await owns_tables(connection):
                    raise ArchiveFailed(
                        "only the owner of the tables may archive: set POKERROOM_OWNER_DATABASE_URL"
                    )
                cursor = await connection.execute(_EARLIER_PROGRAMS, (APPLICATION, SINCE))
                if await cursor.fetchone() != (0,):
                    raise ArchiveFailed(
                        "programs of an earlier version are connected, which cannot read what an archive leaves:"
                        " upgrade all nodes first"
                    )
                try:
                    await connection.execute(query, values)
                    for statement in _NO_EARLIER_BUILD:
                        await connection.execute(statement, (SINCE,))
                except errors.IntegrityError as refused:
                    failed = _REFUSALS.get(refused.diag.constraint_name)
                    if failed is None:
                        raise
                    raise failed(
                        f"{refused.diag.message_primary}: they were changed meanwhile, or another command"
                        " archives. Give the command again"
                    ) from refused

        await self._translated(once)
