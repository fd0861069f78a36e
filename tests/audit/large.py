"""A large ledger: a room that was played, many times over under other names, and how long the audit of it takes.

Starts a PostgreSQL of its own in a temporary directory, which is removed. Every hand of the copies is really played
again. Hidden cards are sealed for each hand, and all transfers are linked and signed by the room's own code. The last
line is JSON. Then the same room is played once more, and the transfers after that are audited with `--since`. With
`--archive` all hands are archived at the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator
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
from pokerroom.bridge import as_future
from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards, with_hidden_cards
from pokerroom.history.statistics.tally import tally_of
from pokerroom.ledger.archiving import Archiving, archive_old
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom.ops.embedded import EmbeddedServices, remove_data
from pokerroom.rules import hand as rules
from pokerroom.table.seal import Seal
from tests.audit import rooms

PLAYED: Final = ("omaha", 38, 500)
"""Game, seed and hands of the room that is copied: one without private tables, of which the copies know nothing."""

COPIED: Final = (
    "accounts",
    "account_transfers",
    "table_owners",
    "hand_players",
    "timeout_all_ins",
    "seats",
)

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


HANDS: Final = "COPY hands (transfer, hand_id, table_id, started, ended, record, epoch, rake) FROM STDIN"

SEAL: Final = Seal(*rooms.KEYS).of(HAND_RECORDS)


class Copier:
    """Writes a room, and copies of it under other names."""

    def __init__(self, connection: Connection[Any], url: str) -> None:
        asyncio.run(_play(url))
        self._connection = connection
        connection.execute("SET session_replication_role = replica")  # no triggers
        connection.execute("CREATE SCHEMA played")
        for table in ("accounts", "transfers"):  # the copies follow, a minute each
            connection.execute(f"UPDATE {table} SET created = created - interval '30 days'".encode())
        for table in COPIED:
            connection.execute(f"CREATE TABLE played.{table} AS SELECT * FROM {table}".encode())
        connection.execute(SIZES.encode())
        rows = connection.execute("SELECT accounts, transfers FROM played.size").fetchone()
        assert rows is not None
        self._accounts, self._transfers = rows
        self._hands = [
            (number, with_all_cards(record, SEAL), *columns)
            for number, record, *columns in connection.execute(
                "SELECT transfer, record, started, ended, epoch, rake FROM hands ORDER BY transfer"
            ).fetchall()
        ]
        self._copies = 0
        self.hands = len(self._hands)

    def copy_until(self, hands: int) -> None:
        """Copy until the ledger has so many hands."""
        script = Path(__file__).with_suffix(".sql").read_text()
        while self.hands < hands:
            missing = -(-(hands - self.hands) // len(self._hands))
            first, last = self._copies + 1, self._copies + min(COPIES_AT_A_TIME, missing)
            with self._connection.transaction():
                self._connection.execute(script.format(first=first, last=last).encode())
                with self._connection.cursor() as cursor, cursor.copy(HANDS.encode()) as rows:
                    for number in range(first, last + 1):
                        for row in self._copies_of_hands(number):
                            rows.write_row(row)
            self._copies = last
            self.hands += (last - first + 1) * len(self._hands)
            if (first // COPIES_AT_A_TIME) % 10 == 0:
                click.echo(f"wrote {self.hands:,} hands", err=True)
        self._connection.execute(FIT.encode(), [OF_ROOM])
        self._connection.execute("VACUUM ANALYZE")

    def _copies_of_hands(self, copy: int) -> Iterator[tuple[Any, ...]]:
        for number, record, started, ended, epoch, rake in self._hands:
            hand_id, table = f"{record['hand_id']}-{copy}", f"{record['table']}-{copy}"
            seats = [seat | {"account": copy * self._accounts + seat["account"]} for seat in record["seats"]]
            renamed = {**record, "hand_id": hand_id, "table": table, "seats": seats}
            renamed.pop("hidden", None)
            text = msgspec.json.encode(with_hidden_cards(renamed, SEAL)).decode()
            yield copy * self._transfers + number, hand_id, table, started, ended, text, epoch, rake


async def _play(url: str) -> None:
    async with opened_ledger(url) as ledger:
        await rooms.write(ledger, rooms.calls_of(*PLAYED))


def signed(url: str) -> int:
    """Link and sign everything, as a room does. Return the number of the last checkpoint."""

    async def work() -> int:
        key, last = CheckpointKey(rooms.KEYS[0]), 0
        loop = asyncio.get_running_loop()
        async with opened_ledger(url) as ledger:
            while (made := await ledger.write_checkpoint(key, open_s=0).asFuture(loop)) is not None:
                last = made.number
        return last

    return asyncio.run(work())


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


def measured(url: str, jobs: int, since: Since, archive: Path | None = None) -> dict[str, Any]:
    """Audit, and return the figures. Raises AssertionError for a difference."""

    async def work() -> Audit:
        async with opened_ledger(url) as ledger:
            workers = Workers(
                jobs=jobs, open_ledger=partial(opened_ledger, url), keys=rooms.KEYS, archive=archive
            )
            return await audited(
                ledger,
                None,
                {},
                rooms.KEYS,
                since=since,
                archive=archive,
                progress=ProgressLine(),
                workers=workers,
            )

    with Watch() as watch:
        found = asyncio.run(work())
    assert found.differences == (), found.differences[:5]
    played_s = sum(watch.worker_cpu_s.values()) or watch.cpu_s
    return {
        "hands": found.books.hands,
        "transfers": found.books.followed,
        "last": found.books.last,
        "rows_verified": found.chain.rows,
        "transfers_signed": found.chain.transfers,
        "seconds": round(watch.seconds, 1),
        "parent_cpu_s": round(watch.cpu_s, 1),
        "workers_cpu_s": round(sum(watch.worker_cpu_s.values()), 1),
        "hands_per_cpu_s": round(found.books.hands / played_s) if played_s else 0,
        "parent_mb": watch.peaks["parent"],
        "worker_mb": watch.peaks["worker"],
    }


SIZES_OF: Final = ("hands", "hand_players", "transfers", "legs", "chain_links")
"""The tables that have rows of each hand."""


def bytes_for_a_hand(connection: Connection[Any]) -> dict[str, int]:
    """The sizes of the tables with their indexes, for each hand."""
    rows = connection.execute(
        "SELECT name, pg_total_relation_size(name::regclass) / (SELECT count(*) FROM hands)"
        " FROM unnest(%s::text[]) AS name",
        [list(SIZES_OF)],
    ).fetchall()
    sizes = {str(name): int(size) for name, size in rows}
    return {**sizes, "all": sum(sizes.values())}


def archived(connection: Connection[Any], url: str, jobs: int, folder: Path) -> dict[str, Any]:
    """Archive all hands, and audit with the files and without; the figures."""

    async def count() -> None:
        async with opened_ledger(url) as ledger:
            more = True
            while more:
                found = await ledger.count_statistics(tally_of).asFuture(asyncio.get_running_loop())
                more = found is not None and found.more

    async def work() -> Archiving:
        async with opened_ledger(url) as ledger:
            return await as_future(archive_old(ledger, folder, rooms.AHEAD_MS, THE_ROOM))

    asyncio.run(count())
    connection.execute("VACUUM FULL")
    before = bytes_for_a_hand(connection)
    began = time.monotonic()
    done = asyncio.run(work())
    seconds = time.monotonic() - began
    connection.execute("VACUUM ANALYZE")
    vacuumed = bytes_for_a_hand(connection)
    connection.execute("VACUUM FULL")
    connection.execute("ANALYZE")
    size = sum(file.stat().st_size for file in folder.iterdir())
    return {
        "records": done.records,
        "files": done.files,
        "records_per_s": round(done.records / seconds),
        "file_bytes_for_a_hand": round(size / done.records),
        "bytes_before": before,
        "bytes_after_vacuum": vacuumed,
        "bytes_after_vacuum_full": bytes_for_a_hand(connection),
        "audit_with_files": measured(url, jobs, WHOLE, folder),
        "audit_without_files": measured(url, jobs, WHOLE),
    }


@click.command()
@click.option("--hands", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--jobs", type=click.IntRange(1, 256), default=os.cpu_count() or 1)
@click.option("--more", type=click.IntRange(1), default=1_000, help="Hands of the incremental audit.")
@click.option("--archive", is_flag=True, help="Archive all hands then, and audit again.")
def main(hands: int, jobs: int, more: int, archive: bool) -> None:
    """Make a large ledger and audit it."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        services = EmbeddedServices(data, lambda line: click.echo(line, err=True))
        url = services.start().owner_database_url
        assert url is not None
        try:
            with psycopg.connect(url, autocommit=True) as connection:
                began = time.monotonic()
                copier = Copier(connection, url)
                copier.copy_until(hands)
                copied_s = time.monotonic() - began
                checkpoints = signed(url)
                made_s = time.monotonic() - began
                (size,) = connection.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
                facts = {
                    "jobs": jobs,
                    "compiled": not str(rules.__file__).endswith(".py"),
                    "copied_s": round(copied_s, 1),
                    "made_s": round(made_s, 1),
                    "database_mb": size >> 20,
                    "checkpoints": checkpoints,
                }
                whole = measured(url, jobs, WHOLE)
                click.echo(json.dumps({**facts, "whole": whole}), err=True)
                copier.copy_until(copier.hands + more)
                signed(url)
                newest = measured(url, jobs, Since(number=whole["last"]))
                facts = {**facts, "whole": whole, "since": newest}
                if archive:
                    files = Path(folder) / "archives"
                    files.mkdir()
                    facts["archive"] = archived(connection, url, jobs, files)
            click.echo(json.dumps(facts))
        finally:
            services.stop()
            remove_data(data)


if __name__ == "__main__":
    main()
