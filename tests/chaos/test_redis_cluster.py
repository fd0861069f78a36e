"""The harness's Cluster: its slots move with all that is in them, both ways, and back; replicas replace masters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chaos.redis_cluster import EMPTY, ClusterServices, MoveMode
from tests.chaos.support import services_of

# three servers of its own; `make chaos` itself relies on them
pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.timeout(120)]

KEYS = 30


@pytest.fixture
def services() -> Iterator[ClusterServices]:
    with services_of(ClusterServices) as found:
        found.start_all_redis()
        yield found


@pytest.mark.parametrize("mode", ["key by key", "at once"])
def test_all_that_a_server_keeps_moves_to_another(services: ClusterServices, mode: MoveMode) -> None:
    """And comes back from there; no key is lost."""
    with services.redis_writer() as client:
        for number in range(KEYS):
            client.rpush(f"kept-{number}", number)
        slots, keys = services.reshard(0, 1, mode)
        assert services.fullest() == 1
        assert 0 < keys < KEYS
        assert slots <= keys + EMPTY
        assert services.reshard(0, 2, mode)[1] == 0
        assert services.reshard(1, 0, mode)[1] >= keys
        assert [client.lrange(f"kept-{number}", 0, -1) for number in range(KEYS)] == [
            [b"%d" % number] for number in range(KEYS)
        ]


def test_the_servers_come_back_with_their_slots(services: ClusterServices) -> None:
    """Also after kill -9, and empty if they are to."""
    with services.redis_writer() as client:
        client.set("kept", 1)
    services.reshard(0, 1, "at once")
    services.stop_redis(hard=True)
    services.start_redis(empty=False)
    with services.redis_writer() as client:
        assert client.get("kept") == b"1"
    services.stop_redis(hard=False)
    services.start_redis(empty=True)
    with services.redis_writer() as client:
        assert client.get("kept") is None


def test_a_replica_takes_the_place_of_its_master(services: ClusterServices) -> None:
    """With all keys, by the Cluster's own vote; the old master comes back as the replica, and can replace it again."""
    with services.redis_writer() as client:
        for number in range(KEYS):
            client.set(f"kept-{number}", number)
    before = services.redis_servers
    number = services.fullest()
    for servers in (1, 0):
        services.fail_over_redis(number)
        changed = [one for one, other in zip(before, services.redis_servers, strict=True) if one != other]
        assert len(changed) == servers
        with services.redis_writer() as client:
            assert [client.get(f"kept-{one}") for one in range(KEYS)] == [b"%d" % one for one in range(KEYS)]
