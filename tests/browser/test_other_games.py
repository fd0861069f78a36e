"""Sit-and-gos to the prize, and rounds against the house, in the browser."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from tests.browser.players import STEP_S
from tests.browser.test_looks import accessible, no_sideways_scrolling

SOON_S = 60


def tab(player, name: str) -> None:
    player.to_lobby()
    player.page.locator(".lobby-head .tabs").get_by_role("button", name=name).click()


def test_a_sit_and_go_to_the_prize(new_player):
    """Two register; the table opens by itself when it is full; all-in after all-in until one has won the prize."""
    ines, jule = new_player("ines-e2e").enter(), new_player("jule-e2e").enter()
    for player in (ines, jule):
        tab(player, "Sit-and-gos")
        if player is ines:
            player.shot("sit-and-go-lobby")
            accessible(player, "the sit-and-gos")
        player.page.get_by_role("button", name="Register: Two players").click()
        if player is ines:  # who has thought better of it gets it all back
            player.page.get_by_role("button", name="Unregister: Two players").click()
            expect(player.page.locator("#balance")).to_have_text("10,000")
            player.page.get_by_role("button", name="Register: Two players").click()
            expect(player.page.locator("#balance")).to_have_text("9,997")
    for player in (ines, jule):
        player.page.locator(".tournament").wait_for()
    expect(ines.page.locator(".tournament")).to_contain_text("Level 1")
    expect(ines.page.locator(".tournament")).to_contain_text("4.80")
    notices = jule.page.locator(".notices")  # of the player that registered a moment ago
    expect(notices).to_contain_text("has started")
    assert "You are registered" not in notices.inner_text()
    ended = ines.page.locator(".tournament-end")
    give_up = time.monotonic() + SOON_S
    while not ended.count():
        assert time.monotonic() < give_up, "it does not end"
        for player in (ines, jule):
            if player.is_asked():
                # a key more might come after the next decision
                may_raise = player.page.locator(".dock.deciding .deed-raise:not([disabled])").count() > 0
                for key in "ar" if may_raise else "c":
                    player.page.keyboard.press(key)
        time.sleep(STEP_S)
    expect(ended.locator("li")).to_have_count(2)
    expect(ended.locator("li.paid")).to_contain_text("4.80")
    bar = ines.page.locator(".tournament")
    assert "The tournament is over" in bar.inner_text()
    assert "left" not in bar.inner_text()
    assert ines.page.locator(".notices").inner_text() == ""
    ines.shot("sit-and-go-end")
    ines.page.set_viewport_size({"width": 360, "height": 720})
    no_sideways_scrolling(ines)
    ines.shot("phone-sit-and-go-end")
    ines.page.set_viewport_size({"width": 1280, "height": 800})
    winner = ines if "ines" in ended.locator("li.paid").inner_text() else jule
    # said at the table, which no notice covers; in the lobby the wallet has it
    expect(winner.page.locator(".dock")).to_contain_text("You win 4.80")
    expect(winner.page.locator(".notices")).not_to_contain_text("4.80")
    winner.to_lobby()
    expect(winner.page.locator("#balance")).to_have_text("10,001.80")


def test_a_round_against_the_house_with_repeat_double_and_undo(new_player):
    """Chips are put on spots by mouse and key, taken back, repeated and doubled; a round is decided and paid."""
    kurt = new_player("kurt-e2e").enter()
    page = kurt.page
    tab(kurt, "Ultimate")
    kurt.shot("ultimate-lobby")
    page.get_by_role("button", name="Take a place: Against the house").click()
    ante = page.locator(".box.own button.spot.ante")
    ante.wait_for(timeout=60_000)  # others' round may be in progress
    page.keyboard.press("1")
    expect(page.locator(".rack[aria-pressed=true]")).to_contain_text("1")
    page.keyboard.press("2")
    ante.click()
    expect(ante).to_contain_text("5")
    ante.click()
    expect(ante).to_contain_text("10")
    page.keyboard.press("Delete")
    expect(ante).to_contain_text("5")
    page.locator(".box.own button.spot.trips").click()
    expect(page.locator(".betting")).to_contain_text("Total 15")
    play_a_round(kurt, first=True)

    # the next round: the same again, and twice
    page.locator(".box.own button.spot.ante").wait_for(timeout=30_000)
    page.keyboard.press(" ")
    expect(page.locator(".betting")).to_contain_text("Total 15")
    page.keyboard.press(" ")
    expect(page.locator(".betting")).to_contain_text("Total 30")
    play_a_round(kurt)
    page.keyboard.press("h")
    expect(page.locator("dialog .hands li")).to_have_count(2)
    page.locator("dialog .hands button").first.click()
    page.locator("dialog").get_by_role("button", name="Go to the end").click()
    expect(page.locator("dialog .bank")).to_contain_text("qualif")
    kurt.shot("ultimate-replay")
    accessible(kurt, "a round told again")


def play_a_round(player, *, first: bool = False) -> None:
    """Checks to the river and plays there; the bank's hand is seen at the end."""
    page = player.page
    asked = page.locator(".dock.deciding")
    asked.wait_for(timeout=30_000)
    if first:
        player.shot("ultimate-decision")
        accessible(player, "a decision against the house")
    give_up = time.monotonic() + SOON_S
    while not page.locator(".bank p", has_text="qualif").count():
        assert time.monotonic() < give_up, "the round does not end"
        if asked.count():
            page.keyboard.press("1" if "1\u00d7" in asked.inner_text() else "c")
        time.sleep(STEP_S)
    if first:
        player.shot("ultimate-result")
