"""An owner that the operating system stops, and continues once its table is another's: every write is refused.

The process is a real one, with the real adapters; it has neither lease nor clock to keep it from writing.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.journal import RedisJournal
from tests.coordination.support import later
from tests.ledger.contract import hand, seated, stacks

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]


class Owner:
    """The process, and what it has said so far."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "tests.ledger.careless_owner", *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
        )
        self.said: list[dict[str, str]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(json.loads(line))

    def names(self, outcome: str, kind: str) -> list[str]:
        return [said["name"] for said in self.said if (said["outcome"], said["kind"]) == (outcome, kind)]

    def until(self, happened) -> None:
        deadline = time.monotonic() + 30
        while not happened():
            assert self.process.poll() is None, "it has ended"
            assert time.monotonic() < deadline, f"not in time: {self.said[-3:]}"
            time.sleep(0.01)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(10)
        self.process.stdout.close()


@pytest.fixture
def closing():
    """What is closed after the test."""
    with ExitStack() as stack:
        yield stack


def test_an_owner_that_was_stopped_gets_every_write_refused(run, postgres, database, services, closing):
    """Journal and ledger take nothing of it after the seal, and what was accepted before is all there."""
    from twisted.internet import reactor

    table = "T1"
    alice, bob = seated(run, postgres, "alice", "bob", table=table)
    client = redis_client(services.redis_url)
    closing.callback(lambda: run(later(client.aclose)))
    run(later(client.flushall))
    owner = Owner(database, services.redis_url, table, str(alice), str(bob))
    try:
        for kind in ("append", "settle", "top_up"):
            owner.until(lambda kind=kind: len(owner.names("accepted", kind)) > 5)
        owner.process.send_signal(signal.SIGSTOP)

        assert run(postgres.take_table(table, "next", 1)) == 2
        journal = RedisJournal(client, reactor, sealed=lambda _: pytest.fail("the next owner was refused"))
        found = run(journal.take(table, 2))
        before = stacks(run, postgres), run(postgres.audit())

        owner.process.send_signal(signal.SIGCONT)
        owner.until(lambda: owner.names("refused", "append"))
        for kind in ("settle", "top_up"):
            owner.until(lambda kind=kind: len(owner.names("refused", kind)) > 20)
    finally:
        owner.end()

    assert (stacks(run, postgres), run(postgres.audit())) == before
    assert run(journal.entries(table)) == found
    told = owner.names("accepted", "append")
    assert told == [entry.decode() for entry in found[: len(told)]]
    settled = owner.names("accepted", "settle")
    assert run(postgres.settled_hands(settled)) == set(settled)
    assert run(postgres.settled_hands(owner.names("refused", "settle"))) == frozenset()
    run(postgres.settle([hand("of the next", {alice: -1, bob: 1}, table=table, epoch=2)]))
