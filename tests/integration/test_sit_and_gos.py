"""A sit-and-go over the wire, on real services: from registration to the prize, whatever dies meanwhile."""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.conftest import Rooms
from tests.integration.support import Client, RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

CONFIG = """
[room]
name = "test"
[limits]
messages_per_s = 2000
message_burst = 2000
[[tables]]
id = "cash"
seats = 2
small_blind = 50
[[sit_and_go]]
id = "six"
seats = 6
buy_in = 300
fee = 60
prizes = [1_000, 440]
starting_stack = 1_000
level_hands = 1
hand_pause_ms = 0
levels = [ { small_blind = 10 }, { small_blind = 25 }, { small_blind = 100 }, { small_blind = 400 } ]
"""


class Player(threading.Thread):
    """Registers, plays until its tournament is over, and reconnects where the room lets it."""

    def __init__(self, name: str, connect: Callable[[], Client]) -> None:
        super().__init__(daemon=True)
        self.name = name
        self._connect = connect
        self.events: list[dict[str, Any]] = []
        self.table = ""
        self.error: Exception | None = None
        self.seat = 0
        self.prize = 0
        self.ended = ""
        self._session = ""
        self.registered = threading.Event()

    def run(self) -> None:
        deadline = time.monotonic() + 150
        while not self.ended and time.monotonic() < deadline:
            try:
                with self._connect() as client:
                    self._play(client)
            except (OSError, EOFError):
                time.sleep(0.3)
            except Exception as error:  # noqa: BLE001 -- told by the test
                self.error = error
                return

    def _play(self, client: Client) -> None:
        if self._session:
            assert client.ask("hello", version=1, client="test", pause=False)["type"] == "welcome"
            answer = client.ask("resume", token=self._session)
            assert answer["type"] == "authenticated", answer
            self.table = self.table or next(iter(answer["tables"]), "")  # the word of its start may be lost
            if self.table:
                self._observe(client)
        else:
            self._session = client.enter(self.name)["token"]
            answer = client.ask("register_sng", offer="six")
            assert answer["type"] == "sng_registered", answer
            self.registered.set()
        while not self.ended:
            self._heard(client, client.receive())

    def _observe(self, client: Client) -> None:
        """Until it may be looked at: its node may just have died."""
        while True:
            answer = client.ask("observe", table=self.table)
            if answer["type"] == "snapshot":
                break
            if answer["code"] == "unknown_table":
                self.ended = "gone"
                return
            time.sleep(0.2)
        self._heard(client, answer)

    def _heard(self, client: Client, message: dict[str, Any]) -> None:
        self.events.append(message)
        match message["type"]:
            case "sng_started":
                self.table, self.seat = message["table"], message["seat"]
                self._observe(client)
                assert not self.ended, "who is told that it starts can go there"
            case "snapshot":
                self.seat = message["your_seat"] or self.seat
                turn = message["hand"] and message["hand"]["turn"]
                if turn:
                    self._act(client, message["hand"]["hand_id"], turn)
            case "turn":
                self._act(client, message["hand_id"], message)
            case "sng_prize_paid":
                self.prize = message["prize"]
            case "tournament_ended":
                self.ended = message["phase"]

    def _act(self, client: Client, hand_id: str, turn: dict[str, Any]) -> None:
        if turn["seat"] != self.seat:
            return
        bold = zlib.crc32(f"{hand_id} {self.seat}".encode()) % 3 == 0
        action, amount = ("check" if turn["check"] else "call"), None
        if turn["call_amount"] and not bold:
            action = "fold"
        elif turn["call_amount"] and turn["max_raise_to"] is not None:
            action, amount = "raise", turn["max_raise_to"]
        client.send("act", table=self.table, hand_id=hand_id, seq=turn["seq"], action=action, amount=amount)


def standings(client: Client, tournament: str) -> dict[str, Any]:
    return client.ask("get_standings", tournament=tournament)


def finished(room: RunningRoom, players: list[Player], tournament: str = "six.1") -> None:
    """It has come to its end, the prizes are paid, and nothing is left of it but its standings."""
    for player in players:
        player.join(150)
        assert player.error is None
        assert player.ended, player.name
    with room.tcp() as client:
        client.enter("asker")
        deadline = time.monotonic() + 15
        while not all(
            place["paid"] or not place["prize"] for place in standings(client, tournament)["places"]
        ):
            assert time.monotonic() < deadline, "prizes are not paid"
            time.sleep(0.2)
        found = standings(client, tournament)
        assert found["phase"] == "finished"
        assert [place["number"] for place in found["places"]] == [1, 2, 3, 4, 5, 6]
        assert sum(place["prize"] for place in found["places"]) == 1_440
        deadline = time.monotonic() + 15
        while client.ask("observe", table=tournament).get("code") != "unknown_table":
            assert time.monotonic() < deadline, "the table is still there"
            time.sleep(0.5)
        assert [line["table"] for line in client.ask("list_tables")["tables"]] == ["cash"]
        (offer,) = client.ask("list_sit_and_gos")["sit_and_gos"]
        assert offer["running"] == []
    report = room.audit()
    assert (report["tournaments"], report["escrow"]) == (1, 0)


