"""Payout jobs in a Redis stream with one consumer group: an entry goes to one node, and to another if that node dies.

A paid job is acknowledged and removed, so the stream has only unpaid ones. `take` does not block: a node calls it twice
a second, and at once after it has published jobs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Any, Final, cast

import structlog
from redis.exceptions import ResponseError
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.coordination.api import PayoutJob
from pokerroom.coordination.redis.client import Client
from pokerroom.coordination.redis.connections import answered
from pokerroom.coordination.redis.streams import Stored

STALE_MS: Final = 5_000
"""[D] A node that has a job for this long has died or cannot reach PostgreSQL: another node gets the job."""

TAKEN_MAX: Final = 64
"""The maximum number of jobs of one `take`."""

ANSWER_S_MAX: Final = 1.0
_FORGOTTEN_MS: Final = 3_600_000
_KEY: Final = b"{sng}:payouts"
_GROUP: Final = b"payouts"

_log = structlog.get_logger()


class RedisPayouts:
    """See `api.PayoutStream`. `client` is made by `redis_client`."""

    def __init__(self, client: Client, *, stale_ms: int = STALE_MS) -> None:
        self._client = client
        self._stale_ms = stale_ms
        self._tidied = False

    def publish(self, tournament: str, numbers: Sequence[int]) -> Deferred[None]:
        return deferred(answered(self._publish(tournament, numbers), ANSWER_S_MAX))

    def take(self, node: str) -> Deferred[list[PayoutJob]]:
        return deferred(answered(self._take(node), ANSWER_S_MAX))

    def done(self, jobs: Sequence[PayoutJob]) -> Deferred[None]:
        return deferred(answered(self._done([job.entry for job in jobs]), ANSWER_S_MAX))

    async def _publish(self, tournament: str, numbers: Sequence[int]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for number in numbers:
            pipeline.xadd(_KEY, {b"tournament": tournament.encode(), b"number": number})
        await pipeline.execute()

    async def _take(self, node: str) -> list[PayoutJob]:
        try:
            stored = await self._stored(node)
        except ResponseError as error:
            if not str(error).startswith("NOGROUP"):
                raise
            await self._make_group()  # the group is new, or Redis has lost it
            stored = await self._stored(node)
        if not self._tidied:
            await self._tidy()
            self._tidied = True
        jobs = []
        for entry, fields in stored:
            try:
                jobs.append(
                    PayoutJob(
                        entry=entry, tournament=fields[b"tournament"].decode(), number=int(fields[b"number"])
                    )
                )
            except (KeyError, ValueError):
                _log.error("payouts.unreadable", entry=entry)
                await self._done([entry])
        return jobs

    async def _stored(self, node: str) -> list[Stored]:
        """Jobs that other nodes have had for too long, then new ones."""
        claimed = await cast(
            "Awaitable[Any]",
            self._client.xautoclaim(_KEY, _GROUP, node, self._stale_ms, count=TAKEN_MAX),
        )
        stored = [one for one in claimed[1] if one[1]]  # a removed entry has no fields
        if len(stored) < TAKEN_MAX:
            asked = self._client.xreadgroup(_GROUP.decode(), node, {_KEY: ">"}, count=TAKEN_MAX - len(stored))
            new = await cast("Awaitable[list[tuple[bytes, list[Stored]]]]", asked)
            stored += [one for _, entries in new for one in entries]
        return stored

    async def _make_group(self) -> None:
        with suppress(ResponseError):  # another node has just made it
            await self._client.xgroup_create(_KEY, _GROUP, id="0", mkstream=True)

    async def _tidy(self) -> None:
        """Removes consumers that ended long ago and have no jobs: each start of a node has a new name."""
        for consumer in await self._client.xinfo_consumers(_KEY, _GROUP):
            if consumer["pending"] == 0 and consumer["idle"] > _FORGOTTEN_MS:
                await self._client.xgroup_delconsumer(_KEY, _GROUP, consumer["name"])

    async def _done(self, entries: Sequence[bytes]) -> None:
        if not entries:
            return
        pipeline = self._client.pipeline(transaction=False)
        pipeline.xack(_KEY, _GROUP, *entries)
        pipeline.xdel(_KEY, *entries)
        await pipeline.execute()
