"""The rake in the browser: told before the buy-in, at the table, and of each hand that paid one."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.integration.support import running_room

CONFIG = """
[house]
think_ms = 60
[[tables]]
id = "raked"
name = "Raked"
seats = 6
small_blind = 50
hand_pause_ms = 400
action_clock_s = 5
countdown_s = 10
house_bots = 3
rake_bps = 500
rake_cap = { 2 = 100, 5 = 350 }
no_flop_no_drop = false
[[tables]]
id = "free"
name = "Free"
small_blind = 50
"""


@pytest.fixture(scope="module")
def room(browser, tmp_path_factory):
    """A room with a table that takes a rake, and one that does not."""
    with running_room(tmp_path_factory.mktemp("rake") / "data", CONFIG) as running:
        yield running


def test_the_rake_is_told_before_and_after(new_player):
    """Lobby, buy-in window and head of the table have the terms; the log and the list of hands have what was paid."""
    player = new_player().enter()
    expect(player.row("Raked")).to_contain_text("Rake 5%, at most 3.50")
    expect(player.row("Free")).not_to_contain_text("Rake")
    player.shot("rake-lobby")
    player.row("Raked").locator("button.primary").click()
    dialog = player.page.locator("dialog[open]")
    expect(dialog).to_contain_text("Rake 5%. At most 1 from 2 players, 3.50 from 5 players.")
    player.shot("rake-buy-in")
    dialog.locator("button.primary").click()
    player.page.locator(".place.own").wait_for()
    head = player.page.locator("pr-table:not([hidden]) .table-head")
    expect(head).to_contain_text("Rake 5%, at most 3.50")
    head.locator(".menu > button").click()
    expect(head.locator(".items")).to_contain_text("At most 1 from 2 players, 3.50 from 5 players.")
    head.locator(".menu > button").click()
    # the list has the hands that the player is dealt into from the start
    seen = player.page.locator("pr-table:not([hidden]) .lines .hole_cards ~ .pot_awarded")
    line = seen.filter(has_text=re.compile(r"goes to .*\. Rake: \d")).first
    for _ in range(120):
        if line.count():
            break
        player.call_if_asked()
        player.page.wait_for_timeout(250)
    player.shot("rake-table")
    assert line.count()
    head.get_by_role("button", name="Hands").click()
    expect(player.page.locator("dialog[open] .hands")).to_contain_text(re.compile(r"· rake \d"))
    player.shot("rake-hands")
    player.page.keyboard.press("Escape")


@pytest.mark.parametrize("size", [(360, 720), (768, 1024), (1280, 800)])
def test_the_lobby_has_room_for_it(new_player, size):
    """Also with German words the buttons of the row stay in the window."""
    player = new_player(size=size, locale="de-DE").enter()
    expect(player.row("Raked")).to_contain_text("höchstens 3,50")
    button = player.row("Raked").locator("button").last.bounding_box()
    assert button is not None
    assert button["x"] + button["width"] <= size[0]
    player.shot(f"rake-lobby-{size[0]}")
