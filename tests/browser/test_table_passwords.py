"""A private table with a password: the host sets it, and a friend comes by it and the number of the table."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.players import Player
from tests.browser.test_axe import violations
from tests.browser.test_hosted import CHECKED, controls, create
from tests.browser.test_looks import no_sideways_scrolling

PASSWORD = "mushroom risotto"
SIZES = {"phone": (360, 740), "sideways": (844, 390), "wide": (1280, 720)}

pytestmark = pytest.mark.timeout(240)


def looks_right(player: Player, what: str) -> None:
    """At each size the page has no fault that axe knows, and scrolls in one way."""
    for size, (width, height) in SIZES.items():
        player.page.set_viewport_size({"width": width, "height": height})
        player.shot(f"password-{what}-{size}")
        assert violations(player.page) == [], (what, size)
        no_sideways_scrolling(player)


def test_a_friend_enters_by_the_password(new_player):
    """A wrong one is told; the right one leads to a seat. Without a password the number leads nowhere."""
    host, friend = new_player("Gerlinde", **CHECKED).enter(), new_player("Isolde", **CHECKED).enter()
    create(host)
    page = host.page
    page.keyboard.press("Escape")
    controls(host)
    page.locator("#table-password input").scroll_into_view_if_needed()
    page.locator("#table-password input").fill("password")
    page.locator("#table-password button").first.click()
    expect(page.locator("dialog .problem").first).not_to_be_empty()
    page.locator("#table-password input").fill(PASSWORD)
    page.locator("#table-password button").first.click()
    number = page.locator("#table-number").inner_text()
    expect(page.locator("#table-password input")).to_have_value("")
    page.locator("#table-number").scroll_into_view_if_needed()
    looks_right(host, "host")

    looks_right(friend, "lobby")
    friend.page.click("#enter-table")
    friend.page.locator("dialog input[name=number]").fill(number.upper())
    friend.page.locator("dialog input[name=password]").fill("lentils and salt")
    friend.page.locator("#enter-by-password button.primary").click()
    expect(friend.page.locator("dialog .problem")).to_contain_text("No table lets you in")
    looks_right(friend, "enter")
    friend.page.locator("dialog input[name=password]").fill(PASSWORD)
    friend.page.locator("#enter-by-password button.primary").click()
    friend.page.locator("dialog button.primary").click()
    friend.page.locator(".place.own").wait_for()

    page.click("#remove-password")
    expect(page.locator("#table-number")).to_have_count(0)
    late = new_player("Notburga", **CHECKED).enter()
    late.page.click("#enter-table")
    late.page.locator("dialog input[name=number]").fill(number)
    late.page.locator("dialog input[name=password]").fill(PASSWORD)
    late.page.locator("#enter-by-password button.primary").click()
    expect(late.page.locator("dialog .problem")).to_contain_text("No table lets you in")
