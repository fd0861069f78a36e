"""What the journal in Redis does when Redis is away, slow, full, or comes back with less than it had."""

from __future__ import annotations

import asyncio
import shutil
import signal

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

import pokerroom.coordination.redis.journal as module
from pokerroom.coordination.redis.connections import ServerConnection
from pokerroom.coordination.redis.journal import RedisJournal
from tests.coordination.support import later, turns, until

pytestmark = pytest.mark.services


@pytest.fixture
def journal_at(client, run):
    """Makes journals at an address, and stops them in the end."""
    from twisted.internet import reactor

    made = []

    def make(url, sealed=lambda table: pytest.fail(f"{table} was lost"), **more):
        made.append(RedisJournal(client(url), reactor, sealed=sealed, **more))
        return made[-1]

    yield make
    for journal in made:
        journal.stop()
    turns(run)


def appended(journal, table, entry):
    """Fires when the entry is durable."""
    done = Deferred()
    journal.append(table, entry, lambda: done.callback(None))
    return done


def test_one_flush_for_all_entries_of_a_turn(services, redis, journal_at, run):
    """Everything appended in one reactor turn goes in one flush; what comes during it goes in the next."""
    flushes = []
    journal = journal_at(services.redis_url, observer=lambda entries, _: flushes.append(entries))
    for number in range(30):
        run(journal.take(f"t{number}", 1))
    pending = [appended(journal, f"t{number}", b"x") for number in range(30)]
    for done in pending:
        run(done)

    assert flushes == [30]


def test_after_a_fault_of_ours_the_entries_go_again(services, redis, journal_at, run, monkeypatch):
    """It is told as a fault, and no table waits for ever: all tables of a node share one flush."""
    journal = journal_at(services.redis_url)
    run(journal.take("a", 1))
    ask = ServerConnection.ask

    def fails(channel, commands):
        monkeypatch.setattr(ServerConnection, "ask", ask)
        asked = asyncio.get_running_loop().create_future()
        asked.set_exception(AttributeError("a fault"))
        return asked

    monkeypatch.setattr(ServerConnection, "ask", fails)
    with capture_logs() as logged:
        run(appended(journal, "a", b"x"))
        run(appended(journal, "a", b"y"))

    assert [line["event"] for line in logged if line["log_level"] == "critical"] == ["journal.fault"]
    assert run(journal.entries("a")) == [b"x", b"y"]


def test_all_keys_of_a_table_lie_in_one_slot(services, redis, journal_at, run):
    """The name of a table is the hash tag of its keys, so that a Cluster keeps them together."""
    journal = journal_at(services.redis_url)
    run(journal.take("a", 1))
    run(appended(journal, "a", b"x"))

    assert [key[:3] for key in run(later(lambda: redis.keys("*")))] == [b"{a}"]


def test_what_is_left_of_a_forgotten_journal_goes_away(services, redis, journal_at, run):
    """Not while an owner has it, nor by a past owner; and a node that takes the table again removes the expiry."""
    journal, lost = journal_at(services.redis_url), []
    past = journal_at(services.redis_url, sealed=lost.append)
    run(past.take("a", 1))
    run(journal.take("a", 2))
    run(appended(journal, "a", b"x"))
    past.forget("a")
    until(run, lambda: lost == ["a"])
    assert run(later(lambda: redis.pttl("{a}:hand"))) == -1
    assert run(journal.entries("a")) == [b"x"]

    journal.forget("a")
    assert run(journal.entries("a")) == []
    run(journal.release("a"))
    assert 0 < run(later(lambda: redis.pttl("{a}:hand"))) <= module.FORGOTTEN_MS

    run(journal.take("a", 3))
    run(appended(journal, "a", b"y"))
    assert run(later(lambda: redis.pttl("{a}:hand"))) == -1


def test_an_entry_whose_outcome_is_unknown_is_stored_once(way, journal_at, run):
    """The connection ends between write and replies: all is stored already, is sent again, and stands there once."""
    journal = journal_at(way.url)
    run(journal.take("a", 1))
    run(journal.take("b", 1))
    run(appended(journal, "a", b"0"))
    cuts = []
    way.replies = lambda data: bool(cuts) or cuts.append(data)
    told = []
    for number in range(5):
        for table in ("a", "b"):
            journal.append(table, b"%d" % (number + 1), lambda step=(table, number): told.append(step))
    until(run, lambda: len(told) == 10)

    assert cuts, "no reply was kept back"
    assert told == [(table, number) for number in range(5) for table in ("a", "b")]
    assert run(journal.entries("a")) == [b"0", b"1", b"2", b"3", b"4", b"5"]
    assert run(journal.entries("b")) == [b"1", b"2", b"3", b"4", b"5"]


