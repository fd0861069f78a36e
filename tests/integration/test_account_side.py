"""What an account keeps, from outside: real processes and services, clients over the wire, the operator's commands."""

from __future__ import annotations

import json

import pytest

from tests.integration.conftest import Rooms
from tests.integration.support import RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

_TIMES = """
betting_s = 1
closing_s = 0
decision_s = 1
result_pause_ms = 0
"""
CONFIG = f"""
[room]
name = "test"
[cashier]
source = "play-money"
fund = 70_000
[[ultimate]]
id = "casino"
count = 2
{_TIMES}
[[ultimate]]
id = "live"
seating = "common_hand"
{_TIMES}
"""


@pytest.fixture
def room(rooms: Rooms) -> RunningRoom:
    return rooms.started(CONFIG)


def test_settings_history_and_cashier_outlive_the_room(room):
    """A round by the clock, a deposit and a withdrawal: all is there for the next device, after a crash too."""
    with room.tcp() as client:
        token = client.enter("anna")["token"]
        assert client.ask("take_place", table="live")["type"] == "ultimate_snapshot"
        assert client.ask("place_bet", table="live", bet="ante", amount=200)["type"] == "slip"
        ended = client.event("round_ended")
        assert client.ask("change_settings", language="de", chat=False)["settings"]["language"] == "de"
        asked = {"key": "once-for-ever", "amount": 5_000, "source": "cash"}
        assert client.ask("request_withdrawal", **asked)["code"] == "unknown_source"
        assert room.command("cashier", "open", "cash").returncode == 0
        assert client.ask("request_withdrawal", **asked)["request"]["state"] == "waiting"
        assert client.ask("get_cashier")["sources"] == ["cash", "play-money"]
        assert room.command("cashier", "close", "play-money").returncode == 0
        held = client.ask("get_cashier")
        assert held["held"] == 5_000
    room.kill()
    room.start()
    # the source of the settings was funded once, and stays as the operator has left it
    assert json.loads(room.command("cashier", "sources", "--json").stdout)[1] == {
        "source": "play-money", "is_open": False, "balance": 70_000,
    }  # fmt: skip
    assert room.command("cashier", "approve", "1", "--note", "paid").returncode == 0
    done = room.command("cashier", "deposit", "anna", "12.50", "--source", "cash", "--json")
    assert json.loads(done.stdout)["state"] == "approved"
    with room.web_socket("json") as client:
        client.ask("hello", version=1)
        back = client.ask("resume", token=token)
        assert (back["settings"]["language"], back["settings"]["chat"]) == ("de", False)
        assert back["balance"] == held["balance"] + 1_250
        (entry,) = client.ask("get_history")["entries"]
        assert (entry["game"], entry["id"], entry["table"]) == ("ultimate", ended["round_id"], "live")
        told = client.ask("get_round", round_id=entry["id"])["round"]
        assert told["boxes"] == ended["boxes"]
        assert told["bank"] == ended["bank"]
        assert (told["stake"], told["win"]) == (entry["stake"], entry["win"])
        decided = {"check": 0, "fold": 0}
        for decision in told["decisions"]:
            assert decision["automatic"]
            decided[decision["decision"]] += 1
        assert decided == {"check": 2, "fold": 1}
        requests = client.ask("get_cashier")["requests"]
        assert [(one["kind"], one["state"], one["note"]) for one in requests] == [
            ("deposit", "approved", ""),
            ("withdrawal", "approved", "paid"),
        ]
        # asked again after an unknown outcome, it is the same request
        assert client.ask("request_withdrawal", **asked)["request"]["state"] == "approved"
    audit = room.audit()
    assert (audit["differences"], audit["rounds"], audit["cash_requests"], audit["held"]) == (0, 1, 2, 0)


@pytest.mark.slow  # `bots/test_ultimate_swarm` plays against the house
def test_a_swarm_against_the_house_ends_well(room):
    """Bots at boxes and at a common hand, some asleep and some gone for a while: no error, and nothing is lost."""
    arguments = ["swarm", "--ultimate", "--bots", "18", "--hands", "8", "--json", "--seed", "5"]
    arguments += ["--sleep", "100", "--vanish", "60", "--processes", "1", "--port", str(room.game_port)]
    result = room.command(*arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["rounds"] >= 8
    assert report["errors"] == 0
    assert report["decided_by_clock"] > 0
    assert report["vanished"] > 0
    audit = room.audit()
    assert audit["differences"] == 0
    assert audit["rounds"] >= 8


def test_a_room_starts_where_its_source_cannot_be_funded(rooms):
    """The operator has closed the source before the settings name a sum: it stays as it is."""
    room = rooms.started(CONFIG.replace("fund = 70_000\n", ""))
    assert room.command("cashier", "close", "play-money").returncode == 0
    room.kill()
    room.config.write_text(CONFIG.replace("fund = 70_000\n", "fund = 70_000\nfour_eyes = true\n"))
    room.start()
    assert json.loads(room.command("cashier", "sources", "--json").stdout) == [
        {"source": "play-money", "is_open": False, "balance": 0}
    ]
    lines = json.loads(room.command("operator", "log", "--json").stdout)
    assert [(line["verb"], line["who"].split(":")[0], line["arguments"]) for line in lines] == [
        ("cashier.open", "room", "{}"),
        ("cashier.close", "local", "{}"),
        ("cashier.four_eyes", "room", '{"on" : true}'),
    ]
    heads = [json.loads(line)["head"] for line in room.output if '"operator_log.head"' in line]
    assert heads == [f"{lines[2]['n']}:{lines[2]['hash']}"]
