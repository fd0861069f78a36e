"""A process that owns a table and never asks whether it still does: it writes to journal and ledger without end.

`python -m tests.ledger.careless_owner DATABASE_URL REDIS_URL TABLE ACCOUNT ACCOUNT` says a line of JSON of each write
that was accepted or refused. What a node has against it, its lease and its look at the owners, is left out on purpose:
here the stores alone refuse.
"""

import asyncio
import json
import sys
import time
from typing import Any

import structlog
from twisted.internet import asyncioreactor
from twisted.internet.defer import Deferred

LOOP = asyncio.new_event_loop()
asyncio.set_event_loop(LOOP)
asyncioreactor.install(LOOP)

from twisted.internet import reactor  # noqa: E402 -- the reactor is chosen first

from pokerroom.chips import Money  # noqa: E402
from pokerroom.coordination.redis.client import redis_client  # noqa: E402
from pokerroom.coordination.redis.journal import RedisJournal  # noqa: E402
from pokerroom.ledger.api import NotOwner  # noqa: E402
from pokerroom.ledger.postgres.ledger import PostgresLedger  # noqa: E402
from tests.ledger.contract import hand, top_up  # noqa: E402

PAUSE_S = 0.01


def say(outcome: str, kind: str, name: str) -> None:
    sys.stdout.write(json.dumps({"outcome": outcome, "kind": kind, "name": name}) + "\n")
    sys.stdout.flush()


async def tried(kind: str, name: str, write: Deferred[Any]) -> None:
    try:
        await write.asFuture(LOOP)
    except NotOwner:
        say("refused", kind, name)
    else:
        say("accepted", kind, name)


async def write_without_end(database: str, redis: str, table: str, winner: int, loser: int) -> None:
    ledger = PostgresLedger(database)
    await ledger.open().asFuture(LOOP)
    journal = RedisJournal(redis_client(redis), reactor, sealed=lambda lost: say("refused", "append", lost))
    await journal.take(table, 1).asFuture(LOOP)
    began = time.monotonic()
    number = 0
    while time.monotonic() - began < 60:  # a limit, if the test does not end it
        number += 1
        entry = f"e{number}"
        journal.append(table, entry.encode(), lambda entry=entry: say("accepted", "append", entry))
        name = f"h{number}"
        await asyncio.gather(
            tried("settle", name, ledger.settle([hand(name, {winner: 1, loser: -1}, table=table)])),
            tried("top_up", f"t{number}", top_up(ledger, f"t{number}", table, winner, Money(1))),
            asyncio.sleep(PAUSE_S),
        )


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    reactor.startRunning(installSignalHandlers=False)
    database_url, redis_url, its_table, first, second = sys.argv[1:]
    LOOP.run_until_complete(write_without_end(database_url, redis_url, its_table, int(first), int(second)))
