"""The composition root: the room on PostgreSQL, Redis and a reactor, with its ports, health and signals.

Everything else receives what it needs; `room` says what a room is made of. Blocking work (embedded services) happens
before and after the reactor runs.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort
from twisted.internet.task import LoopingCall, deferLater
from twisted.internet.threads import deferToThread

from pokerroom.coordination.redis import RedisJournal
from pokerroom.gateway.front_page import RoomFacts, front_page
from pokerroom.gateway.http import FrontFactory
from pokerroom.gateway.outbound import Soon, TurnFlusher
from pokerroom.gateway.site import make_site
from pokerroom.gateway.tcp import TcpFactory
from pokerroom.ledger.api import AuditReport, LedgerUnavailable
from pokerroom.ledger.migrations import SchemaMismatch
from pokerroom.ledger.postgres import PostgresLedger
from pokerroom.lobby.operated import OperatedTables
from pokerroom.ops.bridge import deferred
from pokerroom.ops.config import RoomConfig
from pokerroom.ops.health import make_ops_site
from pokerroom.ops.metrics import Metrics
from pokerroom.room import Room, Surroundings, every
from pokerroom.table.sealing import Seal

DRAIN_S = 20  # hands in progress may be finished for so long after SIGTERM; a second signal ends the wait
PROBE_S = 2
WATCH_S = 1
REDIS_START_S = 5

_log = structlog.get_logger()


class StartRefused(Exception):  # noqa: N818 -- what the operator reads, not a fault
    """The room cannot start; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Services:
    """Where PostgreSQL and Redis are, and the key that seals cards. No repr: it holds secrets."""

    database_url: str
    redis_url: str
    journal_key: bytes


