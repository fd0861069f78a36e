"""What settling a hand and reading a page cost while the ledger grows.

Starts a PostgreSQL of its own with its data on disk, in a temporary directory that is removed. Between the measurements
SQL writes hands, legs and links of made-up players; the hands that are measured go through the ledger of the room.
Processor time is that of the connections' backends and of the process that settles.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, Final, Self

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pokerroom.adapters import opened_ledger
from pokerroom.ops.embedded import EmbeddedServices, remove_data
from tests.bench.histories import make_pool
from tests.bench.printing import note, row
from tests.bench.settle import SIZES, WARM_UP, costs, played_hands, settling_process
from tests.bench.windows import ROOT

PLAYERS: Final = 20_000
TURNS: Final = 5
READS: Final = 9
CHUNK: Final = 500_000
"""Hands that SQL writes in one step."""

TABLES: Final = ("hands", "hand_players", "transfers", "legs", "chain_links")
"""The tables that have rows of each hand."""

_SCRIPT: Final = Path(__file__).with_suffix(".sql")
_SIZES: Final = (
    "SELECT pg_table_size(name::regclass), pg_indexes_size(name::regclass) FROM unnest(%s::text[]) AS name"
)
_PLAYERS: Final = (
    "INSERT INTO accounts (name, password_hash) SELECT 'grown' || n, '-' FROM generate_series(1, %s) AS n"
)
_STACKS: Final = (
    "INSERT INTO ledger_accounts (kind, owner, table_id, code)"
    " SELECT 'stack', id, 'G', 'stack:G:' || id FROM accounts WHERE name LIKE 'grown%%' ORDER BY id LIMIT %s"
)


def measure(hands: int) -> dict[str, Any]:
    """Figures at a thousandth, a hundredth, a tenth of so many hands, and at all."""
    steps = sorted({hands // part for part in (1000, 100, 10, 1)} - {0})
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp")))
        played = folder / "hands.json"
        played.write_text(json.dumps(played_hands()))
        data = folder / "data"
        stack.callback(remove_data, data)
        services = EmbeddedServices(data, note)
        addresses = services.start()
        stack.callback(services.stop)
        room = stack.enter_context(settling_process("growth", ROOT, addresses, played))
        assert addresses.owner_database_url is not None
        url = make_conninfo(**{**conninfo_to_dict(addresses.owner_database_url), "dbname": "growth"})
        ledger = stack.enter_context(_Ledger(url))
        return {"steps": [ledger.at(step, room) for step in steps]}


class _Ledger:
    """A ledger that grows."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._owner: Connection[Any] = psycopg.connect(url, autocommit=True)
        self._owner.execute("SET session_replication_role = replica")  # no triggers
        make_pool(self._owner)
        for statement in (_PLAYERS, _STACKS):
            self._owner.execute(statement, [PLAYERS])
        self._accounts = self._number("SELECT min(id) FROM accounts WHERE name LIKE 'grown%'")
        self._ledger_accounts = self._number(
            "SELECT min(id) FROM ledger_accounts WHERE code LIKE 'stack:G:%'"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._owner.close()

    def at(self, hands: int, room: subprocess.Popen[str]) -> dict[str, Any]:
        """Grow to so many hands, and measure."""
        written_s = self._grow(hands)
        vacuum_s = self._vacuum()
        rows = self._owner.execute(_SIZES, [list(TABLES)]).fetchall()
        found = self._number("SELECT count(*) FROM hands")
        sizes = {
            name: [round(size / found) for size in of_table]
            for name, of_table in zip(TABLES, rows, strict=True)
        }
        settled = {str(size): self._settled(room, batches, size) for size, batches in SIZES.items()}
        return {
            "hands": found,
            "written_s": written_s,
            "vacuum_s": vacuum_s,
            "vacuum_after_turns_s": self._vacuum(),
            "bytes": sizes,
            "settling": settled,
            "pages_ms": asyncio.run(self._pages()),
        }

    def _grow(self, hands: int) -> float:
        began = time.monotonic()
        while missing := max(0, hands - self._number("SELECT count(*) FROM hands")):
            chunk = min(CHUNK, missing)
            last = self._number("SELECT max(id) FROM transfers")
            words = {
                "ACCOUNTS": self._accounts,
                "LEDGER": self._ledger_accounts,
                "LAST": last,
                "HANDS": chunk,
            }
            script = _SCRIPT.read_text()
            for word, number in words.items():
                script = script.replace(word, str(number))
            with self._owner.transaction():
                for statement in script.split(";\n"):
                    self._owner.execute(statement.encode())
            note(f"{hands - missing + chunk:,} of {hands:,} hands")
        return round(time.monotonic() - began, 1)

    def _vacuum(self) -> float:
        began = time.monotonic()
        self._owner.execute("VACUUM ANALYZE")
        self._owner.execute("CHECKPOINT")
        return round(time.monotonic() - began, 1)

    def _settled(self, room: subprocess.Popen[str], batches: int, size: int) -> dict[str, Any]:
        """Medians in microseconds for each hand; hands in a second; bytes of WAL for each hand."""
        turns = []
        for number in range(-WARM_UP, TURNS):
            wal = self._number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
            began = time.monotonic()
            turn = costs(room, batches, size)
            turn["seconds"] = (time.monotonic() - began) / (batches * size)
            turn["wal"] = (self._number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn") - wal) / (
                batches * size
            )
            if number >= 0:
                turns.append(turn)
        return {what: round(median(turn[what] for turn in turns), 6) for what in turns[0]}

    async def _pages(self) -> dict[str, float]:
        """Milliseconds from the call to the answer, the median of some players."""
        loop = asyncio.get_running_loop()
        last = self._number("SELECT max(id) FROM transfers")
        found: dict[str, list[float]] = {"first": [], "middle": []}
        async with opened_ledger(self._url) as ledger:
            for number in range(READS):
                for name, before in (("first", None), ("middle", last // 2)):
                    began = time.perf_counter()
                    await ledger.account_history(self._accounts + 1000 * number, before, 26).asFuture(loop)
                    found[name].append((time.perf_counter() - began) * 1000)
        return {name: round(median(times), 2) for name, times in found.items()}

    def _number(self, query: str) -> int:
        (number,) = self._owner.execute(query.encode()).fetchone() or (0,)
        return int(number)


def tell(found: dict[str, Any]) -> None:
    """Print a table for each size. The last line is JSON."""
    for step in found["steps"]:
        print(f"\nA ledger of {step['hands']:,} hands, written in {step['written_s']} s")
        for size, costs_of_size in step["settling"].items():
            row(
                f"settling in batches of {size}, PostgreSQL, µs", round(costs_of_size["settling_postgres_us"])
            )
            row(f"settling in batches of {size}, room, µs", round(costs_of_size["settling_room_us"]))
            row(f"hands/s in batches of {size}, with checkpoints", round(1 / costs_of_size["seconds"]))
            row(f"WAL for each hand in batches of {size}, bytes", round(costs_of_size["wal"]))
        for name, milliseconds in step["pages_ms"].items():
            row(f"history, {name} page, ms", milliseconds)
        for name, (table, indexes) in step["bytes"].items():
            row(f"{name} for each hand, bytes (indexes)", f"{table} ({indexes})")
        row("in all for each hand, bytes", sum(map(sum, step["bytes"].values())))
        row(
            "vacuum after growing, and after the turns, s",
            f"{step['vacuum_s']}, {step['vacuum_after_turns_s']}",
        )
    print(json.dumps(found))
