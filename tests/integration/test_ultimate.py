"""A table against the house from outside: real processes, real PostgreSQL and Redis, clients over the wire."""

from __future__ import annotations

import itertools
import json
import re
import time

import pytest

from tests.integration.conftest import Rooms
from tests.integration.support import Client, RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

CONFIG = """
[room]
name = "test"
[[ultimate]]
id = "casino"
betting_s = 2
closing_s = 1
decision_s = 30
result_pause_ms = 0
[[ultimate]]
id = "live"
seating = "common_hand"
betting_s = 1
closing_s = 0
decision_s = 2
result_pause_ms = 0
"""

_numbers = itertools.count(1)


@pytest.fixture
def room(rooms: Rooms) -> RunningRoom:
    return rooms.started(CONFIG)


def entered(client: Client, table: str = "casino") -> tuple[str, int]:
    """Registers and takes a place: the session's token, and the place."""
    token = client.enter(f"gambler{next(_numbers)}")["token"]
    snapshot = client.ask("take_place", table=table)
    assert snapshot["type"] == "ultimate_snapshot", snapshot
    return token, snapshot["your_box"]


def bet(client: Client, amount: int = 100, table: str = "casino", kind: str = "ante") -> None:
    answer = client.ask("place_bet", table=table, bet=kind, amount=amount)
    assert answer["type"] == "slip", answer


def balance(client: Client) -> int:
    wallet = client.ask("get_account")["balance"]
    assert isinstance(wallet, int)
    return wallet


def play_out(*players: tuple[Client, int]) -> dict:
    """Every player checks while they may, and folds on the river; the result as the first sees it."""
    first, _ = players[0]
    while True:
        asked = next(
            (one for one in reversed(first.got) if one["type"] in ("decisions", "round_ended")), None
        )
        if asked is None:
            asked = first.wait_for(lambda message: message["type"] in ("decisions", "round_ended"))
        if asked["type"] == "round_ended":
            return asked
        for client, box in players:
            if box in asked["boxes"]:
                decision = "check" if asked["check"] else "fold"
                answer = decide(client, asked, box, decision)
                assert answer["type"] == "ok", answer
        seq = asked["seq"]
        first.heard(lambda m, seq=seq: m["type"] in ("decisions", "round_ended") and m["seq"] > seq)


def ordered(room: RunningRoom, order: str) -> int:
    """What the operator's command for the table ends with."""
    return room.command("table", order, "casino", port=room.ops_port).returncode


def decide(client: Client, asked: dict, box: int, decision: str, **fields: int) -> dict:
    return client.ask(
        "decide", table=asked["table"], round_id=asked["round_id"], seq=asked["seq"], box=box,
        decision=decision, **fields,
    )  # fmt: skip


def test_two_clients_play_a_round_to_its_result(room):
    """One over TCP, one over WebSocket: bets, own cards, decisions, the board, the result, and the money."""
    with room.tcp() as anna, room.web_socket("json") as bert:
        places = [entered(client)[1] for client in (anna, bert)]
        assert places == [1, 2]
        before = [balance(client) for client in (anna, bert)]
        bet(anna, 200)
        bet(anna, 100, kind="trips")
        bet(bert)
        started = anna.event("round_started")
        assert re.fullmatch(r"\d{8}-\d\d:\d\d:\d\d-\d{6,}", started["round_id"])
        assert [(box["box"], box["ante"], box["trips"]) for box in started["boxes"]] == [
            (1, 200, 100),
            (2, 100, 0),
        ]
        hands = [client.event("hands_dealt")["hands"] for client in (anna, bert)]
        assert [[hand["box"] for hand in dealt] for dealt in hands] == [[1], [2]]
        asked = anna.event("decisions")
        assert asked["multiples"] == [3, 4]
        assert decide(anna, asked, 1, "play", multiple=4)["type"] == "ok"
        bert.heard(lambda message: message["type"] == "decided" and message["amount"] == 800)
        ended = play_out((bert, 2))
        anna.heard(lambda message: message["type"] == "round_ended")
        assert ended["bank"]["cards"] != hands[0][0]["cards"]
        assert [box["outcome"] for box in ended["boxes"]][1] == "folded"
        for client, box, held in zip((anna, bert), ended["boxes"], before, strict=True):
            assert balance(client) == held + sum(one["paid"] - one["staked"] for one in box["bets"])
        for client in (anna, bert):
            assert client.ask("stand_up", table="casino")["type"] == "ok"
    assert room.audit()["rounds"] == 1
    assert "pokerroom_rounds_total 1.0" in room.get("/metrics")


