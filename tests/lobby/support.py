"""A lobby with real tables over a virtual clock and memory adapters, and clients that come and go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pokerroom.lobby.lobby import Lobby, Seats
from pokerroom.table.actor import Table
from pokerroom.table.settings import TableSettings
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.table.support import SETTINGS, Client, Room

TWO_SEATS = replace(SETTINGS, seats_max=2, reservation_s=60)


class Cardroom:
    """Tables named in `settings`, all in one lobby."""

    def __init__(self, *settings: TableSettings, tables_max: int = 4) -> None:
        self._room = Room()
        self.clock = self._room.clock
        self.lobby = Lobby(Seats(tables_max))
        self.waitlist = self.lobby.seats.waitlist
        self.world = replace(self._room.table.world, seating=self.lobby.seats)
        for each in settings or (TWO_SEATS,):
            self.lobby.open(Table(each, self.world))

    def table(self, name: str = "t1") -> Table:
        table = self.lobby.table(name)
        assert table is not None
        return table

    def client(self, name: str) -> Client:
        """Logged in, with a funded wallet."""
        return self.connect(self._room.client(name))

    def connect(self, client: Client) -> Client:
        """What a session does when its account is known."""
        self.waitlist.connected(client)
        return client

    def back(self, client: Client) -> Client:
        """The account on another connection."""
        return self.connect(Client(client.name, client.account))

    def lose(self, client: Client) -> None:
        """What a session does when its connection is lost."""
        client.connected = False
        self.waitlist.disconnected(client)
        for table in self.lobby:
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
        assert self.table(table).chairs.held_by(client.account) is None

    def join(self, client: Client, table: str = "t1", *, any_table: bool = False) -> wire.Waitlisted | Code:
        """Joins a waiting list: what the client is answered, or why he is refused."""
        message = wire.JoinWaitlist(id=client.next_id(), table=table, any_table=any_table)
        code = self.waitlist.wish(client, message)
        return client.last(wire.Waitlisted) if code is None else code

    def quit(self, client: Client, table: str = "t1", *, any_table: bool = False) -> wire.Ok | Code:
        """Leaves a waiting list."""
        message = wire.LeaveWaitlist(id=client.next_id(), table=table, any_table=any_table)
        code = self.waitlist.wish(client, message)
        return client.last(wire.Ok) if code is None else code

    def stop(self) -> None:
        """Nothing may be left on the clock."""
        for table in self.lobby:
            table.stop()
        self._room.stop()


def offers(client: Client) -> list[tuple[str, int]]:
    """The seats that a client was offered so far."""
    return [(offer.table, offer.seat) for offer in client.all(wire.SeatOffered)]


def ended(client: Client) -> list[tuple[str, bool, str]]:
    """The waits that ended without his asking."""
    return [(end.table, end.any_table, end.reason) for end in client.all(wire.WaitEnded)]
