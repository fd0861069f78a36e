"""A tournament that starts at a time in the browser: from the lobby to the first hand."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CONFIG
from tests.browser.test_looks import accessible, no_sideways_scrolling
from tests.browser.test_other_games import tab
from tests.integration.support import running_room

AHEAD_S = 60
TOURNAMENT = """
[[tournament]]
id = "{id}"
name = "{name}"
start = {start}
announce_s = 86_400
seats_per_table = 6
late_levels = 3
entries_max = 2
buy_in = 1_100
fee = 100
guarantee = {guarantee}
{more}
house_bots = 3
starting_stack = 3_000
level_s = 600
action_clock_s = 5
countdown_s = 10
hand_pause_ms = 300
levels = [{{ small_blind = 50 }}, {{ small_blind = 100 }}, {{ small_blind = 200 }}, {{ small_blind = 400 }}]
"""


@pytest.fixture
def room(browser, tmp_path):
    """A room of its own: one tournament starts in a moment, one in some hours."""
    now = datetime.now(UTC).replace(microsecond=0)
    offers = [
        TOURNAMENT.format(
            id=name.lower(), name=name, start=(now + ahead).isoformat(), guarantee=guarantee, more=more
        )
        for name, ahead, guarantee, more in [
            ("Soon", timedelta(seconds=AHEAD_S), 0, ""),
            ("Evening", timedelta(hours=5), 50_000, 'bounty = 400\nbounty_kind = "progressive"'),
        ]
    ]
    with running_room(tmp_path / "data", CONFIG + "".join(offers)) as running:
        yield running


def test_a_guest_enters_a_tournament_that_starts_in_a_moment(new_player):
    """The guest registers, gives one entry back, and plays the first hand of the other tournament with house bots."""
    guest = new_player().enter()
    page = guest.page
    tab(guest, "Tournaments")
    page.get_by_role("button", name="Register: Soon #1").click()
    page.get_by_role("button", name="Unregister: Soon #1").wait_for()
    page.get_by_role("button", name="Register: Evening #1").click()
    page.get_by_role("button", name="Unregister: Evening #1").click()
    page.get_by_role("button", name="Register: Evening #1").wait_for()
    row = page.get_by_role("row", name="Evening #1")
    expect(row).to_contain_text("6 + 4 + 1")
    expect(row).to_contain_text("500")
    expect(row.locator("pr-until")).to_have_text(re.compile(r"^[45]:\d\d:\d\d$"))
    accessible(guest, "the tournaments")
    guest.shot("tournaments")
    page.set_viewport_size({"width": 390, "height": 844})
    no_sideways_scrolling(guest)
    guest.shot("tournaments-phone")
    page.get_by_role("button", name="Details: Evening #1").click()
    window = page.locator("dialog")
    expect(window).to_contain_text("Late registration until the end of level 3")
    expect(window).to_contain_text("bounty 4 on each player, progressive")
    window.get_by_role("button", name="Prizes").click()
    expect(window).to_contain_text("provisional")
    guest.shot("tournament-window-phone")
    page.set_viewport_size({"width": 1280, "height": 800})
    guest.shot("tournament-window")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Details: Soon #1").click()
    expect(window.get_by_role("button", name="Unregister")).to_be_visible()
    page.locator(".place.own").wait_for(timeout=(AHEAD_S + 30) * 1_000)
    expect(window).to_have_count(0)  # it would cover the table
    guest.wait_for_turn()
    guest.call()
    guest.shot("tournament-first-hand")
    page.locator(".rules-button").click()
    expect(page.locator("dialog .tab[aria-pressed=true]")).to_have_text("Tournament")
    expect(page.locator("dialog .rules")).to_contain_text("Late registration")
