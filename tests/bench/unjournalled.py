"""`pokerroom` with a journal that is a list in its own memory: for what the real one costs, and nothing else."""

from typing import Any

from pokerroom import app
from pokerroom.__main__ import main
from pokerroom.coordination.memory import MemoryJournal, MemoryJournalStore


def _unjournalled(_client: object, clock: Any, *, sealed: Any, **_: Any) -> MemoryJournal:
    return MemoryJournal(MemoryJournalStore(), clock, sealed=sealed)


app.RedisJournal = _unjournalled  # type: ignore[assignment,misc]  # what this module is for
main()
