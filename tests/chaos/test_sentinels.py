"""The harness's Redis behind Sentinels: who takes over, with what, and that a master of before stores nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import redis

from tests.chaos.sentinels import DOWN_AFTER_MS, SentinelServices
from tests.chaos.support import services_of

# six servers of its own; `make chaos` itself relies on them
pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.timeout(120)]

LACKING_S = 0.3


@pytest.fixture
def services() -> Iterator[SentinelServices]:
    with services_of(SentinelServices) as found:
        found.start_all_redis()
        yield found


def test_a_replica_takes_over_with_what_was_replicated(services: SentinelServices) -> None:
    """Twice: the second time a replica of the promoted server."""
    for number in (1, 2):
        before = services.redis_servers
        services.wait_followed()
        with redis.Redis.from_url(before[0]) as client:
            client.rpush("kept", number)
            assert client.wait(1, 4000) >= 1
        services.fail_over_redis(lacking_s=0)
        assert services.redis_servers != before
        with services.redis_writer() as client:
            assert client.lrange("kept", 0, -1) == [b"%d" % each for each in range(1, number + 1)]


def test_a_replica_that_lacks_the_last_moments_takes_over(services: SentinelServices) -> None:
    """What the master acknowledged in them is lost, as Redis says of failovers."""
    services.wait_followed()
    acknowledged = []
    with redis.Redis.from_url(services.redis_servers[0]) as client:
        client.rpush("kept", "early")
        assert client.wait(1, 4000) >= 1

        def write_on() -> None:
            client.rpush("kept", "late")
            acknowledged.append("late")

        services.fail_over_redis(lacking_s=LACKING_S, meanwhile=write_on)
    assert acknowledged
    with services.redis_writer() as client:
        assert client.lrange("kept", 0, -1) == [b"early"]


def test_a_master_that_comes_back_at_once_is_not_replaced(services: SentinelServices) -> None:
    """One that was away for longer is replaced. The answer is settled when the server is back."""
    for away_s, replaced in ((0, False), (DOWN_AFTER_MS / 1000 + 2, True)):
        before = services.redis_servers
        services.stop_redis(hard=True)
        time.sleep(away_s)
        services.start_redis(empty=False)
        after = services.redis_servers
        assert (after != before) == replaced
        time.sleep(2)
        assert services.redis_servers == after


def test_a_master_of_before_stores_nothing(services: SentinelServices) -> None:
    """It comes back and takes itself for the master, but no replica follows it."""
    (before,) = services.redis_servers
    services.wait_followed()
    services.fail_over_redis(lacking_s=0)
    with (
        redis.Redis.from_url(before) as client,
        pytest.raises(redis.ResponseError, match=r"NOREPLICAS|READONLY"),
    ):
        client.set("kept", "elsewhere")
