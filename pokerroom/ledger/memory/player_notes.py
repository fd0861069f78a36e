"""Notes about players in memory: see `PlayerNoteLedger`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pokerroom.ledger.account_standing import gone_name
from pokerroom.ledger.memory.account_standing import MemoryStanding
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.player_notes import NOTES_MAX, PlayerNoteRow, TooManyPlayerNotes, UnknownPlayer
from pokerroom.ledger.transfers import name_key


@dataclass(frozen=True, slots=True)
class _Note:
    number: int
    text: str | None = field(repr=False)
    color: str | None = field(repr=False)


class MemoryPlayerNotes(MemoryStanding):
    """A `PlayerNoteLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._notes: dict[int, dict[int, _Note]] = {}
        self._notes_begun = 0

    @fired
    def set_player_note(self, account: int, player: str, text: str | None, color: str | None) -> None:
        self._check_account(account)
        self._limits.check_not_locked(account)
        about = self._names.get(name_key(player))
        if about is None or about == account or self._accounts[about].name == gone_name(about):
            raise UnknownPlayer(f"account {account} can note no player {player}")
        notes = self._notes.setdefault(account, {})
        if text is None and color is None:
            notes.pop(about, None)
            return
        if about not in notes and len(notes) >= NOTES_MAX:
            raise TooManyPlayerNotes(f"account {account} has notes about {NOTES_MAX} players")
        if about in notes:
            number = notes[about].number
        else:
            self._notes_begun += 1
            number = self._notes_begun
        notes[about] = _Note(number, text, color)

    @fired
    def player_notes(self, account: int, before: int | None, limit: int) -> Sequence[PlayerNoteRow]:
        rows = self._note_rows(account)
        return [row for row in rows if before is None or row.number < before][:limit]

    @fired
    def notes_about(self, account: int, players: Sequence[str]) -> Sequence[PlayerNoteRow]:
        wanted = {name_key(player) for player in players}
        return [row for row in self._note_rows(account) if name_key(row.player) in wanted]

    def _note_rows(self, account: int) -> list[PlayerNoteRow]:
        notes = self._notes.get(account, {}).items()
        rows = [
            PlayerNoteRow(
                number=note.number, player=self._accounts[about].name, text=note.text, color=note.color
            )
            for about, note in notes
        ]
        return sorted(rows, key=lambda row: -row.number)

    def _forget_notes(self, account: int) -> None:
        """Remove what a deleted account has noted, and what others have noted of it."""
        self._notes.pop(account, None)
        for notes in self._notes.values():
            notes.pop(account, None)