def test_a_part_of_a_flush_that_was_stored_is_not_stored_again(way, journal_at, run):
    """The connection ends in the middle of a flush: what had come through is kept, the rest is added."""
    journal = journal_at(way.url)
    run(journal.take("a", 1))
    run(appended(journal, "a", b"0"))
    requests = []

    def part(data):
        if requests or b"XADD" not in data:
            return True
        requests.append(data)
        way.break_off(data)
        return False

    way.requests = part
    entries = [bytes([65 + number]) * 100 for number in range(10)]
    pending = [appended(journal, "a", entry) for entry in entries]
    for done in pending:
        run(done)

    assert requests
    assert run(journal.entries("a")) == [b"0", *entries]


def test_what_a_paused_owner_has_sent_is_refused_when_it_arrives(server, way, journal_at, run):
    """Entries on their way while another node takes the table come too late: not stored, not durable, sealed."""
    lost = []
    old = journal_at(way.url, lost.append)
    run(old.take("a", 1))
    run(appended(old, "a", b"1"))
    way.requests = lambda _: False
    old.append("a", b"late", lambda: pytest.fail("called durable"))
    until(run, lambda: way.held)

    new = journal_at(server.url)
    assert run(new.take("a", 2)) == [b"1"]
    way.let_go()
    until(run, lambda: lost)

    assert lost == ["a"]
    assert run(new.entries("a")) == [b"1"]


def test_an_entry_that_came_just_before_the_seal_is_found_by_the_next_owner(server, way, journal_at, run):
    """The old owner never learns that it was stored, so it told no client; the next owner continues with it."""
    lost = []
    old = journal_at(way.url, lost.append)
    run(old.take("a", 1))
    run(appended(old, "a", b"1"))
    cuts = []
    way.replies = lambda data: bool(cuts) or cuts.append(data)
    old.append("a", b"2", lambda: pytest.fail("called durable"))
    until(run, lambda: cuts)

    new = journal_at(server.url)
    assert run(new.take("a", 2)) == [b"1", b"2"]
    until(run, lambda: lost)

    assert run(new.entries("a")) == [b"1", b"2"]


def test_entries_wait_while_redis_is_away_and_nothing_is_told(server, journal_at, run):
    """They are tried until the store is back with its data; then each is there once, and health says so meanwhile."""
    journal = journal_at(server.url)
    run(journal.take("a", 1))
    run(appended(journal, "a", b"0"))
    told = []
    server.kill()
    for number in (1, 2):
        journal.append("a", b"%d" % number, lambda number=number: told.append(number))
    until(run, lambda: not journal.healthy())
    journal.append("a", b"3", lambda: told.append(3))
    turns(run)
    assert told == []

    server.start()
    until(run, lambda: len(told) == 3)

    assert told == [1, 2, 3]
    assert journal.healthy()
    assert run(journal.entries("a")) == [b"0", b"1", b"2", b"3"]


def test_taking_and_reading_wait_while_redis_is_away(server, journal_at, run):
    """They answer once the store is back; an onlooker is told at once that it is away."""
    journal = journal_at(server.url)
    run(journal.take("a", 1))
    run(appended(journal, "a", b"1"))
    server.kill()

    taking, reading = journal_at(server.url).take("b", 1), journal.entries("a")
    for asked in (journal.peek("a"), journal.tables()):
        with pytest.raises(ConnectionError):
            run(asked)
    assert not taking.called
    assert not reading.called
    server.start()

    assert run(taking) == []
    assert run(reading) == [b"1"]


def test_a_redis_that_comes_back_empty_voids_the_hands(server, journal_at, run):
    """The node loses all its tables, also those without new entries; taken again they are empty."""
    lost = []
    journal = journal_at(server.url, lost.append)
    for table in ("a", "b"):
        run(journal.take(table, 1))
        run(appended(journal, table, b"deal"))
    server.kill()
    shutil.rmtree(server.home / "appendonlydir")
    journal.append("a", b"step", lambda: pytest.fail("called durable"))
    server.start()
    until(run, lambda: len(lost) == 2)

    assert lost == ["a", "b"]
    for table in ("a", "b"):
        assert run(journal.take(table, 2)) == []
        run(appended(journal, table, b"deal"))
        assert run(journal.entries(table)) == [b"deal"]


def test_a_redis_that_has_lost_its_last_entries_voids_the_hand(server, journal_at, run):
    """Durable entries are missing: no part of the hand is left for another node."""
    lost = []
    journal = journal_at(server.url, lost.append)
    for table in ("a", "b"):
        run(journal.take(table, 1))
        run(appended(journal, table, b"deal"))
    shutil.copytree(server.home / "appendonlydir", server.home / "before")
    run(appended(journal, "a", b"step"))
    server.kill()
    shutil.rmtree(server.home / "appendonlydir")
    (server.home / "before").rename(server.home / "appendonlydir")
    server.start()

    run(appended(journal, "b", b"step"))
    until(run, lambda: lost)

    assert lost == ["a"]
    assert run(journal.peek("a")) == []
    assert run(journal.entries("b")) == [b"deal", b"step"]
    assert run(journal.take("a", 2)) == []


