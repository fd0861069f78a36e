"""Both stores of jobs: a job belongs to one node until it is done, and to another if that node is too slow."""

from __future__ import annotations

from unittest import mock

import pytest
from twisted.internet import reactor
from twisted.internet.defer import gatherResults
from twisted.internet.task import deferLater

from pokerroom.coordination.memory import MemoryPayouts, MemoryPayoutStore
from pokerroom.coordination.redis import payouts as redis_payouts
from pokerroom.coordination.redis.payouts import TAKEN_MAX, RedisPayouts
from tests.coordination.support import later

STALE_MS = 200


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    monkeypatch.setattr(redis_payouts, "ANSWER_S_MAX", 30.0)  # a machine under load answers late


def places(jobs):
    return [(job.tournament, job.number) for job in jobs]


def rest(run):
    run(deferLater(reactor, STALE_MS / 1000 * 1.5))


def test_each_job_is_one_nodes_until_it_is_done(shared, run):
    """A job that one node has taken goes to no other node, nor does a finished one."""
    first, second = shared.payouts(), shared.payouts()
    assert run(first.take("a")) == []
    run(first.publish("six.1", [2, 1]))
    taken = run(first.take("a"))
    assert places(taken) == [("six.1", 2), ("six.1", 1)]
    assert run(second.take("b")) == []
    assert run(first.take("a")) == []
    run(first.done(taken))
    assert run(second.take("b")) == []


def test_a_job_that_is_not_done_in_time_is_another_nodes(shared, run):
    """Its node has died: another one gets it, and what it has done stays done."""
    first, second = shared.payouts(STALE_MS), shared.payouts(STALE_MS)
    run(first.publish("six.1", [2]))
    run(first.publish("ten.7", [3]))
    lost, done = run(first.take("a"))
    run(first.done([done]))
    rest(run)
    (again,) = run(second.take("b"))
    assert (again.tournament, again.number, again.entry) == ("six.1", 2, lost.entry)
    assert run(first.take("a")) == []
    run(second.done([again]))
    rest(run)
    assert run(first.take("a")) == []


def test_a_node_that_was_too_slow_may_still_be_done(shared, run):
    """The same job at two nodes: either ends it, both is no error, and none is done that is not named."""
    first, second = shared.payouts(STALE_MS), shared.payouts(STALE_MS)
    run(first.publish("six.1", [2]))
    slow = run(first.take("a"))
    rest(run)
    taken = run(second.take("b"))
    run(second.publish("six.1", [1]))
    run(first.done(slow))
    run(second.done(taken))
    run(second.done([]))
    assert places(run(first.take("a"))) == [("six.1", 1)]


def test_jobs_published_before_anybody_asked_are_there(shared, run):
    """Also those from before the first look, and after all was lost those that came since."""
    first = shared.payouts()
    run(first.publish("six.1", [2]))
    assert places(run(first.take("a"))) == [("six.1", 2)]
    run(first.publish("six.1", [1]))
    shared.lose_data()
    assert run(first.take("a")) == []
    run(first.publish("six.2", [2]))
    assert places(run(first.take("a"))) == [("six.2", 2)]


def test_nodes_that_ask_at_once_share_the_jobs(shared, run):
    """Many jobs, two nodes: each job once, none left."""
    first, second = shared.payouts(), shared.payouts()
    run(gatherResults(first.publish(f"six.{n}", [2, 1]) for n in range(TAKEN_MAX)))
    taken = []
    while found := run(gatherResults([first.take("a"), second.take("b")])):
        if not any(found):
            break
        taken += places([job for jobs in found for job in jobs])
    assert sorted(taken) == sorted((f"six.{n}", number) for n in range(TAKEN_MAX) for number in (1, 2))


def test_a_node_of_the_memory_store_can_be_away(run):
    """It alone fails."""
    store = MemoryPayoutStore()
    here, there = MemoryPayouts(store, reactor), MemoryPayouts(store, reactor)
    run(there.publish("six.1", [1]))
    here.away = True
    for asked in (here.publish("six.1", [2]), here.take("a"), here.done([])):
        with pytest.raises(ConnectionError):
            run(asked)
    assert places(run(there.take("b"))) == [("six.1", 1)]


@pytest.mark.services
def test_a_stream_holds_only_what_is_not_done(redis, run):
    """It does not grow with what was paid."""
    payouts = RedisPayouts(redis)
    for n in range(5):
        run(payouts.publish(f"six.{n}", [2, 1]))
        run(payouts.done(run(payouts.take("a"))))
    assert run(later(lambda: redis.xlen("{sng}:payouts"))) == 0


@pytest.mark.services
def test_an_entry_that_no_node_can_read_is_dropped(redis, run):
    """It would come again for ever, and the ledger knows what is unpaid."""
    payouts = RedisPayouts(redis)
    run(later(lambda: redis.xadd("{sng}:payouts", {"no": "job"})))
    run(later(lambda: redis.xadd("{sng}:payouts", {"tournament": "six.1", "number": "first"})))
    run(payouts.publish("six.1", [1]))
    assert places(run(payouts.take("a"))) == [("six.1", 1)]
    assert run(later(lambda: redis.xlen("{sng}:payouts"))) == 1


@pytest.mark.services
def test_a_node_that_ended_long_ago_is_forgotten(redis, run, monkeypatch):
    """Each start of a process has another name; one with jobs is kept until another node has them."""
    monkeypatch.setattr("pokerroom.coordination.redis.payouts._FORGOTTEN_MS", -1)
    run(RedisPayouts(redis).take("ended"))
    left = RedisPayouts(redis)
    run(left.publish("six.1", [1]))
    run(left.take("died"))
    run(RedisPayouts(redis).take("lives"))
    consumers = run(later(lambda: redis.xinfo_consumers("{sng}:payouts", "payouts")))
    assert b"ended" not in {one["name"] for one in consumers}
    assert b"died" in {one["name"] for one in consumers}


@pytest.mark.services
@pytest.mark.parametrize("away", ["gone", "silent"])
def test_a_store_that_is_away_is_told_soon(server, way, client, run, away):
    """All three calls fail as errors that do not need redis-py to be known, and work again afterwards."""
    payouts = RedisPayouts(client(way.url))
    run(payouts.publish("six.1", [2]))
    taken = run(payouts.take("a"))
    if away == "gone":
        server.kill()
    else:
        way.requests = lambda _: False
    with mock.patch.object(redis_payouts, "ANSWER_S_MAX", 30.0 if away == "gone" else 0.1):
        for asked in (payouts.publish("six.1", [1]), payouts.take("a"), payouts.done(taken)):
            with pytest.raises(ConnectionError if away == "gone" else TimeoutError):
                run(asked)
    way.requests = lambda _: True
    if away == "gone":
        server.start()
    run(payouts.publish("six.2", [1]))
    assert ("six.2", 1) in places(run(payouts.take("a")))
