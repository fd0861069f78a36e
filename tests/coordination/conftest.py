"""Both journals behind one fixture, the real one on the Redis of the session's services."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis.asyncio import Redis
from twisted.internet.defer import Deferred

from pokerroom.coordination.memory import MemoryJournal
from pokerroom.coordination.redis import RedisJournal
from pokerroom.ops.embedded import Addresses

Run = Callable[[Deferred[Any]], Any]


@pytest.fixture
def redis(services: Addresses, run: Run) -> Iterator[Redis]:
    """An empty Redis."""

    async def prepared() -> Redis:
        client = Redis.from_url(services.redis_url)
        await client.flushall()
        return client

    client = run(_deferred(prepared))
    yield client
    run(_deferred(client.aclose))


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.services)])
def journal(request: pytest.FixtureRequest) -> Any:
    """Each adapter in turn, over the real reactor."""
    from twisted.internet import reactor

    if request.param == "memory":
        return MemoryJournal(reactor)
    return RedisJournal(request.getfixturevalue("redis"), reactor)


def _deferred(start: Callable[[], Any]) -> Deferred[Any]:
    from tests.conftest import LOOP

    return Deferred.fromFuture(LOOP.create_task(start()))
