"""A tournament that starts at a time, through two real nodes: late entries, a killed node, bounties, the prize."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integration.conftest import Rooms
from tests.integration.support import Client, RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

AHEAD_S = 30

CONFIG = """
[listen]
move_clients = false  # players of the node that is killed would lose their connections
[limits]
messages_per_s = 2000
message_burst = 2000
[[tables]]
id = "cash"
small_blind = 50
[[tournament]]
id = "sun"
start = {start}
seats_per_table = 6
players_min = 2
late_levels = 30
entries_max = 2
buy_in = 300
fee = 60
bounty = 101
bounty_kind = "progressive"
guarantee = 2_000
starting_stack = 60
level_s = 5
hourly_breaks = false
levels = [ {{ small_blind = 10 }}, {{ small_blind = 20 }}, {{ small_blind = 40 }} ]
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
"""


def listed(client: Client) -> dict[str, Any]:
    """The tournament's row; one without a phase until it is announced."""
    rows = client.ask("list_tournaments")["tournaments"]
    return rows[0] if rows else {"phase": None}


def until(client: Client, wanted, seconds: float = 90) -> dict[str, Any]:
    """The tournament's row, as soon as it is as wanted."""
    deadline = time.monotonic() + seconds
    while not wanted(row := listed(client)):
        assert time.monotonic() < deadline, row
        time.sleep(0.2)
    return row


def test_from_the_registration_to_the_prize_past_a_killed_node(rooms: Rooms):
    """No player acts, so the blinds decide; the books are right in the end, with what the house added."""
    start = datetime.now(UTC) + timedelta(seconds=AHEAD_S)
    config = CONFIG.format(start=start.isoformat(timespec="seconds"))
    one: RunningRoom = rooms.started(config)
    two: RunningRoom = rooms.started(config)
    with two.tcp() as ines, two.tcp() as otto, two.tcp() as lou:
        for client, name in ((ines, "ines"), (otto, "otto"), (lou, "lou")):
            client.enter(name)
        until(ines, lambda row: row["phase"] == "registering")
        opening = ines.ask("get_account")["balance"]
        for client in (ines, otto):
            answer = client.ask("register_tournament", tournament="sun.1")
            assert (answer["type"], answer["entry"], answer["buy_in"]) == ("tournament_registered", 1, 300)
        assert ines.ask("register_tournament", tournament="sun.1")["code"] == "already_registered"
        assert otto.ask("unregister_tournament", tournament="sun.1")["type"] == "ok"
        assert otto.ask("register_tournament", tournament="sun.1")["entry"] == 2
        assert ines.ask("get_account")["balance"] == opening - 300
        row = until(ines, lambda row: row["phase"] == "running")
        assert row["entries"] == 2
        started = ines.heard(lambda m: m["type"] == "sng_started")
        assert ines.ask("observe", table=started["table"])["your_seat"] == started["seat"]
        assert otto.ask("unregister_tournament", tournament="sun.1")["code"] == "registration_closed"
        lou.ask("register_tournament", tournament="sun.1")
        lou.heard(lambda m: m["type"] == "sng_started")
        one.kill()
        people = {"ines": ines, "otto": otto, "lou": lou}
        until(ines, lambda _: any(listed(one)["your_status"] == "out" for one in people.values()))
        out = next(client for client in people.values() if listed(client)["your_status"] == "out")
        again = out.ask("register_tournament", tournament="sun.1")
        assert again["type"] == "tournament_registered", again
        row = until(ines, lambda row: row["phase"] == "finished", 120)
        assert (row["entries"], row["players"], row["pool"]) == (4, 3, 2_000)
        standings = ines.ask("get_standings", tournament="sun.1")
        assert sorted(place["number"] for place in standings["places"]) == [1, 2, 3]
        assert sum(place["prize"] for place in standings["places"]) == 2_000
        time.sleep(1.1)  # a reading of the lobby is a second old at most
        ranks = ines.ask("get_tournament_ranks", tournament="sun.1")["ranks"]
        assert [rank["head"] for rank in ranks] == [0, 0, 0]
        assert sum(rank["bounties"] for rank in ranks) == 4 * 101
        assert out.ask("register_tournament", tournament="sun.1")["code"] == "registration_closed"
    two.stop()
    two.start()
    two.audit()
