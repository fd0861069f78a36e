"""Sit-and-gos through two real nodes: from registration to the prize, ended by the operator, past a killed node."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.bench.tournaments import FAST
from tests.integration.conftest import Rooms
from tests.integration.support import Client, RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

CONFIG = f"""
[limits]
messages_per_s = 2000
message_burst = 2000
[[tables]]
id = "cash"
small_blind = 50
[[sit_and_go]]
id = "duel"
seats = 2
buy_in = 300
fee = 60
prizes = [480]
level_hands = 100
levels = [{{ small_blind = 10 }}]
hand_pause_ms = 0
[[sit_and_go]]
id = "three"
seats = 3
buy_in = 300
fee = 60
prizes = [500, 220]
level_hands = 100
levels = [{{ small_blind = 10 }}]
[[sit_and_go]]
id = "six"
seats = 6
buy_in = 300
fee = 60
prizes = [1_000, 440]
{FAST}
[[sit_and_go]]
id = "ten"
seats = 10
buy_in = 300
fee = 60
prizes = [1_200, 700, 500]
{FAST}
"""
OPENING = 1_000_000

Nodes = tuple[RunningRoom, RunningRoom]


@pytest.fixture
def nodes(rooms: Rooms) -> Nodes:
    """Two nodes of one room."""
    return rooms.started(CONFIG), rooms.started(CONFIG)


def within(seconds: float, happened: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def balance(client: Client) -> int:
    found: int = client.ask("get_account")["balance"]
    return found


def all_in(players: dict[str, Client], table: str) -> None:
    """Every player puts all in, hand by hand, until the tournament has ended, over a connection of their own."""
    watched = next(iter(players.values()))
    seats = {client.ask("observe", table=table)["your_seat"]: client for client in players.values()}
    turn = watched.ask("get_snapshot", table=table)["hand"]
    message: dict[str, Any] = {} if turn is None or turn["turn"] is None else {**turn["turn"], "type": "turn"}
    hand_id = "" if turn is None else turn["hand_id"]
    while message.get("type") != "tournament_ended":
        if message.get("type") == "turn":
            hand_id = message.get("hand_id", hand_id)
            amount = message["max_raise_to"]
            action: dict[str, Any] = {"action": "check" if message["check"] else "call"}
            if amount:
                action = {"action": "raise", "amount": amount}
            client = seats[message["seat"]]
            client.send("act", table=table, hand_id=hand_id, seq=message["seq"], **action)
        message = watched.receive()
        watched.got.append(message)


def sng(node: RunningRoom, *arguments: str) -> Any:
    """`pokerroom sng`, asked of this node, with what it says as JSON."""
    result = node.command("sng", *arguments, "--json", port=node.ops_port)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr.split(":")[0]


def test_two_players_at_two_nodes_from_the_registration_to_the_prize(nodes):
    """Each hears of the start over their own connection; the winner of their prize; the table is gone in the end."""
    one, two = nodes
    with one.tcp() as anna, two.web_socket("json") as ben:
        anna.enter("anna")
        ben.enter("ben")
        assert anna.ask("register_sng", offer="duel")["tournament"] == "duel.1"
        assert ben.ask("register_sng", offer="duel")["tournament"] == "duel.1"
        for client in (anna, ben):
            client.heard(lambda message: message["type"] == "sng_started")
            assert client.ask("get_account")["tables"] == ["duel.1"]
        all_in({"anna": anna, "ben": ben}, "duel.1")
        standings = anna.ask("get_standings", tournament="duel.1")
        assert standings["phase"] == "finished"
        winner, loser = (place["name"] for place in standings["places"])
        by_name = {"anna": anna, "ben": ben}
        by_name[winner].heard(lambda message: message["type"] == "sng_prize_paid" and message["prize"] == 480)
        assert balance(by_name[winner]) == OPENING - 300 + 480
        assert balance(by_name[loser]) == OPENING - 300
        within(20, lambda: ben.ask("observe", table="duel.1").get("code") == "unknown_table", "it stays")
        assert ben.ask("get_standings", tournament="duel.1")["places"][0]["paid"]
        assert ben.ask("get_account")["tables"] == []
    report = one.audit()
    assert (report["tournaments"], report["escrow"]) == (1, 0)


@pytest.mark.slow  # `cluster` and `ops` give these orders
def test_an_operator_at_any_node_cancels_pauses_and_ends(nodes):
    """Once each, and every player has what is theirs."""
    one, two = nodes
    with one.tcp() as anna, two.tcp() as ben, two.tcp() as carl:
        players = {"anna": anna, "ben": ben, "carl": carl}
        for name, client in players.items():
            client.enter(name)
        anna.ask("register_sng", offer="three")
        assert [found["tournament"] for found in sng(two, "list")] == ["three.1"]
        for node in nodes:
            assert sng(node, "cancel", "three.1") == {"tournament": "three.1", "asked": "cancel"}
        anna.heard(lambda message: message["type"] == "sng_refunded" and message["reason"] == "cancelled")
        assert balance(anna) == OPENING
        for tournament, ending, phase in (
            ("three.2", "roll-back", "rolled_back"),
            ("three.3", "roll-forward", "rolled_forward"),
        ):
            for client in players.values():
                assert client.ask("register_sng", offer="three")["tournament"] == tournament
            for client in players.values():
                client.heard(
                    lambda message, name=tournament: (
                        message["type"] == "sng_started" and message["table"] == name
                    )
                )
            for node in nodes:  # one of them has it, the other passes it on
                within(
                    20,
                    lambda node=node, name=tournament: sng(node, "show", name)["report"]["node"],
                    "no owner",
                )
            assert sng(one, "pause", tournament) == {"tournament": tournament, "asked": "pause"}
            assert sng(two, "pause", tournament) == "paused"
            assert sng(two, "resume", tournament) == {"tournament": tournament, "asked": "resume"}
            assert sng(one, "cancel", tournament) == "registration_closed"
            for node in (two, one):
                asked = ending.replace("-", "_")
                assert sng(node, ending, tournament) == {"tournament": tournament, "asked": asked}
            assert sng(one, "show", tournament)["report"]["phase"] == phase
            assert sng(one, "pause", tournament) == "tournament_not_running"
        within(20, lambda: sum(map(balance, players.values())) == 3 * OPENING - 3 * 60, "prizes are missing")
        # before the money one half is shared equally, the other by chips, and all have as many (I3)
        assert [balance(client) for client in players.values()] == [OPENING - 300 + 240] * 3
    report = one.audit()
    assert (report["tournaments"], report["escrow"]) == (3, 0)


@pytest.mark.slow  # `test_sit_and_gos` kills a node, too
def test_tournaments_go_on_past_a_killed_node_and_an_emptied_redis(nodes):
    """Bots that come and go play all of them to the end, with every prize paid to the unit."""
    one, two = nodes
    arguments = ["swarm", "--sng", "6", "--bots", "20", "--json"]
    arguments += ["--offer", "six", "--offer", "ten", "--port", str(two.game_port), "--processes", "1"]
    assert one.services is not None
    with one.start_command(*arguments) as swarm:
        try:
            within(
                60,
                lambda: any(found["phase"] == "running" for found in json.loads(two.get("/v1/sit_and_gos"))),
                "none has started",
            )
            one.kill()
            client = redis.Redis.from_url(one.services.redis_url)
            within(
                30,
                lambda: any(found["node"] for found in json.loads(two.get("/v1/sit_and_gos"))),
                "nobody has it",
            )
            client.flushall()
            client.close()
            one.start()
            try:
                output, _ = swarm.communicate(timeout=100)
            except subprocess.TimeoutExpired:
                pytest.fail(f"still running: {two.get('/v1/sit_and_gos')} {two.get('/v1/tables')}")
        finally:
            swarm.kill()
    report = json.loads(output)
    assert (report["finished"], report["problem"]) == (6, None), report
    assert report["prizes_paid"] == report["prizes_expected"] == 3 * 1_440 + 3 * 2_400
    assert "wallet_differs" not in report["errors_by_code"]
    audit = two.audit()
    assert (audit["tournaments"], audit["escrow"]) == (6, 0)
