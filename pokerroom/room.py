"""One node of a room without its surroundings: lobby, tables, sessions and settler, and what makes it one of several.

`app` hands in PostgreSQL, Redis and the reactor, the simulation memory and a virtual clock: nobody else builds a
room. This module knows no ports, no signals and no adapter by name. A room of one node is the same: it owns all tables.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any, Final, Protocol

import structlog
from argon2 import PasswordHasher
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall, deferLater

from pokerroom.chips import Money
from pokerroom.cluster.membership import HEARTBEAT_S, Membership
from pokerroom.cluster.node_facts import NodeFacts
from pokerroom.cluster.node_reports import node_reports
from pokerroom.cluster.ownership import Ownership
from pokerroom.cluster.remote_viewers import Soon
from pokerroom.cluster.retired_tables import RetiredTables
from pokerroom.cluster.room_bus import MakeBus, RoomBus
from pokerroom.cluster.takeover import Takeover
from pokerroom.coordination.api import Directory, Journal, PayoutStream, Registrations
from pokerroom.gateway.accounts import Accounts, InThread
from pokerroom.gateway.limits import SessionLimits
from pokerroom.gateway.observer import GatewayObserver
from pokerroom.gateway.session import Sessions
from pokerroom.ledger.settler import Settler
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.ledger.whole import WholeLedger
from pokerroom.lobby.lobby import AccountSeats, Lobby
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.config import LimitsConfig, RoomConfig
from pokerroom.ops.reports import NodeReport
from pokerroom.table.api import ActorSettings, TableActor
from pokerroom.table.context import NodeLease, TableContext, TableObserver
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.seal import Seal
from pokerroom.table.shuffle import RandomBytes
from pokerroom.table_factory import all_settings, made_table
from pokerroom.tournament.desk import Desk
from pokerroom.tournament.payouts import PayoutWorker
from pokerroom.tournament.running import Running
from pokerroom_protocol import messages as wire

IDLE_SWEEP_S: Final = 5

TURN_AWAY_S: Final = 5.0
"""A node that can do nothing for its clients sends them to the others after so long [D]; one that is alone never."""

GOODBYE_S: Final = 3.0
"""A room that goes down waits so long for its stores: for what is not said then the others wait a lease."""

_log = structlog.get_logger()


class RoomObserver(TableObserver, GatewayObserver, Protocol):
    """Who counts what happens in the room."""

    def timeout_all_in(self) -> None:
        """The clock has put somebody all-in for what was in (H2)."""

    def settlement(self, hands: int, seconds: float) -> None:
        """A batch of so many hands was committed; it took so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomDependencies:
    """What a node stands on. `node` is its name, another one in every process.

    `now_ms` is the wall clock; `clock` runs timers, and goes only forward. `journal` is made with who hears of a table
    that was lost, `bus` with who hears messages. `in_thread` takes blocking work, which is hashing passwords with
    `hasher`. `soon` calls at the end of the reactor's turn, more cheaply than the clock does.
    """

    node: str
    ledger: WholeLedger
    journal: Callable[[Callable[[str], None]], Journal]
    directory: Directory
    bus: MakeBus
    registrations: Registrations
    payouts: PayoutStream
    clock: IReactorTime
    now_ms: Callable[[], int]
    random_bytes: RandomBytes
    seal: Seal
    observer: RoomObserver
    in_thread: InThread
    hasher: PasswordHasher | None = None
    soon: Soon | None = None


