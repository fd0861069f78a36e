"""What the operators of the room tell all players."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from ._answers import Answer
from ._declarations import NOW_MS, declare
from ._fields import Millis, TableId


class Announcement(Struct, frozen=True, kw_only=True):
    """A text of an operator."""

    number: Annotated[int, Meta(ge=1, description="Of this announcement alone, also after a reconnection")]
    text: Annotated[str, Meta(description="As the operator wrote it, at most 300 characters")]
    table: Annotated[TableId | None, Meta(description="For those who watch this table; null: for all")]
    until_ms: Annotated[Millis, Meta(description="When it ends")]


class Announcements(Answer, frozen=True, kw_only=True, tag="announcements"):
    """All announcements of the moment. It comes after a log-in if there are any, and whenever they change."""

    announcements: Annotated[list[Announcement], Meta(description="The oldest first; empty: there is none")]


declare(
    Announcements(
        announcements=[
            Announcement(
                number=3, text="The room restarts at 23:00 UTC.", table=None, until_ms=NOW_MS + 3_600_000
            )
        ]
    ),
)
