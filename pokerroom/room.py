"""One node of a room: lobby, tables, sessions and settler, and what makes it one of several nodes.

`app` hands in PostgreSQL, Redis and the reactor, the simulation memory and a virtual clock; only these two build a
room. This module knows no ports, no signals and no adapter by name. A room of one node is the same: it owns all tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Final

import structlog
from argon2 import PasswordHasher
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.bridge import as_deferred
from pokerroom.chips import Money
from pokerroom.cluster.common_settings import fingerprint
from pokerroom.cluster.local_tables import LocalTables
from pokerroom.cluster.membership import HEARTBEAT_S, Membership
from pokerroom.cluster.node_facts import SPOKEN, NodeFacts
from pokerroom.cluster.node_reports import node_reports
from pokerroom.cluster.ownership import Ownership
from pokerroom.cluster.remote_viewers import Soon
from pokerroom.cluster.retired_tables import RetiredTables
from pokerroom.cluster.room_bus import MakeBus, RoomBus
from pokerroom.cluster.table_owners import TableOwners
from pokerroom.cluster.takeover import Takeover
from pokerroom.coordination.api import Directory, Journal, LogInAttempts, PayoutStream, Registrations
from pokerroom.gateway.account_security import SecondFactorPolicy, SessionPolicy
from pokerroom.gateway.accounts import Accounts
from pokerroom.gateway.addresses import AddressPolicy, networks
from pokerroom.gateway.announcements import AnnouncementWatch
from pokerroom.gateway.clubs import ClubService
from pokerroom.gateway.code_guesses import CodeGuesses
from pokerroom.gateway.connections import AccountConnections
from pokerroom.gateway.hand_sharing import HAND_CODES, HandSharing
from pokerroom.gateway.hand_texts import TEXT_BYTES, HandTextWriter
from pokerroom.gateway.hosting import HostingService
from pokerroom.gateway.leagues import LeagueService
from pokerroom.gateway.limits import SessionLimits
from pokerroom.gateway.link_secrets import LinkSecrets
from pokerroom.gateway.moves import Moves
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.openings import AccountOpenings
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import InThread, Passwords
from pokerroom.gateway.play_watch import WATCH_S, PlayWatch
from pokerroom.gateway.private_sit_and_gos import PrivateSitAndGoService
from pokerroom.gateway.session_context import SessionContext
from pokerroom.gateway.sessions import Sessions
from pokerroom.gateway.table_passwords import TablePasswords
from pokerroom.history.hidden_cards import HAND_RECORDS
from pokerroom.ledger.settler import Settler
from pokerroom.ledger.tournaments import tournament_owned_as
from pokerroom.ledger.whole import WholeLedger
from pokerroom.lobby.hosted_tables import HostedTableRegistry
from pokerroom.lobby.leaving import LeavingTable
from pokerroom.lobby.lobby import AccountSeats, Lobby
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.config import RoomConfig
from pokerroom.ops.observer import Observer
from pokerroom.ops.periodic_task import PeriodicTask
from pokerroom.ops.reports import NodeReport
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings
from pokerroom.table.context import NodeLease, TableContext
from pokerroom.table.seal import Seal
from pokerroom.table.shuffle import RandomBytes
from pokerroom.table.traces import Traces
from pokerroom.table_factory import all_settings, make_table
from pokerroom.tournament.lobby import TournamentLobby
from pokerroom.tournament.offer_board import OfferBoard
from pokerroom.tournament.payouts import PayoutWorker
from pokerroom.tournament.registration import RegistrationService
from pokerroom.tournament.registry import TournamentRegistry
from pokerroom.tournament.scheduled import ScheduledTournaments

IDLE_SWEEP_S: Final = 5

HOUR_S: Final = 3_600

SESSION_SWEEP_S: Final = 300
"""Connections of sessions that are too old end within this time [D]."""

TURN_AWAY_S: Final = 5.0
"""A node suspended for this long sends its clients to the other nodes [D]; a node that is alone never does."""

GOODBYE_S: Final = 3.0
"""A room that stops waits this long for its stores. What is not released then the others take after the lease."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomDependencies:
    """What a node is built on. `node` is its name, a different one in every process.

    `now_ms` is the wall clock; `clock` runs timers and only goes forward. `journal` is made with a callback for tables
    that were lost, `bus` with callbacks for messages. `in_thread` runs blocking work: hashing passwords with `hasher`.
    `soon` calls a function at the end of the reactor turn, at less cost than the clock. `was_killed` is as in
    `Membership`.
    """

    node: str
    ledger: WholeLedger
    journal: Callable[[Callable[[str], None]], Journal]
    directory: Directory
    bus: MakeBus
    registrations: Registrations
    payouts: PayoutStream
    log_in_attempts: LogInAttempts
    clock: IReactorTime
    now_ms: Callable[[], int]
    random_bytes: RandomBytes
    seal: Seal
    observer: Observer
    in_thread: InThread
    hasher: PasswordHasher | None = None
    soon: Soon | None = None
    traces: Traces | None = None
    was_killed: Callable[[str], bool] = lambda _: False


