"""A real Chromium and a real room for the tests of the browser client; screenshots go to `build/e2e`."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pokerroom.ledger.operators import Role
from tests.browser.chromium import FLAGS, missing, program
from tests.browser.console import WIDE, OperatorPage
from tests.browser.players import Player
from tests.integration.support import RunningRoom, running_room

ARTEFACTS = Path(__file__).parents[2] / "build" / "e2e"
WAIT_MS = 20_000

LIMITS = """
[room]
name = "test"
[limits]
messages_per_s = 2000
message_burst = 2000
"""
HOME = """
[house]
think_ms = 60
[[tables]]
id = "home"
name = "Home"
seats = 6
small_blind = 50
hand_pause_ms = 400
action_clock_s = 5
countdown_s = 10
house_bots = 3
"""
CONFIG = (
    LIMITS
    + """
[cashier]
source = "play-money"
fund = 100_000_000
refill_to = 100_000
refill_floor = 10_000
refill_every_s = 3_600
[webhooks]
networks = ["127.0.0.0/8"]
"""
    + HOME
    + """
[[tables]]
id = "mixed"
name = "Mixed"
seats = 5
small_blind = 50
hand_pause_ms = 400
action_clock_s = 5
countdown_s = 10
house_bots = 2
[[tables]]
id = "more"
name = "More"
count = 3
seats = 6
small_blind = 50
hand_pause_ms = 400
action_clock_s = 5
countdown_s = 10
house_bots = 4
[[tables]]
id = "four"
name = "Four cards"
game = "omaha"
seats = 10
small_blind = 50
hand_pause_ms = 400
action_clock_s = 5
countdown_s = 10
house_bots = 3
[[ultimate]]
id = "uth"
name = "Against the house"
ante_min = 100
betting_s = 12
closing_s = 3
decision_s = 12
result_pause_ms = 1500
[ultimate.progressive]
stake = 100
[[ultimate]]
id = "live"
name = "One hand for all"
seating = "common_hand"
ante_min = 100
betting_s = 8
closing_s = 3
decision_s = 12
result_pause_ms = 1500
[[sit_and_go]]
id = "two"
name = "Two players"
seats = 2
buy_in = 300
fee = 60
prizes = [480]
starting_stack = 300
level_s = 600
action_clock_s = 5
countdown_s = 10
hand_pause_ms = 300
levels = [{ small_blind = 50 }]
[[sit_and_go]]
id = "field"
name = "Field"
seats = 6
seats_per_table = 3
seats_per_address = 6
buy_in = 300
fee = 60
prizes = [1_000, 440]
starting_stack = 1_000
level_hands = 6
action_clock_s = 5
countdown_s = 10
hand_pause_ms = 600
levels = [{ small_blind = 10 }, { small_blind = 50 }, { small_blind = 200 }]
[[tables]]
id = "duel"
name = "Duel"
seats = 2
small_blind = 50
reservation_s = 30
"""
)


if "POKERROOM_E2E" not in os.environ:
    # a minute and more, and a browser: `make e2e`, not `make test`
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if reason := missing():
        pytest.fail(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=program(), headless=True, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def room(browser, tmp_path_factory) -> Iterator[RunningRoom]:
    """One room for all tests of a process; each test plays at it with players of its own."""
    with running_room(tmp_path_factory.mktemp("browser") / "data", CONFIG) as running:
        yield running


@pytest.fixture
def new_player(browser, room) -> Iterator[Callable[..., Player]]:
    """Opens the room's page in a browser of its own. At the end no page may have said or done anything wrong."""
    players: list[Player] = []

    def make(
        name: str = "", *, size: tuple[int, int] = (1280, 800), script: str = "", **context: Any
    ) -> Player:
        options = {"locale": "en-GB", "color_scheme": "dark", **context}
        opened = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        opened.set_default_timeout(WAIT_MS)
        opened.add_init_script(script)
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        player = Player(opened.new_page(), f"http://127.0.0.1:{room.http_port}/", name, ARTEFACTS)
        players.append(player)
        return player

    yield make
    problems = [problem for player in players for problem in player.problems]
    foreign = [url for player in players for url in player.foreign]
    for player in players:
        player.leave_tables()
        player.page.context.close()
    assert problems == []
    assert foreign == [], "the client asks nothing of other hosts"


@pytest.fixture
def new_page(browser, room) -> Iterator[Callable[..., OperatorPage]]:
    """Open the console in a browser of its own. At the end no page may have said or done anything wrong."""
    opened: list[OperatorPage] = []

    def make(size: tuple[int, int] = WIDE, script: str = "", **context: Any) -> OperatorPage:
        options = {"locale": "en-GB", "color_scheme": "dark", "timezone_id": "UTC", **context}
        tab = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        tab.set_default_timeout(WAIT_MS)
        tab.add_init_script(script)
        opened.append(OperatorPage(tab.new_page(), room.ops_port))
        return opened[-1]

    yield make
    for each in opened:
        each.page.context.close()
    assert [problem for each in opened for problem in each.problems] == []
    assert [url for each in opened for url in each.foreign] == [], "the console asks nothing of other hosts"
    assert [url for each in opened for url in each.missing] == []


@pytest.fixture
def token(room) -> Callable[[Role], str]:
    """Add an operator of this role and return the token."""

    def added(role: Role) -> str:
        made = room.command("operator", "add", f"{role}-{secrets.token_hex(4)}", "--role", role)
        assert made.returncode == 0, made.stderr
        return str(made.stdout.strip())

    return added