class Node:
    """A running room on PostgreSQL and Redis, with its listening ports.

    `watch` is run in a thread every second, to start services of the room's own again that have ended; `lost` is
    called when another room has taken over the database, and this one must end.
    """

    def __init__(
        self,
        config: RoomConfig,
        services: Services,
        *,
        reactor: Any,
        soon: Soon,
        watch: Callable[[], None] | None,
        lost: Callable[[], None],
    ) -> None:
        self._config = config
        self._watch = watch
        self._lost = lost
        self._soon = soon
        self._reactor = reactor
        self._metrics = Metrics()
        self._ledger = PostgresLedger(services.database_url)
        self._redis = _redis(services.redis_url)
        self._journal = RedisJournal(
            self._redis, reactor, lambda entries, _seconds: self._metrics.journal_flush(entries), soon
        )
        around = Surroundings(
            ledger=self._ledger,
            journal=self._journal,
            clock=reactor,
            now_ms=_now_ms,
            random_bytes=os.urandom,
            seal=Seal(services.journal_key),
            observer=self._metrics,
            in_thread=deferToThread,
        )
        self._room = Room(config, around)
        self._operated = OperatedTables(self._room.lobby, self._ledger, self._room.timeouts)
        self._metrics.watch_tables(self._room.tables_by_state, self._room.seats_occupied)
        self._ports: list[IListeningPort] = []
        self._loops: list[LoopingCall] = []
        self._reasons: set[str] = {"starting"}
        self._stopping: Deferred[None] | None = None
        self._hurry: Deferred[None] = Deferred()

    # --- start ------------------------------------------------------------------------------------------------

    async def start(self) -> list[str]:
        """Opens the room; returns the lines that tell where it listens. Raises `StartRefused`."""
        try:
            await self._ledger.open()
            if not await self._ledger.claim_room(self._claim_lost):
                raise StartRefused("another room runs on this database; stop it first")
            await self._room.start(await self._unfinished())
        except LedgerUnavailable as unavailable:
            raise StartRefused(f"PostgreSQL cannot be reached: {unavailable}") from unavailable
        except SchemaMismatch as mismatch:
            raise StartRefused(f"this database cannot be used: {mismatch}") from mismatch
        lines = self._listen()
        self._every(PROBE_S, self._probe)
        if self._watch is not None:
            self._every(WATCH_S, partial(self._watched, self._watch))
        self._reasons.discard("starting")
        _log.info("room.ready", tables=len(self._config.tables))
        return lines

    async def _unfinished(self) -> dict[str, list[bytes]]:
        """The hands that the last room on this journal left in progress."""
        try:
            return await deferred(asyncio.wait_for(_asked(self._redis, self._journal), REDIS_START_S))
        except (RedisError, OSError) as error:  # a TimeoutError is an OSError
            reason = str(error) or f"no answer within {REDIS_START_S} s"
            raise StartRefused(f"Redis cannot be reached: {reason}") from error

    def _listen(self) -> list[str]:
        listen, limits = self._config.listen, self._config.limits
        flusher = TurnFlusher(self._reactor, self._soon)
        tcp = TcpFactory(self._room.sessions.make, flusher, limits.frame_bytes_max, limits.outbound_bytes_max)
        game = self._bind("game_port", listen.game_port, tcp)
        facts = RoomFacts(
            room=self._config.name,
            version=version("pokerroom"),
            tcp_port=game,
            tables=tuple(table.name for table in self._config.tables),
        )
        front = FrontFactory(
            site=make_site({"/": front_page(facts)}, self._reactor),
            receivers=self._room.sessions.make,
            flusher=flusher,
            frame_bytes_max=limits.frame_bytes_max,
            outbound_bytes_max=limits.outbound_bytes_max,
            allowed_origins=listen.allowed_origins,
        )
        web = self._bind("http_port", listen.http_port, front)
        site = make_ops_site(self._metrics, self.not_ready, self._operated)
        ops = self._bind("ops_port", listen.ops_port, site, listen.ops_host)
        host, ops_host = _in_url(listen.host), _in_url(listen.ops_host)
        return [
            f"game protocol over TCP   {host}:{game}",
            f"web and WebSocket        http://{host}:{web}/  (WebSocket at /ws)",
            f"operations               http://{ops_host}:{ops}/readyz  /livez  /metrics  /tables  /timeouts",
        ]

    def _bind(self, setting: str, port: int, factory: Any, host: str | None = None) -> int:
        host = host or self._config.listen.host
        try:
            listening = self._reactor.listenTCP(port, factory, backlog=1024, interface=host)
        except (CannotListenError, OSError) as error:
            reason = getattr(error, "socketError", error)
            raise StartRefused(f"cannot listen on {host}:{port} ({setting}): {reason}") from error
        self._ports.append(listening)
        return cast("int", listening.getHost().port)

    def _every(self, seconds: int, work: Callable[[], Any]) -> None:
        self._loops.append(every(self._reactor, seconds, work))

    # --- health -------------------------------------------------------------------------------------------------

    def not_ready(self) -> list[str]:
        """Why the room should get no players now; empty when it may."""
        reasons = sorted(self._reasons)
        if not self._journal.healthy():
            reasons.append("redis does not answer")
        return reasons

    async def _probe_ledger(self) -> None:
        try:
            asked = self._ledger.find_session(b"").asFuture(asyncio.get_running_loop())
            await deferred(asyncio.wait_for(asked, PROBE_S))
        except (LedgerUnavailable, TimeoutError):
            self._reasons.add("postgresql does not answer")
        else:
            self._reasons.discard("postgresql does not answer")

    def _probe(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self._probe_ledger())

    def _watched(self, watch: Callable[[], None]) -> Deferred[None]:
        """One look at the room's own services; what cannot be started is tried again at the next."""
        return deferToThread(watch).addErrback(
            lambda failure: _log.critical("services.not_revived", error=str(failure.value))
        )

    def _claim_lost(self) -> None:
        _log.critical("room.claim_lost", message="another room took over this database")
        self._lost()

    # --- stop -----------------------------------------------------------------------------------------------------

    def stop(self, *, hurry: bool = False) -> Deferred[None]:
        """Drains and closes. Asked again, it waits no longer for hands in progress: they are void."""
        if self._stopping is None:
            self._stopping = Deferred.fromCoroutine(self._stop())
        elif not self._hurry.called:
            hurry = True
        if hurry and not self._hurry.called:
            self._hurry.callback(None)
        return self._stopping

    async def _stop(self) -> None:
        _log.info("room.draining", seconds_max=DRAIN_S)
        self._reasons.add("draining")
        for port in self._ports[:2]:
            await _maybe(port.stopListening())
        drained = self._room.drain()
        limit: Deferred[None] = deferLater(self._reactor, DRAIN_S)
        ends: list[Deferred[Any]] = [drained, limit, self._hurry]
        await DeferredList(ends, fireOnOneCallback=True)
        limit.addErrback(lambda _: None).cancel()
        self._room.stop()
        self._journal.stop()
        for loop in self._loops:
            if loop.running:
                loop.stop()
        await deferLater(self._reactor, 0.05)  # the goodbyes leave at the end of a turn
        for port in self._ports[2:]:
            await _maybe(port.stopListening())
        await self._ledger.close()
        await deferred(self._redis.aclose())
        _log.info("room.stopped")


