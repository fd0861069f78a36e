"""The keys that cards and other secrets are encrypted with. Knows nothing of ciphers or of what is encrypted."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from pokerroom.ops.embedded.places import EmbeddedError, make_data_dir

JOURNAL_KEY_BYTES = 32
_VARIABLE = "POKERROOM_JOURNAL_KEY"


def journal_keys(data_dir: Path) -> tuple[bytes, ...]:
    """The room's keys of 32 bytes: from `$POKERROOM_JOURNAL_KEY` (64 hex digits each), else kept in the data directory.

    The first one encrypts. The others, after commas or on lines of their own, are earlier ones, which only decrypt.

    The file is made on first use from the operating system's random source; who comes second reads the
    first's. Raises `EmbeddedError` if the variable or the file holds no such keys, or others may read the
    file.
    """
    if (text := os.environ.get(_VARIABLE)) is not None:
        return _decoded(text, _VARIABLE)
    path = make_data_dir(data_dir) / "journal.key"
    if not path.exists():
        _create(path)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise EmbeddedError(f"{path} is a secret, and others may read it: chmod 600 it.")
    return _decoded(path.read_text(encoding="ascii", errors="replace").strip(), str(path))


def known_journal_keys(data_dir: Path) -> tuple[bytes, ...] | None:
    """As `journal_keys`, but none is made: None if there is none yet."""
    there = os.environ.get(_VARIABLE) is not None or (data_dir / "journal.key").exists()
    return journal_keys(data_dir) if there else None


def check_journal_key() -> None:
    """Raises `EmbeddedError` if `$POKERROOM_JOURNAL_KEY` is set and is no key."""
    if (text := os.environ.get(_VARIABLE)) is not None:
        _decoded(text, _VARIABLE)


def _create(path: Path) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii"
    ) as file:
        file.write(os.urandom(JOURNAL_KEY_BYTES).hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(fresh, path)  # unlike a rename, this never replaces a key that is already in use
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _decoded(text: str, where: str) -> tuple[bytes, ...]:
    """The text itself is never part of the message: it may be most of a key."""
    words = re.split(r"\s*[,\n]\s*", text)
    if not all(re.fullmatch(f"[0-9a-fA-F]{{{2 * JOURNAL_KEY_BYTES}}}", word) for word in words):
        raise EmbeddedError(
            f"{where} should hold {2 * JOURNAL_KEY_BYTES} hexadecimal digits for each key, and does not."
        )
    return tuple(bytes.fromhex(word) for word in words)
