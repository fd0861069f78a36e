"""The node directory in one Redis hash. Heartbeats are opaque bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.coordination.redis.client import Client
from pokerroom.coordination.redis.connections import answered

_ANSWER_S_MAX = 1.0
_KEY = b"{room}:nodes"


class RedisDirectory:
    """See `api.Directory`. `client` is made by `redis_client`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def tell(self, node: str, said: bytes) -> Deferred[Mapping[str, bytes]]:
        """See `api.Directory`. One round trip."""
        return deferred(answered(self._tell(node, said), _ANSWER_S_MAX))

    def read(self) -> Deferred[Mapping[str, bytes]]:
        return deferred(answered(self._read(), _ANSWER_S_MAX))

    def forget(self, node: str) -> Deferred[None]:
        return deferred(answered(self._forget(node), _ANSWER_S_MAX))

    async def _tell(self, node: str, said: bytes) -> Mapping[str, bytes]:
        pipeline = self._client.pipeline(transaction=False)
        pipeline.hset(_KEY, node, said)
        pipeline.hgetall(_KEY)
        _, found = await pipeline.execute()
        return _by_name(found)

    async def _read(self) -> Mapping[str, bytes]:
        return _by_name(cast("dict[bytes, bytes]", await self._client.hgetall(_KEY)))

    async def _forget(self, node: str) -> None:
        await self._client.hdel(_KEY, node)


def _by_name(found: Mapping[bytes, bytes]) -> Mapping[str, bytes]:
    return {node.decode(): said for node, said in found.items()}
