"""Clients that move to the node of their tables, without sockets: what each node does, and when a client stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from twisted.internet.defer import Deferred

from pokerroom.gateway.moved_session import MovedSession
from pokerroom.gateway.moves import FINISH_S, LOOK_S, PATIENCE_S, PLACE_KEPT_S, TRIES, Moves
from pokerroom.gateway.shared_socket import MOVED
from pokerroom.ledger.account_standing import Exclusion
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, encode
from pokerroom_protocol.errors import Code
from tests.cluster.support import Cluster
from tests.gateway.test_session_across_nodes import House, Line, play
from tests.poker.support import SETTINGS


class MovableLine(Line):
    """A client on a connection that can be passed on; `idle` is whether it is between two messages."""

    idle = True
    why_lost = ""

    def __init__(self, *args: Any, **more: Any) -> None:
        self.transport: SharableLine | None = SharableLine(self)
        super().__init__(*args, **more)

    def is_idle(self) -> bool:
        return self.idle

    def left(self) -> None:
        self.why_lost = MOVED

    def descriptor(self) -> int:
        return self._house.machine.descriptor_of(self)


class SharableLine:
    """The transport of such a line, and its socket."""

    def __init__(self, line: MovableLine) -> None:
        self._line = line

    def getHandle(self) -> SharableLine:  # noqa: N802 -- Twisted's name
        return self

    def fileno(self) -> int:
        return self._line.descriptor()

    def give_up(self) -> None:
        self._line.session.lost(self._line.why_lost)


class Machine:
    """Both nodes are on it. It passes on what they say when it is asked to; `deaf` nodes get nothing."""

    def __init__(self, house: MovingHouse) -> None:
        self._house = house
        self._lines: list[MovableLine] = []
        self.deaf: set[str] = set()
        self.said: list[tuple[str, bytes, int | None]] = []
        self.held: list[tuple[str, bytes, int | None]] | None = None
        """What is said while the test holds it back."""

    def descriptor_of(self, line: MovableLine) -> int:
        self._lines.append(line)
        return len(self._lines) - 1

    def send(self, node: str, said: bytes, descriptor: int | None = None) -> bool:
        if node in self.deaf:
            return False
        self.said.append((node, said, descriptor))
        if self.held is not None:
            self.held.append((node, said, descriptor))
        else:
            self._house.cluster.clock.callLater(0, self.bring, node, said, descriptor)
        return True

    def moved(self) -> list[bytes]:
        return [said for _, said, descriptor in self.said if descriptor is not None]

    def bring(self, node: str, said: bytes, descriptor: int | None) -> bool:
        connection: Any = None if descriptor is None else self._lines[descriptor]
        taken = self._house.moves[node].heard(said, connection)
        if connection is not None and not taken:
            connection.closed = Code.UNAVAILABLE  # its last descriptor is closed
        return taken


class MovingHouse(House):
    """Two nodes of one machine."""

    def __init__(self) -> None:
        super().__init__(Cluster("a", "b", settings=(SETTINGS, replace(SETTINGS, table="t2"))))
        self.machine = Machine(self)
        self.accepting = dict.fromkeys("ab", True)
        self.moves: dict[str, Moves] = {}
        seal = Seal(bytes(32))
        for name, node in self.cluster.nodes.items():
            moves = self.moves[name] = Moves(
                node=name,
                clock=self.cluster.clock,
                sessions=self.sessions[name],
                clients=node.room_bus.moving_clients,
                accepts=lambda name=name: self.accepting[name],
            )
            node.watching.append(moves.consider)
            moves.open(
                self.machine,
                seal=lambda said, to: seal.close(said, about=to),
                unseal=lambda sealed, to: seal.open(sealed, about=to),
                make_link=self._make_link,
            )

    @staticmethod
    def _make_link(connection: Any, moved: MovedSession, receivers: Any) -> None:
        connection.encoding, connection.peer = moved.encoding, moved.peer
        connection.session = receivers(connection)

    def player(self, name: str, node: str, encoding: Encoding = Encoding.MSGPACK, **more: Any) -> MovableLine:
        line = MovableLine(self, node, encoding, **more)
        assert isinstance(line.ask(wire.Register, name=name, password="a password"), wire.Authenticated)
        return line

    def node_of(self, line: Line) -> str:
        account = line.session.account
        [name] = [name for name, node in self.cluster.nodes.items() if account in node.connections.accounts()]
        return name

    def has_room(self, node: str, address: str) -> bool:
        """Whether a connection of this address would be accepted."""
        kept = self.sessions[node].keep_place(address)
        if kept:
            self.sessions[node].free_place(address)
        return kept

    def look(self, times: int = 3) -> None:
        """Time for asking, moving, and what follows."""
        for _ in range(times):
            self.cluster.settle(LOOK_S)


@pytest.fixture
def house() -> Iterator[MovingHouse]:
    house = MovingHouse()
    yield house
    for moves in house.moves.values():
        moves.close()
    house.cluster.stop()


def seated(house: MovingHouse, encoding: Encoding = Encoding.MSGPACK) -> tuple[MovableLine, MovableLine]:
    """Anna at the node of the table, and Bert at the other one. Neither has moved yet."""
    anna, bert = house.player("anna", "a"), house.player("bert", "b", encoding)
    for line in (anna, bert):
        assert isinstance(line.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
    return anna, bert


@pytest.mark.parametrize("encoding", list(Encoding))
def test_a_player_moves_to_the_node_of_the_table(house, encoding):
    """The player is shown the table once more, plays on there, and no other player is told of an absence."""
    anna, bert = seated(house, encoding)
    shown = len(bert.all(wire.Snapshot))
    assert house.node_of(bert) == "b"

    house.look()

    assert house.node_of(bert) == "a"
    assert bert.session.connected
    [*_, snapshot] = bert.all(wire.Snapshot)
    assert (len(bert.all(wire.Snapshot)), snapshot.re, snapshot.your_seat) == (shown + 1, None, 2)
    assert not bert.all(wire.Goodbye)
    assert not [change for change in anna.all(wire.SeatChanged) if not change.connected]
    while not bert.all(wire.HandEnded):
        play(anna, bert)
    since = snapshot.seq
    numbers = [
        message.seq for message in bert.got if isinstance(message, wire.TableEvent) and message.seq > since
    ]
    assert numbers == list(range(since + 1, since + 1 + len(numbers)))


def test_after_a_move_nothing_of_the_client_is_left_behind(house):
    """Neither a channel nor a viewer, an account or a place among the connections of its address."""
    _, bert = seated(house)
    account = bert.session.account
    house.look()
    a, b = house.cluster.nodes["a"], house.cluster.nodes["b"]
    assert b.connections.accounts() == []
    assert account in a.connections.accounts()
    viewers = house.cluster.table().outbox.viewers()
    assert [viewer for viewer in viewers if viewer.account == account] == [bert.session]
    assert a.room_bus.moving_clients.channels(bert.session, ["t1"]) == []
    assert house.has_room("b", bert.peer)

    bert.session.lost("closed by the client")
    house.cluster.settle()
    assert not house.cluster.table().game.seats.seats.get(2).connected


def test_what_a_session_may_not_do_goes_with_it(house):
    """An exclusion, a mute, and a rate that is used up."""
    _, bert = seated(house)
    account, connections = bert.session.account, house.cluster.nodes["b"].connections
    until_ms = house.cluster.now_ms() + 1_000_000
    connections.excluded(account, Exclusion(until_ms=until_ms))
    connections.mute(account, until_ms)
    house.look()

    assert house.node_of(bert) == "a"
    assert bert.ask(wire.SitDown, table="t1", buy_in=5_000).code == "excluded"
    there = house.cluster.nodes["a"].connections
    assert there.muted_until_ms(account, house.cluster.now_ms()) == until_ms
    assert bert.ask(wire.GetAccount).name == "bert"
    assert isinstance(bert.ask(wire.LogOut), wire.Ok)


def test_no_client_gets_a_fresh_allowance_by_moving(house):
    """What is left of its rate and of its refusals is what it had."""
    _, bert = seated(house)
    whole = bert.session.as_moved("b")
    for _ in range(whole.allowance + 20):
        bert.session.received(encode(wire.Ping(id=1_000_000), bert.encoding))
    moved = bert.session.as_moved("b")
    assert (moved.allowance, moved.refusals) < (10, whole.refusals)
    other = MovableLine(house, "a", Encoding.MSGPACK, "another")
    other.session.go_on(moved)
    again = other.session.as_moved("a")
    assert (again.allowance, again.refusals) == (moved.allowance, moved.refusals)


@pytest.mark.parametrize("why", ["half a message", "a request to the table", "a waiting list"])
def test_a_client_that_waits_for_something_stays(house, why):
    """It moves as soon as it has what it waits for."""
    _, bert = seated(house)
    hub, waitlist = house.cluster.hub, house.cluster.nodes["b"].room_bus.waitlist
    if why == "half a message":
        bert.idle = False
    elif why == "a request to the table":
        hub.loses = lambda sender, to, message: sender == "a"
        bert.session.received(encode(wire.GetSnapshot(id=1_000_000, table="t1"), bert.encoding))
    else:
        waitlist.request(bert.session, wire.JoinWaitlist(id=1_000_000, table="t2"))
    house.look()
    assert house.node_of(bert) == "b"

    bert.idle, hub.loses = True, lambda sender, to, message: False
    if why == "a request to the table":
        hub.notice("a", "b")
    elif why == "a waiting list":
        waitlist.request(bert.session, wire.LeaveWaitlist(id=1_000_001, table="t2"))
    house.look()
    assert house.node_of(bert) == "a"


def test_a_client_that_never_rests_stays_for_good(house):
    """Nothing looks at it any more after a while."""
    _, bert = seated(house)
    bert.idle = False
    house.look(int(PATIENCE_S / LOOK_S) + 2)
    bert.idle = True
    house.look()
    assert house.node_of(bert) == "b"


@pytest.mark.parametrize("why", ["it goes", "it never rests", "the node hurries"])
def test_a_node_that_stops_waits_for_its_clients(house, why):
    """Until the last one that can has gone; not for long, and not in a hurry."""
    _, bert = seated(house)
    bert.idle, hurries, done = False, [], []
    Deferred.fromCoroutine(house.moves["b"].finish(lambda: bool(hurries))).addCallback(done.append)
    house.cluster.settle(2 * LOOK_S)
    assert not done
    bert.idle = why == "it goes"
    if why == "the node hurries":
        hurries.append(True)
    house.cluster.settle(FINISH_S / 2)
    assert bool(done) is (why != "it never rests")
    house.cluster.settle(FINISH_S)
    assert done
    assert house.node_of(bert) == ("a" if why == "it goes" else "b")


def test_a_client_with_tables_at_both_nodes_stays(house):
    """The bus serves it, until the tables are at one other node."""
    _, bert = seated(house)
    house.cluster.move("t2", "b")
    assert isinstance(bert.ask(wire.Observe, table="t2"), wire.Snapshot)
    house.look()
    assert house.node_of(bert) == "b"

    house.cluster.move("t2", "a")
    house.look()
    assert house.node_of(bert) == "a"
    assert [shown.table for shown in bert.all(wire.Snapshot)][-2:] in (["t1", "t2"], ["t2", "t1"])


def test_no_place_is_asked_for_a_client_that_cannot_move(house):
    """One with TLS to the node: a place at the other node would be kept in vain."""
    anna, bert = house.player("anna", "a"), house.player("bert", "b")
    bert.transport = None
    for line in (anna, bert):
        assert isinstance(line.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
    house.look()
    assert not house.machine.said


def test_a_client_with_many_tables_stays(house, monkeypatch):
    """Its next node would show it all of them at once, and looking at it costs time for each."""
    monkeypatch.setattr("pokerroom.gateway.moves.TABLES_MAX", 1)
    _, bert = seated(house)
    assert isinstance(bert.ask(wire.Observe, table="t2"), wire.Snapshot)
    house.look()
    assert house.node_of(bert) == "b"

    assert isinstance(bert.ask(wire.Unobserve, table="t2"), wire.Ok)
    assert isinstance(bert.ask(wire.Observe, table="t1"), wire.Snapshot)
    house.look()
    assert house.node_of(bert) == "b"  # it has asked something of both: a look costs as much as before


def test_clients_with_several_tables_move_one_after_the_other(house, monkeypatch):
    """The tables that the next node has to show are counted, and not the clients alone."""
    monkeypatch.setattr("pokerroom.gateway.moves.AT_ONCE", 2)
    lines = [house.player(name, "b") for name in ("bert", "cleo")]
    for line in lines:
        line.idle = False
        for table in ("t1", "t2"):
            assert isinstance(line.ask(wire.Observe, table=table), wire.Snapshot)
    house.look(1)  # the node knows that there is room for both
    for line in lines:
        line.idle = True
    house.look(1)
    assert sorted(house.node_of(line) for line in lines) == ["a", "b"]
    house.look(1)
    assert [house.node_of(line) for line in lines] == ["a", "a"]


def test_a_client_follows_its_table(house):
    """When the table goes to the other node, the client does, too."""
    anna, bert = seated(house)
    house.look()
    house.cluster.move("t1", "b")
    house.look()
    assert [house.node_of(line) for line in (anna, bert)] == ["b", "b"]
    play(anna, bert)


@pytest.mark.parametrize(
    "why", ["it accepts no clients", "its address has no room", "it is on another machine"]
)
def test_a_node_may_refuse_a_client(house, why):
    """The client stays where it is, and plays on."""
    if why == "it accepts no clients":
        house.accepting["a"] = False
    elif why == "it is on another machine":
        house.machine.deaf.add("a")
    anna, bert = house.player("anna", "a"), house.player("bert", "b")
    if why == "its address has no room":
        while house.has_room("a", bert.session.address):
            MovableLine(house, "a", Encoding.MSGPACK)
    for line in (anna, bert):
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    house.look()
    assert house.node_of(bert) == "b"
    assert not any(descriptor is not None for _, _, descriptor in house.machine.said)
    play(anna, bert)


def test_a_place_is_promised_to_one_client(house):
    """Two clients that ask together for the last place of their address: one moves, and the other one stays."""
    lines = [house.player(name, "b") for name in ("bert", "cleo")]
    last = None
    while house.has_room("a", lines[0].session.address):
        last = MovableLine(house, "a", Encoding.MSGPACK)
    last.session.lost("closed by the client")
    for line in lines:
        line.idle = False
        assert isinstance(line.ask(wire.Observe, table="t1"), wire.Snapshot)
    house.look()
    for line in lines:
        line.idle = True
    house.look(8)
    assert sorted(house.node_of(line) for line in lines) == ["a", "b"]
    assert not [line for line in lines if line.all(wire.Goodbye)]


def test_a_window_that_moves_ends_no_other_one(house):
    """An account has as many connections to the node of its table as it may have: the others stay where they are."""
    bert = house.player("bert", "b")
    token = bert.all(wire.Authenticated)[0].token
    other = MovableLine(house, "b", Encoding.MSGPACK, "another window")
    there = [MovableLine(house, "a", Encoding.MSGPACK, f"window {number}") for number in range(3)]
    for line in (other, *there):
        assert isinstance(line.ask(wire.Resume, token=token), wire.Authenticated)
    for line, table in ((bert, "t1"), (other, "t2")):
        line.idle = False
        assert isinstance(line.ask(wire.Observe, table=table), wire.Snapshot)
    bert.idle = other.idle = True
    house.look(12)
    assert not [line for line in (bert, other, *there) if line.closed or not line.session.connected]
    assert len(house.machine.moved()) == 1


def test_many_clients_that_do_not_rest_keep_no_other_from_moving(house, monkeypatch):
    """A place that is kept is used before it is free again, however many wait to be looked at."""
    monkeypatch.setattr("pokerroom.gateway.moves.AT_ONCE", 1)
    lines = [house.player(name, "b") for name in ("bert", "cleo", "dora", "emil", "fred", "gabi")]
    for line in lines:
        line.idle = False
        assert isinstance(line.ask(wire.Observe, table="t1"), wire.Snapshot)
    lines[-1].idle = True
    house.look(20)
    assert [house.node_of(line) for line in lines] == [*"bbbbb", "a"]


def test_a_promised_place_is_free_again_if_no_client_comes(house):
    """Soon after: others of the address are not kept out for a client that does not rest."""
    _, bert = seated(house)
    bert.idle = False
    address = bert.session.address
    house.look()
    while house.has_room("a", address):
        MovableLine(house, "a", Encoding.MSGPACK)
    bert.session.lost("closed by the client")
    house.cluster.settle(2 * PLACE_KEPT_S)
    assert house.has_room("a", address)


def test_a_node_that_cannot_be_sent_to_keeps_nothing(house):
    """Sending the socket fails: nothing has changed, and the client plays on."""
    anna, bert = seated(house)
    house.cluster.settle(LOOK_S)  # it is asked, and there is room
    house.machine.deaf.add("a")
    house.look()
    assert house.node_of(bert) == "b"
    play(anna, bert)
    assert not bert.all(wire.Goodbye)


def test_a_node_that_cannot_be_asked_at_once_is_asked_again(house):
    """Its socket is full when many clients move together. One on another machine is not asked for ever."""
    anna, bert = seated(house)
    house.machine.deaf.add("a")
    house.look()
    house.machine.deaf.clear()
    house.look(5)
    assert house.node_of(bert) == "a"

    house.machine.deaf.add("b")
    house.cluster.move("t1", "b")
    house.look(int(TRIES / LOOK_S) + 1)
    house.machine.deaf.clear()
    house.look(8)
    assert [house.node_of(line) for line in (anna, bert)] == ["a", "a"]


def test_a_table_that_leaves_while_a_client_is_on_its_way(house):
    """The node that gets the client shows it the table at its next owner."""
    anna, bert = seated(house)
    house.machine.held = []
    house.look(1)
    [(asked_node, asked, _)] = house.machine.held
    house.machine.held.clear()
    house.moves[asked_node].heard(asked, None)
    [(home, answered, _)] = house.machine.held
    house.machine.held.clear()
    house.moves[home].heard(answered, None)
    house.cluster.settle(LOOK_S)
    [on_its_way] = [each for each in house.machine.held if each[2] is not None]
    house.cluster.move("t1", "b")
    assert house.machine.bring(*on_its_way)
    house.machine.held = None
    house.cluster.settle()
    shown = bert.all(wire.Snapshot)[-1]
    assert (shown.re, shown.your_seat) == (None, 2)
    play(anna, bert)


def test_a_client_that_is_lost_on_its_way_counts_as_gone(house):
    """Its node closes the channels a moment later; the client comes back by its token."""
    _, bert = seated(house)
    token = bert.all(wire.Authenticated)[0].token
    house.cluster.settle(LOOK_S)
    house.machine.held = []
    house.cluster.settle(LOOK_S)
    assert any(descriptor is not None for _, _, descriptor in house.machine.held)
    house.machine.held = None
    house.look()
    assert not house.cluster.table().game.seats.seats.get(2).connected

    again = MovableLine(house, "b", Encoding.MSGPACK)
    assert again.ask(wire.Resume, token=token).tables == ["t1"]
    assert again.ask(wire.Observe, table="t1").your_seat == 2
    assert house.cluster.table().game.seats.seats.get(2).connected


@pytest.mark.parametrize("node", ["a", "b"])
def test_a_client_that_has_come_back_meanwhile_is_not_closed(house, node):
    """Its line broke while the socket was on its way. The new connection is the later one, at whichever node."""
    _, bert = seated(house)
    token = bert.all(wire.Authenticated)[0].token
    house.cluster.settle(LOOK_S)
    house.machine.held = []
    house.cluster.settle(LOOK_S)
    [on_its_way] = [each for each in house.machine.held if each[2] is not None]
    house.machine.held = None
    again = MovableLine(house, node, Encoding.MSGPACK)
    assert again.ask(wire.Resume, token=token).tables == ["t1"]
    house.machine.bring(*on_its_way)
    house.look()
    assert bert.closed in {Code.TAKEN_OVER, Code.UNAVAILABLE}
    assert again.closed is None
    assert again.ask(wire.Observe, table="t1").your_seat == 2
    house.look()
    assert again.closed is None


def test_a_session_that_ends_on_its_way_ends(house):
    """The other node has heard of its end, and closes the connection at once."""
    _, bert = seated(house)
    moved = bert.session.as_moved("b")
    house.cluster.nodes["a"].connections.sessions_ended(moved.account, [moved.session])
    house.look()
    assert bert.closed is Code.SESSION_ENDED


@pytest.mark.parametrize("said", [b"", b"nonsense", b"x" * 100])
def test_what_no_node_of_the_room_has_said_is_ignored(house, said):
    """Nor does a descriptor that comes with it go on here: without the room's key no client is let in."""
    anna, _ = seated(house)
    assert not house.moves["a"].heard(said, anna)
    other = Seal(bytes([1] * 32))
    moved = msgspec.msgpack.encode(anna.session.as_moved("b"))
    assert not house.moves["a"].heard(other.close(moved, about="a"), anna)
    right = Seal(bytes(32))
    assert not house.moves["a"].heard(right.close(moved, about="b"), anna)  # it was said to another node
    assert not house.moves["a"].heard(right.close(moved, about="a"), None)  # without a connection
    assert house.node_of(anna) == "a"
    assert not anna.all(wire.Goodbye)
