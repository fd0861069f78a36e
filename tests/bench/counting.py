"""What counting statistics costs for each hand: the database, and the node that counts.

Tables have the same players all the time, and each step counts so many hands of each table. The hands are rows made of
the records of a simulated room, with the players of their table. Legs are left out, because no counting reads them.
Processor time is that of the connections' backends and of this process.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Final

import psycopg

from pokerroom.adapters import opened_ledger
from pokerroom.history.statistics.tally import tally_of
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ops.embedded import EmbeddedServices, remove_data
from tests.bench.exports import is_run_out
from tests.bench.printing import note, row
from tests.bench.settling import backends_us
from tests.history.dealt import dealt_hands

TABLES: Final = 80
PLAYERS: Final = 6
RECORDS: Final = 100
HANDS: Final = (12, 4, 1)
"""Hands of a table in a step. People play about twelve in ten minutes, the time between two looks for new hands."""
STEPS: Final = 5
WARM_UP: Final = 1


def measure() -> dict[str, Any]:
    """Microseconds of processor time for each hand, by hands of a table in a step: medians of the steps."""
    records = _records()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        data = Path(folder) / "data"
        services = EmbeddedServices(data, note)
        try:
            owner = services.start().owner_database_url
            assert owner is not None
            return {"tables": TABLES, "players": PLAYERS, "us": asyncio.run(_counted(owner, records))}
        finally:
            services.stop()
            remove_data(data)


def _records() -> list[dict[str, Any]]:
    """Random hands with so many players. None runs out: most random hands do, and few of people's."""
    dealt = dealt_hands(1, "fixed_limit", 40 * RECORDS)
    records = (json.loads(each.settled.record) for each in dealt if len(each.play.seats) == PLAYERS)
    return [record for record in islice(records, 2 * RECORDS) if not is_run_out(record["events"])][:RECORDS]


async def _counted(url: str, records: list[dict[str, Any]]) -> dict[int, dict[str, float]]:
    found = {}
    async with opened_ledger(url) as ledger:
        with psycopg.connect(url, autocommit=True) as watcher:
            watcher.execute("SET session_replication_role = replica")  # no triggers
            watcher.execute(
                "INSERT INTO accounts (name, password_hash) SELECT 'player' || n, '-'"
                " FROM generate_series(1, %s) AS n",
                (TABLES * PLAYERS,),
            )
            (first,) = watcher.execute(
                "SELECT min(id) FROM accounts WHERE name LIKE 'player%'"
            ).fetchone() or (0,)
            for hands in HANDS:
                note(f"steps of {hands} hands at each of {TABLES} tables")
                steps = [
                    await _step(ledger, watcher, _dealt(records, hands * step, hands, first))
                    for step in range(WARM_UP + STEPS)
                ][WARM_UP:]
                found[hands] = {name: round(median(step[name] for step in steps)) for name in steps[0]}
    return found


def _dealt(records: list[dict[str, Any]], begin: int, hands: int, first: int) -> list[str]:
    """The hands of all tables, as they are played at the same time."""
    dealt = []
    for number in range(begin, begin + hands):
        for table in range(TABLES):
            record = records[(number + table) % len(records)]
            accounts = range(first + table * PLAYERS, first + (table + 1) * PLAYERS)
            order = sorted(seat["account"] for seat in record["seats"])
            seats = [{**seat, "account": accounts[order.index(seat["account"])]} for seat in record["seats"]]
            dealt.append(json.dumps({**record, "table": f"T{table}", "seats": seats}))
    return dealt


async def _step(
    ledger: PostgresLedger, watcher: psycopg.Connection[Any], dealt: list[str]
) -> dict[str, float]:
    watcher.execute(
        "WITH new AS (SELECT nextval('transfers_id_seq') AS id, record FROM unnest(%s::jsonb[]) AS record),"
        " written AS (INSERT INTO transfers (id, key, kind) OVERRIDING SYSTEM VALUE"
        " SELECT id, 'hand:' || id, 'hand' FROM new)"
        " INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record)"
        " SELECT id, id::text, record ->> 'table', 1, now(), now(), record FROM new",
        (dealt,),
    )
    own, backends, hands, more = time.process_time(), backends_us(watcher), 0, True
    while more:
        step = await ledger.count_statistics(tally_of).asFuture(asyncio.get_running_loop())
        assert step is not None
        hands, more = hands + step.hands, step.more
    assert hands == len(dealt)
    return {
        "room": (time.process_time() - own) * 1e6 / hands,
        "postgres": (backends_us(watcher) - backends) / hands,
    }


def tell(found: dict[str, Any]) -> None:
    """Print it. The last line is JSON."""
    print(f"Counting at {found['tables']} tables of {found['players']}, µs of processor time for each hand")
    row("hands of a table in a step", "PostgreSQL   room")
    for hands, us in found["us"].items():
        row(str(hands), f"{us['postgres']:10.0f} {us['room']:6.0f}")
    print(json.dumps(found))
