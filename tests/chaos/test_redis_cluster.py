"""The harness's Cluster: its slots move with all that is in them, both ways, and back."""

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