def run(config: RoomConfig, services: Services, watch: Callable[[], None] | None = None) -> int:
    """Runs a room until a signal stops it; returns the exit code. Installs the asyncio reactor. See `Room`."""
    from twisted.internet import asyncioreactor  # noqa: PLC0415 -- the reactor is chosen before it is imported

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)
    from twisted.internet import reactor as installed  # noqa: PLC0415 -- as above

    reactor: Any = installed
    code = 0

    def lost() -> None:
        nonlocal code
        code = 1
        end(hurry=True)

    room = Node(config, services, reactor=reactor, soon=loop.call_soon, watch=watch, lost=lost)

    def end(*, hurry: bool = False) -> None:
        room.stop(hurry=hurry).addErrback(crashed).addBoth(lambda _: reactor.running and reactor.stop())

    async def live() -> None:
        nonlocal code
        try:
            lines = await room.start()
        except StartRefused as refused:
            code = 1
            print(f"pokerroom: {refused}", flush=True)  # noqa: T201 -- the operator's terminal
            end(hurry=True)
            return
        for line in ("", f"pokerroom {version('pokerroom')} is ready; Ctrl-C stops it", *lines, ""):
            print(line, flush=True)  # noqa: T201 -- as above

    def crashed(failure: Any) -> None:
        nonlocal code
        code = 1
        _log.critical("room.fault", exc_info=failure.value)
        if reactor.running:
            reactor.stop()

    # what exists by now lives as long as the room: the collector need not look at it again and again
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(live()).addErrback(crashed))
    reactor.run(installSignalHandlers=False)
    return code


async def audited(database_url: str) -> AuditReport:
    """Adds up a whole ledger; needs an asyncio loop and no reactor. Raises `LedgerUnavailable`, `SchemaMismatch`."""
    loop = asyncio.get_running_loop()
    ledger = PostgresLedger(database_url)
    await ledger.open().asFuture(loop)
    try:
        return await ledger.audit().asFuture(loop)
    finally:
        await ledger.close().asFuture(loop)


async def _asked(redis: Redis, journal: RedisJournal) -> dict[str, list[bytes]]:
    await redis.ping()
    return await journal.unfinished().asFuture(asyncio.get_running_loop())


def _redis(url: str) -> Redis:
    """A client that waits for a late Redis, and finds out by keepalive that one is gone."""
    if url.startswith("unix://"):
        return Redis.from_url(url, socket_timeout=None)
    every = {socket.TCP_KEEPIDLE: 5, socket.TCP_KEEPINTVL: 2, socket.TCP_KEEPCNT: 3}
    return Redis.from_url(url, socket_timeout=None, socket_keepalive=True, socket_keepalive_options=every)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def _maybe(result: Any) -> None:
    if isinstance(result, Deferred):
        await result


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
