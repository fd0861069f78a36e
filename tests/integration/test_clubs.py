"""An evening of a club in a real room: two nodes, PostgreSQL and Redis, clients over the wire, and the audit."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import pytest

from tests.integration.support import Client

pytestmark = [pytest.mark.services, pytest.mark.timeout(120)]

CONFIG = """
[room]
name = "test"
[[tables]]
id = "t1"
small_blind = 50
"""


def test_a_club_evening_is_right_to_the_unit(rooms):
    """Balances are what was issued and won, once all tables are closed. The audit finds no difference."""
    nodes = [rooms.started(CONFIG) for _ in range(2)]
    with ExitStack() as stack:
        players = {
            name: stack.enter_context(node.tcp())
            for name, node in (("alice", nodes[0]), ("bob", nodes[1]), ("carol", nodes[0]))
        }
        wallets = {name: player.enter(name)["balance"] for name, player in players.items()}
        alice = players["alice"]
        made = alice.ask("create_club", name="Fridays")["club"]
        club = made["club"]
        for name in ("bob", "carol"):
            assert players[name].ask("join_club", code=made["code"])["type"] == "club"
        for name in players:
            for _ in range(2):  # the second time is a repetition
                alice.ask("move_club_chips", club=club, name=name, amount=10_000, key=f"evening-{name}")
        hosted = alice.ask(
            "create_table", name="Friday", small_blind=50, seats=3, action_clock_s=5, club=club
        )["hosted"]
        table = hosted["info"]["table"]
        for name in ("bob", "carol"):
            assert players[name].ask("join_club_table", table=table)["hosted"]["club"] == club
        for player in players.values():
            answer = player.ask("sit_down", table=table, buy_in=5_000, post=True)
            assert answer["type"] == "snapshot", answer
        _play(players, table, hands=2)
        results = players["bob"].ask("get_club_results", club=club)
        assert alice.ask("close_club_table", table=table)["type"] == "ok"
        nets = _settled(alice, club)
        assert {row["name"]: row["net"] for row in results["players"]}.keys() <= nets.keys()
        assert nets
        assert sum(nets.values()) == 0
        view = alice.ask("get_club", club=club)["club"]
        assert {row["name"]: row["balance"] for row in view["members"]} == {
            name: 10_000 + nets.get(name, 0) for name in players
        }
        assert (view["issued"], view["tables"]) == (30_000, [])
        for name, player in players.items():
            assert player.ask("get_account")["balance"] == wallets[name]
    assert nodes[0].audit()["hands"] >= 2


def _play(players: dict[str, Client], table: str, hands: int) -> None:
    """Whoever is to act folds, until so many hands have begun."""
    seats = {player.ask("get_snapshot", table=table)["your_seat"]: player for player in players.values()}
    begun: set[str] = set()
    until = time.monotonic() + 60
    while len(begun) <= hands:
        assert time.monotonic() < until, f"only {len(begun)} hands"
        hand = players["alice"].ask("get_snapshot", table=table)["hand"]
        if hand is None or hand["turn"] is None:
            time.sleep(0.1)
            continue
        begun.add(hand["hand_id"])
        turn = hand["turn"]
        seats[turn["seat"]].ask("act", table=table, hand_id=hand["hand_id"], seq=turn["seq"], action="fold")


def _settled(owner: Client, club: str) -> dict[str, Any]:
    """What each has won, once the tables are closed."""
    until = time.monotonic() + 60
    while owner.ask("get_club", club=club)["club"]["tables"]:
        assert time.monotonic() < until, "the table stays"
        time.sleep(0.2)
    return {row["name"]: row["net"] for row in owner.ask("get_club_results", club=club)["players"]}
