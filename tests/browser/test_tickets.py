"""A ticket in the browser: the lobby tells it, registering uses it, and operators give it in the console."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from pokerroom.ledger.operators import Role
from tests.browser.conftest import ARTEFACTS, CONFIG, WAIT_MS
from tests.browser.console import OperatorPage
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


@pytest.fixture
def desk(browser, room):
    """The console of an operator of the cashier."""
    made = room.command("operator", "add", "carla", "--role", Role.CASHIER)
    assert made.returncode == 0, made.stderr
    tab = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB", color_scheme="dark")
    tab.set_default_timeout(WAIT_MS)
    found = OperatorPage(tab.new_page(), room.ops_port)
    yield found.open().sign_in(made.stdout.strip())
    tab.close()
    assert (found.problems, found.foreign, found.missing) == ([], [], [])


def test_an_operator_gives_a_ticket_and_takes_it_back(new_player, room, desk):
    """At the player's page, from a source, for an offer of the list; a refusal is told in words."""
    new_player("Tilda").enter()
    assert room.command("cashier", "open", "gifts").returncode == 0
    page = desk.page
    desk.go("players")
    page.get_by_role("searchbox").fill("tilda")
    page.keyboard.press("Enter")
    expect(page.locator(".page")).to_contain_text("The player has no unused ticket.")
    assert desk.offered() == ["Adjust the balance", "Write a note", "Give a ticket"]
    page.get_by_role("button", name="Give a ticket").click()
    window = page.locator("dialog")
    window.locator("select[name=offer]").select_option("step")
    window.locator("select[name=source]").select_option("gifts")
    window.locator("input[name=days]").fill("9")
    window.locator("input[name=reason]").fill("won the raffle")
    page.screenshot(path=ARTEFACTS / "console-give-ticket.png")
    window.locator("button.primary").click()
    expect(window.locator(".problem")).to_contain_text("does not hold the amount.")
    assert room.command("cashier", "fund", "gifts", "100").returncode == 0
    window.locator("button.primary").click()
    expect(page.locator(".notices")).to_contain_text("Give a ticket: done for Tilda.")
    row = page.locator("tbody tr").filter(has_text="gifts").filter(has_text="step")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Take back").click()
    window.locator("input[name=reason]").fill("a mistake")
    window.locator("button.primary").click()
    expect(row).to_have_count(0)
