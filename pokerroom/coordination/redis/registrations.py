"""Registration books in Redis: one value per offer, changed by compare-and-set.

Python functions change a book (`coordination.registrations`), the same for all adapters. Redis only checks that no
other node has changed it meanwhile. The check is a short Lua script and not WATCH: it needs one round trip and no
connection of its own, works with Redis Cluster (whose client has no transactions), and leaves nothing watched if the
reply is lost.

Changes of one node to the same book are queued while one is in flight, and then applied together in one round trip: a
crowd costs little more than one player. If two nodes change the same book at once, one of them tries again.

The permits of an address in a tournament without a book are a hash of their own, of a few accounts: a crowd of
thousands changes none as a whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar, cast

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.coordination.api import known
from pokerroom.coordination.redis.client import Client
from pokerroom.coordination.redis.connections import answered
from pokerroom.coordination.registrations import RegistrationBook, from_bytes, to_bytes

T = TypeVar("T")

TOGETHER_MAX: Final = 64
"""The maximum number of changes in one round trip: the reactor is blocked while they are applied."""

_ANSWER_S_MAX: Final = 1.0
_COMPARE_AND_SET: Final = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""
_TAKE_PERMIT: Final = """
local account, permits = ARGV[1], tonumber(ARGV[2])
if redis.call('HEXISTS', KEYS[1], account) == 1 or redis.call('HLEN', KEYS[1]) < permits then
  redis.call('HSET', KEYS[1], account, ARGV[3])
  redis.call('EXPIRE', KEYS[1], ARGV[4])
end
return redis.call('HGETALL', KEYS[1])
"""
_FREE_PERMITS: Final = """
for at = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[at]) == ARGV[at + 1] then redis.call('HDEL', KEYS[1], ARGV[at]) end
end
return 0
"""


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """A change of a book, and the future of its answer."""

    decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, Any]]
    answer: asyncio.Future[Any]

    def resolve(self, answer: object, error: Exception | None) -> None:
        if self.answer.done():
            return  # its caller has given up
        if error is None:
            self.answer.set_result(answer)
        else:
            self.answer.set_exception(error)


class RedisRegistrations:
    """See `api.Registrations`. `client` is made by `redis_client`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: dict[str, list[_Change]] = {}
        self._at_work: dict[str, asyncio.Task[None]] = {}

    def change(
        self, offer: str, decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        return self.make(offer, partial(known, decide))

    def make(
        self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        return deferred(self._made(offer, decide))

    def read(self, offer: str) -> Deferred[RegistrationBook | None]:
        return deferred(answered(self._read(offer), _ANSWER_S_MAX))

    def take_permit(
        self, tournament: str, address: str, account: int, *, permits: int, now_ms: int, kept_s: int
    ) -> Deferred[Mapping[int, int]]:
        terms = (account, permits, now_ms, kept_s)
        return deferred(answered(self._taken(_permits_key(tournament, address), terms), _ANSWER_S_MAX))

    def free_permits(self, tournament: str, address: str, taken: Mapping[int, int]) -> Deferred[None]:
        return deferred(answered(self._freed(_permits_key(tournament, address), taken), _ANSWER_S_MAX))

    async def _taken(self, key: bytes, terms: tuple[int, ...]) -> Mapping[int, int]:
        arguments = [str(term) for term in terms]
        found = await cast("Awaitable[list[bytes]]", self._client.eval(_TAKE_PERMIT, 1, key, *arguments))
        return {int(account): int(at_ms) for account, at_ms in zip(found[::2], found[1::2], strict=True)}

    async def _freed(self, key: bytes, taken: Mapping[int, int]) -> None:
        arguments = [str(number) for pair in taken.items() for number in pair]
        await cast("Awaitable[int]", self._client.eval(_FREE_PERMITS, 1, key, *arguments))

    async def _made(
        self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]
    ) -> T:
        change = _Change(decide, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(offer, []).append(change)
        if offer not in self._at_work:
            self._at_work[offer] = asyncio.ensure_future(self._work(offer))
        return cast("T", await change.answer)

    async def _work(self, offer: str) -> None:
        """Applies all queued changes, then those that were queued meanwhile."""
        try:
            while waiting := self._waiting.pop(offer, None):
                changes, later = waiting[:TOGETHER_MAX], waiting[TOGETHER_MAX:]
                if later:
                    self._waiting[offer] = later
                try:
                    await answered(self._changed(_key(offer), changes), _ANSWER_S_MAX)
                except Exception as error:  # noqa: BLE001 -- any error is the answer to all of them
                    for change in changes:
                        change.resolve(None, type(error)(*error.args))
        finally:
            del self._at_work[offer]

    async def _changed(self, key: bytes, changes: list[_Change]) -> None:
        while True:
            stored = await self._stored(key)
            book = None if stored is None else from_bytes(stored)
            answers: list[tuple[object, Exception | None]] = []
            for change in changes:
                try:
                    book, answer = change.decide(book)
                except Exception as refusal:  # noqa: BLE001 -- the answer to this change alone
                    answers.append((None, refusal))
                else:
                    answers.append((answer, None))
            new = None if book is None else to_bytes(book)
            if new is None or new == stored or await self._set(key, stored or b"", new):
                for change, result in zip(changes, answers, strict=True):
                    change.resolve(*result)
                return

    async def _set(self, key: bytes, stored: bytes, new: bytes) -> bool:
        asked = cast("Awaitable[int]", self._client.eval(_COMPARE_AND_SET, 1, key, stored, new))
        return await asked == 1

    async def _read(self, offer: str) -> RegistrationBook | None:
        stored = await self._stored(_key(offer))
        return None if stored is None else from_bytes(stored)

    async def _stored(self, key: bytes) -> bytes | None:
        return cast("bytes | None", await self._client.get(key))


def _key(offer: str) -> bytes:
    return b"{sng:%b}:registrations" % offer.encode()


def _permits_key(tournament: str, address: str) -> bytes:
    return f"{{places:{tournament}:{address}}}:taken".encode()
