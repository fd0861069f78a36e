"""A rebuy in the browser: a window offers it to a player without chips."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.duels import room_with_a_duel, seated
from tests.browser.test_looks import accessible, no_sideways_scrolling


@pytest.fixture
def room(browser, tmp_path):
    """With rebuys; each player is all-in with the big blind."""
    more = "rebuys_max = 5\nrebuy_levels = 1\nrebuy_price = 300\nstarting_stack = 100"
    with room_with_a_duel(tmp_path / "data", more) as running:
        yield running


@pytest.mark.timeout(240)
def test_a_player_without_chips_buys_a_rebuy(new_player):
    """The window tells price and time; the player keeps the seat, and the next hand has the chips.

    The next offer is left alone: its window closes with its time, and the tournament ends.
    """
    players = seated(new_player)
    out = without_chips(players)
    window = out.page.locator("dialog")
    expect(window).to_contain_text("100 chips for 3; you can buy 5 more.")
    accessible(out, "a rebuy to buy")
    dock = out.page.locator(".dock")
    expect(dock).to_contain_text("You have no chips.")
    expect(dock.get_by_role("button")).to_have_text(["Rebuy: 100 chips for 3"])
    out.shot("rebuy")
    out.page.set_viewport_size({"width": 390, "height": 844})
    no_sideways_scrolling(out)
    out.shot("rebuy-phone")
    window.locator("#buy-chips").click()
    expect(out.page.get_by_text("Bought for 3. 100 chips come before your next hand.")).to_be_visible()
    expect(window).to_have_count(0)
    expect(out.page.locator(".place.own")).to_be_visible()
    late = without_chips(players)
    expect(late.page.locator("dialog")).to_have_count(0, timeout=20_000)
    expect(late.page.get_by_text("Rebuy: the time to decide is over.")).to_be_visible()
    expect(late.page.locator("pr-table")).to_contain_text("The tournament is over")


def without_chips(players):
    """The player that is offered a rebuy: all are all-in until one has lost."""
    for _ in range(200):
        for player in players:
            if player.page.locator("#buy-chips").count():
                return player
            if player.is_asked():
                player.page.keyboard.press("c")
        players[0].page.wait_for_timeout(200)
    raise AssertionError("no player lost all chips")
