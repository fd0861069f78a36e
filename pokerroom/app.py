"""The composition root: a node on PostgreSQL, Redis and a reactor, with its health and signals.

Everything else receives what it needs; `room` makes the parts of a room, `listeners` what is served on its ports.
Blocking work (embedded services) happens before and after the reactor runs.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from pokerroom.bots.house_bots import HouseBots
from pokerroom.bridge import as_deferred, deferred
from pokerroom.cluster.membership import IncompatibleNode
from pokerroom.cluster.node_names import new_name
from pokerroom.coordination.api import Bus, Journal, UnusableAddress
from pokerroom.coordination.redis.bus import RedisBus
from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.directory import RedisDirectory
from pokerroom.coordination.redis.journal import RedisJournal
from pokerroom.coordination.redis.log_in_attempts import RedisLogInAttempts
from pokerroom.coordination.redis.payouts import RedisPayouts
from pokerroom.coordination.redis.registrations import RedisRegistrations
from pokerroom.first_source import open_first_source
from pokerroom.gateway.announcements import ANNOUNCED_S
from pokerroom.gateway.crowd import Crowd, CrowdSelector
from pokerroom.gateway.outbound import Soon
from pokerroom.gateway.password_queue import AT_ONCE as PASSWORDS_AT_ONCE
from pokerroom.gateway.play_watch import BARRED_S
from pokerroom.history.statistics.counting import EVERY_S, StatisticsCounter
from pokerroom.house_bots import make_house_bots
from pokerroom.ledger.api import LedgerUnavailable, SchemaMismatch
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.retention import erase_old
from pokerroom.listeners import Listeners, StartRefused, was_killed
from pokerroom.operator_wallet.pages import WalletPages
from pokerroom.operator_wallet.queue import EVERY_S as CREDIT_S
from pokerroom.operator_wallet.queue import LOOK_S as WALLET_LOOK_S
from pokerroom.operator_wallet.queue import WalletQueue
from pokerroom.operator_wallet.service import OperatorWallet
from pokerroom.ops.certificate import RELOAD_S, Certificate, CertificateUnusable
from pokerroom.ops.checkpoint_writer import CheckpointWriter
from pokerroom.ops.config import RoomConfig
from pokerroom.ops.config_wallet import WalletSecretUnusable
from pokerroom.ops.descriptors import make_room_for
from pokerroom.ops.fault_log import LOOK_S as FAULTS_S
from pokerroom.ops.fault_log import FaultLog
from pokerroom.ops.log_head import tell_log_head
from pokerroom.ops.metrics import Metrics
from pokerroom.ops.minute_series import LOOK_S as MINUTES_LOOK_S
from pokerroom.ops.minute_series import MinuteSeries
from pokerroom.ops.node_loop import NodeLoop
from pokerroom.ops.node_passes import NodePasses
from pokerroom.ops.periodic_task import PeriodicTask, log_fault
from pokerroom.ops.quiet_threads import QuietThreads
from pokerroom.ops.reactor import install as install_reactor
from pokerroom.parent_process import BEAT_S, ParentProcess, TerminalParent
from pokerroom.room import Room, RoomDependencies
from pokerroom.table.seal import Seal
from pokerroom.table.shuffle import shuffled
from pokerroom.table.shuffle_check import ShuffleReport, check_shuffle
from pokerroom.table_factory import FORM
from pokerroom.traces import exported_traces
from pokerroom.webhooks.sender import EVERY_S as SEND_S
from pokerroom.webhooks.sender import LOOK_S
from pokerroom.webhooks.sender import SEAL as WEBHOOK_SECRETS
from pokerroom.webhooks.service import Webhooks

DRAIN_S = 20  # hands in progress may be finished for this long after SIGTERM; a second signal ends the wait
PROBE_S = 2
WATCH_S = 1
_MINUTE_S = 60
_DAY_S = 86_400

_STARTING = "starting"
_SUSPENDED = "this node cannot write its heartbeat to Redis: its tables wait"

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Services:
    """Where PostgreSQL and Redis are, the keys that seal cards, and the directory for the socket of operations.

    It has no repr: it holds secrets.
    """

    database_url: str
    owner_database_url: str | None
    redis_url: str
    journal_keys: tuple[bytes, ...]
    data_dir: Path


class Node:
    """A running node on PostgreSQL and Redis, with its listening ports.

    `watch` is run in a thread every second, to restart embedded services that have ended. `shared`: other processes of
    this machine listen on the same ports for players. `crowd`: see `gateway.listen`. Raises `StartRefused` for
    addresses of services that cannot be used.
    """

    def __init__(
        self,
        config: RoomConfig,
        services: Services,
        *,
        reactor: Any,
        soon: Soon,
        watch: Callable[[], None] | None,
        shared: bool = False,
        crowd: Crowd | None = None,
    ) -> None:
        self._config = config
        self._watch = watch
        self._soon = soon
        self._reactor = reactor
        self._metrics = Metrics()
        try:
            self._ledger = PostgresLedger(services.database_url, services.owner_database_url)
        except LedgerUnavailable as unavailable:
            raise StartRefused(f"PostgreSQL cannot be reached: {unavailable}") from unavailable
        try:
            self._redis = redis_client(services.redis_url)
        except UnusableAddress as unusable:
            raise StartRefused(f"Redis cannot be reached: {unusable}") from unusable
        self._name = new_name()
        self._data_dir = services.data_dir
        self._threads = QuietThreads(PASSWORDS_AT_ONCE)
        self._seal = Seal(*services.journal_keys)
        self._nodes_seal = Seal(services.journal_keys[0])  # no node of this room has an earlier key
        self._wallet = self._make_wallet(config)
        self._traces = exported_traces(config.traces, self._name)
        needs = RoomDependencies(
            node=self._name,
            ledger=self._ledger if self._wallet is None else self._wallet.ledger,
            journal=self._make_journal,
            directory=RedisDirectory(self._redis),
            bus=self._make_bus,
            registrations=RedisRegistrations(self._redis),
            payouts=RedisPayouts(self._redis),
            log_in_attempts=RedisLogInAttempts(self._redis),
            clock=reactor,
            now_ms=_now_ms,
            random_bytes=os.urandom,
            seal=self._seal,
            observer=self._metrics,
            in_thread=self._threads.run,
            soon=soon,
            traces=None if self._traces is None else self._traces.traces,
            was_killed=partial(was_killed, services.data_dir),
        )
        self._room = Room(config, needs)
        room = self._room
        self._minutes = MinuteSeries(
            self._name,
            lambda: self._metrics.reading(int(reactor.seconds() * 1_000), room.seats_occupied()),
            _now_ms,
        )
        self._metrics.watch_tables(room.tables_by_state)
        self._metrics.watch("seats_occupied", "Seats that are held.", room.seats_occupied)
        self._metrics.watch(
            "nodes_living",
            "Nodes of the room that live, as this one sees it.",
            lambda: len(room.membership.living()),
        )
        self._metrics.watch(
            "suspended",
            "1 while this node cannot reach the directory and its tables wait.",
            room.ownership.suspended,
        )
        self._certificate = self._make_certificate()
        self._listeners = Listeners(
            config,
            self._room,
            reactor=reactor,
            soon=soon,
            shared=shared,
            observer=self._metrics,
            certificate=self._certificate,
            crowd=crowd,
        )
        self._checkpoints = CheckpointWriter(
            self._ledger,
            CheckpointKey(*services.journal_keys),
            config.checkpoints.file,
            writes=self._leads,
            in_thread=deferToThread,
        )
        self._statistics = StatisticsCounter(self._ledger, reactor, self._leads)
        self._webhooks = Webhooks(
            self._ledger,
            config.webhooks,
            self._seal.of(WEBHOOK_SECRETS),
            room=config.name,
            sends=self._leads,
            observer=self._metrics,
            now_ms=_now_ms,
        )
        self._tasks: list[PeriodicTask] = []
        self._house: HouseBots | None = None
        self._reasons: set[str] = {_STARTING}
        self._stopping: Deferred[None] | None = None
        self._hurry: Deferred[None] = Deferred()

    def _make_wallet(self, config: RoomConfig) -> OperatorWallet | None:
        if not config.wallet.url:
            return None
        try:
            return OperatorWallet(
                self._ledger,
                config.wallet,
                config.webhooks.networks,
                room=config.name,
                sends=self._leads,
                observer=self._metrics,
                clock=self._reactor,
                now_ms=_now_ms,
                random_bytes=os.urandom,
            )
        except WalletSecretUnusable as unusable:
            raise StartRefused(str(unusable)) from unusable

    def _make_certificate(self) -> Certificate | None:
        if not self._config.tls.certificate:
            return None
        try:
            certificate = Certificate(self._config.tls, self._metrics)
        except CertificateUnusable as unusable:
            raise StartRefused(str(unusable)) from unusable
        self._metrics.watch(
            "tls_expires_seconds",
            "When the certificate in use expires, in seconds since 1970.",
            lambda: certificate.expires.timestamp(),  # noqa: PLW0108 -- of the certificate that is then in use
        )
        return certificate

    def _make_journal(self, sealed: Callable[[str], None]) -> Journal:
        self._journal = RedisJournal(
            self._redis,
            self._reactor,
            sealed=sealed,
            observer=lambda entries, _seconds: self._metrics.journal_flush(entries),
            soon=self._soon,
        )
        return self._journal

    def _make_bus(
        self, heard: Callable[[str, bytes], None], lost: Callable[[str], None], cut: Callable[[], None]
    ) -> Bus:
        seal = self._nodes_seal.of("bus")
        return RedisBus(
            self._redis,
            self._reactor,
            node=self._name,
            heard=heard,
            lost=lost,
            cut=cut,
            seal=partial(seal.close, about="bus"),
            unseal=partial(seal.open, about="bus"),
            soon=self._soon,
        )

    def _make_passes(self) -> NodePasses:
        seal, about = self._nodes_seal.of("operations"), "operations"
        return NodePasses(
            self._name, partial(seal.close, about=about), partial(seal.open, about=about), _now_ms
        )

    # --- start --------------------------------------------------------------------------------------------------------

    async def start(self) -> list[str]:
        """Open the node; return the lines that tell where it listens. Raises `StartRefused`."""
        address, ops = self._listeners.open_to_operators(
            self._ledger,
            self._metrics,
            self._minutes,
            self.not_ready,
            passes=self._make_passes(),
            data_dir=self._data_dir,
            drain=self.drain,
            more_pages=(
                self._webhooks.pages,
                lambda orders: WalletPages(self._ledger, orders).handlers(),
            ),
        )
        try:
            await self._room.start(address, self._open_ledger)
            await self._ledger.set_limit_caps(self._config.player_limits.caps)
            await open_first_source(self._ledger, self._config.cashier)
        except LedgerUnavailable as unavailable:
            raise StartRefused(f"PostgreSQL cannot be reached: {unavailable}") from unavailable
        except SchemaMismatch as mismatch:
            raise StartRefused(f"this database cannot be used: {mismatch}") from mismatch
        except IncompatibleNode as other:
            raise StartRefused(str(other)) from other
        except (ConnectionError, TimeoutError) as error:
            reason = str(error) or "it does not answer"
            raise StartRefused(f"Redis cannot be reached: {reason}") from error
        lines = self._listeners.open_to_players()
        self._listeners.open_to_neighbours(self._data_dir, self._nodes_seal.of("moves"))
        self._house = make_house_bots(self._config, self._room, self._listeners.bots_address)
        bots = [table.house_bots for table in self._config.tables]
        offers = (*self._config.sit_and_gos, *self._config.tournaments)
        if any(bots + [offer.house_bots for offer in offers]):
            self._house.start()
        self._every(MINUTES_LOOK_S, self._minutes.look)
        self._every(PROBE_S, self._probe)
        if self._watch is not None:
            self._every(WATCH_S, partial(self._watched, self._watch))
        if self._certificate is not None:
            self._every(RELOAD_S, partial(self._certificate.refresh, deferToThread))
        self._every(_DAY_S, self._check_shuffle)
        self._every(_DAY_S, partial(tell_log_head, self._ledger))
        await tell_log_head(self._ledger)
        self._reactor.callLater(_MINUTE_S, lambda: self._check_shuffle().addErrback(log_fault))
        if not await self._ledger.keep_cards(self._config.retention.hands_days):
            _log.warning("retention.not_set", advice="start a node once with POKERROOM_OWNER_DATABASE_URL")
        if self._config.checkpoints.every_s:
            self._metrics.watch(
                "checkpoint_seconds",
                "Unix time at which this node last had signed all that was settled; 0 if it never had.",
                lambda: self._checkpoints.signed_s,
            )
            self._every(self._config.checkpoints.every_s, self._checkpoints.run)
        self._every(EVERY_S, self._statistics.run)
        self._send_outward()
        self._every(FAULTS_S, FaultLog(self._ledger, self._faults_of_tables).run)
        self._every(_DAY_S, self._erase_old)
        self._reactor.callLater(_MINUTE_S, lambda: self._erase_old().addErrback(log_fault))
        self._reasons.discard(_STARTING)
        _log.info("room.ready", node=self._name, tables=len(self._room.local_tables), runs=FORM)
        return [*lines, ops]

    async def _open_ledger(self) -> None:
        await self._ledger.open()
        if self._ledger.owns_tables:
            _log.info("ledger.role_owns_tables", advice="set POKERROOM_OWNER_DATABASE_URL")

    def _faults_of_tables(self) -> dict[str, tuple[int, bool]]:
        return {name: (table.restarts.count, table.frozen) for name, table in self._room.local_tables.items()}

    def _send_outward(self) -> None:
        self._every(ANNOUNCED_S, self._room.announcements.look)
        self._every(BARRED_S, self._room.bar)
        self._send_webhooks()
        if self._wallet is not None:
            self._send_to_wallet(self._wallet.queue)

    def _send_webhooks(self) -> None:
        sender = self._webhooks.sender
        self._metrics.watch(
            "webhook_waiting",
            "Messages of webhooks that wait for their delivery, as the leader of the nodes counts them.",
            lambda: sender.backlog.waiting,
        )
        self._metrics.watch(
            "webhook_dead",
            "Messages of webhooks that are not tried again, as the leader counts them.",
            lambda: sender.backlog.dead,
        )
        self._metrics.watch(
            "webhook_oldest_seconds",
            "Age of the oldest message of webhooks that waits, as the leader counts it; 0 if none does.",
            lambda: sender.backlog.oldest_s,
        )
        self._every(SEND_S, sender.run)
        self._every(LOOK_S, sender.look)

    def _send_to_wallet(self, queue: WalletQueue) -> None:
        self._metrics.watch(
            "wallet_waiting",
            "Credits and rollbacks that wait for the operator's wallet, as the leader of the nodes counts them.",
            lambda: queue.backlog.waiting,
        )
        self._metrics.watch(
            "wallet_owed",
            "Sum of the credits that wait, in the smallest unit, as the leader counts it.",
            lambda: queue.backlog.owed,
        )
        self._metrics.watch(
            "wallet_oldest_seconds",
            "Age of the oldest credit or rollback that waits, as the leader counts it; 0 if none does.",
            lambda: queue.backlog.oldest_s,
        )
        self._every(CREDIT_S, queue.run)
        self._every(WALLET_LOOK_S, queue.look)

    def _every(self, seconds: float, work: Callable[[], Any]) -> None:
        task = PeriodicTask(self._reactor, seconds, work)
        task.start()
        self._tasks.append(task)

    def _check_shuffle(self) -> Deferred[ShuffleReport]:
        """K1: a minute after the start, and once a day."""
        return check_shuffle(self._reactor, shuffled, self._metrics.shuffle_checked)

    def _leads(self) -> bool:
        """Whether this node does what one node of the room does."""
        return not self.stopping and self._room.membership.leads()

    @as_deferred
    async def _erase_old(self) -> None:
        """A minute after the start, and once a day, at the leader of the nodes."""
        if not self._leads():
            return
        config = self._config
        try:
            erased = await erase_old(self._ledger, config.retention, config.sessions.lifetime)
        except LedgerUnavailable as unavailable:  # the next one erases what this one did not
            _log.info("retention.interrupted", reason=str(unavailable))
        else:
            _log.info(
                "retention.erased",
                hands=erased.hands,
                sessions=erased.sessions,
                messages=erased.messages,
                debits=erased.debits,
            )

    # --- health -------------------------------------------------------------------------------------------------------

    def not_ready(self) -> list[str]:
        """Return why the room should get no players now; empty if it may."""
        reasons = sorted(self._reasons)
        if not self._journal.healthy():
            reasons.append("redis does not answer")
        if self._room.ownership.suspended():
            reasons.append(_SUSPENDED)
        return reasons

    @as_deferred
    async def _probe(self) -> None:
        try:
            asked = self._ledger.find_session(b"").asFuture(asyncio.get_running_loop())
            await deferred(asyncio.wait_for(asked, PROBE_S))
        except (LedgerUnavailable, TimeoutError):
            self._reasons.add("postgresql does not answer")
        else:
            self._reasons.discard("postgresql does not answer")

    def _watched(self, watch: Callable[[], None]) -> Deferred[None]:
        """Look once at the embedded services; what cannot be started is tried again at the next look."""
        return deferToThread(watch).addErrback(
            lambda failure: _log.critical("services.not_revived", error=str(failure.value))
        )

    # --- stop ---------------------------------------------------------------------------------------------------------

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._stopping is not None

    def stop(self, *, hurry: bool = False) -> Deferred[None]:
        """Drain and close. Called again, do not wait for hands in progress any longer: they are void."""
        if self._stopping is None:
            self._stopping = Deferred.fromCoroutine(self._stop())
        elif not self._hurry.called:
            hurry = True
        if hurry and not self._hurry.called:
            self._hurry.callback(None)
        return self._stopping

    def drain(self) -> None:
        """Give up all tables, for the operator, and take none until the process is started again; it goes on.

        Players stay connected here, and play at the tables of other nodes.
        """
        if "draining" in self._reasons:
            return
        _log.info("node.draining")
        self._reasons.add("draining")
        if self._house is not None:
            self._house.rest()
        self._room.drain().addCallback(lambda _: _log.info("node.drained"))

    async def _stop(self) -> None:
        if _STARTING not in self._reasons:  # a node that could not start has nothing to drain
            _log.info(
                "room.draining",
                seconds_max=DRAIN_S,
                message="hands in progress are played to their end; Ctrl-C again stops at once",
            )
        self._reasons.add("draining")
        await self._listeners.close_to_players()
        if self._house is not None:
            self._house.rest()
        drained = self._room.drain()
        limit: Deferred[None] = deferLater(self._reactor, DRAIN_S)
        ends: list[Deferred[Any]] = [drained, limit, self._hurry]
        await DeferredList(ends, fireOnOneCallback=True)
        limit.addErrback(lambda _: None).cancel()
        await self._room.moves.finish(lambda: self._hurry.called)
        if self._house is not None:
            await deferred(self._house.stop())
        await self._room.stop()
        self._journal.stop()
        for task in self._tasks:
            task.stop()
        await self._webhooks.sender.stop()
        if self._wallet is not None:
            await self._wallet.queue.stop()
        await deferLater(self._reactor, 0.05)  # the goodbyes leave at the end of a turn
        await self._listeners.close_to_operators()
        await self._ledger.close()
        await deferred(self._redis.aclose())
        if self._traces is not None:
            await deferToThread(self._traces.stop)
        self._threads.stop()
        _log.info("room.stopped")


def run(
    config: RoomConfig,
    services: Services,
    watch: Callable[[], None] | None = None,
    parent: ParentProcess | None = None,
) -> int:
    """Run a node until a signal stops it; return the exit code. Installs the asyncio reactor. See `Node`.

    A `parent` is told what otherwise the operator's terminal is told.
    """
    crowd = CrowdSelector() if sys.platform == "linux" else None
    loop = NodeLoop(crowd)
    asyncio.set_event_loop(loop)
    reactor = install_reactor(loop)
    # otherwise leases and action clocks would follow the wall clock when it is set
    reactor.seconds = time.monotonic
    code, told = 0, parent or TerminalParent()
    try:
        node = Node(
            config,
            services,
            reactor=reactor,
            soon=loop.at_turn_end,
            watch=watch,
            shared=parent is not None,
            crowd=crowd,
        )
    except StartRefused as refused:
        told.refused(str(refused))
        return 1

    def end(*, hurry: bool = False) -> None:
        node.stop(hurry=hurry).addErrback(crashed).addBoth(lambda _: reactor.running and reactor.stop())

    async def live() -> None:
        nonlocal code
        try:
            lines = await node.start()
        except StartRefused as refused:
            if node.stopping:
                return  # it was told to end before it had started
            code = 1
            told.refused(str(refused))
            end(hurry=True)
            return
        told.ready(lines)

    def crashed(failure: Any) -> None:
        nonlocal code
        code = 1
        _log.critical("room.fault", exc_info=failure.value)
        if reactor.running:
            reactor.stop()

    make_room_for(2 * config.limits.connections_max)  # of the game port and of the web
    # what exists by now lives as long as the room: the collector need not look at it again
    gc.collect()
    gc.freeze()
    # a crowd that connects and hangs up leaves cycles of objects: few at a time are collected in a few milliseconds
    gc.set_threshold(5_000, 5, 800)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    if parent is not None:
        PeriodicTask(reactor, BEAT_S, parent.beat).start()
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(live()).addErrback(crashed))
    reactor.run(installSignalHandlers=False)
    return code


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
