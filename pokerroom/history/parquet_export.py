"""Exports as a folder of Parquet files with the columns of `action_rows`. It needs pyarrow: the extra `parquet`.

A file is written when it is full, and never changed. Until the export is complete, `export.resume` in the folder says
after which hand the last one ends. What was read after that is read again when the export continues.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import pyarrow as pa
import pyarrow.parquet as pq

from pokerroom.history.action_rows import COLUMNS, Kind, add_rows, no_rows
from pokerroom.history.resume import ResumeNote, UnfitFile
from pokerroom.history.story import HandStory

BATCH_ROWS: Final = 65_536
"""Rows that are kept as Python values; each batch is a row group."""
FILE_BATCHES: Final = 16

_KINDS: Final[Mapping[Kind, Any]] = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int64": pa.int64(),
    "bool": pa.bool_(),
    "time": pa.timestamp("ms", tz="UTC"),
    "text": pa.string(),
    "word": pa.dictionary(pa.int32(), pa.string()),
}
SCHEMA: Final = pa.schema(
    [pa.field(name, _KINDS[kind], metadata={"description": says}) for name, (kind, says) in COLUMNS.items()],
    metadata={"pokerroom.actions": "1"},
)
"""The version in its metadata grows when a column changes its meaning or goes."""


class ParquetFolder:
    """A `HandSink` that is a folder. `export` says what is in it, so that another export does not continue it."""

    def __init__(self, path: Path, export: Mapping[str, str]) -> None:
        self.after = 0
        self._path = path
        self._note = ResumeNote(path / "export.resume", path, export)
        self._files = 0
        self._rows = no_rows()
        self._batches: list[Any] = []

    def __enter__(self) -> Self:
        """Create the folder, or continue it. Raises UnfitFile, OSError."""
        stand = self._note.read()
        if stand is None:
            try:
                self._path.mkdir(mode=0o700)
            except FileExistsError:
                raise UnfitFile(f"{self._path} exists: name another folder, or remove it") from None
            self._note.write(0, 0)
            return self
        if len(list(self._path.glob("part-*.parquet"))) < stand.size:
            raise UnfitFile(f"{self._path} lacks files that were written: remove it and begin again")
        self.after, self._files = stand.after, stand.size
        return self

    def __exit__(self, *_: object) -> None:
        """The folder can be continued."""

    def add(self, stories: Sequence[HandStory], after: int) -> None:
        """See `HandSink`."""
        for story in stories:
            add_rows(self._rows, story)
        self.after = after
        if len(self._rows["hand"]) >= BATCH_ROWS:
            self._end_batch()
        if len(self._batches) >= FILE_BATCHES:
            self._write()

    def complete(self) -> None:
        """Write the last rows, and say that the export is complete."""
        if self._rows["hand"] or not self._files:
            self._end_batch()
        if self._batches:
            self._write()
        self._note.remove()

    def _end_batch(self) -> None:
        self._batches.append(pa.Table.from_pydict(self._rows, schema=SCHEMA))
        self._rows = no_rows()

    def _write(self) -> None:
        """Write a file, whole or not at all. It may have a player's own cards: no other user reads it."""
        path = self._path / f"part-{self._files + 1:05}.parquet"
        new = path.with_name(f"{path.name}.new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            pq.write_table(
                pa.concat_tables(self._batches), file, compression="zstd", row_group_size=BATCH_ROWS
            )
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        self._files += 1
        self._batches = []
        self._note.write(self.after, self._files)
