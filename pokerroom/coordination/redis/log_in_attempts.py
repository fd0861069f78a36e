"""The wrong passwords of the last hour: one hash in Redis for each key, which Redis forgets by itself."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final, cast

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.coordination.api import GuessCount, GuessLimit
from pokerroom.coordination.redis.client import Client
from pokerroom.coordination.redis.connections import answered

_ANSWER_S_MAX: Final = 1.0

# The time is the server's: the clocks of nodes may differ. `GuessLimit.wait_ms` says what the wait is.
_BEGIN: Final = """
local free, wait_s_max, kept_s = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait = (tonumber(redis.call('HGET', KEYS[1], 'until')) or 0) - now
if wait > 0 then return {wait, 0} end
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
local beyond = failures - free
if beyond >= 0 then
  redis.call('HSET', KEYS[1], 'until', now + 1000 * math.min(2 ^ math.min(beyond, 30), wait_s_max))
end
redis.call('EXPIRE', KEYS[1], kept_s)
return {0, failures}
"""
_TAKE_BACK: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'until')
if redis.call('HINCRBY', KEYS[1], 'failures', -1) <= 0 then redis.call('DEL', KEYS[1]) end
return 0
"""


class RedisLogInAttempts:
    """See `api.LogInAttempts`. `client` is made by `redis_client`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def begin(self, key: str, limit: GuessLimit) -> Deferred[GuessCount]:
        return deferred(answered(self._begin(key, limit), _ANSWER_S_MAX))

    def clear(self, key: str) -> Deferred[None]:
        return deferred(answered(self._clear(key), _ANSWER_S_MAX))

    def take_back(self, key: str) -> Deferred[None]:
        return deferred(answered(self._take_back(key), _ANSWER_S_MAX))

    async def _begin(self, key: str, limit: GuessLimit) -> GuessCount:
        terms = (str(limit.free), str(limit.wait_s_max), str(limit.kept_s))
        return GuessCount(
            *await cast("Awaitable[list[int]]", self._client.eval(_BEGIN, 1, _key(key), *terms))
        )

    async def _clear(self, key: str) -> None:
        await self._client.delete(_key(key))

    async def _take_back(self, key: str) -> None:
        await cast("Awaitable[int]", self._client.eval(_TAKE_BACK, 1, _key(key)))


def _key(key: str) -> bytes:
    return b"{log_in:%b}:failures" % key.encode()
