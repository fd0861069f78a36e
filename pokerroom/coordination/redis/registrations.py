"""The books of registrations in Redis: one value per offer, changed by comparing and setting it.

What may be done to a book is Python's to say (`registrations`), the same for all adapters; Redis only sees to it that
nobody has changed the book in between. That one comparison is a Lua script and no WATCH: it needs one way there and
back and no connection of its own, it is the same with a Cluster (whose client has no transactions), and an answer that
is lost leaves nothing watched. The whole book in a script of many lines would be those rules a second time.

Whoever of one node wants to change a book while it is being changed waits, and all who wait change it together, one
after the other in one way there and back: so a crowd at the door costs little more than one. Two nodes that change the
same book at once cost one of them another try.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar, cast

from twisted.internet.defer import Deferred

from pokerroom.coordination.api import known
from pokerroom.coordination.redis.client import Client
from pokerroom.coordination.redis.replies import answered
from pokerroom.coordination.registrations import RegistrationBook, from_bytes, to_bytes
from pokerroom.ops.bridge import deferred

T = TypeVar("T")

TOGETHER_MAX: Final = 64
"""So many change a book together: nothing else runs while they do."""

_ANSWER_S_MAX: Final = 1.0
_COMPARE_AND_SET: Final = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


@dataclass(frozen=True, slots=True, eq=False)
class _Wish:
    """What somebody wants done to a book, and who waits for the answer."""

    decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, Any]]
    answer: asyncio.Future[Any]

    def told(self, answer: object, error: Exception | None) -> None:
        if self.answer.done():
            return  # given up meanwhile
        if error is None:
            self.answer.set_result(answer)
        else:
            self.answer.set_exception(error)


class RedisRegistrations:
    """See `api.Registrations`. `client` is made by `connect.redis_client`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: dict[str, list[_Wish]] = {}
        self._at_work: dict[str, asyncio.Task[None]] = {}

    def change(
        self, offer: str, decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        """See `api.Registrations`."""
        return self.make(offer, partial(known, decide))

    def make(
        self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        """See `api.Registrations`."""
        return deferred(self._made(offer, decide))

    def read(self, offer: str) -> Deferred[RegistrationBook | None]:
        """See `api.Registrations`."""
        return deferred(answered(self._read(offer), _ANSWER_S_MAX))

    async def _made(
        self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]
    ) -> T:
        wish = _Wish(decide, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(offer, []).append(wish)
        if offer not in self._at_work:
            self._at_work[offer] = asyncio.ensure_future(self._work(offer))
        return cast("T", await wish.answer)

    async def _work(self, offer: str) -> None:
        """All who wait together, and then those who came meanwhile."""
        try:
            while waiting := self._waiting.pop(offer, None):
                wishes, later = waiting[:TOGETHER_MAX], waiting[TOGETHER_MAX:]
                if later:
                    self._waiting[offer] = later
                try:
                    await answered(self._changed(_key(offer), wishes), _ANSWER_S_MAX)
                except Exception as error:  # noqa: BLE001 -- whatever it is, it is the answer to all of them
                    for wish in wishes:
                        wish.told(None, type(error)(*error.args))
        finally:
            del self._at_work[offer]

    async def _changed(self, key: bytes, wishes: list[_Wish]) -> None:
        while True:
            stored = await self._stored(key)
            book = None if stored is None else from_bytes(stored)
            answers: list[tuple[object, Exception | None]] = []
            for wish in wishes:
                try:
                    book, answer = wish.decide(book)
                except Exception as refusal:  # noqa: BLE001 -- it is the answer to this one, and has changed nothing
                    answers.append((None, refusal))
                else:
                    answers.append((answer, None))
            new = None if book is None else to_bytes(book)
            if new is None or new == stored or await self._set(key, stored or b"", new):
                for wish, told in zip(wishes, answers, strict=True):
                    wish.told(*told)
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
