"""The last session, in a file of the user: after a restart the terminal resumes it and the seat is kept.

A session token is a secret like a password: only the owner may read the file.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSession:
    """The name and the token of a session."""

    name: str
    token: str = field(repr=False)


class SessionFile:
    """The file at `path`: one session per room, by its address. An unreadable file counts as empty."""

    def __init__(self, path: Path, room: str) -> None:
        self._path = path
        self._room = room

    def read(self, name: str | None) -> SavedSession | None:
        """Return the session with this room if it belongs to `name`; for None, of any name."""
        try:
            found = self._all()[self._room]
            kept = SavedSession(name=str(found["name"]), token=str(found["token"]))
        except (KeyError, TypeError):
            return None
        return kept if name is None or kept.name.lower() == name.lower() else None

    def write(self, kept: SavedSession | None) -> None:
        """Store this session, or remove the stored one."""
        rooms = self._all()
        rooms.pop(self._room, None)
        if kept is not None:
            rooms[self._room] = {"name": kept.name, "token": kept.token}
        new = self._path.with_suffix(f".{os.getpid()}.new")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(new, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
                json.dump(rooms, file)
            new.replace(self._path)

    def _all(self) -> dict[str, dict[str, str]]:
        try:
            rooms = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return rooms if isinstance(rooms, dict) else {}


def default_path() -> Path:
    """Return the path in the user's state directory (XDG_STATE_HOME)."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "pokerroom" / "sessions.json"
