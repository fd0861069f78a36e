"""Announcements in PostgreSQL: see `AnnouncementLedger`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.announcements import ANNOUNCEMENTS_MAX, AnnouncementRow, NewAnnouncement
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls

_SELECT: Final[LiteralString] = (
    "SELECT number, text, table_id, (extract(epoch FROM begins) * 1000)::bigint,"
    " (extract(epoch FROM ends) * 1000)::bigint, who, (extract(epoch FROM withdrawn) * 1000)::bigint FROM "
)


class PostgresAnnouncements(PostgresCalls):
    """An `AnnouncementLedger`."""

    def announce(self, new: NewAnnouncement, *, by: Acting) -> Deferred[AnnouncementRow]:

        async def stored() -> AnnouncementRow:
            rows = await self._rows(
                _SELECT + "announce(%s, %s, %s, %s, %s, ROW(%s, %s, %s, %s)::acting)",
                *(new.text, new.table, new.begins_ms, new.ends_ms, ANNOUNCEMENTS_MAX, *by.row()),
            )
            return _row(rows[0])

        return deferred(stored())

    def withdraw_announcement(self, number: int, *, by: Acting) -> Deferred[AnnouncementRow]:

        async def withdrawn() -> AnnouncementRow:
            query: LiteralString = _SELECT + "withdraw_announcement(%s, ROW(%s, %s, %s, %s)::acting)"
            return _row((await self._rows(query, number, *by.row()))[0])

        return deferred(withdrawn())

    def announcements(self, before: int | None, limit: int) -> Deferred[Sequence[AnnouncementRow]]:

        async def found() -> Sequence[AnnouncementRow]:
            rows = await self._rows(
                _SELECT + "announcements WHERE %(before)s::bigint IS NULL OR number < %(before)s"
                " ORDER BY number DESC LIMIT %(limit)s",
                before=before,
                limit=limit,
            )
            return [_row(row) for row in rows]

        return deferred(found())

    def announced_now(self) -> Deferred[Sequence[AnnouncementRow]]:

        async def found() -> Sequence[AnnouncementRow]:
            rows = await self._rows(
                _SELECT
                + "announcements WHERE ends > now() AND begins <= now() AND withdrawn IS NULL ORDER BY number"
            )
            return [_row(row) for row in rows]

        return deferred(found())


def _row(row: tuple[Any, ...]) -> AnnouncementRow:
    number, text, table, begins_ms, ends_ms, who, withdrawn_ms = row
    return AnnouncementRow(
        number=number,
        text=text,
        table=table,
        begins_ms=begins_ms,
        ends_ms=ends_ms,
        who=who,
        withdrawn_ms=withdrawn_ms,
    )
