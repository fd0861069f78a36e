"""A real Redis for the session, and both journals behind one fixture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis.asyncio import Redis
from twisted.internet.defer import Deferred

from pokerroom.coordination.memory import MemoryJournal
from pokerroom.coordination.redis import RedisJournal
from pokerroom.ops.embedded import EmbeddedServices, remove_data

Run = Callable[[Deferred[Any]], Any]


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The room's own Redis, in a directory of the tests."""
    data = tmp_path_factory.mktemp("services") / "data"
    services = EmbeddedServices(data, lambda _: None)
    try:
        yield services.start().redis_url
    finally:
        services.stop()
        remove_data(data)


@pytest.fixture
def redis(redis_url: str, run: Run) -> Iterator[Redis]:
    """An empty Redis."""

    async def prepared() -> Redis:
        client = Redis.from_url(redis_url)
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
