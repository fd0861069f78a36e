"""Several processes as one room, on real services: whoever dies, ends or stops for a while, play goes on."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from typing import Any

import pytest

from pokerroom.ops.embedded.places import operations_socket
from pokerroom.ops.operator_client import LocalConnection
from tests.coordination.support import free_port
from tests.integration.conftest import Rooms
from tests.integration.forked import ForkedCommand
from tests.integration.support import CONFIG, Client, RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

TAKEOVER_S = 5.0
"""From a kill to the next prompt."""

TABLES = 6
"""Of the room."""

STAY = CONFIG.replace("[limits]", "[listen]\nmove_clients = false\n[limits]")
"""Clients stay at the node to which they have connected."""

Nodes = tuple[RunningRoom, RunningRoom]


@pytest.fixture
def nodes(rooms: Rooms) -> Nodes:
    """Both have the same number of tables: no more of them move."""
    first, second = (rooms.started(STAY) for _ in range(2))
    within(20, lambda: all(len(tables_of(node)) == TABLES // 2 for node in (first, second)))
    return first, second


def within(seconds: float, happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def tables_of(node: RunningRoom) -> list[str]:
    """Those that live there, as it says itself."""
    own = next(one for one in json.loads(node.get("/v1/nodes")) if one["here"])
    tables: list[str] = own["tables"]
    return tables


def seated(opened: ExitStack, home: RunningRoom, other: RunningRoom, table: str) -> dict[int, Client]:
    """Two players by their seats: one connected to each node."""
    players: dict[int, Client] = {}
    for name, node in (("anna", home), ("ben", other)):
        client = opened.enter_context(node.tcp())
        client.enter(f"{name}-{table}")
        players[client.ask("sit_down", table=table, buy_in=5_000)["your_seat"]] = client
    return players


def keyed(node: RunningRoom, path: str, key: str) -> tuple[int, bytes]:
    """Status and answer of an order with a key, as the room's user gives it."""
    with closing(LocalConnection(operations_socket(node.data_dir, node.ops_port))) as connection:
        connection.request("POST", path, headers={"Idempotency-Key": key})
        answer = connection.getresponse()
        return answer.status, answer.read()