class Room:
    """The tables that live on this node, and the sessions of its clients."""

    def __init__(self, config: RoomConfig, around: RoomDependencies) -> None:
        self._around = around
        self._started_ms = around.now_ms()
        settings = all_settings(config)
        self._common = _fingerprint([*settings.values(), *config.sit_and_gos], around.seal)
        self.ops = ""
        """Where other nodes reach this one's operations port, once that is known."""
        self.journal = around.journal(self._sealed)
        self.settler = Settler(around.ledger, around.clock, around.observer.settlement)
        self.timeouts = TimeoutDay(around.now_ms, around.observer.timeout_all_in)
        seats = AccountSeats(config.limits.tables_per_account_max)
        self.room_bus = RoomBus(
            node=around.node,
            clock=around.clock,
            now_ms=around.now_ms,
            bus=around.bus,
            settings=settings,
            seats=seats,
            timeouts=self.timeouts,
            observer=around.observer,
            soon=around.soon,
        )
        self.lobby = Lobby(settings, seats, self.room_bus.door, self.room_bus.lives)
        self.running = Running(
            ledger=around.ledger,
            clock=around.clock,
            settings=settings,
            here=lambda name: self.lobby.here(name) is not None,
            lives=self.room_bus.lives,
            news=self._looked_at_tournaments,
            over=self._over_everywhere,
        )
        self.desk = Desk(
            offers=config.sit_and_gos,
            ledger=around.ledger,
            registrations=around.registrations,
            clock=around.clock,
            now_ms=around.now_ms,
            tell=self.room_bus.tell,
        )
        self.desk.full = self._full
        self.payouts = PayoutWorker(
            node=around.node,
            ledger=around.ledger,
            stream=around.payouts,
            clock=around.clock,
            paid=self.desk.paid,
        )
        self.sessions = self._make_sessions(config)
        self.room_bus.taken_over = self.sessions.taken_over
        self.room_bus.tells = self._tells
        self.membership = Membership(
            node=around.node,
            clock=around.clock,
            directory=around.directory,
            facts=self._facts,
            looked=self._looked,
            lapsed=self._lapsed,
        )
        self.room_bus.news = self.membership.look_now
        self._takeover = Takeover(
            node=around.node,
            clock=around.clock,
            ledger=around.ledger,
            journal=self.journal,
            random_bytes=around.random_bytes,
            seats_of=lambda table: settings[table].seats_max if table in settings else 0,
        )
        self._world = self._make_world(config.limits)
        self.ownership = Ownership(
            membership=self.membership,
            clock=around.clock,
            ledger=around.ledger,
            journal=self.journal,
            lobby=self.lobby,
            others=self.room_bus,
            takeover=self._takeover,
            lease=self._world.lease,
            make=self._make_table,
        )
        self._loops: list[LoopingCall] = []
        self._suspended_at: float | None = None

    # --- making ---------------------------------------------------------------------------------------------------

    def _make_sessions(self, config: RoomConfig) -> Sessions:
        around, limits = self._around, config.limits
        return Sessions(
            accounts=Accounts(
                around.ledger, around.in_thread, Money(config.play_money.opening_balance), around.hasher
            ),
            lobby=self.lobby,
            waits=self.room_bus.waits,
            desk=self.desk,
            arrived=self.room_bus.arrived,
            clock=around.clock,
            now_ms=around.now_ms,
            limits=SessionLimits(
                frame_bytes_max=limits.frame_bytes_max,
                messages_per_s=limits.messages_per_s,
                message_burst=limits.message_burst,
                idle_s=limits.idle_s,
                connections_max=limits.connections_max,
            ),
            server=f"{config.name} (pokerroom {version('pokerroom')})",
            observer=around.observer,
        )

    def _make_world(self, limits: LimitsConfig) -> TableContext:
        """Of all tables; what is each one's own comes with the table."""
        around = self._around
        return TableContext(
            clock=around.clock,
            now_ms=around.now_ms,
            random_bytes=around.random_bytes,
            journal=self.journal,
            ledger=around.ledger,
            settler=self.settler,
            seal=around.seal,
            observer=around.observer,
            seating=self.room_bus.seating,
            timeouts=self.room_bus.timeouts,
            lease=NodeLease(),
            epoch=0,
            tables_max=limits.tables_per_account_max,
            relinquished=lambda: None,
            payouts=self.payouts,
            started=self._started,
        )

    def _make_table(self, settings: ActorSettings, epoch: int) -> TableActor:
        relinquished = partial(self.ownership.lost, settings.table, epoch)
        over = partial(self._over, settings.table, epoch)
        world = replace(self._world, epoch=epoch, relinquished=relinquished, over=over)
        return made_table(settings, world)

    # the ownership is made of what calls these
    def _looked_at_tournaments(self) -> None:
        self.ownership.looked()

    def _sealed(self, table: str) -> None:
        self.ownership.lost(table)

    def _looked(self, news: bool) -> None:
        self.ownership.looked(news=news)

    def _lapsed(self) -> None:
        self.ownership.lapsed()

    # --- sit-and-gos ----------------------------------------------------------------------------------------------

    def _full(self, tournament: str) -> None:
        """It can start: here, unless another node is faster."""
        self.running.full(tournament, partial(self.ownership.claim, tournament))

    def _started(self, row: TournamentRow) -> None:
        """A tournament has started here: its players are told where they sit."""
        name = row.opening.tournament
        self.desk.started(name)
        for seat, account in enumerate(row.players, 1):
            self.room_bus.tell(account, wire.SngStarted(tournament=name, table=name, seat=seat))

    def _tells(self, account: int, outgoing: Outgoing | Bundle) -> None:
        """Something for an account that may be connected here; where it is to play is known here by then."""
        for part in outgoing.parts:
            tell = partial(self.sessions.tell, account, part)
            if isinstance(part.message, wire.SngStarted):
                self.running.started(part.message.table, tell)
            else:
                tell()

    def _over(self, name: str, epoch: int) -> None:
        """Nothing will be played any more at a table of this node."""
        if self.ownership.over(name, epoch):
            self.running.ended(name)

    def _over_everywhere(self, name: str) -> None:
        self.room_bus.over(name)
        self.lobby.over(name)

    # --- questions ------------------------------------------------------------------------------------------------

    def tables_by_state(self) -> dict[str, int]:
        """How many tables of this node are in each state, for the operator."""
        return dict(Counter(table.state_name for table in self.lobby.owned()))

    def seats_occupied(self) -> int:
        """How many seats of this node's tables somebody holds."""
        return sum(len(table.holders()) for table in self.lobby.owned())

    def nodes(self) -> list[NodeReport]:
        """All nodes of the room as this one knows them, for the operator."""
        membership = self.membership
        return node_reports(membership.node, membership.known(), membership.living(), self._around.now_ms())

    def _facts(self, count: int) -> NodeFacts:
        return NodeFacts(
            count=count,
            common=self._common,
            started_ms=self._started_ms,
            ops=self.ops,
            draining=self.ownership.draining,
            suspended=self.ownership.suspended(),
            tables=self.ownership.tables(),
            given=self.ownership.given(),
        )

    # --- start ------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Joins the other nodes, or goes on where the last room on this ledger ended.

        No client may be let in before it has returned: every table has an owner then. If the last node was killed this
        takes as long as its lease. Raises `LedgerUnavailable`, `membership.NotAlike`, and `ConnectionError` or
        `TimeoutError` where the directory does not answer.
        """
        await self.membership.look_around()
        self.timeouts.restore(await self._around.ledger.timeout_all_ins(self.timeouts.began_ms))
        await self.room_bus.start()
        await self.membership.join()
        self.membership.start()
        await self.running.first()
        owned = self.ownership.start()
        self.running.start()  # what comes to its end elsewhere meanwhile has no owner, and is not to be waited for
        await owned
        await self._close_retired()
        self.payouts.start()
        await self.desk.start()
        clock = self._around.clock
        self._loops = [
            every(clock, IDLE_SWEEP_S, self.sessions.end_idle),
            every(clock, 1, self._consider_clients),
        ]

    def _consider_clients(self) -> None:
        now = self._around.clock.seconds()
        if not self.ownership.suspended():
            self._suspended_at = None
            self.sessions.let_in()
        elif self._suspended_at is None:
            self._suspended_at = now
        elif now - self._suspended_at >= TURN_AWAY_S and self.membership.others():
            self.sessions.turn_away()

    async def _close_retired(self) -> None:
        retired = RetiredTables(
            clock=self._around.clock,
            now_ms=self._around.now_ms,
            ledger=self._around.ledger,
            journal=self.journal,
            settings=self.lobby.settings,
            takeover=self._takeover,
            free=self.ownership.free,
        )
        while not await retired.sweep():
            await deferLater(self._around.clock, HEARTBEAT_S)

    # --- stop -------------------------------------------------------------------------------------------------------

    def drain(self) -> Deferred[None]:
        """No new hands from now on. Fires when none is in progress that anybody could finish.

        Other nodes take each table as its hand ends; if there is none, the tables stay until `stop`.
        """
        return self.ownership.drain()

    def stop(self) -> Deferred[None]:
        """Ends everything at once: hands still in progress are left to the journal, every client is told.

        Fires when the stores know that this node's tables are nobody's, after `GOODBYE_S` at the latest.
        """
        self.desk.stop()
        self.running.stop()
        self.payouts.stop()
        released = self.ownership.stop()
        self.settler.stop()
        self.sessions.end_all()
        for loop in self._loops:
            if loop.running:
                loop.stop()
        return Deferred.fromCoroutine(self._leave(released))

    async def _leave(self, released: Deferred[None]) -> None:
        limit: Deferred[None] = deferLater(self._around.clock, GOODBYE_S)
        await DeferredList([released, limit], fireOnOneCallback=True, consumeErrors=True)
        limit.addErrback(lambda _: None).cancel()
        self.membership.stop()
        try:
            await self.membership.leave()
        except (ConnectionError, TimeoutError) as error:
            _log.warning("directory.unavailable", error=type(error).__name__)
        await self.room_bus.stop()


def every(clock: IReactorTime, seconds: float, work: Callable[[], Any]) -> LoopingCall:
    """Does `work` every so many seconds until the result's `stop`; a fault in it ends it, and is logged."""
    loop = LoopingCall(work)
    loop.clock = clock
    loop.start(seconds, now=False).addErrback(
        lambda failure: _log.critical("room.fault", what=repr(work), exc_info=failure.value)
    )
    return loop


def _fingerprint(played: Sequence[object], seal: Seal) -> str:
    """Of what all nodes must have in common: what they play, whose hands they can open, how they talk to each other."""
    common = version("pokerroom"), seal.key_id, played
    return hashlib.sha256(repr(common).encode()).hexdigest()[:32]