def test_a_session_is_resumed_in_mid_round(room):
    """Their place, their cards and the question are there; the round goes on with what they decide."""
    with room.tcp() as bert:
        anna = room.tcp()
        token, box = entered(anna)
        _, other = entered(bert)
        bet(anna)
        bet(bert)
        cards = anna.event("hands_dealt")["hands"]
        anna.close()
        bert.heard(lambda message: message["type"] == "place_changed" and not message["connected"])
        with room.web_socket("msgpack") as again:
            again.ask("hello", version=1)
            assert again.ask("resume", token=token)["tables"] == ["casino"]
            snapshot = again.ask("observe", table="casino")
            assert (snapshot["your_box"], snapshot["round"]["hands"]) == (box, cards)
            asked = {
                **snapshot["round"]["decisions"],
                "table": "casino",
                "round_id": snapshot["round"]["round_id"],
            }
            assert decide(again, asked, box, "check")["type"] == "ok"
            bert.heard(lambda message: message["type"] == "decisions")
            first = next(message for message in bert.got if message["type"] == "decisions")
            assert decide(bert, first, other, "check")["type"] == "ok"
            again.heard(lambda message: message["type"] == "board_dealt")


@pytest.mark.slow  # `tests/ultimate` has the clock
def test_the_clock_decides_for_a_player_who_is_gone(room):
    """Where a common hand is dealt and they were there at the close: auto checked, auto folded."""
    with room.tcp() as watcher:
        watcher.enter(f"gambler{next(_numbers)}")
        watcher.ask("observe", table="live")
        anna = room.tcp()
        entered(anna, "live")
        bet(anna, table="live")
        anna.event("hands_dealt")
        anna.close()
        ended = watcher.event("round_ended")
        decided = [one for one in watcher.got if one["type"] == "decided"]
        assert [(one["decision"], one["automatic"]) for one in decided] == [
            ("check", True), ("check", True), ("fold", True),
        ]  # fmt: skip
        assert ended["boxes"][0]["outcome"] == "folded"


def test_a_room_that_was_killed_in_mid_round_plays_it_on(room):
    """Kill -9: same cards, same decisions, and each bet was paid once."""
    anna, bert = room.tcp(), room.tcp()
    (token, box), (_, other) = entered(anna), entered(bert)
    bet(anna)
    bet(bert)
    cards = anna.event("hands_dealt")["hands"]
    asked = anna.event("decisions")
    assert decide(anna, asked, box, "play", multiple=3)["type"] == "ok"
    room.kill()
    audited = room.command("audit", "--json", "--config", str(room.config))
    assert json.loads(audited.stdout)["journal"]["in_progress"] == 1, audited.stdout + audited.stderr
    anna.close()
    bert.close()

    room.start()

    until = time.monotonic() + 10  # the line may come after that of the room's being ready
    while not any("round.resumed" in line for line in room.output):
        assert time.monotonic() < until, room.output
        time.sleep(0.05)
    assert not any("round.void" in line for line in room.output)
    with room.tcp() as again:
        again.ask("hello", version=1)
        again.ask("resume", token=token)
        snapshot = again.ask("observe", table="casino")
        shown = snapshot["round"]
        assert (shown["hands"], [one["status"] for one in shown["boxes"]]) == (cards, ["played", "waiting"])
        assert shown["round_id"] == asked["round_id"]
        assert shown["decisions"]["boxes"] == [other]
    room.audit()


def test_the_operator_stops_a_round_and_declares_it_void(room):
    """All are told; every bet goes back, exactly once, and betting opens when the operator lets the table go on."""
    with room.tcp() as anna:
        entered(anna)
        before = balance(anna)
        bet(anna, 400)
        round_id = anna.event("round_started")["round_id"]
        assert balance(anna) == before - 800
        for order in ("freeze", "void"):
            assert ordered(room, order) == 0
        ended = anna.event("round_ended")
        assert (ended["round_id"], ended["void"], ended["bank"]) == (round_id, True, None)
        assert balance(anna) == before
        assert ordered(room, "void") == 1
        assert ordered(room, "resume") == 0
        anna.heard(lambda message: message["type"] == "table_notice" and message["state"] == "running")
        until = time.monotonic() + 10
        while (answer := anna.ask("change_bets", table="casino", action="repeat"))["type"] == "error":
            assert (answer["code"], time.monotonic() < until) == ("betting_closed", True)
            time.sleep(0.05)
        assert answer["type"] == "slip", answer
        assert answer["slip"]["total"] == 800
        text = room.get("/v1/tables")
        assert "casino" in text
        assert json.loads(text)
    room.audit()
