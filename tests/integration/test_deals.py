"""A deal at a final table through two real nodes: the node of the table dies while the players answer."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integration.conftest import Rooms
from tests.integration.support import Client
from tests.integration.test_scheduled_tournaments import until

pytestmark = [pytest.mark.services, pytest.mark.timeout(200)]

AHEAD_S = 50

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
players_max = 3
prize_shares = [5_000, 3_000, 2_000]
deals = true
deal_leave_bps = 500
buy_in = 300
fee = 60
bounty = 40
starting_stack = 3_000
level_s = 600
hourly_breaks = false
levels = [ {{ small_blind = 10 }} ]
action_clock_s = 60
countdown_s = 1
hand_pause_ms = 0
"""


def played_to_the_deal(seats: dict[int, Client]) -> dict[str, Any]:
    """The players fold until the hand has ended; the deal that is offered then."""
    looker = next(iter(seats.values()))
    deadline = time.monotonic() + 30
    while (snapshot := looker.ask("get_snapshot", table="sun.1"))["tournament"]["deal"] is None:
        assert time.monotonic() < deadline, snapshot
        turn = (snapshot["hand"] or {}).get("turn")
        if turn is not None:
            hand = snapshot["hand"]["hand_id"]
            seats[turn["seat"]].ask(
                "act", table="sun.1", hand_id=hand, seq=turn["seq"], action="fold", amount=None
            )
        time.sleep(0.1)
    return snapshot["tournament"]["deal"]


@pytest.mark.slow  # most of a minute; `test_scheduled_tournaments` kills a node, too
def test_a_deal_is_agreed_and_paid_past_a_killed_node(rooms: Rooms):
    """Whoever accepted before has accepted; the winner of the rest gets it, and the books are right in the end."""
    start = datetime.now(UTC) + timedelta(seconds=AHEAD_S)
    config = CONFIG.format(start=start.isoformat(timespec="seconds"))
    one = rooms.started(config)
    two = rooms.started(config)
    with two.tcp() as ines, two.tcp() as otto, two.tcp() as lou:
        players = {"ines": ines, "otto": otto, "lou": lou}
        for name, client in players.items():
            client.enter(name)
        until(ines, lambda row: row["phase"] == "registering")
        for client in players.values():
            assert client.ask("register_tournament", tournament="sun.1")["type"] == "tournament_registered"
        until(ines, lambda row: row["phase"] == "running")
        seats = {}
        for client in players.values():
            started = client.heard(lambda m: m["type"] == "sng_started")
            seats[client.ask("observe", table=started["table"])["your_seat"]] = client
        deadline = time.monotonic() + 30
        while (told := ines.ask("get_deal", table="sun.1"))["type"] != "deal_options":
            assert time.monotonic() < deadline, told
            time.sleep(0.2)  # entries close
        assert (told["least"], told["most"]) == (30, 120)  # of 6.00
        proposed = ines.ask("propose_deal", table="sun.1", kind="icm", for_the_winner=told["least"])
        assert proposed["type"] == "ok", proposed
        deal = played_to_the_deal(seats)
        assert otto.ask("answer_deal", table="sun.1", deal=deal["deal"], accept=True)["type"] == "ok"
        one.kill()
        deadline = time.monotonic() + 60
        answer = {"type": "error"}
        while answer["type"] != "ok":
            assert time.monotonic() < deadline, answer
            time.sleep(0.3)
            lou.ask("observe", table="sun.1")
            answer = lou.ask("answer_deal", table="sun.1", deal=deal["deal"], accept=True)
        ended = lou.heard(lambda m: m["type"] == "deal_ended")
        assert (ended["reason"], ended["agreed"]["for_the_winner"]) == ("agreed", 30)
        amounts = {share["name"]: share["icm"] for share in ended["agreed"]["shares"]}
        assert sum(amounts.values()) == 600 - 30
        rolled = two.command("sng", "roll-forward", "sun.1", port=two.ops_port)
        assert rolled.returncode == 0, rolled.stderr
        row = until(ines, lambda row: row["phase"] == "rolled_forward", 60)
        places = ines.ask("get_standings", tournament="sun.1")["places"]
        assert sum(place["prize"] for place in places) == 600
        assert all(place["prize"] >= amounts[place["name"]] for place in places)
        assert row["pool"] == 600
    two.stop()
    two.start()
    two.audit()
