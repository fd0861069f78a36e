"""What both directories promise."""

from __future__ import annotations

import pytest

from pokerroom.coordination.memory import MemoryDirectory
from pokerroom.coordination.redis.directory import RedisDirectory


def test_every_node_reads_what_every_node_says(shared, run):
    """The last word of each node, its own too; any bytes."""
    first, second = shared.directory(), shared.directory()

    assert run(first.read()) == {}
    assert run(first.tell("a", b"1")) == {"a": b"1"}
    assert run(second.tell("b", bytes(range(256)))) == {"a": b"1", "b": bytes(range(256))}
    assert run(first.tell("a", b"2")) == run(second.read()) == {"a": b"2", "b": bytes(range(256))}


def test_a_node_that_is_forgotten_is_gone(shared, run):
    """By itself or by another; to forget it twice is no error, and it may come back."""
    directory = shared.directory()
    run(directory.tell("a", b"1"))
    run(directory.tell("b", b"1"))
    run(directory.forget("a"))
    run(directory.forget("a"))

    assert run(directory.read()) == {"b": b"1"}
    assert run(directory.tell("a", b"2")) == {"a": b"2", "b": b"1"}


def test_what_was_read_does_not_change(shared, run):
    """An answer is of its time."""
    directory = shared.directory()
    found = run(directory.tell("a", b"1"))
    run(directory.tell("a", b"2"))

    assert found == {"a": b"1"}


@pytest.mark.services
@pytest.mark.parametrize("away", ["gone", "silent"])
def test_a_store_that_is_away_is_told_within_a_second(server, way, client, run, away):
    """All three calls fail as errors that do not need redis-py to be known, and work again afterwards."""
    directory = RedisDirectory(client(way.url))
    run(directory.tell("a", b"1"))
    if away == "gone":
        server.kill()
    else:
        way.requests = lambda _: False
    asked = [directory.tell("a", b"2"), directory.read(), directory.forget("a")]
    for one in asked:
        with pytest.raises(ConnectionError if away == "gone" else TimeoutError):
            run(one)

    way.requests = lambda _: True
    if away == "gone":
        server.start()
    assert run(directory.tell("b", b"3")) == {"a": b"1", "b": b"3"}


def test_a_node_of_the_memory_directory_can_be_away(run):
    """It alone fails, and nothing that it says is heard."""
    said = {}
    here, there = MemoryDirectory(said), MemoryDirectory(said)
    run(here.tell("a", b"1"))
    here.away = True
    for asked in (here.tell("a", b"2"), here.read(), here.forget("a")):
        with pytest.raises(ConnectionError):
            run(asked)

    assert run(there.read()) == {"a": b"1"}
