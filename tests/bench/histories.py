"""What the database takes for the pages of an account with a million hands.

Starts a PostgreSQL of its own in a temporary directory, which is removed. The hands are rows that one statement makes
of a few hundred records: real ones, of random hands. Legs are left out, because no page of a history reads them.
`pg_stat_statements` counts the time of all statements of a call, planning too; `cpu` is the processor time of the
connections' backends, which other programs of the machine do not lengthen.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
import psycopg
from psycopg import Connection
from twisted.internet.defer import Deferred

from pokerroom.adapters import opened_ledger
from pokerroom.chips import Money
from pokerroom.ledger.account_history import HandQuery
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.statistics import Months
from pokerroom.ops.embedded import EmbeddedServices, remove_data
from tests.bench.printing import note, row
from tests.bench.settling import backends_us
from tests.history.dealt import GAMES, dealt_hands

RECORDS: Final = 400
TURNS: Final = 5
MAX_MS: Final = 50
"""What a page may take of the database."""

_SCRIPT: Final = Path(__file__).with_suffix(".sql")
_SPENT: Final = (
    "SELECT coalesce(sum(total_exec_time + total_plan_time), 0), coalesce(sum(calls), 0) FROM pg_stat_statements"
    " WHERE query NOT LIKE '%pg_stat_statements%'"
)

Call = Callable[[PostgresLedger], Deferred[Any]]


def measure(hands: int) -> dict[str, Any]:
    """Milliseconds of the database for each page: the first time after a restart, and the median of some turns."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        services = EmbeddedServices(data, note)
        try:
            url = _owner(services)
            asyncio.run(_opened(url))
            made = _fill(url, hands)
            services.stop()
            url = _owner(services)
            note("reading")
            return made | {"hands": hands, "ms": asyncio.run(_pages(url, hands))}
        finally:
            services.stop()
            remove_data(data)


def _owner(services: EmbeddedServices) -> str:
    url = services.start().owner_database_url
    assert url is not None
    return url


async def _opened(url: str) -> None:
    """Make the tables, and the accounts that the records name."""
    async with opened_ledger(url) as ledger:
        for number in range(10):
            opening = ledger.create_account(f"player{number}", "-", Money(0))
            await opening.asFuture(asyncio.get_running_loop())


def _fill(url: str, hands: int) -> dict[str, Any]:
    note(f"writing {hands:,} hands")
    began = time.monotonic()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("SET session_replication_role = replica")  # no triggers
        make_pool(connection)
        for statement in _SCRIPT.read_text().replace("HANDS", str(hands)).split(";\n"):
            if statement.strip():
                connection.execute(statement.encode())
        connection.execute("DROP TABLE pool")
        connection.execute("VACUUM ANALYZE")
        (size,) = connection.execute("SELECT pg_database_size(current_database()) >> 20").fetchone() or (0,)
    return {"made_s": round(time.monotonic() - began), "database_mb": size}


def make_pool(connection: Connection[Any]) -> None:
    """Make the table `pool`: some hundred records, and the changes of the stacks by account."""
    connection.execute("CREATE TABLE pool (n integer PRIMARY KEY, record jsonb, deltas jsonb)")
    with connection.cursor() as cursor, cursor.copy("COPY pool FROM STDIN") as rows:
        for number, (record, deltas) in enumerate(_records()):
            rows.write_row((number, json.dumps(record), json.dumps(deltas)))


