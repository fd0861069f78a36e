"""The file of published checkpoints: each line has the text and the signature of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pokerroom.verifier.rows import UnreadableRows


@dataclass(frozen=True, slots=True)
class Published:
    """The lines of a file up to a size in bytes: what is published later may be newer than the rows to compare."""

    file: Path
    size: int

    @classmethod
    def of(cls, file: Path) -> Published:
        """Return what the file has now. Raises `UnreadableRows`."""
        try:
            return cls(file, file.stat().st_size)
        except OSError as error:
            raise UnreadableRows(f"{file} cannot be read: {error.strerror}") from error

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield text and signature of each checkpoint. A last line without its end is still being written.

        Raises `UnreadableRows` for a line that is none, and for a file that cannot be read.
        """
        read = 0
        try:
            opened = self.file.open("rb")
        except OSError as error:
            raise UnreadableRows(f"{self.file} cannot be read: {error.strerror}") from error
        with opened as lines:
            for number, line in enumerate(lines, 1):
                read += len(line)
                if read > self.size or not line.endswith(b"\n"):
                    return
                try:
                    published = json.loads(line.decode())
                    checkpoint, signature = (
                        str(published["checkpoint"]),
                        bytes.fromhex(published["signature"]),
                    )
                    checkpoint.encode()  # JSON has halves of characters
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise UnreadableRows(
                        f"{self.file}, line {number}: this is no published checkpoint"
                    ) from error
                yield checkpoint, signature