def test_a_journal_with_a_hole_is_none(redis, services, journal_at, run):
    """Where an entry is missing between others, nothing is found: without its journal a hand is void."""
    journal = journal_at(services.redis_url)
    run(journal.take("a", 1))
    for entry in (b"1", b"2", b"3"):
        run(appended(journal, "a", entry))
    run(later(lambda: redis.xdel("{a}:hand", "1-2")))

    assert run(journal.peek("a")) == []
    assert run(journal_at(services.redis_url).take("a", 2)) == []


def test_a_full_redis_is_waited_for(server, journal_at, client, run):
    """What is refused for want of room is not durable, and is stored once when there is room."""
    journal = journal_at(server.url)
    run(journal.take("a", 1))
    admin = client(server.url)
    run(later(lambda: admin.config_set("maxmemory", "1")))
    told = []
    for number in range(3):
        journal.append("a", b"%d" % number, lambda number=number: told.append(number))
    until(run, lambda: not journal.healthy())
    assert told == []

    run(later(lambda: admin.config_set("maxmemory", "0")))
    until(run, lambda: len(told) == 3)

    assert run(journal.entries("a")) == [b"0", b"1", b"2"]


def test_an_entry_that_was_refused_before_one_that_was_stored_loses_the_table(
    services, redis, journal_at, run
):
    """The order cannot be mended, so the hand is void; the others' entries are stored and told."""
    lost, told = [], []
    journal = journal_at(services.redis_url, lost.append)
    for table in ("a", "b"):
        run(journal.take(table, 1))
        run(appended(journal, table, b"deal"))
    channel = journal._channel  # private: Redis refuses one command of a flush only when its memory is full
    ask = channel.ask
    spoiled = []

    def spoiling(commands):
        if not spoiled and commands[0][0] == b"XADD":
            spoiled.append(commands[0])
            commands = [(b"CONFIG", b"SET", b"no such setting", b"1"), *commands[1:]]
        return ask(commands)

    channel.ask = spoiling
    for entry in (b"1", b"2"):
        journal.append("a", entry, lambda: pytest.fail("called durable"))
        journal.append("b", entry, lambda entry=entry: told.append(entry))
    until(run, lambda: lost and len(told) == 2)

    assert spoiled
    assert lost == ["a"]
    assert run(journal.peek("a")) == []
    assert run(journal.entries("b")) == [b"deal", b"1", b"2"]


def test_many_tables_may_take_longer_than_one(services, redis, journal_at, run, monkeypatch):
    """A room of thousands starts on a slow machine; and of the tables that it knows it reads nothing."""
    monkeypatch.setattr(module, "LOOK_S_MAX", 0.4)
    journal, asked = journal_at(services.redis_url), []
    tables = [f"t{number}" for number in range(10, 20)]
    for table in tables:
        run(journal.take(table, 1))
        run(appended(journal, table, b"1"))
    read = Redis.xrange

    async def slowly(self, key):
        asked.append(key)
        await asyncio.sleep(0.1)
        return await read(self, key)

    monkeypatch.setattr(Redis, "xrange", slowly)
    assert run(journal.tables()) == tables
    asked.clear()
    assert run(journal.tables(but=tables[:-1])) == tables[-1:]
    assert asked == [b"{t19}:hand"]


def test_a_server_that_says_nothing_is_left_for_another_try(server, journal_at, run, monkeypatch):
    """A connection without answers is given up; what it had brought is there once when the server goes on."""
    monkeypatch.setattr(module, "_ANSWER_S_MAX", 0.1)  # private: a limit that is too long to wait for
    journal = journal_at(server.url)
    run(journal.take("a", 1))
    run(appended(journal, "a", b"0"))
    server.signal(signal.SIGSTOP)
    with capture_logs() as logs:
        done = appended(journal, "a", b"1")
        until(run, lambda: not journal.healthy())
        server.signal(signal.SIGCONT)
        run(done)

    assert "TimeoutError" in [line.get("error") for line in logs]
    assert run(journal.entries("a")) == [b"0", b"1"]


def test_a_stopped_journal_tries_no_more(server, journal_at, run):
    """After `stop` nothing is sent, and nothing that waits is told."""
    journal = journal_at(server.url)
    run(journal.take("a", 1))
    server.kill()
    journal.append("a", b"1", lambda: pytest.fail("told after the end"))
    until(run, lambda: not journal.healthy())
    journal.stop()
    server.start()
    turns(run, 100)

    assert run(journal.peek("a")) == []


def test_another_error_of_the_seal_is_waited_for(server, journal_at, client, run):
    """A table is not taken before its seal stands: a full Redis is asked again."""
    admin = client(server.url)
    run(later(lambda: admin.config_set("maxmemory", "1")))
    taking = journal_at(server.url).take("a", 1)
    turns(run, 20)
    assert not taking.called
    with pytest.raises(ResponseError):
        run(later(lambda: admin.xadd("b", {"e": "1"})))

    run(later(lambda: admin.config_set("maxmemory", "0")))

    assert run(taking) == []
