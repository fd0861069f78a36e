"""Whole sessions at two nodes of one room: tables, waiting lists and accounts are the same from each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal
from unittest import mock

import pytest
from msgspec.structs import replace

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.limits import SessionLimits
from pokerroom.gateway.session import Session
from pokerroom.gateway.session_context import SessionContext
from pokerroom.gateway.sessions import Sessions
from pokerroom.ops.observer import Observer
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, decode_server, encode
from pokerroom_protocol.errors import Code
from tests.cluster.support import Cluster, Node
from tests.gateway.session_parties import made_accounts, made_clubs, made_hosting
from tests.tournament.registrations import made_registration

LIMITS = SessionLimits(
    frame_bytes_max=4_096, messages_per_s=1_000, message_burst=1_000, idle_s=600, connections_max=10
)


class Line:
    """A client and its `Link`: it reads the bytes of its encoding."""

    kind: Literal["tcp", "websocket"] = "websocket"
    peer = "192.0.2.1:40000"

    def __init__(self, house: House, node: str, encoding: Encoding, instance: str = "") -> None:
        self.encoding = encoding
        self.got: list[wire.ServerMessage] = []
        self.closed: Code | None = None
        self._house = house
        self._id = 0
        self.session: Session = house.sessions[node].make(self)
        self.ask(wire.Hello, version=wire.PROTOCOL_VERSION, instance=instance)

    def _read(self, body: bytes) -> bytes:
        self.got.append(decode_server(body, self.encoding))
        return body

    def send(self, outgoing: Outgoing | Bundle) -> None:
        for part in outgoing.parts:
            part.wrapped(self.encoding, self._read)

    def close(self, code: Code) -> None:
        self.closed = code
        self.session.lost(code)

    def ask(self, kind: type[wire.Request], **fields: Any) -> Any:
        """Sends a request as bytes and returns the one answer to it."""
        self._id += 1
        self.session.received(encode(kind(id=self._id, **fields), self.encoding))
        self._house.cluster.settle()
        [answer] = [message for message in self.got if getattr(message, "re", None) == self._id]
        return answer

    def all(self, kind: type[wire.Answer]) -> list[Any]:
        return [message for message in self.got if isinstance(message, kind)]


class House:
    """Sessions at each node."""

    def __init__(self, cluster: Cluster | None = None) -> None:
        self.cluster = Cluster("a", "b") if cluster is None else cluster
        self.sessions = {name: self._sessions(node) for name, node in self.cluster.nodes.items()}

    def _sessions(self, node: Node) -> Sessions:
        return Sessions(
            SessionContext(
                accounts=made_accounts(self.cluster.ledger, self.cluster.clock),
                lobby=node.lobby,
                waitlist=node.room_bus.waitlist,
                registration=made_registration(self.cluster.ledger, self.cluster.clock),
                hosting=(hosting := made_hosting(self.cluster.ledger, self.cluster.clock, node.lobby)),
                table_passwords=mock.Mock(),
                clubs=made_clubs(self.cluster.ledger, hosting, self.cluster.clock),
                sharing=mock.Mock(),
                texts=mock.Mock(),
                tournament_lobby=mock.Mock(),
                leagues=mock.Mock(features=[]),
                scheduled=mock.Mock(),
                connections=node.connections,
                arrived=node.room_bus.arrived,
                sessions_ended=node.room_bus.sessions_ended,
                clock=self.cluster.clock,
                now_ms=self.cluster.now_ms,
                limits=LIMITS,
                addresses=AddressPolicy(per_address=100),
                server="test",
                observer=Observer(),
            )
        )

    def player(self, name: str, node: str, encoding: Encoding = Encoding.MSGPACK) -> Line:
        """A new account, logged in."""
        line = Line(self, node, encoding)
        assert isinstance(line.ask(wire.Register, name=name, password="a password"), wire.Authenticated)
        return line


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    house.cluster.stop()


def play(*lines: Line) -> None:
    """One decision of whoever of them has to act."""
    shown = [
        (message.hand.hand_id, message.hand.turn)
        if isinstance(message, wire.Snapshot)
        else (message.hand_id, message)
        for message in lines[0].got
        if isinstance(message, wire.Turn) or (isinstance(message, wire.Snapshot) and message.hand)
    ]
    hand_id, turn = shown[-1]
    [line] = [line for line in lines if line.all(wire.Snapshot)[-1].your_seat == turn.seat]
    act = {"hand_id": hand_id, "seq": turn.seq, "action": "check" if turn.check else "call"}
    assert isinstance(line.ask(wire.Act, table="t1", **act), wire.Ok)


@pytest.mark.parametrize("encoding", list(Encoding))
def test_a_hand_is_played_from_two_nodes(house, encoding):
    """In either encoding: the same events, each player with their own cards."""
    anna, bert = house.player("anna", "a"), house.player("bert", "b", encoding)
    for line in (anna, bert):
        assert isinstance(line.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
    while not bert.all(wire.HandEnded):
        play(anna, bert)

    def public(line: Line) -> list[Any]:
        """Without what the player to act alone is told."""
        return [
            replace(event, on_timeout=None) if isinstance(event, wire.Turn) else event
            for event in line.got
            if isinstance(event, wire.TableEvent) and event.seq > since
        ]

    since = bert.all(wire.Snapshot)[-1].seq
    assert [event for event in public(anna) if not isinstance(event, wire.HoleCards)] == [
        event for event in public(bert) if not isinstance(event, wire.HoleCards)
    ]
    cards = [line.all(wire.HoleCards)[0].cards for line in (anna, bert)]
    assert all(cards)
    assert cards[0] != cards[1]


def test_the_tables_of_an_account_are_the_same_at_every_node(house):
    """As the ledger has them: after a log-in, and when asked."""
    anna = house.player("anna", "b")
    anna.ask(wire.SitDown, table="t1", buy_in=5_000)

    assert anna.ask(wire.GetAccount).tables == ["t1"]
    assert anna.ask(wire.GetAccount).balance == 95_000
    for node in "ba":
        again = Line(house, node, Encoding.JSON)
        answer = again.ask(wire.LogIn, name="anna", password="a password")
        assert (answer.tables, answer.balance) == (["t1"], 95_000)


@pytest.mark.parametrize("node", ["a", "b"])
def test_an_account_goes_on_over_its_last_connection(house, node):
    """Wherever that is: the earlier one is told and closed, and its seat is taken up again."""
    anna, bert = house.player("anna", "a"), house.player("bert", "a")
    for line in (anna, bert):
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    second = Line(house, node, Encoding.MSGPACK)

    assert second.ask(wire.Resume, token=anna.all(wire.Authenticated)[0].token).tables == ["t1"]

    assert anna.closed is Code.TAKEN_OVER
    assert anna.all(wire.Goodbye)[0].code == "taken_over"
    assert second.ask(wire.Observe, table="t1").your_seat == 1
    assert house.cluster.table().game.seats.seats.get(1).connected
    assert second.closed is None
    play(second, bert)


@pytest.mark.parametrize("node", ["a", "b"])
def test_another_window_of_an_account_takes_over_one_table_alone(house, node):
    """Its first connection stays, at whichever node; the table moves to it, and later with it to another node."""
    anna, bert = house.player("anna", "a"), house.player("bert", "a")
    for line in (anna, bert):
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    second = Line(house, node, Encoding.MSGPACK, instance="another window")

    assert second.ask(wire.Resume, token=anna.all(wire.Authenticated)[0].token).tables == ["t1"]
    assert second.ask(wire.Observe, table="t1", take_over=False).code == "table_taken"
    assert second.ask(wire.Observe, table="t1").your_seat == 1

    assert anna.closed is None
    assert anna.all(wire.TableTaken) == [wire.TableTaken(table="t1")]
    assert anna.ask(wire.SitOut, table="t1").code == "table_taken"
    assert isinstance(anna.ask(wire.GetAccount), wire.Account)
    told = len(anna.got)
    play(second, bert)
    house.cluster.move("t1", "b")
    play(second, bert)
    assert len(anna.got) == told
    assert anna.ask(wire.SitOut, table="t1").code == "table_taken"


def test_logging_out_leaves_the_tables_of_other_nodes(house):
    """The seat is shown as left, and another account may log in over the same connection."""
    anna, bert = house.player("anna", "b"), house.player("bert", "a")
    for line in (anna, bert):
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    assert isinstance(anna.ask(wire.LogOut), wire.Ok)
    assert not bert.all(wire.SeatChanged)[-1].connected
    before = len(anna.got)
    house.cluster.settle(31)  # the clock decides for them, and they hear nothing of it
    assert anna.ask(wire.Register, name="carl", password="a password").name == "carl"
    assert len(anna.got) == before + 1

    assert anna.ask(wire.Observe, table="t1").your_seat is None


def test_a_table_that_moves_to_ones_own_node_goes_on(house):
    """A session does not notice which door it goes through."""
    anna, bert = house.player("anna", "b"), house.player("bert", "a")
    for line in (anna, bert):
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    play(anna, bert)

    house.cluster.move("t1", "b")

    assert anna.all(wire.Snapshot)[-1].re is None
    play(anna, bert)
    anna.session.lost("the client closed")
    house.cluster.settle()
    assert not bert.all(wire.SeatChanged)[-1].connected
