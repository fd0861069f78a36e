"""Exports as text: what each format writes of a hand, and a file that is continued where it ended.

Until the export is complete, `FILE.resume` beside it says after which hand and which byte that is. What follows the
byte, if the process died while it wrote, is cut off.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final, Self

from pokerroom.history.ohh_text import ohh_text
from pokerroom.history.phh_text import phh_text
from pokerroom.history.pokerstars_text import pokerstars_text
from pokerroom.history.resume import ResumeNote, UnfitFile
from pokerroom.history.story import HandStory

FORMATS: Final[Mapping[str, Callable[[HandStory], str]]] = {
    "phh": lambda story: f"[{story.number}]\n{phh_text(story)}\n",
    "ohh": lambda story: f"{ohh_text(story)}\n\n",
    "pokerstars": lambda story: f"{pokerstars_text(story)}\n\n",
}
"""A hand as it stands in a file of many, by format. `HandFormat` of the protocol has the same."""


class TextFile:
    """A `HandSink` that is a file. `export` says what is in it, so that another export does not continue it."""

    def __init__(self, path: Path, form: str, export: Mapping[str, str]) -> None:
        self.after = 0
        self._path = path
        self._text = FORMATS[form]
        self._note = ResumeNote(path.with_name(f"{path.name}.resume"), path, export)
        self._file: BinaryIO

    def __enter__(self) -> Self:
        """Create the file, or continue it. Raises UnfitFile, OSError."""
        stand = self._note.read()
        if stand is None:
            try:
                self._file = self._opened(os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                raise UnfitFile(f"{self._path} exists: name another file, or remove it") from None
            self._write_note()
            return self
        note = self._note.path
        try:
            self._file = self._opened()
        except FileNotFoundError:
            raise UnfitFile(f"{self._path} is gone: remove {note} and begin again") from None
        if self._file.seek(0, os.SEEK_END) < stand.size:
            self._file.close()
            raise UnfitFile(f"{self._path} is shorter than {note} says: remove both and begin again")
        self._file.truncate(stand.size)
        self._file.seek(stand.size)
        self.after = stand.after
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file. It can be continued."""
        self._file.close()

    def add(self, stories: Sequence[HandStory], after: int) -> None:
        """See `HandSink`."""
        self._file.write("".join(map(self._text, stories)).encode())
        self.after = after
        self._write_note()

    def complete(self) -> None:
        """Say that the export is complete."""
        self._note.remove()

    def _opened(self, flags: int = 0) -> BinaryIO:
        """Open the file itself, not what a link names. It has a player's own cards: no other user reads it."""
        return os.fdopen(os.open(self._path, flags | os.O_RDWR | os.O_NOFOLLOW, 0o600), "r+b")

    def _write_note(self) -> None:
        """Write the note when what it says is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._note.write(self.after, self._file.tell())
