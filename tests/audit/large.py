"""A large ledger: a room that was played, many times over under other names, and how long the audit of it takes.

Starts a PostgreSQL of its own in a temporary directory, which is removed. Every hand of the copies is really played
again; their records have all cards in clear, as those of version 1. The last line is JSON. Transfers in `--newest` are
audited once more, as an incremental audit does.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final, Self

import click
import msgspec
import psycopg
from psycopg import Connection

from pokerroom.adapters import opened_ledger
from pokerroom.audit.report import ProgressLine
from pokerroom.audit.room import Audit, audited
from pokerroom.audit.since import WHOLE, Since
from pokerroom.audit.workers import Workers
from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards
from pokerroom.ops.embedded import EmbeddedServices, remove_data
from pokerroom.rules import hand as rules
from pokerroom.table.seal import Seal
from tests.audit import rooms

PLAYED: Final = ("holdem", 6, 250)
"""Game, seed, and hands at each table of the room that is copied."""

COPIED: Final = ("accounts", "table_owners", "hand_players", "timeout_all_ins", "seats", "hands")

OF_ROOM: Final = 6
"""The ledger accounts that every database has, with one transfer."""

SIZES: Final = f"""
CREATE TABLE played.ledger_accounts AS SELECT * FROM ledger_accounts WHERE id > {OF_ROOM};
CREATE TABLE played.transfers AS SELECT * FROM transfers WHERE kind <> 'genesis';
CREATE TABLE played.legs AS SELECT * FROM legs WHERE transfer <> (SELECT id FROM transfers WHERE kind = 'genesis');
CREATE TABLE played.size AS SELECT (SELECT max(id) FROM accounts) AS accounts,
    (SELECT max(id) FROM ledger_accounts) AS ledger_accounts, (SELECT max(id) FROM transfers) AS transfers,
    {OF_ROOM}::bigint AS of_room
"""

FIT: Final = """
UPDATE ledger_accounts SET balance = moved.total
FROM (SELECT ledger_account, sum(amount) AS total FROM legs GROUP BY ledger_account) AS moved
WHERE moved.ledger_account = id AND id <= %s
"""

COPIES_AT_A_TIME: Final = 20


def played(connection: Connection[Any], url: str) -> int:
    """Write a room, and keep its rows in the schema `played`. Return the number of its hands."""

    async def write() -> None:
        async with opened_ledger(url) as ledger:
            await rooms.write(ledger, rooms.calls_of(*PLAYED))

    asyncio.run(write())
    connection.execute("SET session_replication_role = replica")
    connection.execute("CREATE SCHEMA played")
    seal = Seal(*rooms.KEYS).of(HAND_RECORDS)
    for number, record in connection.execute("SELECT transfer, record FROM hands").fetchall():
        clear = with_all_cards(record, seal) | {"version": 1}
        clear.pop("hidden", None)
        connection.execute(
            "UPDATE hands SET record = %s WHERE transfer = %s", [msgspec.json.encode(clear).decode(), number]
        )
    for table in ("accounts", "transfers"):  # the copies follow, a minute each
        connection.execute(f"UPDATE {table} SET created = created - interval '30 days'".encode())
    for table in COPIED:
        connection.execute(f"CREATE TABLE played.{table} AS SELECT * FROM {table}".encode())
    connection.execute(SIZES.encode())
    (hands,) = connection.execute("SELECT count(*) FROM hands").fetchone() or (0,)
    return int(hands)


def copied(connection: Connection[Any], copies: int, hands: int) -> None:
    """Copy the room so many times."""
    script = Path(__file__).with_suffix(".sql").read_text()
    for first in range(1, copies + 1, COPIES_AT_A_TIME):
        last = min(copies, first + COPIES_AT_A_TIME - 1)
        connection.execute(script.format(first=first, last=last).encode())
        if (first // COPIES_AT_A_TIME) % 10 == 0:
            click.echo(f"wrote {(last + 1) * hands:,} hands", err=True)
    connection.execute(FIT.encode(), [OF_ROOM])
    connection.execute("DROP SCHEMA played CASCADE")
    connection.execute("VACUUM ANALYZE")


class Watch:
    """Time, processor time and the highest memory of this process and of those that it started."""

    def __init__(self) -> None:
        self.peaks: dict[str, int] = {"parent": 0, "worker": 0}
        self.worker_cpu_s: dict[int, float] = {}
        self._stop = Event()
        self._thread = Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._began, self._cpu = time.monotonic(), time.process_time()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.seconds = time.monotonic() - self._began
        self.cpu_s = time.process_time() - self._cpu

    def _look(self) -> None:
        while not self._stop.wait(0.5):
            self._saw("parent", os.getpid())
            for child in active_children():
                if child.pid is not None:
                    self._saw("worker", child.pid)

    def _saw(self, who: str, pid: int) -> None:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return  # it has ended
        self.peaks[who] = max(self.peaks[who], pages * os.sysconf("SC_PAGE_SIZE") >> 20)
        if who == "worker":
            self.worker_cpu_s[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(url: str, jobs: int, since: Since) -> dict[str, Any]:
    """Audit, and return the figures. Raises AssertionError for a difference."""

    async def work() -> Audit:
        async with opened_ledger(url) as ledger:
            workers = Workers(jobs=jobs, open_ledger=partial(opened_ledger, url), keys=rooms.KEYS)
            return await audited(
                ledger, None, {}, rooms.KEYS, since=since, progress=ProgressLine(), workers=workers
            )

    with Watch() as watch:
        found = asyncio.run(work())
    assert found.differences == (), found.differences[:5]
    played_s = sum(watch.worker_cpu_s.values()) or watch.cpu_s
    return {
        "hands": found.books.hands,
        "transfers": found.books.followed,
        "last": found.books.last,
        "seconds": round(watch.seconds, 1),
        "parent_cpu_s": round(watch.cpu_s, 1),
        "workers_cpu_s": round(sum(watch.worker_cpu_s.values()), 1),
        "hands_per_cpu_s": round(found.books.hands / played_s) if played_s else 0,
        "parent_mb": watch.peaks["parent"],
        "worker_mb": watch.peaks["worker"],
    }


@click.command()
@click.option("--hands", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--jobs", type=click.IntRange(1, 256), default=os.cpu_count() or 1)
@click.option("--newest", type=click.IntRange(1), default=10_000, help="Transfers of the incremental audit.")
def main(hands: int, jobs: int, newest: int) -> None:
    """Make a large ledger and audit it."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        services = EmbeddedServices(data, lambda line: click.echo(line, err=True))
        url = services.start().owner_database_url
        assert url is not None
        try:
            began = time.monotonic()
            with psycopg.connect(url, autocommit=True) as connection:
                of_room = played(connection, url)
                copied(connection, max(1, -(-hands // of_room) - 1), of_room)
                (size,) = connection.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
            made_s = round(time.monotonic() - began, 1)
            whole = measured(url, jobs, WHOLE)
            click.echo(json.dumps(whole), err=True)
            rest = measured(url, jobs, Since(number=max(1, whole["last"] - newest)))
            facts = {"jobs": jobs, "compiled": not str(rules.__file__).endswith(".py"), "made_s": made_s}
            click.echo(json.dumps({**facts, "database_mb": size >> 20, "whole": whole, "newest": rest}))
        finally:
            services.stop()
            remove_data(data)


if __name__ == "__main__":
    main()
