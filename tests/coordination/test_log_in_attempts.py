"""What both stores of wrong passwords promise."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from pokerroom.coordination.api import GuessLimit
from pokerroom.coordination.memory import MemoryLogInAttempts
from pokerroom.coordination.redis.log_in_attempts import RedisLogInAttempts

LIMIT = GuessLimit(free=3, wait_s_max=300)


def test_the_wait_doubles():
    """Two failures are free, the third costs a second, and the wait has a bound."""
    assert [LIMIT.wait_ms(failures) for failures in (1, 2, 3, 4, 5, 11, 12, 1000)] == [
        0,
        0,
        1000,
        2000,
        4000,
        256_000,
        300_000,
        300_000,
    ]


def test_each_failure_is_counted_until_the_wait_is_as_long_as_it_gets(shared, run):
    """The count tells which failure begins a wait or makes it longer; an attempt that has to wait is no failure."""
    attempts = shared.log_in_attempts()
    counts = [run(attempts.begin("a", LIMIT)) for _ in range(4)]
    assert [count.failures for count in counts] == [1, 2, 3, 0]
    assert [LIMIT.begins_wait(failures) for failures in (1, 2, 3, 4, 11, 12, 13)] == [
        *(False, False, True, True, True, True, False),
    ]


def test_nodes_count_together(shared, run):
    """An attempt at any node counts; one that has to wait is not counted, and other keys are free."""
    here, there = shared.log_in_attempts(), shared.log_in_attempts()
    assert [
        run(here.begin("a", LIMIT)).wait_ms,
        run(there.begin("a", LIMIT)).wait_ms,
        run(here.begin("a", LIMIT)).wait_ms,
    ] == [
        0,
        0,
        0,
    ]
    for _ in range(5):
        assert 0 < run(there.begin("a", LIMIT)).wait_ms <= 1000
    assert run(here.begin("b", LIMIT)).wait_ms == 0


def test_success_forgets_the_failures(shared, run):
    """`clear` forgets all, `take_back` one and the wait; both are no error for an unknown key."""
    attempts = shared.log_in_attempts()
    for _ in range(3):
        run(attempts.begin("a", LIMIT))
    run(attempts.take_back("a"))
    assert run(attempts.begin("a", LIMIT)).wait_ms == 0
    assert run(attempts.begin("a", LIMIT)).wait_ms > 0
    run(attempts.clear("a"))
    assert [run(attempts.begin("a", LIMIT)).wait_ms for _ in range(3)] == [0, 0, 0]
    assert run(attempts.begin("a", LIMIT)).wait_ms > 0
    run(attempts.take_back("unknown"))
    run(attempts.clear("unknown"))
    assert run(attempts.begin("unknown", LIMIT)).wait_ms == 0


def test_the_wait_ends_and_failures_are_forgotten(run):
    """After the wait one attempt is allowed, which doubles it; after an hour of quiet all is forgotten."""
    clock = Clock()
    attempts = MemoryLogInAttempts({}, clock)
    for _ in range(3):
        assert run(attempts.begin("a", LIMIT)).wait_ms == 0
    clock.advance(1)
    assert run(attempts.begin("a", LIMIT)).wait_ms == 0
    clock.advance(1.75)
    assert run(attempts.begin("a", LIMIT)).wait_ms == 250
    clock.advance(3600)
    assert [run(attempts.begin("a", LIMIT)).wait_ms for _ in range(4)] == [0, 0, 0, 1000]


@pytest.mark.services
def test_redis_forgets_by_itself(redis, run):
    """Each key has an end; the wait is the server's time, and it passes."""
    from tests.coordination.support import later

    attempts = RedisLogInAttempts(redis)
    for _ in range(3):
        run(attempts.begin("a", LIMIT))
    (key,) = run(later(redis.keys))
    assert 3590 <= run(later(lambda: redis.ttl(key))) <= 3600
    run(later(lambda: redis.hincrby(key, "until", -1000)))  # a second passes
    assert run(attempts.begin("a", LIMIT)).wait_ms == 0
    assert 1000 < run(attempts.begin("a", LIMIT)).wait_ms <= 2000


@pytest.mark.services
def test_a_store_that_is_away_is_told_within_a_second(server, way, client, run):
    """All three calls fail as errors that do not need redis-py to be known."""
    attempts = RedisLogInAttempts(client(way.url))
    assert run(attempts.begin("a", LIMIT)).wait_ms == 0
    way.requests = lambda _: False
    for asked in (attempts.begin("a", LIMIT), attempts.clear("a"), attempts.take_back("a")):
        with pytest.raises(TimeoutError):
            run(asked)
