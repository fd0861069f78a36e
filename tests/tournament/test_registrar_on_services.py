"""Registration through two nodes on real PostgreSQL and Redis, which loses everything in the middle."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from twisted.internet.defer import Deferred, gatherResults

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.registrations import RedisRegistrations
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.tournaments import AlreadyEntered
from pokerroom.tournament.registrar import Registrar
from tests.databases import copied_database
from tests.tournament.support import SEATS, opening

pytestmark = pytest.mark.services

PLAYERS = 40


@pytest.fixture
def database(services, ledger_template):
    """A database of its own, dropped after the test."""
    with copied_database(services, ledger_template, "test_registrar") as (_, address):
        yield address


@pytest.fixture
def nodes(run, services, database):
    """Registrars of two nodes, each with connections of its own, and their ledgers."""
    from twisted.internet import reactor

    made = []
    for _ in range(2):
        ledger, client = PostgresLedger(database, wait_s=50), redis_client(services.redis_url)
        run(ledger.open())
        registrar = Registrar(
            offer="six",
            seats=SEATS,
            seats_per_address=2,
            opening=lambda number: replace(opening(number), terms=b'{"from": "this test"}'),
            ledger=ledger,
            registrations=RedisRegistrations(client),
            clock=reactor,
            now_ms=lambda: round(reactor.seconds() * 1000),
        )
        made.append((registrar, ledger, client))
    run(deferred(made[0][2].flushall()))
    yield made
    for _, ledger, client in made:
        run(ledger.close())
        run(deferred(client.aclose()))


def test_nobody_is_lost_or_paid_twice(run, nodes):
    """Players come through either node or both, some leave and return, and Redis is emptied again and again."""
    (one, ledger, client), (two, *_) = nodes
    accounts = run(gatherResults(ledger.create_account(f"p{n}", "", Money(1_000)) for n in range(PLAYERS)))
    players = [row.account for row in accounts]

    async def comes(n, account):
        registrar, other = (one, two) if n % 2 else (two, one)
        both = [node.register(account) for node in (registrar, other)[: 1 + (n % 3 == 0)]]
        for entering in both:
            try:
                await entering
            except AlreadyEntered:
                assert len(both) == 2
        if n % 5 == 0:
            await deferred(client.flushall())
        if n % 4 == 0:
            await other.unregister(account)
            await registrar.register(account)

    run(
        gatherResults(
            Deferred.fromCoroutine(partial(comes, n, account)()) for n, account in enumerate(players)
        )
    )
    full = run(two.look())
    rows = run(ledger.tournaments("six"))
    seated = [account for row in rows for account in row.players]
    assert sorted(seated) == sorted(players)
    assert all(len(row.players) <= SEATS for row in rows)
    assert full == [row.opening.tournament for row in rows if len(row.players) == SEATS]
    assert full
    assert {run(ledger.wallet(account)) for account in players} == {700}
    report = run(ledger.audit())
    assert (report.differences, report.escrow) == ((), 300 * PLAYERS)
    book = run(one.book())
    assert {account for one in book.tournaments for account in (*one.confirmed, *one.held)} == set(players)
