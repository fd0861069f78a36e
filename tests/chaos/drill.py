"""A drill: a backup while the room plays, restored to a second room, which is audited and compared with the first.

`lost_after_point` are the hands that clients were told have ended, and that the backup has not: what a room loses that
falls back on it. What was committed before the backup began must be in it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psycopg

from pokerroom.ops.embedded import EmbeddedServices, remove_data
from tests.chaos.checks import Blame
from tests.chaos.evidence import Evidence
from tests.chaos.program import differences, said
from tests.chaos.records import Books

NAMED: Final = 20
"""So many lost hands are named."""

Legs = frozenset[tuple[str, int]]


class Drill:
    """See the module. `command` is the room's program, `work` a directory for files, `key` the journal's."""

    def __init__(self, command: Sequence[str], work: Path, key: str) -> None:
        self._command = command
        self._file = work / "room.backup"
        self._data = work / "restored"
        self._key = key
        self._began_s = self._took_s = 0.0

    def back_up(self, database_url: str) -> None:
        """Back the running room up with its own command. Blocks. Raises RuntimeError with what the command says."""
        self._began_s = time.time()
        said(self._command, "backup", str(self._file), POKERROOM_DATABASE_URL=database_url)
        self._took_s = time.time() - self._began_s

    def come_back(self, evidence: Evidence, books: Books, blame: Blame) -> dict[str, Any]:
        """Restore it to a second room, and compare that with the books at the end. Blocks."""
        began_s = time.time()
        own = {"POKERROOM_DATA_DIR": str(self._data), "POKERROOM_JOURNAL_KEY": self._key}
        restoring = said(self._command, "restore", str(self._file), **own)
        took_s = time.time() - began_s
        wrong = _differences(restoring, blame)
        services = EmbeddedServices(self._data, lambda _: None)
        try:
            url = services.start().owner_database_url
            assert url is not None
            hands = compared(url, books, self._began_s, blame)
        finally:
            services.stop()
            remove_data(self._data)
        found = {
            "differences": wrong,
            "seconds": round(took_s, 1),
            "backup_s": round(self._took_s, 1),
            "backup_mb": round(self._file.stat().st_size / 1e6, 1),
        }
        return found | figures(evidence, hands)


def audited(command: Sequence[str], url: str, blame: Blame) -> int | None:
    """How many differences the room's audit finds in a database; None if it says none. Blocks."""
    return _differences(said(command, "audit", POKERROOM_DATABASE_URL=url), blame)


def _differences(told: str, blame: Blame) -> int | None:
    found = re.search(r"(\d+) differences", told)
    wrong = None if found is None else differences(int(found[1]), told)
    if wrong != 0:
        blame("C1", "", "", f"the audit of the restored room: {told[-300:]}")
    return wrong


def compared(url: str, books: Books, point_s: float, blame: Blame, *, exactly: bool = False) -> set[str]:
    """Compare a restored database with the books as of a moment; see `unlike`. Return the hands in it. Blocks."""
    there, hands = _transfers(url)
    for line in unlike(there, books, point_s, exactly=exactly):
        blame("C1", "", "", line)
    return hands


def figures(evidence: Evidence, hands: set[str]) -> dict[str, Any]:
    """What a restored room with these hands has lost of what clients were told."""
    told = [hand for hand in evidence.hands.values() if hand.ends and not any(hand.ends.values())]
    lost = sorted(hand.hand_id for hand in told if hand.hand_id not in hands)
    return {"hands": len(hands), "lost_after_point": len(lost), "lost": lost[:NAMED]}


def unlike(there: dict[str, Legs], books: Books, began_s: float, *, exactly: bool = False) -> list[str]:
    """What a backup that began then lacks of the books, has beside them, or has otherwise.

    It may have what was committed later, unless it is `exactly` of that moment.
    """
    now = {transfer.key: frozenset(transfer.legs) for transfer in books.transfers}
    due = {transfer.key for transfer in books.transfers if transfer.committed_s < began_s}
    lacks = [f"the backup lacks {key}, committed before it began" for key in sorted(due - there.keys())]
    more = [f"the backup has {key}, the room has not" for key in sorted(there.keys() - now.keys())]
    if exactly:
        later = {transfer.key for transfer in books.transfers if transfer.committed_s > began_s}
        more += [f"the backup has {key}, committed after its moment" for key in sorted(there.keys() & later)]
    other = [
        f"the backup has other legs of {key}"
        for key in sorted(there)
        if key in now and there[key] != now[key]
    ]
    return [*lacks, *more, *other]


def _transfers(url: str) -> tuple[dict[str, Legs], set[str]]:
    """All transfers by key, and the ids of all hands."""
    legs: dict[str, set[tuple[str, int]]] = {}
    with psycopg.connect(url) as connection:
        for key, code, amount in connection.execute(
            "SELECT key, code, amount FROM transfers LEFT JOIN legs ON transfer = transfers.id"
            " LEFT JOIN ledger_accounts ON ledger_accounts.id = ledger_account"
        ):
            found = legs.setdefault(key, set())
            if code is not None:
                found.add((code, amount))
        hands = {row[0] for row in connection.execute("SELECT hand_id FROM hands")}
    return {key: frozenset(each) for key, each in legs.items()}, hands
