"""The contract for announcements: what operators tell all players, or those at one table, with the rules of `api`.

An announcement is told from its beginning to its end, or until it is withdrawn. Its row is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import Acting

ANNOUNCEMENT_MAX: Final = 300
"""The longest text, in characters."""

ANNOUNCEMENTS_MAX: Final = 5
"""[D] Announcements that are not over, at a time: players read no more."""

ANNOUNCED_DAYS_MAX: Final = 92
"""[D] The longest time until an announcement ends, in days."""


class TooManyAnnouncements(LedgerRefusal):
    """There are `ANNOUNCEMENTS_MAX` that are not over."""

    code = "too_many_announcements"


class UnknownAnnouncement(LedgerRefusal):
    """There is no announcement of this number."""

    code = "unknown_announcement"


class UnknownAnnouncedTable(LedgerRefusal):
    """No node of the room has ever had a table of this id."""

    code = "unknown_table"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAnnouncement:
    """A text for all players, or with `table` for those at that table. It ends after it begins."""

    text: str
    table: str | None
    begins_ms: int
    ends_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementRow:
    """An announcement as the ledger keeps it. `withdrawn_ms` is None unless an operator has ended it early."""

    number: int
    text: str
    table: str | None
    begins_ms: int
    ends_ms: int
    who: str
    withdrawn_ms: int | None


class AnnouncementLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def announce(self, new: NewAnnouncement, *, by: Acting) -> Deferred[AnnouncementRow]:
        """Stores an announcement, with a line of the operators' log.

        Raises `TooManyAnnouncements`, and `UnknownAnnouncedTable`: it would reach no player, and tell no one.
        """

    def withdraw_announcement(self, number: int, *, by: Acting) -> Deferred[AnnouncementRow]:
        """Ends an announcement; one that is over stays as it is. Raises `UnknownAnnouncement`."""

    def announcements(self, before: int | None, limit: int) -> Deferred[Sequence[AnnouncementRow]]:
        """All announcements with numbers below `before`, the latest first."""

    def announced_now(self) -> Deferred[Sequence[AnnouncementRow]]:
        """What players are told at this moment, the oldest first."""
