"""A deal at a final table in the browser: proposed from the menu, answered in a window that opens by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CONFIG
from tests.browser.test_looks import accessible, no_sideways_scrolling
from tests.browser.test_other_games import tab
from tests.integration.support import running_room

AHEAD_S = 90
TOURNAMENT = """
[[tournament]]
id = "final"
name = "Final"
start = {start}
announce_s = 86_400
players_max = 2
deals = true
prize_shares = [6_000, 4_000]
buy_in = 1_100
fee = 100
starting_stack = 3_000
level_s = 600
action_clock_s = 20
countdown_s = 20
hand_pause_ms = 300
levels = [{{ small_blind = 50 }}]
"""


@pytest.fixture
def room(browser, tmp_path):
    """A room of its own with a tournament of two players that starts in a moment."""
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=AHEAD_S)
    with running_room(tmp_path / "data", CONFIG + TOURNAMENT.format(start=start.isoformat())) as running:
        yield running


def test_two_players_make_a_deal(new_player):
    """One looks at the amounts and proposes; the other one, on a phone, is asked and accepts; both get their prizes."""
    asker, other = (new_player().enter() for _ in range(2))
    for player in (asker, other):
        tab(player, "Tournaments")
        player.page.get_by_role("button", name="Register: Final #1").click()
        player.page.get_by_role("button", name="Unregister: Final #1").wait_for()
    for player in (asker, other):
        player.page.locator(".place.own").wait_for(timeout=(AHEAD_S + 30) * 1_000)
    other.page.set_viewport_size({"width": 390, "height": 844})
    page, phone = asker.page, other.page
    page.locator(".menu > button").click()
    page.get_by_role("button", name="Deal …").click()
    window = page.locator("dialog")
    expect(window.locator("tbody tr")).to_have_count(2)
    expect(window).to_contain_text("Left for the winner (0 to 4)")
    window.locator("#for-the-winner").fill("5")
    window.locator("#propose-deal").click()
    expect(window.locator(".problem")).to_have_text("Enter an amount from 0 to 4.")
    accessible(asker, "a deal to propose")
    asker.shot("deal-propose")
    window.locator("#for-the-winner").fill("0")
    window.get_by_label("By chips").check()
    window.locator("#propose-deal").click()
    expect(page.get_by_text("Your deal is offered when the hand has ended.")).to_be_visible()
    while phone.locator("dialog").count() == 0:
        for player in (asker, other):
            if player.is_asked():
                player.page.keyboard.press("f")
        phone.wait_for_timeout(100)
    asked = phone.locator("dialog")
    expect(asked).to_contain_text("proposes a deal: By chips.")
    expect(asked.get_by_label("has accepted")).to_have_count(1)
    expect(asked.locator("pr-until")).to_be_visible()
    accessible(other, "a deal to answer")
    no_sideways_scrolling(other)
    other.shot("deal-answer-phone")
    page.get_by_role("button", name="Deal", exact=True).click()
    expect(page.locator("dialog")).to_contain_text("proposes a deal")
    page.keyboard.press("Escape")
    asked.locator("#accept-deal").click()
    expect(phone.locator("dialog")).to_have_count(0)
    expect(page.locator("pr-table")).to_contain_text("All players have agreed to the deal.")
    for player in (asker, other):
        expect(player.page.locator("pr-table")).to_contain_text("The tournament is over")
        expect(player.page.locator("pr-table")).to_contain_text("You win")
    asker.shot("deal-over")
