"""The note beside an unfinished export: what it is of, and where it stopped, so that the same command continues it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec


class UnfitFile(Exception):  # noqa: N818 -- says what the file is, as UnreadableHand does
    """Raised for a file that cannot take the export. Its text says what to do."""


class Stand(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a note: the export's options, the number of its last hand, and how much of it is written."""

    export: Mapping[str, str]
    after: int
    size: int
    """Bytes of a file, or files of a folder."""


class ResumeNote:
    """The note of one export. `of` is what it writes to, for texts."""

    def __init__(self, path: Path, of: Path, export: Mapping[str, str]) -> None:
        self.path = path
        self._of = of
        self._export = export

    def read(self) -> Stand | None:
        """Return where the export stopped; None if there is no note. Raises UnfitFile, also for other options."""
        try:
            stand = msgspec.json.decode(self.path.read_bytes(), type=Stand)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError:
            raise UnfitFile(f"{self.path} cannot be read: remove it and {self._of}") from None
        if stand.export != self._export:
            raise UnfitFile(
                f"{self._of} was begun with other options: give the same ones, or remove it and {self.path}"
            )
        return stand

    def write(self, after: int, size: int) -> None:
        """Replace the note, whole or not at all, also if the machine stops."""
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)  # of a process that died, or a link to another file
        with new.open("xb") as file:
            file.write(msgspec.json.encode(Stand(self._export, after, size)))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)  # the new name, and at the first note that of the file that it is of
        finally:
            os.close(folder)

    def remove(self) -> None:
        """Say that the export is complete."""
        self.path.unlink()
