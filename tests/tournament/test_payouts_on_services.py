"""Prizes through two nodes on real PostgreSQL and Redis: delivered ten times, at once, and with Redis emptied."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from twisted.internet.defer import gatherResults

from pokerroom.bridge import deferred
from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.payouts import RedisPayouts
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.tournament.payouts import PayoutWorker
from tests.databases import copied_database
from tests.tournament.support import opening, played

pytestmark = pytest.mark.services

TOURNAMENTS = 10
BEFORE, FIRST, SECOND = 700, 500, 220


class Node:
    """One of a room, with connections of its own."""

    def __init__(self, name, database, redis_url):
        from twisted.internet import reactor

        self.ledger, self.client = PostgresLedger(database, wait_s=50), redis_client(redis_url)
        self.payouts = RedisPayouts(self.client, stale_ms=300)
        self.told = []
        self.worker = PayoutWorker(
            node=name,
            ledger=self.ledger,
            stream=self.payouts,
            clock=reactor,
            paid=lambda *prize: self.told.append(prize),
        )

    async def close(self):
        await self.ledger.close()
        await deferred(self.client.aclose())


@pytest.fixture
def nodes(run, services, ledger_template):
    """Two nodes on a database of their own, and an empty Redis."""
    from twisted.internet.defer import Deferred

    with copied_database(services, ledger_template, "test_payouts") as (_, database):
        made = [Node(name, database, services.redis_url) for name in "ab"]
        for node in made:
            run(node.ledger.open())
        run(deferred(made[0].client.flushall()))
        yield made
        for node in made:
            run(Deferred.fromCoroutine(node.close()))


def ended(run, ledger):
    """Many tournaments that are over; the players of each, the best first."""

    def opened(number):
        return replace(opening(number), terms=b'{"from": "this test"}')

    return [played(run, ledger, n, opened=opened) for n in range(1, TOURNAMENTS + 1)]


def insist(run, ask):
    """The answer, however slow the machine: the stream gives up after a second, and may have done it."""
    while True:
        with suppress(TimeoutError):
            return run(ask())


def publish(run, node, times=1):
    """Each job stands in the stream so often, or more often."""
    for n in range(1, TOURNAMENTS + 1):
        insist(run, lambda n=n: node.payouts.publish(f"six.{n}", [2, 1] * times))


def pay(run, *nodes):
    """All look at the stream at once, until it is empty."""
    while run(deferred(nodes[0].client.xlen("{sng}:payouts"))):
        run(gatherResults([node.worker.look() for node in nodes]))


def is_paid_once(run, node, tournaments):
    wallets = [run(node.ledger.wallet(account)) for players in tournaments for account in players]
    report = run(node.ledger.audit())
    return (
        wallets == [BEFORE + FIRST, BEFORE + SECOND, BEFORE] * TOURNAMENTS
        and report.differences == ()
        and report.escrow == 0
    )


def test_delivered_ten_times_to_two_nodes_at_once_each_place_is_paid_once(run, nodes):
    """Every job stands in the stream ten times, and both nodes take from it until nothing is left."""
    one, two = nodes
    tournaments = ended(run, one.ledger)
    publish(run, one, 10)
    pay(run, one, two)
    assert one.told
    assert two.told
    assert len(one.told) + len(two.told) >= 2 * 10 * TOURNAMENTS
    assert is_paid_once(run, one, tournaments)


def test_two_nodes_that_pay_the_same_place_at_the_same_moment_pay_it_once(run, nodes):
    """The ledger decides, in its transaction."""
    one, two = nodes
    tournaments = ended(run, one.ledger)
    for n in range(1, TOURNAMENTS + 1):
        asked = [node.ledger.pay_place(f"six.{n}", number) for node in nodes * 5 for number in (1, 2)]
        assert sorted(paid.prize for paid in run(gatherResults(asked))) == [SECOND] * 10 + [FIRST] * 10
    assert is_paid_once(run, two, tournaments)


def test_what_a_node_has_taken_and_left_is_paid_by_the_other(run, nodes):
    """It has died with the jobs: they are pending in the group, and claimed."""
    one, two = nodes
    tournaments = ended(run, one.ledger)
    publish(run, one)
    assert insist(run, lambda: one.payouts.take("a"))
    pay(run, two)
    assert one.told == []
    assert is_paid_once(run, two, tournaments)


def test_with_redis_emptied_all_the_time_every_place_is_paid_once(run, nodes):
    """What is lost with it is found in the ledger, at the second look there."""
    one, two = nodes
    tournaments = ended(run, one.ledger)
    for n in range(1, TOURNAMENTS + 1):
        lost = one.payouts.publish(f"six.{n}", [2, 1])
        run(deferred(two.client.flushall()))
        with suppress(TimeoutError):
            run(lost)
        run(gatherResults([node.worker.look() for node in nodes]))
    run(deferred(two.client.flushall()))
    for _ in range(2):
        run(gatherResults([node.worker.sweep() for node in nodes]))
    assert is_paid_once(run, one, tournaments)
