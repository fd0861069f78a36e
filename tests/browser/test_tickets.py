"""A ticket in the browser: the lobby tells it, and registering uses it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CONFIG
from tests.browser.test_looks import accessible, no_sideways_scrolling
from tests.browser.test_other_games import tab
from tests.integration.support import running_room

TOURNAMENTS = """
[[tournament]]
id = "sunday"
name = "Sunday"
start = "0 0 * * *"
announce_s = 2_678_400
buy_in = 20_000_000
fee = 100
speed = "turbo"

[[tournament]]
id = "step"
name = "Step"
start = "0 0 * * *"
announce_s = 2_678_400
buy_in = 1_100
fee = 100
speed = "turbo"
satellite_to = "sunday"
"""


@pytest.fixture
def room(browser, tmp_path):
    """With a satellite and its target, which costs more than any player has."""
    with running_room(tmp_path / "data", CONFIG + TOURNAMENTS) as running:
        yield running


def test_a_ticket_pays_a_tournament_that_the_wallet_cannot(new_player, room):
    """The button names the ticket, the balance stays, and the entry gives the ticket back."""
    tina = new_player("tina-tickets").enter()
    page = tina.page
    tab(tina, "Tournaments")
    row = page.locator("tr").filter(has=page.get_by_role("rowheader", name="Sunday #1")).first
    expect(row.get_by_role("button", name="Register: Sunday #1")).to_be_disabled()
    expect(page.locator("tr").filter(has_text="Step #1").first).to_contain_text("Satellite")
    assert room.command("cashier", "open", "gifts").returncode == 0
    assert room.command("cashier", "fund", "gifts", "200000").returncode == 0
    given = room.command("cashier", "give-ticket", "tina-tickets", "sunday", "--source", "gifts")
    assert given.returncode == 0, given.stderr
    told = page.get_by_text("You have a ticket for Sunday, worth 200,000.")
    expect(told).to_be_visible(timeout=20_000)
    button = row.get_by_role("button", name="Use ticket: Sunday #1")
    expect(button).to_be_enabled(timeout=20_000)
    accessible(tina, "a tournament that a ticket pays")
    no_sideways_scrolling(tina)
    tina.shot("ticket")
    button.click()
    expect(page.get_by_text("Your ticket has paid the entry; your balance stays as it was.")).to_be_visible()
    row.get_by_role("button", name="Unregister: Sunday #1").click()
    expect(button).to_be_enabled(timeout=20_000)
    page.get_by_role("button", name="Your tickets (1)").click()
    window = page.locator("dialog")
    expect(window.get_by_role("row", name="Sunday")).to_contain_text("gift of the room")
    accessible(tina, "the window of tickets")
    tina.shot("tickets")
    page.set_viewport_size({"width": 390, "height": 844})
    no_sideways_scrolling(tina)
    tina.shot("tickets-phone")
    window.get_by_role("button", name="Use ticket: Sunday #1").click()
    expect(window).to_contain_text("You have no unused tickets.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Your tickets")).to_have_count(0)
    expect(told).to_have_count(0)
    tina.shot("tickets-lobby-phone")
    row.get_by_role("button", name="Unregister: Sunday #1").click()
    expect(button).to_be_enabled(timeout=20_000)
    row.get_by_role("button", name="Details: Sunday #1").click()
    expect(page.locator("dialog")).to_contain_text("you have a ticket until")
