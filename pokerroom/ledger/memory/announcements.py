"""Announcements in memory: see `AnnouncementLedger`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pokerroom.ledger.announcements import (
    ANNOUNCEMENTS_MAX,
    AnnouncementRow,
    NewAnnouncement,
    TooManyAnnouncements,
    UnknownAnnouncedTable,
    UnknownAnnouncement,
)
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operator_log import MemoryOperatorLog
from pokerroom.ledger.operator_log import Acting, ArgumentValue, LoggedAct


class MemoryAnnouncements(MemoryOperatorLog):
    """An `AnnouncementLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._announcements: list[AnnouncementRow] = []

    @fired
    def announce(self, new: NewAnnouncement, *, by: Acting) -> AnnouncementRow:
        now_ms = int(self._now_s() * 1000)
        left = [row for row in self._announcements if row.ends_ms > now_ms and row.withdrawn_ms is None]
        if len(left) >= ANNOUNCEMENTS_MAX:
            raise TooManyAnnouncements(
                f"there are {ANNOUNCEMENTS_MAX} announcements already: withdraw one first"
            )
        if new.table is not None and new.table not in self._owners:
            raise UnknownAnnouncedTable(f"there is no table {new.table}: write its id")
        row = AnnouncementRow(
            number=len(self._announcements) + 1,
            text=new.text,
            table=new.table,
            begins_ms=new.begins_ms,
            ends_ms=new.ends_ms,
            who=by.who,
            withdrawn_ms=None,
        )
        self._announcements.append(row)
        facts: dict[str, ArgumentValue] = {"begins_ms": new.begins_ms, "ends_ms": new.ends_ms}
        facts |= {"table": new.table, "text": new.text}
        self._write_line(LoggedAct(by=by, verb="announcement.add", subject=str(row.number), arguments=facts))
        return row

    @fired
    def withdraw_announcement(self, number: int, *, by: Acting) -> AnnouncementRow:
        if not 1 <= number <= len(self._announcements):
            raise UnknownAnnouncement(f"there is no announcement {number}")
        row, now_ms = self._announcements[number - 1], int(self._now_s() * 1000)
        if row.withdrawn_ms is None and row.ends_ms > now_ms:
            row = self._announcements[number - 1] = replace(row, withdrawn_ms=now_ms)
            self._log(by, "announcement.withdraw", str(number))
        return row

    @fired
    def announcements(self, before: int | None, limit: int) -> Sequence[AnnouncementRow]:
        rows = self._announcements[::-1]
        return [row for row in rows if before is None or row.number < before][:limit]

    @fired
    def announced_now(self) -> Sequence[AnnouncementRow]:
        now_ms = self._now_s() * 1000
        return [
            row
            for row in self._announcements
            if row.withdrawn_ms is None and row.begins_ms <= now_ms < row.ends_ms
        ]
