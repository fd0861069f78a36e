"""House bots in a real room: they fill tables and sit-and-gos, are marked as bots, and make room for players."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.integration.support import Client

CONFIG = """
[limits]
messages_per_s = 2000
message_burst = 2000
[house]
think_ms = 0
[[tables]]
id = "home"
seats = 4
small_blind = 50
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
house_bots = 3
"""
SOON_S = 30


def lobby(client: Client) -> dict[str, Any]:
    (info,) = client.ask("list_tables")["tables"]
    return info


def wait_until(client: Client, wanted) -> dict[str, Any]:
    """The table's line in the lobby, as soon as it is as wanted."""
    until = time.monotonic() + SOON_S
    while not wanted(info := lobby(client)):
        assert time.monotonic() < until, info
        time.sleep(0.1)
    return info


@pytest.mark.services
def test_bots_fill_the_table_and_make_room(rooms):
    """Three bots play; each person that sits down finds them marked, and takes the place of one when seats run out."""
    room = rooms.started(CONFIG)
    with room.tcp() as anna, room.tcp() as bert:
        anna.enter("anna")
        bert.enter("bert")
        info = wait_until(anna, lambda info: info["players"] == 3)
        assert info["house_bots"] == 3

        snapshot = anna.ask("sit_down", table="home", buy_in=5_000, post=True)
        bots = [seat for seat in snapshot["seats"] if seat["bot"]]
        assert all(seat["name"].startswith("Bot.") for seat in bots)
        assert not next(seat for seat in snapshot["seats"] if seat["name"] == "anna")["bot"]
        turn = anna.wait_for(lambda m: m["type"] == "turn" and m["seat"] == snapshot["your_seat"])
        anna.ask("act", table="home", hand_id=turn["hand_id"], seq=turn["seq"], action="fold")

        # a seat is kept free: a bot leaves for each person
        wait_until(bert, lambda info: info["occupied"] <= 3)
        seated = bert.ask("sit_down", table="home", buy_in=5_000, post=True)
        assert seated["type"] == "snapshot", seated
        anna.send("stand_up", table="home")
        bert.send("stand_up", table="home")

        refused = room.tcp()
        with refused:
            refused.ask("hello", version=1)
            answer = refused.ask("register", name="bot.mine", password="correct horse")
            assert answer["code"] == "name_reserved"
            answer = refused.ask("log_in", name="Bot.Ada", password="!house!!")
            assert answer["code"] == "bad_credentials"
        room.stop()

        room.start()
        with room.tcp() as carl:
            carl.enter("carl")
            wait_until(carl, lambda info: info["players"] == 3)
            snapshot = carl.ask("observe", table="home")
            if not all(seat["connected"] for seat in snapshot["seats"]):
                carl.event("seat_changed")
            carl.event("hand_ended")  # they play
        room.audit()


@pytest.mark.services
def test_bots_of_a_room_that_was_killed_are_found_again(rooms):
    """After a crash at a full table the bots take their own seats again, and are not taken for people."""
    room = rooms.started(CONFIG)
    with room.tcp() as dora:
        dora.enter("dora")
        wait_until(dora, lambda info: info["players"] == 3)
        assert dora.ask("sit_down", table="home", buy_in=5_000)["type"] == "snapshot"
        dora.event("hand_started")
    room.kill()
    room.start()
    with room.tcp() as emil:
        emil.enter("emil")
        emil.ask("observe", table="home")
        emil.event("hand_started")
        emil.event("hand_ended")
    room.stop()
    room.start()
    room.audit()


DUEL = CONFIG.replace("seats = 4", "seats = 2").replace("house_bots = 3", "house_bots = 1")
HANDS = 6


@pytest.mark.slow  # `bots/test_house_bots` has the same rule
@pytest.mark.services
def test_a_game_against_one_bot_goes_on_until_another_player_waits(rooms):
    """The bot of a heads-up table plays hand after hand. It leaves its seat to a player on the waiting list."""
    room = rooms.started(DUEL)
    with room.tcp() as gina, room.tcp() as hans:
        gina.enter("gina")
        hans.enter("hans")
        wait_until(gina, lambda info: info["players"] == 1)
        own = gina.ask("sit_down", table="home", buy_in=10_000, post=True)["your_seat"]
        ended = 0
        while ended < HANDS:
            told = gina.wait_for(
                lambda m: m["type"] == "hand_ended" or (m["type"] == "turn" and m["seat"] == own)
            )
            if told["type"] == "hand_ended":
                ended += 1
                continue
            gina.send("act", table="home", hand_id=told["hand_id"], seq=told["seq"], action="fold")
        assert lobby(hans)["occupied"] == 2

        assert hans.ask("join_waitlist", table="home")["type"] == "waitlisted"
        offered = hans.wait_for(lambda m: m["type"] == "seat_offered")
        seated = hans.ask("sit_down", table="home", buy_in=10_000, seat=offered["seat"], post=True)
        assert seated["type"] == "snapshot", seated
        assert not any(seat["bot"] for seat in seated["seats"])
    room.audit()


TOURNAMENT = (
    CONFIG.replace("house_bots = 3", "house_bots = 0")
    + """
[[sit_and_go]]
id = "three"
seats = 3
buy_in = 300
prizes = [900]
starting_stack = 100
level_hands = 2
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
house_bots = 2
levels = [{ small_blind = 25 }]
"""
)


def taken(client: Client) -> int:
    """The number of players that have registered."""
    (offer,) = client.ask("list_sit_and_gos")["sit_and_gos"]
    assert offer["house_bots"] == 2
    return sum(filling["taken"] for filling in offer["filling"])


@pytest.mark.services
def test_a_lone_player_gets_a_tournament_within_seconds(rooms):
    """Bots register once a player has, unregister when the player does, and play a tournament to its end."""
    room = rooms.started(TOURNAMENT)
    with room.tcp() as ines:
        ines.enter("ines")
        ines.ask("register_sng", offer="three")
        until = time.monotonic() + SOON_S
        while taken(ines) == 1:
            assert time.monotonic() < until, "no bot has registered"
            time.sleep(0.05)
        if ines.ask("unregister_sng", offer="three")["type"] == "ok":  # else it has started meanwhile
            while taken(ines):
                assert time.monotonic() < until, "the bots stay registered without a player"
                time.sleep(0.1)
            ines.ask("register_sng", offer="three")
        started = ines.heard(lambda m: m["type"] == "sng_started")
        table = ines.ask("observe", table=started["table"])
        assert sum(seat["bot"] for seat in table["seats"]) == 2
        while True:
            told = ines.wait_for(
                lambda m: (
                    m["type"] == "tournament_ended" or (m["type"] == "turn" and m["seat"] == started["seat"])
                )
            )
            if told["type"] == "tournament_ended":
                break
            ines.send("act", table=table["table"], hand_id=told["hand_id"], seq=told["seq"], action="fold")
        standings = ines.ask("get_standings", tournament=started["tournament"])
        places = [place["place"] for place in standings["places"]]
        assert places in ([1, 2, 3], [1, 2, 2])  # players that go out in one hand with equal stacks tie
    room.stop()
    room.start()
    room.audit()
