"""A deal at a final table in the browser: proposed from the menu, answered in a window that opens by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.duels import room_with_a_duel, seated
from tests.browser.test_looks import accessible, no_sideways_scrolling


@pytest.fixture
def room(browser, tmp_path):
    """With deals, and two prizes."""
    with room_with_a_duel(
        tmp_path / "data", "deals = true\nprize_shares = [6_000, 4_000]\nstarting_stack = 3_000"
    ) as running:
        yield running


def test_two_players_make_a_deal(new_player):
    """One looks at the amounts and proposes; the other one, on a phone, is asked and accepts; both get their prizes."""
    asker, other = seated(new_player)
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
    expect(page.get_by_text("Your deal is offered when the hand has ended.")).to_have_count(0)
    asker.shot("deal-over")
    sees_the_league(asker)
    asker.shot("league")
    asker.page.keyboard.press("Escape")
    sees_the_league(other)
    no_sideways_scrolling(other)
    other.shot("league-phone")


def sees_the_league(player):
    """The table of this month, with both players."""
    player.page.evaluate("location.hash = '#lobby'")
    player.page.get_by_role("button", name="Leagues").click()
    window = player.page.locator("dialog")
    expect(window.locator("tbody tr")).to_have_count(2)
    expect(window.locator("tr.now")).to_contain_text("1 of 1")
    expect(window).to_contain_text("Tournaments: Duel. All results count.")
    accessible(player, "a league")
    window.get_by_role("button", name="Previous period").click()
    expect(window).to_contain_text("No tournament of this period has ended yet.")
    window.get_by_role("button", name="Next period").click()
    expect(window.locator("tbody tr")).to_have_count(2)
