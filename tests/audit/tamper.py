"""Rooms that were played, each forged in every way that `forgeries` knows, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from psycopg import AsyncConnection

from pokerroom.adapters import opened_ledger
from tests.audit import rooms
from tests.audit.forged_files import of_files
from tests.audit.forgeries import (
    Forgery,
    Outcome,
    differences,
    named,
    of_columns,
    of_records,
    reason,
    tried,
)

Choose = Callable[[list[Forgery]], Iterable[Forgery]]
"""Which of the generated forgeries are tried."""

PlayedRoom = tuple[str, int, int]
"""Game, seed and number of hands."""

ROOMS: Final[tuple[PlayedRoom, ...]] = (
    ("holdem", 7, 3),
    ("ultimate", 0, 8),
    ("mtt", 7, 12),
    ("sit_and_go", 8, 20),
    ("mtt", 0, 10),
    ("holdem", 0, 10),
)
"""Small rooms with side pots, split pots, top-ups, a rake, a sit-and-go, tips, a meter, moves, late entries.

The smallest first: `tests.audit.test_tamper` tries in each what it has not found in an earlier one.
"""

ARCHIVED: Final[tuple[PlayedRoom, ...]] = (("holdem", 7, 6), ("ultimate", 0, 8), ("sit_and_go", 8, 20))
"""Rooms of which the older half of the records is archived."""

MORE_ROOMS: Final[tuple[PlayedRoom, ...]] = (
    *ROOMS,
    ("holdem", 6, 30),
    ("omaha", 10, 20),
    ("sit_and_go", 9, 20),
    ("ultimate", 3, 8),
    ("mtt", 1, 5),
)


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of all forgeries. `missed` are those that should have been found."""

    counts: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    found: set[str] = field(default_factory=set)
    tried: set[str] = field(default_factory=set)

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        name = outcome.forgery.name
        if outcome.what == "no_row":
            return
        self.tried.add(name)
        self.counts["forgeries"] += 1
        if outcome.what == "found":
            self.found.add(name)
        if outcome.what != "unseen":
            self.counts[outcome.what] += 1
            return
        if reason(outcome.forgery) is None:
            self.missed.append(name)
            self.counts["missed"] += 1
        else:
            self.counts["harmless"] += 1

    def facts(self) -> dict[str, int]:
        """The figures."""
        names = ("forgeries", "found", "refused", "harmless", "missed")
        return {name: self.counts[name] for name in names}


async def tampered(
    url: str,
    room: PlayedRoom,
    tally: Tally,
    choose: Choose,
    only: frozenset[str] | None = None,
    *,
    archive: Path | None = None,
) -> None:
    """Play a room into an empty database, and forge it. `only`: the names of the careful forgeries; None: all.

    With a directory as `archive` the older half of its records is archived first.
    """
    async with opened_ledger(url) as ledger:
        await rooms.write(ledger, rooms.calls_of(*room))
        await rooms.at_the_cashier(ledger)
        await rooms.at_the_club(ledger)
        await rooms.at_a_private_table(ledger)
        await rooms.at_the_wallet(ledger)
        await rooms.counted(ledger)
        await rooms.signed(ledger)
        if archive is not None:
            assert await rooms.archived(url, archive) > 0
    async with await AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("SET jit = off")  # compiling takes longer than the queries
        connection.prepare_threshold = 1  # so does planning
        async with connection.transaction():
            assert not await differences(connection, archive), "nothing is forged yet"
        generated = [*await of_columns(connection), *await of_records(connection)]
        careful = [forgery for forgery in named() if only is None or forgery.name in only]
        if archive is not None:
            generated += of_files(archive)
        for forgery in (*careful, *choose(generated)):
            tally.add(await tried(connection, forgery, archive))
