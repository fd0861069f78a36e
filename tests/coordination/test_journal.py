"""What both journals promise, and what the real one does when Redis is away."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.coordination.redis import RedisJournal


def appended(journal, table, entry):
    """Fires when the entry is durable."""
    done = Deferred()
    journal.append(table, entry, lambda: done.callback(None))
    return done


def test_entries_are_kept_in_order_per_table(journal, run):
    """What was appended is found again, oldest first, table by table."""
    pending = [appended(journal, table, entry) for table, entry in (("a", b"1"), ("b", b"x"), ("a", b"2"))]
    for done in pending:
        run(done)
    run(appended(journal, "a", b"3"))

    assert run(journal.unfinished()) == {"a": [b"1", b"2", b"3"], "b": [b"x"]}


def test_durable_is_called_in_the_order_of_the_appends(journal, run):
    """A table may rely on its steps becoming durable in their order."""
    order = []
    for number in range(20):
        journal.append("a", b"%d" % number, lambda number=number: order.append(number))
    run(appended(journal, "a", b"last"))

    assert order == list(range(20))


def test_durable_is_never_called_within_append(journal, run):
    """The caller finishes its turn first."""
    called = []
    done = Deferred()

    journal.append("a", b"1", lambda: (called.append(1), done.callback(None)))

    assert called == []
    run(done)
    assert called == [1]


def test_a_forgotten_hand_leaves_nothing_behind(journal, run):
    """After `forget` only later entries are found."""
    run(appended(journal, "a", b"old"))
    journal.forget("a")
    run(appended(journal, "a", b"new"))

    assert run(journal.unfinished()) == {"a": [b"new"]}


def test_the_beginning_of_a_hand_takes_the_place_of_what_was_before(journal, run):
    """After `begin` only its entry and later ones are found, and it is durable like any other."""
    run(appended(journal, "a", b"old"))
    done = Deferred()
    journal.append("a", b"old, too", lambda: None)
    journal.begin("a", b"deal", lambda: done.callback(None))
    journal.append("a", b"step", lambda: None)
    journal.append("b", b"other", lambda: None)
    run(done)

    assert run(journal.entries("a")) == [b"deal", b"step"]
    assert run(journal.unfinished()) == {"a": [b"deal", b"step"], "b": [b"other"]}


def test_entries_are_read_with_all_that_was_appended_before(journal, run):
    """Who asks for a table's entries need not wait for his own to become durable first."""
    journal.append("a", b"1", lambda: None)
    asked = journal.entries("a")
    journal.append("a", b"2", lambda: None)
    asked_again = journal.entries("a")

    assert run(asked)[:1] == [b"1"]
    assert run(asked_again) == [b"1", b"2"]
    assert run(journal.entries("unknown")) == []


def test_arbitrary_bytes_and_names_survive(journal, run):
    """Entries are opaque; names with dots, colons and hyphens do not collide."""
    entry = bytes(range(256))
    run(appended(journal, "a.b:c-1", entry))

    assert run(journal.unfinished()) == {"a.b:c-1": [entry]}


class FlakyRedis:
    """A client with one connection that fails as often as told, then works."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.stored: list[tuple[str, bytes]] = []
        self.attempts = 0
        self._sent: list[tuple[str, bytes]] = []
        self.connection_pool = self

    async def get_connection(self):
        return self

    async def connect(self) -> None:
        self.attempts += 1
        if self.failures > 0:
            self.failures -= 1
            raise RedisConnectionError("away")

    async def disconnect(self, *, nowait: bool) -> None:
        assert nowait
        self._sent.clear()

    def pack_commands(self, commands):
        return [(stream, entry) for _, stream, _, _, entry in commands]

    async def send_packed_command(self, packed) -> None:
        self._sent += packed

    async def read_response(self) -> bytes:
        self.stored.append(self._sent.pop(0))
        return b"1-1"


def test_entries_wait_while_redis_is_away_and_nothing_is_told(run):
    """A failed flush is tried again whole; `durable` comes only after it is stored, and health says so meanwhile."""
    clock = Clock()
    redis = FlakyRedis(failures=3)
    flushed = []
    journal = RedisJournal(redis, clock, lambda entries, _: flushed.append(entries))
    told = []
    journal.append("a", b"1", lambda: told.append(1))

    clock.advance(0)
    for attempt in range(3):
        settle(run)
        assert not journal.healthy()
        assert told == []
        journal.append("a", b"%d" % (attempt + 2), lambda attempt=attempt: told.append(attempt + 2))
        clock.advance(5)
    settle(run)
    clock.advance(0)
    settle(run)

    assert journal.healthy()
    assert told == [1, 2, 3, 4]
    assert redis.stored == [("{a}:journal", b"%d" % number) for number in (1, 2, 3, 4)]
    assert flushed == [1, 3]
    assert clock.getDelayedCalls() == []


def test_a_stopped_journal_tries_no_more(run):
    """After `stop` nothing is sent and nothing is left on the clock for longer than its next try."""
    clock = Clock()
    redis = FlakyRedis(failures=1)
    journal = RedisJournal(redis, clock)
    journal.append("a", b"1", lambda: pytest.fail("told after the end"))
    clock.advance(0)
    settle(run)

    journal.stop()
    clock.advance(10)
    settle(run)

    assert redis.attempts == 1
    assert clock.getDelayedCalls() == []


@pytest.mark.services
def test_one_flush_for_all_entries_of_a_turn(redis: Redis, run):
    """Everything appended in one reactor turn goes in one flush; what comes during it goes in the next."""
    from twisted.internet import reactor

    flushes = []
    journal = RedisJournal(redis, reactor, lambda entries, _: flushes.append(entries))
    pending = [appended(journal, f"t{number}", b"x") for number in range(30)]
    for done in pending:
        run(done)

    assert flushes == [30]


def settle(run) -> None:
    """Lets the asyncio tasks that are ready run."""
    from twisted.internet import reactor
    from twisted.internet.task import deferLater

    run(deferLater(reactor, 0.01))