class Room:
    """The parts of one node, built in order; each receives the parts that it needs.

    Six pairs of parts need each other. The earlier one of a pair gets a function that finds the later one when it is
    called: the journal and `TournamentRegistry` call ownership, the bus calls membership and `Moves`, membership calls
    ownership, and `Accounts` call `PlayWatch`.
    """

    def __init__(self, config: RoomConfig, needs: RoomDependencies) -> None:
        self._config = config
        self._needs = needs
        self._started_ms = needs.now_ms()
        self._settings = all_settings(config)
        self._fingerprint = fingerprint(
            needs.seal.key_id, self._settings.values(), config.sit_and_gos, config.tournaments
        )
        self._ops = ""
        self._tasks: list[PeriodicTask] = []
        self._suspended_at: float | None = None
        self._lease = NodeLease()
        self.journal = needs.journal(lambda table: self.ownership.lost(table))  # noqa: PLW0108 -- it is made below
        self.settler = Settler(needs.ledger, needs.clock, needs.observer.settlement)
        self.timeouts = TimeoutDay(needs.now_ms, needs.observer.timeout_all_in)
        self.local_tables = LocalTables()
        owners = TableOwners(needs.node, self.local_tables)
        seats = AccountSeats(config.limits.tables_per_account_max)
        connections = AccountConnections()
        self.tournaments = TournamentRegistry(
            ledger=needs.ledger,
            clock=needs.clock,
            settings=self._settings,
            here=self.local_tables,
            owned=owners,
            claim=lambda tournament: self.ownership.claim(tournament),  # noqa: PLW0108 -- it is made below
            news=lambda: self.ownership.refreshed(),  # noqa: PLW0108 -- it is made below
            over=lambda tournament: self.room_bus.over(tournament),  # noqa: PLW0108 -- it is made below
        )
        self.hosted_tables = HostedTableRegistry(
            ledger=needs.ledger,
            clock=needs.clock,
            settings=self._settings,
            local=self.local_tables,
            owned=owners,
            idle_close_s=config.hosting.idle_close_h * HOUR_S,
            claim=lambda table: self.ownership.claim(table),  # noqa: PLW0108 -- it is made below
            news=lambda: self.ownership.refreshed(),  # noqa: PLW0108 -- it is made below
            tell=lambda table: self.room_bus.tell_hosted_table(table),  # noqa: PLW0108 -- it is made below
            over=lambda table: self.room_bus.over(table),  # noqa: PLW0108 -- it is made below
        )
        self.room_bus = RoomBus(
            node=needs.node,
            clock=needs.clock,
            now_ms=needs.now_ms,
            bus=needs.bus,
            settings=self._settings,
            local=self.local_tables,
            owners=owners,
            seats=seats,
            timeouts=self.timeouts,
            deliver=self.tournaments.delivering(connections.deliver),
            taken_over=connections.taken_over,
            sessions_ended=connections.sessions_ended,
            directory_changed=lambda: self.membership.refresh_now(),  # noqa: PLW0108 -- it is made below
            hosted_table_changed=self.hosted_tables.changed,
            observer=needs.observer,
            soon=needs.soon,
            traces=needs.traces,
            watches_elsewhere=lambda viewer: self.moves.consider(viewer),  # noqa: PLW0108 -- it is made below
        )
        self.lobby = Lobby(self._settings, self.local_tables, self.room_bus.remote_table, owners)
        self.registration = RegistrationService(
            offers=config.sit_and_gos,
            ledger=needs.ledger,
            registrations=needs.registrations,
            clock=needs.clock,
            now_ms=needs.now_ms,
            tell=self.room_bus.tell,
            full=self.tournaments.full,
        )
        self.tournament_lobby = TournamentLobby(
            found=self.registration.found,
            names=needs.ledger.account_names,
            clock=needs.clock,
            status=self.room_bus.tournament_status,
        )
        self.scheduled = ScheduledTournaments(
            offers=config.tournaments,
            ledger=needs.ledger,
            clock=needs.clock,
            now_ms=needs.now_ms,
            registrations=needs.registrations,
            leads=lambda: self.membership.leads(),  # noqa: PLW0108 -- it is made below
            found=self.registration.found,
            due=self.tournaments.full,
            cancel=self.registration.cancel,
        )
        self.offers = OfferBoard(
            settings=[*config.sit_and_gos, *config.tournaments, config.hosting],
            written=config.offer_terms,
            ledger=needs.ledger,
            clock=needs.clock,
            offer_sit_and_gos=self.registration.offer,
            offer_tournaments=self.scheduled.offer,
        )
        self.payouts = PayoutWorker(
            node=needs.node,
            ledger=needs.ledger,
            stream=needs.payouts,
            clock=needs.clock,
            paid=self.registration.paid,
        )
        self.sessions = self._make_sessions(connections)
        self.moves = Moves(
            node=needs.node,
            clock=needs.clock,
            sessions=self.sessions,
            clients=self.room_bus.moving_clients,
            accepts=lambda: not (self.ownership.draining or self.ownership.suspended()),
        )
        self.announcements = AnnouncementWatch(needs.ledger, connections)
        self._play_watch = PlayWatch(needs.ledger, connections, self._tables_to_leave, self._unregister)
        self.membership = Membership(
            node=needs.node,
            clock=needs.clock,
            directory=needs.directory,
            facts=self._facts,
            refreshed=lambda announced: self.ownership.refreshed(announced=announced),
            lapsed=lambda: self.ownership.lapsed(),  # noqa: PLW0108 -- it is made below
            was_killed=needs.was_killed,
        )
        self._takeover = Takeover(
            node=needs.node,
            clock=needs.clock,
            ledger=needs.ledger,
            journal=self.journal,
            random_bytes=needs.random_bytes,
            seats_of=lambda table: self._settings[table].seats_max if table in self._settings else 0,
        )
        self.ownership = Ownership(
            membership=self.membership,
            clock=needs.clock,
            ledger=needs.ledger,
            journal=self.journal,
            settings=self._settings,
            local=self.local_tables,
            seats=seats,
            listener=self.room_bus,
            takeover=self._takeover,
            lease=self._lease,
            make=self._make_table,
            ended=self.tournaments.ended,
        )

    def _tables_to_leave(self) -> Iterator[LeavingTable]:
        """Yield the tables of this node that players may leave: not those of sit-and-gos."""
        return (LeavingTable(table) for table in self.local_tables.values() if table.settings.free_to_leave)

    def _unregister(self, account: int, offer: str) -> Deferred[str]:
        if offer in self.registration.offers:
            return self.registration.unregister(account, offer)
        return self.scheduled.leave(account, offer)

    def _make_sessions(self, connections: AccountConnections) -> Sessions:
        needs, config, limits = self._needs, self._config, self._config.limits
        addresses = AddressPolicy(
            per_address=limits.connections_per_address,
            trusted=networks(config.listen.trusted_proxies),
            unlimited=networks(config.listen.unlimited_addresses),
        )
        guesses, secrets = CodeGuesses(needs.log_in_attempts), LinkSecrets(needs.random_bytes)
        hosting = HostingService(
            needs.ledger,
            self.hosted_tables,
            self.lobby,
            lambda: self.offers.private_tables,
            sit_and_gos=PrivateSitAndGoService(
                needs.ledger,
                offered=lambda: self.offers.private_tables,
                secrets=secrets,
                changed=self.hosted_tables.changed_here,
                look=self.scheduled.look,
                cancel=self.registration.cancel,
                found=self.registration.found,
                removed=self.registration.removed,
                now_ms=needs.now_ms,
                given_up_s=config.hosting.idle_close_h * HOUR_S,
            ),
            guesses=guesses,
            secrets=secrets,
        )
        passwords = Passwords(
            needs.in_thread, needs.log_in_attempts, needs.observer, needs.ledger, needs.hasher
        )
        rules = PasswordRules(config.accounts.password_length_min, [config.name])
        context = SessionContext(
            accounts=Accounts(
                needs.ledger,
                passwords,
                Money(config.play_money.opening_balance),
                rules=rules,
                reserved=ReservedNames(config.accounts.reserved_names),
                openings=AccountOpenings(
                    needs.log_in_attempts,
                    addresses,
                    config.accounts.accounts_per_address,
                    config.play_money.openings_per_address,
                ),
                second=SecondFactorPolicy(
                    room=config.name, seal=needs.seal.of("second factors"), now_ms=needs.now_ms
                ),
                cards=needs.seal.of(HAND_RECORDS),
                policy=SessionPolicy(
                    lifetime=config.sessions.lifetime,
                    rotate_s=config.sessions.rotate_s,
                    overlap_s=config.sessions.overlap_s,
                ),
                refill=config.cashier.refill,
                statistics_seated=config.statistics.at_tables,
                excluded=lambda: self._play_watch.bar(),  # noqa: PLW0108 -- it is made later
            ),
            lobby=self.lobby,
            waitlist=self.room_bus.waitlist,
            registration=self.registration,
            tournament_lobby=self.tournament_lobby,
            scheduled=self.scheduled,
            leagues=LeagueService(
                leagues=config.leagues, ledger=needs.ledger, clock=needs.clock, now_ms=needs.now_ms
            ),
            hosting=hosting,
            table_passwords=TablePasswords(needs.ledger, hosting, passwords, rules, guesses),
            clubs=ClubService(needs.ledger, hosting, config.hosting.clubs_per_account, guesses),
            sharing=HandSharing(
                needs.ledger, needs.seal.of(HAND_RECORDS), needs.seal.of(HAND_CODES), needs.random_bytes
            ),
            texts=HandTextWriter(
                needs.ledger,
                needs.seal.of(HAND_RECORDS),
                needs.clock,
                min(TEXT_BYTES, limits.outbound_bytes_max // 4),
            ),
            connections=connections,
            arrived=self.room_bus.arrived,
            sessions_ended=self.room_bus.sessions_ended,
            clock=needs.clock,
            now_ms=needs.now_ms,
            addresses=addresses,
            limits=SessionLimits(
                frame_bytes_max=limits.frame_bytes_max,
                messages_per_s=limits.messages_per_s,
                message_burst=limits.message_burst,
                idle_s=limits.idle_s,
                connections_max=limits.connections_max,
            ),
            server=f"{config.name} (pokerroom {version('pokerroom')})",
            observer=needs.observer,
            traces=needs.traces,
        )
        return Sessions(context)

    def _make_table(self, settings: ActorSettings, epoch: int) -> TableActor:
        needs, table, traces = self._needs, settings.table, self._needs.traces
        context = TableContext(
            clock=needs.clock,
            now_ms=needs.now_ms,
            random_bytes=needs.random_bytes,
            journal=self.journal if traces is None else traces.journal(self.journal),
            ledger=needs.ledger,
            settler=self.settler if traces is None else traces.settler(self.settler),
            seal=needs.seal,
            observer=needs.observer,
            seating=self.room_bus.seating,
            timeouts=self.room_bus.timeouts,
            lease=self._lease,
            host=self.hosted_tables.host_of(table),
            epoch=epoch,
            tables_max=self._config.limits.tables_per_account_max,
            relinquished=partial(self.ownership.lost, table, epoch),
            payouts=self.payouts,
            started=self.registration.started,
            moved=self.room_bus.tell,
            offered=self.room_bus.tell,
            send=self.room_bus.send,
            tables_open=partial(self.tournaments.opened, tournament_owned_as(table) or table),
            over=partial(self.ownership.over, table, epoch),
        )
        return make_table(settings, context)

    # --- questions ------------------------------------------------------------------------------------------------

    def tables_by_state(self) -> dict[str, int]:
        """Return how many tables of this node are in each state, for the operator."""
        tables = (table for name, table in self.local_tables.items() if tournament_owned_as(name) is None)
        return dict(Counter(table.state_name for table in tables))

    def seats_occupied(self) -> int:
        """Return how many seats of this node's tables are held."""
        return sum(len(table.holders()) for table in self.local_tables.values())

    def nodes(self) -> list[NodeReport]:
        """Return all nodes of the room as this one knows them, for the operator."""
        membership = self.membership
        return node_reports(membership.node, membership.known(), membership.living(), self._needs.now_ms())

    def _facts(self, count: int) -> NodeFacts:
        return NodeFacts(
            count=count,
            common=self._fingerprint,
            speaks=SPOKEN,
            started_ms=self._started_ms,
            ops=self._ops,
            draining=self.ownership.draining,
            suspended=self.ownership.suspended(),
            tables=self.ownership.tables(),
            given=self.ownership.given(),
        )

    # --- start ------------------------------------------------------------------------------------------------------

    async def start(self, ops: str = "", open_ledger: Callable[[], Awaitable[None]] | None = None) -> None:
        """Join the other nodes, or go on where the last room on this ledger ended.

        `ops` is the address at which other nodes reach this one's operations port. `open_ledger` is called once the
        other nodes are known to be alike: a node of another version must not upgrade the database below them. Admit no
        client before this has returned: every table has an owner then. If the last node was killed it takes as long as
        that node's lease. Raises `LedgerUnavailable`, `IncompatibleNode`, and `ConnectionError` or `TimeoutError` if
        the directory does not answer.
        """
        self._ops = ops
        await self.membership.look_around()
        if open_ledger is not None:
            await open_ledger()
        self.timeouts.restore(await self._needs.ledger.timeout_all_ins(self.timeouts.began_ms))
        await self.room_bus.start()
        await self.membership.join()
        self.membership.start()
        await self.tournaments.first()
        await self.hosted_tables.first()
        owned = self.ownership.start()
        self.hosted_tables.start()
        self.tournaments.start()  # a tournament that ends elsewhere meanwhile has no owner: do not wait for one
        await owned
        await self.close_retired_tables()
        self.payouts.start()
        await self.offers.start()
        await self.registration.start()
        self.scheduled.start()
        clock = self._needs.clock
        self._tasks = [
            PeriodicTask(clock, IDLE_SWEEP_S, self.sessions.end_idle),
            PeriodicTask(clock, SESSION_SWEEP_S, as_deferred(self.sessions.end_invalid)),
            PeriodicTask(clock, WATCH_S, self._play_watch.look),
            PeriodicTask(clock, 1, self._consider_clients),
        ]
        for task in self._tasks:
            task.start()

    def bar(self) -> Deferred[None]:
        """Apply what operators have changed of accounts: locks, exclusions and mutes."""
        return self._play_watch.bar()

    def _consider_clients(self) -> None:
        now = self._needs.clock.seconds()
        if not self.ownership.suspended():
            self._suspended_at = None
            self.sessions.let_in()
        elif self._suspended_at is None:
            self._suspended_at = now
        elif now - self._suspended_at >= TURN_AWAY_S and self.membership.others():
            self.sessions.turn_away()

    async def close_retired_tables(self) -> None:
        """Cash out and close the tables that the settings do not name any more."""
        retired = RetiredTables(
            clock=self._needs.clock,
            now_ms=self._needs.now_ms,
            ledger=self._needs.ledger,
            journal=self.journal,
            settings=self._settings,
            takeover=self._takeover,
            free=self.ownership.free,
            reread=self.hosted_tables.first,
        )
        while not await retired.sweep():
            await deferLater(self._needs.clock, HEARTBEAT_S)

    # --- stop -------------------------------------------------------------------------------------------------------

    def drain(self) -> Deferred[None]:
        """Begin no new hands. Fires when no hand is in progress that can be finished.

        Other nodes take each table as its hand ends; if there are none, the tables stay until `stop`.
        """
        return self.ownership.drain()

    def stop(self) -> Deferred[None]:
        """End everything at once: hands in progress are left to the journal, every client is told.

        Fires when this node's tables are released in the stores, after `GOODBYE_S` at the latest.
        """
        self.offers.stop()
        self.registration.stop()
        self.scheduled.stop()
        self.tournaments.stop()
        self.hosted_tables.stop()
        self.payouts.stop()
        released = self.ownership.stop()
        self.settler.stop()
        self.moves.close()
        self.sessions.end_all()
        for task in self._tasks:
            task.stop()
        return Deferred.fromCoroutine(self._leave(released))

    async def _leave(self, released: Deferred[None]) -> None:
        limit: Deferred[None] = deferLater(self._needs.clock, GOODBYE_S)
        await DeferredList([released, limit], fireOnOneCallback=True, consumeErrors=True)
        limit.addErrback(lambda _: None).cancel()
        self.membership.stop()
        try:
            await self.membership.leave()
        except (ConnectionError, TimeoutError) as error:
            _log.warning("directory.unavailable", error=type(error).__name__)
        await self.room_bus.stop()
