"""The books of registrations in Redis: one value per offer, changed by comparing and setting it.

What may be done to a book is Python's to say (`registrations`), the same for all adapters; Redis only sees to it that
nobody has changed the book in between. That one comparison is a Lua script and no WATCH: it needs one way there and
back and no connection of its own, it is the same with a Cluster (whose client has no transactions), and an answer that
is lost leaves nothing watched. The whole book in a script of many lines would be those rules a second time.

Two nodes that change the same book at once cost one of them another try. Those of one node come one after the other.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar, cast

from twisted.internet.defer import Deferred

from pokerroom.coordination.api import known
from pokerroom.coordination.connect import Client
from pokerroom.coordination.registrations import Book, from_bytes, to_bytes
from pokerroom.coordination.wire import answered
from pokerroom.ops.bridge import deferred

T = TypeVar("T")

_ANSWER_S_MAX: Final = 1.0
_COMPARE_AND_SET: Final = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


class RedisRegistrations:
    """See `api.Registrations`. `client` is made by `connect.redis_client`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def change(self, offer: str, decide: Callable[[Book], tuple[Book, T]]) -> Deferred[T]:
        """See `api.Registrations`."""
        return self.make(offer, partial(known, decide))

    def make(self, offer: str, decide: Callable[[Book | None], tuple[Book, T]]) -> Deferred[T]:
        """See `api.Registrations`."""
        return deferred(answered(self._in_turn(offer, decide), _ANSWER_S_MAX))

    def read(self, offer: str) -> Deferred[Book | None]:
        """See `api.Registrations`."""
        return deferred(answered(self._read(offer), _ANSWER_S_MAX))

    async def _in_turn(self, offer: str, decide: Callable[[Book | None], tuple[Book, T]]) -> T:
        async with self._turns[offer]:
            return await self._changed(offer, decide)

    async def _changed(self, offer: str, decide: Callable[[Book | None], tuple[Book, T]]) -> T:
        key = _key(offer)
        while True:
            stored = await self._stored(key)
            book, answer = decide(None if stored is None else from_bytes(stored))
            new = to_bytes(book)
            if new == stored or await self._set(key, stored or b"", new):
                return answer

    async def _set(self, key: bytes, stored: bytes, new: bytes) -> bool:
        asked = cast("Awaitable[int]", self._client.eval(_COMPARE_AND_SET, 1, key, stored, new))
        return await asked == 1

    async def _read(self, offer: str) -> Book | None:
        stored = await self._stored(_key(offer))
        return None if stored is None else from_bytes(stored)

    async def _stored(self, key: bytes) -> bytes | None:
        return cast("bytes | None", await self._client.get(key))


def _key(offer: str) -> bytes:
    return b"{sng:%b}:registrations" % offer.encode()
