"""Losing the line in the middle of a hand (H2 to H4), over TCP with short clocks: what is told, and who wins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pokerroom.ops.embedded import Addresses
from tests.integration.conftest import rooms_in
from tests.integration.support import RunningRoom, TcpClient

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

CONFIG = """
[room]
name = "test"
[[tables]]
id = "short"
seats = 3
small_blind = 50
action_clock_s = 3
countdown_s = 0
timeout_all_ins_per_day = 0
hand_pause_ms = 0
[[tables]]
id = "again"
seats = 2
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "grace"
seats = 2
small_blind = 50
action_clock_s = 1
countdown_s = 5
hand_pause_ms = 0
"""


@pytest.fixture(scope="module")
def room(
    tmp_path_factory: pytest.TempPathFactory, services: Addresses, ledger_template: str
) -> Iterator[RunningRoom]:
    """One room for all of them."""
    with rooms_in(tmp_path_factory.mktemp("disconnects"), services, ledger_template) as rooms:
        yield rooms.started(CONFIG)


@pytest.fixture
def sit(room: RunningRoom) -> Iterator[Callable[[str, str], Player]]:
    """Makes players, and hangs up for them at the end."""
    made: list[Player] = []

    def player(table: str, name: str) -> Player:
        made.append(Player(room, table, name))
        return made[-1]

    yield player
    for player_ in made:
        player_.vanish()


class Player:
    """An account at one table, over one connection after the other."""

    def __init__(self, room: RunningRoom, table: str, name: str) -> None:
        self._room = room
        self.table = table
        self.client = room.tcp()
        self.token = self.client.enter(name)["token"]

    def sit(self, seat: int) -> None:
        self.seat = seat
        answer = self.client.ask("sit_down", table=self.table, buy_in=10_000, seat=seat)
        assert answer["your_seat"] == seat, answer

    def vanish(self) -> None:
        """The line is cut without a word."""
        self.client.close()

    def come_back(self) -> dict[str, Any]:
        """A new connection, the same session; returns the snapshot."""
        self.client = self._room.tcp()
        assert self.client.ask("hello", version=1, pause=False)["type"] == "welcome"
        assert self.client.ask("resume", token=self.token)["type"] == "authenticated"
        return self.client.ask("observe", table=self.table)

    def act(self, turn: dict[str, Any], *, bet: int | None = None) -> None:
        """Checks or calls, or bets."""
        action = "bet" if bet else "check" if turn["check"] else "call"
        names = {"table": self.table, "hand_id": turn["hand_id"], "seq": turn["seq"]}
        answer = self.client.ask("act", **names, action=action, amount=bet)
        assert answer["type"] == "ok", answer


def three(sit: Callable[[str, str], Player], prefix: str) -> dict[int, Player]:
    """Players in the seats 1 to 3 of the table with the short clock."""
    players = {seat: sit("short", f"{prefix}{seat}") for seat in (1, 2, 3)}
    for seat, player in players.items():
        player.sit(seat)
    return players


def leave(players: dict[int, Player], watched: TcpClient) -> None:
    """Frees the seats for the next test."""
    for player in players.values():
        player.client.send("stand_up", table=player.table)
    for _ in players:
        watched.event("seat_left")


def test_h2_a_lost_line_with_chips_in_the_pot_wins_its_layer_and_no_more(room, sit):
    """H2, H3: all-in for what is in, the stack behind kept; the others bet on in a side pot that they cannot win."""
    players = three(sit, "layer")
    watched = players[1].client  # who loses their line sits in seat 3
    gone = players[3]
    hand: dict[str, Any] = {}
    won = lost = False
    while not (won and lost):
        message = watched.receive()
        match message["type"]:
            case "hand_started":
                hand = {"began": {seat["seat"]: seat["stack"] for seat in message["seats"]}, **message}
                hand |= {"pots": [], "expired": None, "side": False}
            case "turn" if len(hand["began"]) < 3 or message["seat"] != 3:
                bets_on = hand["expired"] and not hand["side"] and message["check"]
                players[message["seat"]].act(message, bet=300 if bets_on else None)
                hand["side"] = hand["side"] or bets_on  # what only the other one can call
            case "turn" if hand["big_blind"] == 3:
                gone.vanish()
            case "turn":
                gone.act(message)
            case "acted" if message["by_clock"]:
                hand["expired"] = message
                assert (message["action"], message["seat"]) == ("clock_all_in", 3)
                assert message["stack"] == hand["began"][3] - 100
                gone.come_back()
            case "pot_awarded":
                hand["pots"].append(message)
            case "hand_ended" if hand["expired"]:
                main, *side = hand["pots"][::-1]
                assert main["amount"] == 300
                assert side, "there was no side pot"
                assert all(share["seat"] != 3 for pot in side for share in pot["shares"])
                layer = sum(share["amount"] for share in main["shares"] if share["seat"] == 3)
                end = next(seat["stack"] for seat in message["stacks"] if seat["seat"] == 3)
                assert end == hand["began"][3] - 100 + layer
                won, lost = won or layer > 0, lost or layer == 0
    leave(players, watched)
    assert room.audit()["differences"] == 0


def test_h2_a_lost_line_without_chips_in_the_pot_is_folded(sit):
    """H2: on the button of three nothing is in; the clock folds them, and they lose nothing."""
    players = three(sit, "fold")
    watched = players[1].client
    while True:
        started = watched.event("hand_started")
        if len(started["seats"]) == 3 and started["button"] == 2:
            break
        while (message := watched.receive())["type"] != "hand_ended":
            if message["type"] == "turn":
                players[message["seat"]].act(message)
    assert watched.event("turn")["seat"] == 2

    players[2].vanish()

    acted = watched.event("acted")
    assert (acted["seat"], acted["action"], acted["by_clock"]) == (2, "fold", True)
    while (message := watched.receive())["type"] != "hand_ended":
        if message["type"] == "turn":
            players[message["seat"]].act(message)
    before = {seat["seat"]: seat["stack"] for seat in started["seats"]}
    assert next(seat["stack"] for seat in message["stacks"] if seat["seat"] == 2) == before[2]
    players[2].come_back()
    leave(players, watched)


def test_h4_a_reconnect_in_time_gets_a_countdown_once_per_decision(sit):
    """H4: back in the countdown: a whole one more; gone and back again in the same decision: none."""
    one, two = sit("grace", "patient"), sit("grace", "shaky")
    two.sit(2)
    one.sit(1)
    watched = one.client
    turn = watched.event("turn")
    while turn["seat"] != 2:
        one.act(turn)
        turn = watched.event("turn")
    two.vanish()
    changed = watched.event("seat_changed")
    assert (changed["seat"], changed["connected"]) == (2, False)
    # a turn that left late is sent again with its new times
    turn = [m for m in watched.got if m["type"] == "turn"][-1]
    assert changed["gone_since_ms"] < turn["deadline_ms"]
    while True:  # until half a second of their countdown has passed
        now_ms = watched.ask("ping")["server_time_ms"]
        if now_ms >= turn["countdown_ms"] + 500:
            break
        time.sleep(0.02)
    assert now_ms < turn["deadline_ms"]

    snapshot = two.come_back()

    again = watched.event("turn")
    assert (again["seat"], again["hand_id"]) == (2, turn["hand_id"])
    assert again["seq"] > turn["seq"]
    assert turn["deadline_ms"] < again["deadline_ms"]
    assert now_ms + 5_000 <= again["deadline_ms"] <= turn["deadline_ms"] + 5_000
    assert snapshot["hand"]["hand_id"] == turn["hand_id"]
    mine = next(seat for seat in snapshot["seats"] if seat["seat"] == 2)
    assert len(mine["cards"]) == 2

    two.vanish()
    watched.wait_for(lambda m: m["type"] == "seat_changed" and not m["connected"])
    second = two.come_back()

    assert second["hand"]["turn"]["deadline_ms"] == again["deadline_ms"]
    before = len(watched.got)
    acted = watched.event("acted")
    assert not [m for m in watched.got[before:] if m["type"] == "turn"]
    assert (acted["seat"], acted["by_clock"], acted["action"]) == (2, True, "clock_all_in")


def test_h4_a_player_who_is_back_in_time_can_act_with_the_turn_that_they_knew(room, sit):
    """A decision that was on its way when the line broke counts, over the new connection, once."""
    one, two = sit("again", "steady"), sit("again", "swift")
    two.sit(2)
    one.sit(1)
    watched = one.client
    turn = watched.event("turn")
    while turn["seat"] != 2:
        one.act(turn)
        turn = watched.event("turn")

    two.vanish()
    two.come_back()
    two.act(turn)
    two.act(turn)

    acted = watched.event("acted")
    assert (acted["seat"], acted["by_clock"]) == (2, False)
    assert room.audit()["differences"] == 0