@pytest.fixture
def room(rooms: Rooms) -> RunningRoom:
    return rooms.started(CONFIG)


def test_six_play_from_registration_to_the_prize(room: RunningRoom) -> None:
    """Over TCP and WebSocket: I1's prizes, to the unit, and an audit without differences."""
    kinds: list[Callable[[], Client]] = [room.tcp, lambda: room.web_socket("json")]
    players = [Player(f"player{n}", kinds[n % 2]) for n in range(6)]
    for player in players:
        player.start()
    finished(room, players)
    kinds_heard = {event["type"] for player in players for event in player.events}
    assert {"level_started", "player_placed", "tournament_ended", "sng_started"} <= kinds_heard


def test_a_room_that_is_killed_in_mid_hand_plays_on(room: RunningRoom) -> None:
    """Kill -9, and another start: players come back, and the tournament goes on where it was."""
    players = [Player(f"player{n}", room.tcp) for n in range(6)]
    for player in players:
        player.start()
    for player in players:
        assert player.registered.wait(60), "a registration that is cut off cannot be repeated by name"
    for _ in range(2):
        time.sleep(1.5)
        room.kill()
        room.start()
    finished(room, players)


def test_two_nodes_play_it_though_one_dies(rooms: Rooms) -> None:
    """Players at both nodes; the one at which it lives is killed, and the other one plays it on."""
    first, second = rooms.started(CONFIG), rooms.started(CONFIG)
    living = [second, first]
    players = [Player(f"player{n}", lambda n=n: living[n % len(living)].tcp()) for n in range(6)]
    for player in players:
        player.start()
    deadline = time.monotonic() + 20
    home = ""
    while not home:
        assert time.monotonic() < deadline
        found = json.loads(first.get("/v1/nodes"))
        home = next((one["node"] for one in found if "six.1" in one["tables"]), "")
    here = next(one["here"] for one in found if one["node"] == home)
    time.sleep(0.5)
    (dead, left) = (first, second) if here else (second, first)
    living.remove(dead)
    dead.kill()
    finished(left, players)


def test_an_offer_is_changed_and_then_played_without_a_restart(rooms: Rooms) -> None:
    """By the command line at one node; the player of the other one pays the new buy-in for the new prize."""
    first, second = rooms.started(CONFIG), rooms.started(CONFIG)
    ordered = first.command(
        *("offer", "set", "six", "seats=2", "buy_in=500", "fee=20", "prizes=[960]", "name=Duel"),
        *("--reason", "a quiet evening"),
        port=first.ops_port,
    )
    assert ordered.returncode == 0, ordered.stderr
    with second.tcp() as client:
        client.enter("asker")
        deadline = time.monotonic() + 10
        while (offer := client.ask("list_sit_and_gos")["sit_and_gos"][0])["seats"] != 2:
            assert time.monotonic() < deadline, "the other node does not follow"
            time.sleep(0.1)
    assert (offer["name"], offer["buy_in"], offer["fee"]) == ("Duel", 500, 20)
    players = [Player("player0", first.tcp), Player("player1", second.tcp)]
    for player in players:
        player.start()
    for player in players:
        player.join(150)
        assert (player.error, player.ended) == (None, "finished")
    deadline = time.monotonic() + 15
    while sum(player.prize for player in players) != 960:
        with first.tcp() as client:
            client.enter(f"asker-{time.monotonic_ns() % 10**9}")
            places = standings(client, "six.1")["places"]
        if any(place["paid"] and place["prize"] == 960 for place in places):
            break
        assert time.monotonic() < deadline, places
        time.sleep(0.2)
    told = first.command("offer", "history", "six", port=first.ops_port).stdout
    assert "a quiet evening" in told
    assert "buy_in 300 -> 500" in told
    assert first.command("offer", "retire", "six", port=first.ops_port).returncode == 0
    with first.tcp() as client:
        client.enter("late")
        assert client.ask("register_sng", offer="six")["code"] == "unknown_offer"
    assert first.audit()["escrow"] == 0
