"""Clients that go on at the node of their tables, between real processes: the socket itself is passed on."""

from __future__ import annotations

import re
import signal
import time

import msgpack
import pytest

from pokerroom_protocol.framing import frame
from tests.integration.support import CONFIG, WebSocketClient, play_hand
from tests.integration.test_nodes import STAY, TAKEOVER_S, tables_of, within

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


KINDS = {
    "TCP": lambda node: node.tcp(),
    "WebSocket in msgpack": lambda node: WebSocketClient(node.http_port, "msgpack"),
    "WebSocket in JSON": lambda node: WebSocketClient(node.http_port, "json"),
}


def connections(node):
    """How many clients are connected to it."""
    found = re.findall(r"^pokerroom_connections\{.*\} (\S+)$", node.get("/metrics"), re.MULTILINE)
    return sum(int(float(each)) for each in found)


def started(rooms, config=CONFIG):
    first, second = (rooms.started(config) for _ in range(2))
    within(20, lambda: all(len(tables_of(node)) >= 2 for node in (first, second)))
    return first, second


def seated(opened, node, table, kind="TCP"):
    """Two players of one node by their seats, at a table of another."""
    players = {}
    for name in ("anna", "ben"):
        client = opened.enter_context(KINDS[kind](node))
        client.enter(f"{name}-{table}")
        players[client.ask("sit_down", table=table, buy_in=5_000)["your_seat"]] = client
    return players


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.slow) if "JSON" in kind else kind for kind in KINDS
    ],  # the socket of JSON is that of msgpack
)
def test_players_go_on_at_the_node_of_their_table(rooms, opened, kind):
    """Each is shown the table once more and plays on, over the same connection."""
    first, second = started(rooms)
    [table, *_] = tables_of(second)
    players = seated(opened, first, table, kind)
    anna, ben = players.values()
    within(10, lambda: (connections(first), connections(second)) == (0, 2))

    ended = play_hand(players, anna)
    assert ben.wait_for(lambda message: message["type"] == "hand_ended") == ended
    for client in (anna, ben):
        assert client.ask("get_account")["tables"] == [table]
        assert [message["re"] for message in client.got if message["type"] == "snapshot"].count(None) >= 1
        assert not any(message["type"] in {"error", "goodbye"} for message in client.got)
    first.audit()


def test_clients_stay_where_an_operator_wants_it(rooms, opened):
    """With `move_clients = false`."""
    first, second = started(rooms, STAY)
    [table, *_] = tables_of(second)
    players = seated(opened, first, table)
    anna, _ = players.values()
    play_hand(players, anna)
    assert (connections(first), connections(second)) == (2, 0)


def test_a_node_that_dies_in_the_middle_of_a_move(rooms, opened):
    """The socket is on its way to it: the client is disconnected, and comes back to its seat by its token."""
    first, second = started(rooms)
    [table, *_] = tables_of(second)
    anna = opened.enter_context(first.tcp())
    token = anna.enter("anna")["token"]
    assert anna.ask("sit_down", table=table, buy_in=5_000)["your_seat"]
    # half a message keeps it where it is, while the other node says that it has room
    ping = frame(msgpack.packb({"type": "ping", "id": 1_000_000}))
    anna.socket.sendall(ping[:-1])
    time.sleep(1.0)
    assert (connections(first), connections(second)) == (1, 0)

    second.signal(signal.SIGSTOP)
    anna.socket.sendall(ping[-1:])
    assert anna.wait_for(lambda message: message.get("re") == 1_000_000)["type"] == "pong"
    within(5, lambda: connections(first) == 0)
    second.signal(signal.SIGKILL)
    with pytest.raises((ConnectionError, EOFError)):
        anna.wait_for(lambda _: False)

    within(TAKEOVER_S, lambda: table in tables_of(first))
    again = opened.enter_context(first.tcp())
    again.ask("hello", version=1, client="test")
    assert again.ask("resume", token=token)["tables"] == [table]
    assert again.ask("observe", table=table)["your_seat"]
    second.kill()
    first.audit()


def test_clients_of_a_node_that_stops_stay_connected(rooms, opened):
    """They follow their tables to the other node, which they notice by a snapshot alone."""
    first, second = started(rooms)
    [table, *_] = tables_of(second)
    players = seated(opened, second, table)
    anna, ben = players.values()
    play_hand(players, anna)

    second.signal(signal.SIGTERM)
    play_hand(players, anna)  # the hand that has begun ends before the table goes
    within(20, lambda: connections(first) == 2)
    assert second.stop() == 0
    play_hand(players, anna)
    for client in (anna, ben):
        assert client.ask("get_account")["tables"] == [table]
        assert not any(message["type"] == "goodbye" for message in client.got)
    first.audit()
