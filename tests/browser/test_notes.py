"""Notes on other players: at the seat, in the list and in a replay, and told to no other player."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.players import HAND_S
from tests.browser.test_looks import PHONE, accessible, no_sideways_scrolling


def seat_of(page, name):
    """The seat of another player, as a button."""
    return page.get_by_role("button", name=f"Note on {name}")


def test_a_note_is_at_the_seat_and_its_writer_alone_sees_it(new_player):
    """It has a shape beside its colour, and its text when hovered; it is there after a reload, and can be cleared."""
    anna = new_player("noting-anna").enter().sit_down("Mixed")
    heard: list[str] = []
    bob = new_player("noted-bob")
    bob.page.on("websocket", lambda socket: socket.on("framereceived", lambda text: heard.append(str(text))))
    bob.page.reload()
    bob.enter().sit_down("Mixed")
    page = anna.page
    seat_of(page, "noted-bob").click()
    window = page.locator("dialog")
    window.get_by_label("Note", exact=True).fill("calls  with\nany pair")
    window.get_by_text("Green").click()
    accessible(anna, "a note")
    window.get_by_role("button", name="Save").click()
    expect(window).to_have_count(0)
    plate = page.locator(".plate").filter(has=seat_of(page, "noted-bob"))
    expect(plate.locator(".note-mark.green")).to_be_visible()
    told = "Note on noted-bob · Green · calls with any pair"
    expect(seat_of(page, "noted-bob")).to_have_attribute("title", told)
    page.reload()
    expect(plate.locator(".note-mark.green")).to_be_visible()
    assert bob.page.locator(".note-mark").count() == 0
    assert heard
    assert not [text for text in heard if "any pair" in text]

    anna.to_lobby()
    page.click("#history")
    page.locator("dialog .records tbody tr button").first.wait_for(timeout=1000 * HAND_S)
    page.click("#notes")
    expect(page.locator(".noted")).to_contain_text("calls with any pair")
    page.locator(".noted button").click()
    page.click("#note-statistics")
    expect(page.locator("dialog").last).to_contain_text("calls with any pair")
    page.keyboard.press("Escape")
    page.click("#clear-note")
    expect(page.locator("dialog").last).to_contain_text("You have noted nothing")


def test_a_phone_shows_notes_in_a_replay(new_player):
    """A tap on a seat of a past hand opens the note; nothing scrolls sideways."""
    player = new_player("noting-carl", **PHONE).enter().sit_down("Home")
    page = player.page
    player.wait_for_turn()
    page.keyboard.press("f")
    player.to_lobby()
    page.click("#history")
    page.locator("dialog .records tbody tr button").first.click(timeout=1000 * HAND_S)
    page.locator(".replay .about").first.tap()
    page.get_by_label("Note", exact=True).fill("a bot")
    page.get_by_role("button", name="Save").tap()
    expect(page.locator(".replay .note-mark.plain")).to_have_count(1)
    no_sideways_scrolling(player)
    player.shot("phone-note-in-replay")
