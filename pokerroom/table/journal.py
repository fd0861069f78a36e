"""What every game's journal has in common. Knows no game's entries."""

from __future__ import annotations


class UnreadableJournal(Exception):  # noqa: N818 -- the journal is, not the program
    """The journal does not tell how to play on: another key, a gap, an entry of another version."""
