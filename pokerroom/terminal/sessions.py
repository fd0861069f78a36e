"""The sessions of the user's names, in a file: after a restart the terminal resumes one, and the seat is kept.

A session token is a secret like a password: only the owner may read the file.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

NAMES_MAX: Final = 20
"""[D] So many sessions of a room are kept, the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSession:
    """The name and the token of a session."""

    name: str
    token: str = field(repr=False)


class SessionFile:
    """The file at `path`: the sessions of each room, by its address, the last one first.

    An unreadable file counts as empty.
    """

    def __init__(self, path: Path, room: str) -> None:
        self._path = path
        self._room = room

    def read(self, name: str | None) -> SavedSession | None:
        """Return the session of `name` with this room; for None, the last one."""
        kept = self._of_room(self._all())
        return next((one for one in kept if name is None or one.name.lower() == name.lower()), None)

    def write(self, session: SavedSession) -> None:
        """Store this session as the last one, in place of another of its name."""

        def last(kept: list[SavedSession]) -> list[SavedSession]:
            others = [one for one in kept if one.name.lower() != session.name.lower()]
            return [session, *others][:NAMES_MAX]

        self._change(last)

    def forget(self, session: SavedSession) -> None:
        """Remove this session, which the room does not know. One that was stored since with its name stays."""
        self._change(lambda kept: [one for one in kept if one != session])

    def _change(self, changed: Callable[[list[SavedSession]], list[SavedSession]]) -> None:
        """Change the sessions of the room. Another terminal of the user waits meanwhile, or its name would be lost."""
        new = self._path.with_suffix(f".{os.getpid()}.new")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self._path.parent):
                rooms = self._all()
                kept = changed(self._of_room(rooms))
                rooms[self._room] = [{"name": one.name, "token": one.token} for one in kept]
                with os.fdopen(os.open(new, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
                    json.dump(rooms, file)
                new.replace(self._path)

    def _of_room(self, rooms: dict[str, Any]) -> list[SavedSession]:
        found = rooms.get(self._room)
        entries = [found] if isinstance(found, dict) else found  # a single one, as 0.2.0 wrote it
        if not isinstance(entries, list):
            return []
        return [
            SavedSession(name=str(one["name"]), token=str(one["token"]))
            for one in entries
            if isinstance(one, dict) and {"name", "token"} <= one.keys()
        ]

    def _all(self) -> dict[str, Any]:
        try:
            rooms = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return rooms if isinstance(rooms, dict) else {}


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait until no other process holds the folder. Raises `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def default_path() -> Path:
    """Return the path in the user's state directory (XDG_STATE_HOME)."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "pokerroom" / "sessions.json"
