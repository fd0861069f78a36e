"""A room for the terminal client; every test begins in English."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom.ops.embedded import EmbeddedError
from pokerroom.terminal.texts import speak
from tests.integration.conftest import rooms_in
from tests.integration.support import RunningRoom

CONFIG = """
[room]
name = "test"
[[tables]]
id = "duel"
name = "The duel"
count = 7
seats = 2
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "six"
name = "The long table"
seats = 6
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "ten"
seats = 10
small_blind = 50
[[tables]]
id = "quick"
seats = 2
small_blind = 50
action_clock_s = 1
countdown_s = 20
hand_pause_ms = 0
[[tables]]
id = "tongue"
count = 2
seats = 2
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "pair"
name = "The pair"
seats = 2
small_blind = 50
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
[[tournament]]
id = "noon"
name = "Every noon"
start = "0 12 * * *"
seats_per_table = 6
buy_in = 700
fee = 100
guarantee = 20_000
starting_stack = 1_500
speed = "regular"
[[sit_and_go]]
id = "two"
name = "Two players"
seats = 2
buy_in = 500
prizes = [1_000]
starting_stack = 150
level_hands = 5
hand_pause_ms = 0
levels = [{ small_blind = 25 }, { small_blind = 50 }]
[[sit_and_go]]
id = "slow"
name = "Two in no hurry"
seats = 2
buy_in = 500
prizes = [700, 300]
starting_stack = 10_000
level_s = 600
levels = [{ small_blind = 25, ante = 5 }]
[[ultimate]]
id = "house"
name = "Against the house"
count = 3
ante_min = 100
betting_s = 60
closing_s = 1
decision_s = 60
result_pause_ms = 1_000
[ultimate.progressive]
stake = 100
[[ultimate]]
id = "one"
name = "One hand for all"
seating = "common_hand"
ante_min = 100
betting_s = 60
closing_s = 1
decision_s = 60
result_pause_ms = 1_000
"""


@pytest.fixture(autouse=True)
def english():
    speak("en")


@pytest.fixture(scope="module")
def room(request, tmp_path_factory) -> Iterator[RunningRoom]:
    try:
        services, template = map(request.getfixturevalue, ("services", "ledger_template"))
    except EmbeddedError as absent:
        pytest.skip(f"there is no PostgreSQL or Redis: {absent}")
    with rooms_in(tmp_path_factory.mktemp("terminal"), services, template) as rooms:
        yield rooms.started(CONFIG)
