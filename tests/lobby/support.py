"""A lobby with real tables over a virtual clock and memory adapters, and clients that come and go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twisted.internet.defer import Deferred, succeed

from pokerroom.cluster.local_tables import LocalTables
from pokerroom.cluster.room_bus import RoomBus
from pokerroom.cluster.table_owners import TableOwners
from pokerroom.gateway.connections import AccountConnections
from pokerroom.lobby.lobby import AccountSeats, Lobby
from pokerroom.lobby.waitlist import Waitlist
from pokerroom.ops.table_settings import TableSettings
from pokerroom.table.actor import TableActor
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.poker.support import SETTINGS, Client, Room, cash_table, now

TWO_SEATS = replace(SETTINGS, seats_max=2, reservation_s=60)


class NoBus:
    """The `Bus` of a node that is alone: nothing may be sent over it."""

    def send(self, node: str, message: bytes) -> None:
        raise AssertionError(f"a node alone says something to {node}: {len(message)} bytes")

    def send_all(self, message: bytes) -> None:
        raise AssertionError(f"a node alone says something: {len(message)} bytes")

    def start(self) -> Deferred[None]:
        return succeed(None)

    def stop(self) -> Deferred[None]:
        return succeed(None)


class Cardroom:
    """Tables named in `settings`, all in the lobby of one node that is alone."""

    def __init__(self, *settings: TableSettings, tables_max: int = 4) -> None:
        self._room = Room()
        self.clock = self._room.clock
        self.settings = {each.table: each for each in settings or (TWO_SEATS,)}
        self.seats = AccountSeats(tables_max)
        self.local_tables = LocalTables()
        self.connections = AccountConnections()
        self.room_bus = RoomBus(
            node="n1",
            clock=self.clock,
            now_ms=self._room.table.context.now_ms,
            bus=lambda _heard, _lost, _cut: NoBus(),
            settings=self.settings,
            local=self.local_tables,
            owners=TableOwners("n1", self.local_tables),
            seats=self.seats,
            deliver=self.connections.deliver,
            taken_over=self.connections.taken_over,
            sessions_ended=self.connections.sessions_ended,
            directory_changed=lambda: None,
            hosted_table_changed=lambda _: None,
            timeouts=self._room.timeouts,
            observer=self._room.counts,
        )
        self.lobby = Lobby(self.settings, self.local_tables, self.room_bus.remote_table)
        self.waits = self.room_bus.waitlist
        self.world = replace(
            self._room.table.context,
            seating=self.room_bus.seating,
            timeouts=self.room_bus.timeouts,
            tables_max=tables_max,
        )
        for each in self.settings.values():
            if each.table != "t1":
                assert now(self.world.ledger.take_table(each.table, "n1", 0)) == self.world.epoch
            table = cash_table(each, self.world)
            self.local_tables.attach(table)
            self.room_bus.attached([table])

    @property
    def waitlist(self) -> Waitlist:
        """The waiting lists, which this node keeps as the only one."""
        leader = self.room_bus.seating.leader
        assert leader is not None
        return leader.list

    def table(self, name: str = "t1") -> TableActor:
        return self.local_tables[name]

    def client(self, name: str) -> Client:
        """Logged in, with a funded wallet."""
        return self.connect(self._room.client(name))

    def connect(self, client: Client) -> Client:
        """What a session does when its account is known."""
        self.waits.connected(client)
        return client

    def back(self, client: Client) -> Client:
        """The account on another connection."""
        return self.connect(Client(client.name, client.account))

    def lose(self, client: Client) -> None:
        """What a session does when its connection is lost."""
        client.connected = False
        self.waits.disconnected(client)
        for table in self.local_tables.values():
            table.viewer_gone(client)

    def answer(
        self, client: Client, kind: type[wire.Request], table: str = "t1", **fields: Any
    ) -> wire.Answer:
        """Sends a request to a table and returns the answer to it."""
        number = client.next_id()
        self.table(table).request(client, kind(id=number, table=table, **fields))
        return next(message for message in client.got if getattr(message, "re", None) == number)

    def sit(self, *clients: Client, table: str = "t1") -> None:
        for client in clients:
            assert isinstance(self.answer(client, wire.SitDown, table, buy_in=5_000), wire.Snapshot)

    def leave(self, client: Client, table: str = "t1") -> None:
        """Stands up between hands."""
        assert isinstance(self.answer(client, wire.StandUp, table), wire.Ok)
        assert self.table(table).game.seats.held_by(client.account) is None

    def join(self, client: Client, table: str = "t1", *, any_table: bool = False) -> wire.Waitlisted | Code:
        """Join a waiting list; return the answer, or the code of the refusal."""
        message = wire.JoinWaitlist(id=client.next_id(), table=table, any_table=any_table)
        code = self.waits.request(client, message)
        return client.last(wire.Waitlisted) if code is None else code

    def quit(self, client: Client, table: str = "t1", *, any_table: bool = False) -> wire.Ok | Code:
        """Leaves a waiting list."""
        message = wire.LeaveWaitlist(id=client.next_id(), table=table, any_table=any_table)
        code = self.waits.request(client, message)
        return client.last(wire.Ok) if code is None else code

    def stop(self) -> None:
        """Nothing may be left on the clock."""
        for table in self.local_tables.values():
            table.stop()
        self._room.stop()


def offers(client: Client) -> list[tuple[str, int]]:
    """The seats that a client was offered so far."""
    return [(offer.table, offer.seat) for offer in client.all(wire.SeatOffered)]


def ended(client: Client) -> list[tuple[str, bool, str]]:
    """Return the waits that the account did not end itself."""
    return [(end.table, end.any_table, end.reason) for end in client.all(wire.WaitEnded)]