def play(
    players: dict[int, Client], watched: Client, until: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Checks and calls for every player, as `watched` is told, until something comes."""
    while True:
        message = watched.receive()
        watched.got.append(message)
        if until(message):
            return message
        if message["type"] == "turn":
            act(players, message)


def act(players: dict[int, Client], turn: dict[str, Any]) -> int:
    action = "check" if turn["check"] else "call"
    return players[turn["seat"]].send(
        "act", table=turn["table"], hand_id=turn["hand_id"], seq=turn["seq"], action=action
    )


def test_players_at_different_nodes_play_at_one_table(nodes, opened):
    """Each is connected to another process than the other, and neither can tell."""
    first, second = nodes
    for table in (tables_of(first)[0], tables_of(second)[0]):
        players = seated(opened, first, second, table)
        anna, ben = players.values()
        for _ in range(3):
            ended = play(players, anna, lambda message: message["type"] == "hand_ended")
            assert ben.wait_for(lambda message: message["type"] == "hand_ended") == ended
        for client in players.values():
            assert not any(message["type"] == "error" for message in client.got)
    first.audit()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_hand_goes_on_where_its_owner_was_lost(nodes, opened, number):
    """Killed or stopped, its tables are another's within seconds: players connected there get the prompt unasked."""
    first, second = nodes
    [table, *_] = tables_of(second)
    players = seated(opened, first, second, table)
    anna = next(client for client in players.values() if client.name.startswith("anna"))
    ben = next(client for client in players.values() if client.name.startswith("ben"))
    seat = next(seat for seat, client in players.items() if client is ben)
    turn = play(players, anna, lambda message: message["type"] == "turn" and message["seat"] == seat)

    began = time.monotonic()
    second.signal(number)
    if number == signal.SIGSTOP:  # it will read this when it goes on
        decision = act(players, turn)
    shown = play(players, anna, lambda message: message["type"] == "snapshot")
    assert time.monotonic() - began < TAKEOVER_S
    assert shown["re"] is None
    assert shown["hand"]["hand_id"] == turn["hand_id"]
    within(5, lambda: table in tables_of(first))

    if number == signal.SIGSTOP:
        second.signal(signal.SIGCONT)
        # its stores would refuse what it writes now (tests/ledger/test_stopped_owner.py); here it must not be told
        within(5, lambda: table not in tables_of(second))
        ben.ask("ping")
        assert not any(message["type"] == "ok" and message["re"] == decision for message in ben.got)
        assert not any(message["type"] == "acted" and message["seq"] > turn["seq"] for message in ben.got)
        within(5, lambda: json.loads(second.get("/readyz", any_status=True))["ready"])
    else:
        second.kill()
        within(5, lambda: any("node.killed" in line for line in first.output))  # no lease was waited for
        second.start()
    ben.close()
    again = opened.enter_context(second.tcp())
    again.ask("hello", version=1, client="test", pause=False)
    again.ask("log_in", name=ben.name, password="correct horse")
    # where the bus was lost with the pause it says so until it is back
    within(10, lambda: again.ask("observe", table=table)["type"] == "snapshot")
    players = {seat: again if client is ben else client for seat, client in players.items()}
    act(players, {**shown["hand"]["turn"], "table": table, "hand_id": turn["hand_id"]})
    play(
        players,
        anna,
        lambda message: message["type"] == "hand_ended" and message["hand_id"] == turn["hand_id"],
    )
    first.audit()


def test_a_node_that_ends_hands_its_tables_over(nodes, opened):
    """SIGTERM under play: it ends soon, all tables are the other's, and who was connected there plays on."""
    first, second = nodes
    [table, *_] = tables_of(second)
    players = seated(opened, first, first, table)
    anna = next(client for client in players.values() if client.name.startswith("anna"))
    play(players, anna, lambda message: message["type"] == "hand_ended")

    second.signal(signal.SIGTERM)
    play(players, anna, lambda message: message["type"] == "snapshot")
    play(players, anna, lambda message: message["type"] == "hand_ended")

    assert second.stop() == 0
    within(2, lambda: len(tables_of(first)) == 6)
    assert not any(message["type"] == "table_notice" for client in players.values() for message in client.got)
    first.audit()


def test_each_node_tells_the_charts_of_both(nodes):
    """Over their operations ports; nodes that have just started know no minute yet, or one or two."""
    first, second = nodes
    names = [one["node"] for one in json.loads(first.get("/v1/nodes"))]
    for node in nodes:
        told = json.loads(node.get("/v1/charts?minutes=5&step=1"))
        assert [one["node"] for one in told] == names
        assert all(len(one["hands"]) == len(one["minutes"]) == 5 for one in told)
        assert all(sum(one["minutes"]) < 5 for one in told)
    shown = first.command("charts", port=second.ops_port).stdout
    assert [name in shown for name in names] == [True, True]


@pytest.mark.slow
def test_a_running_node_counts_its_minutes(rooms):
    """The first whole minute is told when it is over: after two minutes and a look at the clock."""
    node = rooms.started(STAY)
    seen: dict[str, Any] = {}

    def told() -> bool:
        (one,) = json.loads(node.get("/v1/charts?minutes=2&step=1"))
        seen.update(one)
        return any(seen["minutes"])

    within(140, told)
    assert (seen["minutes"], seen["hands"][0], seen["connections"]) == ([0, 1], None, [None, 0])
    assert seen["processor"][1] > 0


def test_an_operator_drains_a_node_and_its_players_play_on(nodes, opened):
    """Asked of the other node: tables move between hands, the node stays connected, is not ready, and ends at once."""
    first, second = nodes
    own = next(one["node"] for one in json.loads(second.get("/v1/nodes")) if one["here"])
    [table, *_] = tables_of(second)
    players = seated(opened, second, first, table)
    anna = next(client for client in players.values() if client.name.startswith("anna"))
    play(players, anna, lambda message: message["type"] == "hand_ended")

    told = first.command("node", "drain", own, "--reason", "a new build", port=first.ops_port)
    assert (told.returncode, told.stderr) == (0, "")
    shown = play(players, anna, lambda message: message["type"] == "snapshot")
    if shown["hand"] is not None and shown["hand"]["turn"] is not None:
        act(players, {**shown["hand"]["turn"], "table": table, "hand_id": shown["hand"]["hand_id"]})
    play(players, anna, lambda message: message["type"] == "hand_ended")
    within(10, lambda: len(tables_of(first)) == 6)
    listed = first.command("nodes", port=first.ops_port).stdout
    assert "drained" in next(line for line in listed.splitlines() if line.startswith(own))
    assert not any(message["type"] == "table_notice" for client in players.values() for message in client.got)
    refused = second.command("node", "drain", "nothing", port=second.ops_port)
    assert (refused.returncode, refused.stderr.partition(":")[0]) == (1, "unknown_node")
    begun = time.monotonic()
    assert second.stop() == 0
    assert time.monotonic() - begun < 10
    first.audit()


@pytest.mark.slow  # the tests above lose and end a node under play
def test_bots_notice_nothing_of_a_node_that_comes_and_goes(nodes):
    """A swarm at one node, with half of the tables at another that ends and starts again: no error, no chip lost."""
    first, second = nodes
    with first.start_command(
        "swarm", "--bots", "24", "--tables", "4", "--hands", "1000000", "--port", str(first.game_port)
    ) as bots:
        try:
            within(30, lambda: hands(first) + hands(second) > 50)
            assert second.stop() == 0
            played = hands(first)
            within(20, lambda: hands(first) > played + 50)
            second.start()
            within(30, lambda: hands(second) > 20)
        finally:
            bots.terminate()
    first.audit()


def hands(node: RunningRoom) -> float:
    lines = node.get("/metrics").splitlines()
    return float(next(line for line in lines if line.startswith("pokerroom_hands_total ")).split()[1])


@pytest.mark.slow  # `cluster/test_hosted_tables` loses the owner, too
def test_a_private_table_is_closed_though_its_owner_is_killed(nodes, opened):
    """In its last hand: the other node ends it, and every chip is in the wallets."""
    first, second = nodes
    anna, ben = (opened.enter_context(node.tcp()) for node in nodes)
    owned = sum(client.enter(name)["balance"] for client, name in ((anna, "anna-host"), (ben, "ben-guest")))
    made = anna.ask("create_table", name="Friday", small_blind=50)["hosted"]
    table = made["info"]["table"]
    assert ben.ask("observe", table=table)["code"] == "unknown_table"
    assert ben.ask("find_table", code=made["code"])["hosted"]["code"] is None
    for client in (anna, ben):
        assert client.ask("sit_down", table=table, buy_in=5_000)["your_seat"]
    anna.event("turn")
    assert anna.ask("change_hosted_table", table=table, order="close")["type"] == "hosted_table"
    owner, other = (first, second) if table in tables_of(first) else (second, first)
    owner.signal(signal.SIGKILL)

    again = {name: opened.enter_context(other.tcp()) for name in ("anna-host", "ben-guest")}
    for name, client in again.items():
        client.ask("hello", version=1, client="test", pause=False)
        assert client.ask("log_in", name=name, password="correct horse")["type"] == "authenticated"
    snapshots = {}

    def shown(name: str) -> bool:
        snapshots[name] = again[name].ask("observe", table=table)
        return snapshots[name]["type"] == "snapshot"

    for name in again:
        within(10, lambda name=name: shown(name))
    # a fold ends the hand, and the table with it
    turn = snapshots["anna-host"]["hand"]["turn"]
    folding = next(again[name] for name, found in snapshots.items() if found["your_seat"] == turn["seat"])
    hand = snapshots["anna-host"]["hand"]["hand_id"]
    folding.ask("act", table=table, hand_id=hand, seq=turn["seq"], action="fold")
    within(10, lambda: again["anna-host"].ask("get_hosted_tables")["tables"] == [])
    for client in again.values():
        within(5, lambda client=client: client.ask("observe", table=table).get("code") == "unknown_table")
    assert sum(client.ask("get_account")["balance"] for client in again.values()) == owned
    other.audit()


def test_a_room_needs_no_reader_of_its_output(rooms: Rooms) -> None:
    """As below `head -1`, which has read enough: it plays, and stops as ever when its terminal is closed."""
    node = rooms.node(STAY)
    port = free_port()
    with ForkedCommand(("serve", "--config", str(node.config)), node.environment(port), "merged") as room:
        room.stdout.close()

        def is_ready() -> bool:
            with suppress(OSError):
                return bool(json.loads(node.get("/readyz", any_status=True, port=port))["ready"])
            return False

        within(60, is_ready)
        is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # below nohup, by the room, too
        room.send_signal(signal.SIGTERM if is_ignored else signal.SIGHUP)
        assert room.wait(30) == 0


def test_an_order_with_a_key_is_carried_out_once_at_any_node(nodes: Nodes) -> None:
    """The other node, and the room after it was killed, give the same answer and leave the table alone."""
    first, second = nodes
    table = tables_of(first)[0]
    freeze = f"/v1/tables/{table}/freeze"
    told = keyed(first, freeze, "evening-1")
    assert told[0] == 202
    assert keyed(second, f"/v1/tables/{table}/resume", "evening-2")[0] == 202

    def state() -> str:
        return str(
            next(one for one in json.loads(second.get("/v1/tables")) if one["table"] == table)["state"]
        )

    within(10, lambda: state() != "frozen")  # the second node hears by the bus what the owner has done
    assert keyed(second, freeze, "evening-1") == told
    status, refused = keyed(second, f"/v1/tables/{table}/close", "evening-1")
    assert (status, json.loads(refused)["code"]) == (409, "key_used")
    for node in nodes:
        node.kill()
    second.start()
    assert keyed(second, freeze, "evening-1") == told
    within(10, lambda: state() not in {"unowned", "unreachable"})
    assert state() != "frozen"
