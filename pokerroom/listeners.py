"""The ports of a node: those for players, over TCP and for the web, and the one for operations.

This module knows what is served on each. `app` decides when they are opened and closed.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from socket import gethostname
from typing import Any, Final, cast

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IListeningPort

from pokerroom.cluster.node_names import is_of_this_machine
from pokerroom.gateway.addresses import AddressCounts
from pokerroom.gateway.crowd import Crowd
from pokerroom.gateway.fair_turns import FairTurns
from pokerroom.gateway.front_page import CONNECT_PATH, RoomFacts, front_page
from pokerroom.gateway.http import FrontFactory
from pokerroom.gateway.link import ReceiverFactory
from pokerroom.gateway.listen import adopt, listen, why_not
from pokerroom.gateway.move_socket import MoveSocket, has_ended, socket_name
from pokerroom.gateway.moved_session import MovedSession
from pokerroom.gateway.names import operators_may_give
from pokerroom.gateway.outbound import Soon, TurnFlusher
from pokerroom.gateway.proxy_header import ProxyFactory
from pokerroom.gateway.site import Pages, make_site
from pokerroom.gateway.tcp import TcpFactory
from pokerroom.gateway.tls import TlsFactory
from pokerroom.ledger.whole import WholeLedger
from pokerroom.lobby.operated_tables import OperatedTables
from pokerroom.lobby.operated_tournaments import OperatedTournaments
from pokerroom.lobby.players import PlayersDesk
from pokerroom.ops.adjustment_pages import AdjustmentPages
from pokerroom.ops.announcement_pages import AnnouncementPages
from pokerroom.ops.api_page import Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.cashier_pages import CashierPages
from pokerroom.ops.certificate import Certificate
from pokerroom.ops.club_pages import ClubPages
from pokerroom.ops.config import RoomConfig
from pokerroom.ops.embedded import EmbeddedError
from pokerroom.ops.embedded.places import make_socket_dir, socket_place
from pokerroom.ops.health import make_ops_site
from pokerroom.ops.local_socket import listen_locally
from pokerroom.ops.metrics import Metrics
from pokerroom.ops.minute_series import MinuteSeries
from pokerroom.ops.neighbours import Neighbours, http_ask, network_address, told_address
from pokerroom.ops.node_passes import NodePasses
from pokerroom.ops.observer import Observer
from pokerroom.ops.offer_pages import OfferPages
from pokerroom.ops.operations_bounds import CONNECTIONS_MAX, CONNECTIONS_OF_ADDRESS, OperationsBounds
from pokerroom.ops.operator_access import OperatorAccess
from pokerroom.ops.operator_pages import OperatorPages
from pokerroom.ops.order_keys import OrderKeys
from pokerroom.ops.order_log import OrderLog
from pokerroom.ops.player_pages import PlayerPages
from pokerroom.ops.report_pages import ReportPages
from pokerroom.ops.ticket_pages import TicketPages
from pokerroom.ops.trusted_hosts import TrustedHosts
from pokerroom.room import Room
from pokerroom.table.seal import Seal
from pokerroom.table_factory import all_settings
from pokerroom.web.files import console_pages, web_pages

_LOOPBACK: Final = "127.0.0.1"

_log = structlog.get_logger()


class StartRefused(Exception):  # noqa: N818 -- what the operator reads, not a fault
    """The room cannot start; the message says why and what to do."""


def was_killed(data_dir: Path, node: str) -> bool:
    """Return whether a node of this machine is gone without a word. Sockets of other machines say nothing here."""
    return is_of_this_machine(node) and has_ended(socket_place(data_dir.resolve(), socket_name(node)))


class Listeners:
    """The ports of a node. `shared`: other processes of this machine listen on the same ports for players.

    With a `certificate` the players' ports speak TLS alone. `crowd`: see `gateway.listen`.
    """

    def __init__(
        self,
        config: RoomConfig,
        room: Room,
        *,
        reactor: Any,
        soon: Soon,
        shared: bool,
        observer: Observer,
        certificate: Certificate | None = None,
        crowd: Crowd | None = None,
    ) -> None:
        self._config = config
        self._room = room
        self._reactor = reactor
        self._soon = soon
        self._shared = shared
        self._observer = observer
        self._certificate = certificate
        self._crowd = crowd
        self._turns = FairTurns(soon)
        self._bots_host, self._bots_port = config.listen.host, 0
        self._players_ports: list[IListeningPort] = []
        self._move_socket: MoveSocket | None = None
        self._ops_ports: list[IListeningPort] = []

    def open_to_operators(
        self,
        ledger: WholeLedger,
        metrics: Metrics,
        minutes: MinuteSeries,
        not_ready: Callable[[], list[str]],
        *,
        passes: NodePasses,
        data_dir: Path,
        drain: Callable[[], object],
        more_pages: Sequence[Callable[[BookedOrders], Mapping[str, Handler]]],
    ) -> tuple[str, str]:
        """Open the operations port first of all: the other nodes are told its address. Open its Unix socket, too.

        Each of `more_pages` returns pages of other parts of the node; `drain` lets it give up its tables.

        Returns that address, and the line for the operator that names the port. Raises `StartRefused`, as does
        `open_to_players`.
        """
        room, host = self._room, self._config.listen.ops_host
        node, move = room.membership.node, room.ownership.move
        operated = OperatedTables(
            settings=room.lobby.settings,
            local=room.local_tables,
            ledger=ledger,
            day=room.timeouts,
            node=node,
            move=move,
            host_name=room.hosted_tables.host_name,
            end_pause=room.hosted_tables.resume,
        )
        neighbours = Neighbours(room.nodes, http_ask(self._reactor), passes)
        tournaments = OperatedTournaments(room.local_tables, ledger, room.registration)
        addresses = room.sessions.context.addresses
        access = OperatorAccess(ledger, passes, addresses.group_of)
        pages = OperatorPages(
            access,
            operated,
            neighbours,
            tournaments,
            orders=OrderLog(ledger),
            keys=OrderKeys(ledger),
            ledger=self._ledger_pages(ledger, more_pages),
            drain=drain,
            charts=minutes.charts,
            now=lambda: metrics.now(node, int(self._reactor.seconds() * 1_000), not_ready()),
        )
        told = told_address(host, 0).rpartition(":")[0]
        hosts = TrustedHosts([told, gethostname(), *self._config.listen.ops_hosts])
        counts = AddressCounts(addresses, CONNECTIONS_MAX, CONNECTIONS_OF_ADDRESS)
        bounds = OperationsBounds(counts, addresses.group_of, self._reactor.seconds)
        site = make_ops_site(metrics, not_ready, pages, hosts, bounds=bounds, console=Pages(console_pages()))
        port = self._bind("ops_port", host, self._config.listen.ops_port, site)
        number = _number_of(port)
        local = listen_locally(self._reactor, site, data_dir, number)
        self._ops_ports = [port] if local is None else [port, local]
        address = told_address(host, number)
        return (
            address,
            f"operations               http://{address}/operator  (console; also /readyz /livez /metrics)",
        )

    def _ledger_pages(
        self, ledger: WholeLedger, more_pages: Sequence[Callable[[BookedOrders], Mapping[str, Handler]]]
    ) -> dict[str, Handler]:
        orders = BookedOrders(ledger)
        desk = PlayersDesk(ledger, self._config.sessions.lifetime, operators_may_give)

        def now_ms() -> int:
            return int(time.time() * 1_000)

        return {
            **CashierPages(ledger, orders).handlers(),
            **AdjustmentPages(ledger, desk.account, orders).handlers(),
            **PlayerPages(desk, orders).handlers(),
            **ReportPages(ledger).handlers(),
            **ClubPages(ledger, orders).handlers(),
            **AnnouncementPages(ledger, orders, now_ms).handlers(),
            **TicketPages(ledger, desk.account, orders).handlers(),
            **OfferPages(self._room.offers, ledger, orders, now_ms).handlers(),
            **{verb: handler for pages in more_pages for verb, handler in pages(orders).items()},
        }

    def open_to_players(self) -> list[str]:
        """Open the players' ports; return the lines that name them."""
        settings, limits = self._config.listen, self._config.limits
        flusher = TurnFlusher(self._reactor, self._soon)
        turns, sessions = self._turns, self._room.sessions.make
        tcp = TcpFactory(sessions, turns, flusher, limits.frame_bytes_max, limits.outbound_bytes_max)
        self._players_factories: dict[str, TcpFactory | FrontFactory] = {"tcp": tcp}
        game = self._bind_players("game_port", settings.game_port, tcp, proxied=settings.game_proxy_protocol)
        self._bots_port = game
        if self._certificate is not None or settings.game_proxy_protocol:
            self._bots_host = _LOOPBACK
            self._bots_port = self._open("game_port", _LOOPBACK, 0, tcp)
        facts = RoomFacts(
            room=self._config.name,
            version=version("pokerroom"),
            tcp_port=game,
            encrypted=self._certificate is not None,
            tables=tuple(settings.name for settings in all_settings(self._config).values()),
        )
        front = FrontFactory(
            site=make_site(
                {**web_pages(), CONNECT_PATH: front_page(facts)},
                self._reactor,
                hsts_s=0 if self._certificate is None else self._config.tls.hsts_s,
            ),
            receivers=sessions,
            turns=turns,
            flusher=flusher,
            frame_bytes_max=limits.frame_bytes_max,
            outbound_bytes_max=limits.outbound_bytes_max,
            addresses=self._room.sessions.context.addresses,
            connections_max=limits.connections_max,
            allowed_origins=settings.allowed_origins,
        )
        self._players_factories["websocket"] = front
        web = self._bind_players("http_port", settings.http_port, front, proxied=settings.http_proxy_protocol)
        tls, https = ("", "http") if self._certificate is None else ("tls://", "https")
        hint = _elsewhere(settings.host, https, web)
        return [
            f"game protocol over TCP   {tls}{told_address(settings.host, game)}",
            f"web and WebSocket        {https}://{told_address(settings.host, web)}/  (WebSocket at /ws{hint})",
        ]

    def open_to_neighbours(self, data_dir: Path, seal: Seal) -> None:
        """Let clients move between the nodes of this machine; call it after `open_to_players`.

        A node that cannot have the socket keeps its clients, and so does one that shall keep them; the log says what it
        could not. With the socket the others can see whether the node was killed.
        """
        node, moves = self._room.membership.node, self._room.moves
        try:
            directory = make_socket_dir(data_dir, socket_name(node)).parent
            self._move_socket = MoveSocket(self._reactor, directory, node, moves.heard)
        except (EmbeddedError, OSError) as error:
            _log.warning("moves.no_socket", data_dir=str(data_dir), reason=str(error))
            return
        if not self._config.listen.move_clients:
            return
        moves.open(
            self._move_socket,
            seal=lambda said, to: seal.close(said, about=to),
            unseal=lambda sealed, to: seal.open(sealed, about=to),
            make_link=self._go_on,
        )

    def _go_on(self, connection: socket.socket, moved: MovedSession, receivers: ReceiverFactory) -> None:
        link = self._players_factories[moved.kind].moved_link(receivers, moved.peer, moved.encoding)
        adopt(self._players_ports[0], connection, link)

    @property
    def bots_address(self) -> tuple[str, int]:
        """Host and port for the house bots: the players' port for TCP.

        If that one has TLS or headers of proxies, it is a port of this machine without them.
        """
        return self._bots_host, self._bots_port

    async def close_to_players(self) -> None:
        """Accept no more connections; existing ones stay."""
        for port in self._players_ports:
            await _maybe(port.stopListening())

    async def close_to_operators(self) -> None:
        """Close the operations port and the socket of the other nodes, last of all."""
        if self._move_socket is not None:
            self._move_socket.close()
        for port in self._ops_ports:
            await _maybe(port.stopListening())

    def _bind_players(self, setting: str, number: int, factory: Any, *, proxied: bool) -> int:
        certificate = self._certificate
        if certificate is not None:
            factory = TlsFactory(
                factory,
                lambda: certificate.context,
                turns=self._turns,
                clock=self._reactor,
                observer=self._observer,
            )
        if proxied:  # the header comes before TLS
            factory = ProxyFactory(factory, self._room.sessions.context.addresses, self._reactor)
        return self._open(setting, self._config.listen.host, number, factory, shared=self._shared)

    def _open(self, setting: str, host: str, number: int, factory: Any, *, shared: bool = False) -> int:
        port = self._bind(setting, host, number, factory, shared=shared, crowd=self._crowd)
        self._players_ports.append(port)
        return _number_of(port)

    def _bind(
        self,
        setting: str,
        host: str,
        number: int,
        factory: Any,
        *,
        shared: bool = False,
        crowd: Crowd | None = None,
    ) -> IListeningPort:
        try:
            return listen(self._reactor, host, number, factory, crowd=crowd, shared=shared)
        except OSError as error:
            raise StartRefused(why_not(error, setting, host, number)) from error


def _number_of(port: IListeningPort) -> int:
    address: Any = port.getHost()  # of TCP; the interface says no more than that it is an address
    return cast("int", address.port)


def _elsewhere(host: str, scheme: str, port: int) -> str:
    """Return what else leads to a port that listens on `host`: devices often do not know the machine's name."""
    if host not in {"0.0.0.0", "::"}:  # noqa: S104 -- names what a setting means
        return ""
    address = network_address(host)
    named = "" if address is None else f": {scheme}://{told_address(address, port)}/"
    return f"; this machine, at each of its addresses{named}"


async def _maybe(result: Any) -> None:
    if isinstance(result, Deferred):
        await result
