"""Players at a room with hosted tables: whole nodes, and sessions that speak in bytes."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from pokerroom_protocol import messages as wire
from pokerroom_protocol._declarations import EXAMPLES
from tests.cluster.rooms import Node, Rooms, settings
from tests.gateway.session_parties import Line

TERMS: dict[str, Any] = {"name": "Friday night", "small_blind": 50, "seats": 4}
FEW = settings("t1") + "[hosting]\ntables_per_account = 2\nidle_close_h = 1\n"

AT_A_TABLE = (*get_args(wire.TableRequest), *get_args(wire.WaitlistMessage), wire.GetTableResults)


class Party:
    """The people of one room: hosts, guests and strangers."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms

    def player(self, name: str, node: Node) -> Player:
        """A new account, connected to this node."""
        player = Player(self.rooms, node)
        assert isinstance(player.ask(wire.Register, name=name, password="a password"), wire.Authenticated)
        return player

    def table(self, host: Player, **terms: Any) -> wire.HostedTableView:
        """A new table of this host."""
        answer = host.ask(wire.CreateTable, **(TERMS | terms))
        assert isinstance(answer, wire.HostedTable), answer
        return answer.hosted


class Player(Line):
    """A client at one node of the room; each request gets its answer in the room's time."""

    def __init__(self, rooms: Rooms, node: Node, device: str = "") -> None:
        """A further connection of an account needs a device of its own; else it takes the first one over."""
        self.rooms = rooms
        super().__init__(node.room.sessions, device, device)

    def ask(self, kind: type[wire.Request], /, **fields: Any) -> Any:
        self.say(kind, **fields)
        for _ in range(40):
            self.rooms.pass_s(0.05)
            found = [message for message in self.got if getattr(message, "re", None) == self._id]
            if found:
                return found[0]
        raise AssertionError(f"no answer to {kind.__name__}")

    def code(self, kind: type[wire.Request], **fields: Any) -> str:
        """The code of the refusal of a request."""
        answer = self.ask(kind, **fields)
        assert isinstance(answer, wire.Error), answer
        return answer.code

    def sit(self, table: str, buy_in: int = 5_000) -> Any:
        return self.ask(wire.SitDown, table=table, buy_in=buy_in, post=True)

    def fold(self, table: str) -> Any:
        """Decides the pending turn of this player."""
        turn = self.all(wire.Turn)[-1]
        return self.ask(wire.Act, table=table, hand_id=turn.hand_id, seq=turn.seq, action="fold")


def nothing_here(player: Player, table: str, kinds: tuple[Any, ...] = AT_A_TABLE) -> bool:
    """The player gets the same answers as for a table that never was, whatever is asked."""
    for kind in kinds:
        fields = msgspec.structs.asdict(EXAMPLES[kind][0])
        del fields["id"]
        told, same = (player.ask(kind, **(fields | {"table": name})) for name in (table, "host:0000000000"))
        assert isinstance(told, wire.Error)
        assert told == msgspec.structs.replace(same, re=told.re), kind.__name__
    return True


def playing(rooms: Rooms, party: Party, host_node: Node, guest_node: Node) -> Any:
    """A host and a guest in their first hand; the table's id and code."""
    alice, bob = party.player("alice", host_node), party.player("bob", guest_node)
    made = party.table(alice)
    bob.ask(wire.FindTable, code=made.code)
    for player in (alice, bob):
        assert isinstance(player.sit(made.info.table), wire.Snapshot)
    rooms.until(lambda: alice.all(wire.Turn))
    return alice, bob, made.info.table, made.code