def _records() -> list[tuple[Any, dict[int, int]]]:
    """Records with the accounts 1 to 10, of which account 1 is always dealt in; and the changes of the stacks."""
    found = []
    for seed, game in enumerate(GAMES):
        for dealt in dealt_hands(seed, game, RECORDS // len(GAMES)):
            record = msgspec.json.decode(dealt.settled.record)
            numbers = {seat["account"]: number for number, seat in enumerate(record["seats"], 1)}
            for seat in record["seats"]:
                seat["account"] = numbers[seat["account"]]
            found.append((record, {numbers[account]: delta for account, delta in dealt.settled.deltas}))
    return found


async def _pages(url: str, hands: int) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    with psycopg.connect(url, autocommit=True) as watcher:
        async with opened_ledger(url) as ledger:
            found: dict[str, Any] = {}
            for name, call in _calls(watcher, hands).items():
                times, cpu = [], []
                for _ in range(1 + TURNS):
                    before_us = backends_us(watcher)
                    watcher.execute("SELECT pg_stat_statements_reset()")
                    await call(ledger).asFuture(loop)
                    spent, calls = watcher.execute(_SPENT).fetchone() or (0, 0)
                    cpu.append((backends_us(watcher) - before_us) / 1000)
                    times.append(spent)
                found[name] = {
                    "first": round(times[0], 2),
                    "median": round(median(times[1:]), 2),
                    "cpu_first": round(cpu[0], 2),
                    "cpu": round(median(cpu[1:]), 2),
                    "statements": int(calls),
                }
            return found


def _calls(watcher: Connection[Any], hands: int) -> dict[str, Call]:
    """What a client asks: pages of the history and of an export, and statistics."""
    (last, middle_ms, later_ms) = watcher.execute(
        "SELECT (SELECT max(hand) FROM hand_players WHERE account = 1), extract(epoch FROM ended)::bigint * 1000,"
        " extract(epoch FROM ended + interval '30 days')::bigint * 1000"
        " FROM hands WHERE hand_id = %s",
        (str(hands // 2),),
    ).fetchone() or (0, 0, 0)

    def export(after: int = 0, **query: Any) -> Call:
        return lambda ledger: ledger.hands_page(HandQuery(account=1, **query), after, 50)

    always, month = Months(), Months(202601, 202601)
    players = [f"player{number}" for number in range(1, 10)]
    return {
        "history, first page": lambda ledger: ledger.account_history(1, None, 26),
        "history, a page in the middle": lambda ledger: ledger.account_history(1, last // 2, 26),
        "history, the last page": lambda ledger: ledger.account_history(1, 200, 26),
        "export, first page": export(),
        "export, a page in the middle": export(last // 2),
        "export, a month": export(since_ms=middle_ms, until_ms=later_ms),
        "export, a sit-and-go": export(table="six.1"),
        "export, a cash table": export(table="T7"),
        "export, a table with few hands": export(table="rare"),
        "statistics, own": lambda ledger: ledger.player_statistics(1, 1, always),
        "statistics, own of a month": lambda ledger: ledger.player_statistics(1, 1, month),
        "statistics, results by day": lambda ledger: ledger.daily_results(1, always),
        "statistics, tournaments": lambda ledger: ledger.tournament_statistics(1, always),
        "statistics, another player": lambda ledger: ledger.player_statistics(1, 2, always),
        "statistics, another player in a month": lambda ledger: ledger.player_statistics(1, 2, month),
        "statistics, nine players at a table": lambda ledger: ledger.opponents(1, players, "holdem"),
    }


def tell(found: dict[str, Any]) -> None:
    """Print it. The last line is JSON."""
    print(
        f"Pages of an account with {found['hands']:,} hands: ms of the database and of its processor, first and median"
    )
    for name, one in found["ms"].items():
        row(name, f"{one['first']:8.2f} {one['median']:8.2f} {one['cpu_first']:8.2f} {one['cpu']:8.2f}")
    slowest = max(max(one["first"], one["median"]) for one in found["ms"].values())
    processor = max(max(one["cpu_first"], one["cpu"]) for one in found["ms"].values())
    row(f"slowest, of at most {MAX_MS}", f"{slowest} ms, {processor} ms of the processor")
    print(json.dumps(found | {"slowest_ms": slowest, "slowest_cpu_ms": processor, "ok": slowest <= MAX_MS}))
