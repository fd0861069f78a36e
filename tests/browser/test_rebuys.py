"""A rebuy in the browser: a window offers it to a player who has lost all chips."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CONFIG
from tests.browser.test_looks import accessible, no_sideways_scrolling
from tests.browser.test_other_games import tab
from tests.integration.support import running_room

AHEAD_S = 40
TOURNAMENT = """
[[tournament]]
id = "again"
name = "Again"
start = {start}
announce_s = 86_400
players_max = 2
rebuys_max = 5
rebuy_levels = 1
rebuy_price = 300
buy_in = 1_100
fee = 100
starting_stack = 100
level_s = 600
action_clock_s = 20
countdown_s = 20
hand_pause_ms = 300
levels = [{{ small_blind = 50 }}]
"""


@pytest.fixture
def room(browser, tmp_path):
    """A room of its own with a tournament of two players, each all-in with the big blind."""
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=AHEAD_S)
    with running_room(tmp_path / "data", CONFIG + TOURNAMENT.format(start=start.isoformat())) as running:
        yield running


def test_a_player_who_has_lost_all_chips_buys_a_rebuy(new_player):
    """The window tells price and time; the player keeps the seat, and the next hand has the chips."""
    players = [new_player().enter() for _ in range(2)]
    for player in players:
        tab(player, "Tournaments")
        player.page.get_by_role("button", name="Register: Again #1").click()
        player.page.get_by_role("button", name="Unregister: Again #1").wait_for()
    for player in players:
        player.page.locator(".place.own").wait_for(timeout=(AHEAD_S + 30) * 1_000)
    out = None
    for _ in range(200):
        out = next((each for each in players if each.page.locator("#buy-chips").count()), None)
        if out is not None:
            break
        for player in players:
            if player.is_asked():
                player.page.keyboard.press("c")
        players[0].page.wait_for_timeout(200)
    assert out is not None
    window = out.page.locator("dialog")
    expect(window).to_contain_text("100 chips for 3; you can buy 5 more.")
    accessible(out, "a rebuy to buy")
    out.page.set_viewport_size({"width": 390, "height": 844})
    no_sideways_scrolling(out)
    window.locator("#buy-chips").click()
    expect(out.page.get_by_text("Bought for 3. 100 chips come before your next hand.")).to_be_visible()
    expect(window).to_have_count(0)
    expect(out.page.locator(".place.own")).to_be_visible()
