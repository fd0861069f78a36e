"""The contract for what accounts note of other players, with the rules of `api`.

A note is for its writer alone. It is there until the writer clears it, or one of both accounts is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerRefusal

NOTES_MAX: Final = 1_000
"""An account has notes about at most so many players [D]: each is a row of the ledger."""


class UnknownPlayer(LedgerRefusal):
    """There is no account of this name, it is deleted, or it is the writer's own."""

    code = "unknown_player"


class TooManyPlayerNotes(LedgerRefusal):
    """The account has notes about `NOTES_MAX` players."""

    code = "too_many_player_notes"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerNoteRow:
    """A note of an account about a player. Larger numbers were begun later. No repr shows what is noted."""

    number: int
    player: str
    text: str | None = field(repr=False)
    color: str | None = field(repr=False)


class PlayerNoteLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def set_player_note(
        self, account: int, player: str, text: str | None, color: str | None
    ) -> Deferred[None]:
        """Stores the note of the account about the player of this name, ignoring case; without both removes it.

        Raises `UnknownPlayer`, `TooManyPlayerNotes`, `AccountLocked`, and LookupError for an unknown account.
        """

    def player_notes(self, account: int, before: int | None, limit: int) -> Deferred[Sequence[PlayerNoteRow]]:
        """A page of the account's notes with numbers below `before`, the latest begun first."""

    def notes_about(self, account: int, players: Sequence[str]) -> Deferred[Sequence[PlayerNoteRow]]:
        """The account's notes about players of these names, ignoring case, the latest begun first."""
