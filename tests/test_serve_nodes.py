"""`pokerroom serve --nodes 2` from outside: one room, one set of ports, two processes and their parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pokerroom.ops.embedded import remove_data
from pokerroom.supervisor import END_S
from tests.integration.forked import ForkedRoom
from tests.integration.support import Command, RunningRoom, TcpClient, play_hand, stop_services

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

LIMIT_S = 30


class RunningNodes(ForkedRoom):
    """Two nodes below one parent; these are started from nothing, the commands to them are forks."""

    nodes = 2

    def launch(self, *arguments: str) -> Command:
        return RunningRoom.launch(self, *arguments)

    def ask(self, node: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command to the operations port of a node, the first being 1."""
        return self.command(*arguments, port=self.ops_ports[node - 1])

    def told(self, node: int, *arguments: str) -> Any:
        """What it prints as JSON."""
        result = self.ask(node, *arguments, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def table(self, node: int, table: str) -> dict[str, Any]:
        """A table as a node tells of it."""
        return next(found for found in self.told(node, "table", "list") if found["table"] == table)

    def pids(self) -> dict[str, int]:
        """Of the living nodes, by name, as these are named."""
        names = [node["node"] for node in self.told(1, "nodes") if node["living"]]
        return {name: int(name.split("-")[-2]) for name in names}


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < limit, "it has not come about"
        time.sleep(0.1)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def room(tmp_path: Path):
    nodes = RunningNodes(tmp_path / "data")
    try:
        nodes.start()
        yield nodes
    finally:
        nodes.stop()
        stop_services(nodes.data_dir)
        remove_data(nodes.data_dir)


@pytest.fixture
def opened():
    """What a test has opened is closed."""
    with ExitStack() as stack:
        yield stack


def seated(room: RunningNodes, table: str, opened: ExitStack) -> dict[int, TcpClient]:
    """Two players at a table, by seat."""
    players = {}
    for name in ("anna", "bert"):
        client = opened.enter_context(room.tcp())
        client.enter(name)
        players[client.ask("sit_down", table=table, buy_in=5_000)["your_seat"]] = client
    return players


def test_a_room_of_two_processes_is_played_in_and_operated_as_one(room, opened):
    """Any node tells of all tables and passes on what another has to do; a hand is played through all of that."""
    until(lambda: [len(node["tables"]) for node in room.told(1, "nodes")] == [3, 3])
    nodes = room.told(2, "nodes")
    assert [node["living"] for node in nodes] == [True, True]
    assert {node["ops"] for node in nodes} == {f"127.0.0.1:{port}" for port in room.ops_ports}
    players = seated(room, "duel", opened)
    first = next(iter(players.values()))
    first.event("turn")
    owner = room.table(1, "duel")["node"]
    assert room.table(2, "duel")["node"] == owner
    elsewhere = (
        2
        if next(node for node in nodes if node["node"] == owner)["ops"].endswith(str(room.ops_ports[0]))
        else 1
    )

    assert room.ask(elsewhere, "table", "freeze", "duel").returncode == 0
    until(lambda: any("operator.ordered" in line for line in room.output))
    [told] = [json.loads(line) for line in room.output if "operator.ordered" in line]
    assert (told["verb"], told["operator"].split(":")[0]) == ("table.freeze", "local")
    assert told["node_number"] != elsewhere
    assert room.table(elsewhere, "duel")["frozen"] == "operator"
    first.wait_for(lambda message: message["type"] == "table_notice" and message["state"] == "frozen")
    refused = room.ask(elsewhere, "table", "move", "duel")
    assert (refused.returncode, refused.stderr.split(":")[0]) == (1, "table_frozen")
    journal = room.told(elsewhere, "audit", "--config", str(room.config))["journal"]
    assert {fate: count for fate, count in journal.items() if count} == {"in_progress": 1}
    assert (
        room.told(elsewhere, "audit")["journal"]["void"] == 1
    )  # the settings of another room have no such table
    hand_id = room.told(elsewhere, "table", "void", "duel")["hand_id"]
    ended = first.event("hand_ended")
    assert (ended["hand_id"], ended["void"]) == (hand_id, True)
    assert room.ask(elsewhere, "table", "resume", "duel").returncode == 0
    ended = play_hand(players, first)
    assert not ended["void"]

    other = next(node["node"] for node in nodes if node["node"] != owner)
    assert room.told(elsewhere, "table", "move", "duel")["node"] == other
    play_hand(players, first)
    until(lambda: room.table(1, "duel")["node"] == other)
    play_hand(players, first)
    assert room.audit()["hands"] >= 3


@pytest.mark.slow  # `test_supervisor` has the same with small processes
def test_a_killed_node_is_started_again_and_a_killed_parent_takes_all_with_it(room):
    """The tables of the first live at the other meanwhile, and none is lost; the ports are free for the next room."""
    until(lambda: len(room.pids()) == 2)
    before = room.pids()
    name, pid = next(iter(before.items()))
    os.kill(pid, signal.SIGKILL)
    until(lambda: not alive(pid))
    survivor = next(number for number in (1, 2) if _answers(room, number))

    def again() -> bool:
        living = [node for node in room.told(survivor, "nodes") if node["living"]]
        return (
            len(living) == 2
            and name not in {node["node"] for node in living}
            and sum(len(node["tables"]) for node in living) == 6
        )

    until(again)
    assert all(table["node"] is not None for table in room.told(survivor, "table", "list"))
    pids = [int(node["node"].split("-")[-2]) for node in room.told(survivor, "nodes") if node["living"]]
    room.kill()
    until(lambda: not any(alive(pid) for pid in pids))
    room.start()
    # each has said that it is ready; that both live the first one reads at its next look, and that the killed ones do
    # not when their lease is over
    until(lambda: len(room.pids()) == 2 and pids_below(room).issuperset(room.pids().values()))
    assert room.stop() == 0


@pytest.mark.slow  # `test_supervisor` has the same with small processes
def test_a_node_that_hangs_is_killed_and_started_again(room, opened):
    """New connections are served by both again, and SIGTERM while one hangs ends the room soon."""
    until(lambda: len(room.pids()) == 2)
    hung = room.pids()[next(node["node"] for node in room.told(1, "nodes") if not node["here"])]
    os.kill(hung, signal.SIGSTOP)
    until(lambda: not alive(hung))
    until(lambda: len(room.pids()) == 2 and hung not in room.pids().values())
    for _ in range(10):
        opened.enter_context(room.tcp()).ask("hello", version=1, client="test", pause=False)
    assert any("node.hangs" in line for line in room.output)

    os.kill(min(pids_below(room)), signal.SIGSTOP)
    began = time.monotonic()
    assert room.stop() == 1
    assert time.monotonic() - began < END_S / 2


def pids_below(room: RunningNodes) -> set[int]:
    """The processes of the room's nodes."""
    below = Path(f"/proc/{room.pid}/task/{room.pid}/children").read_text().split()
    return {int(pid) for pid in below if b"--supervised" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def _answers(room: RunningNodes, number: int) -> bool:
    return room.ask(number, "nodes").returncode == 0
