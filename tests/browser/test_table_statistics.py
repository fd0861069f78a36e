"""Statistics of other players at their seats: a choice of the player, where the room shows them."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.screens import COUNTED, SCENES, SEEN, STATES

FORGET = """async () => {
  const { room } = await import("/app/room.js");
  const { features } = room.client.welcome;
  features.splice(features.indexOf("opponents"), 1);
  room.dispatchEvent(new Event("change"));
}"""
"""Makes the room one that shows no statistics at tables."""


def test_statistics_at_seats_are_a_choice(new_player):
    """They are off at first; then each other seat tells them in words, too. A room without them has no switch."""
    page = new_player().enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    fields = {"count": 1, "seats": 6, "cards": 2, "state": "turn"}
    page.evaluate(f"(fields) => ({STATES})(fields)", fields)
    seen = page.locator(".seen-play")

    def switch():
        page.get_by_role("button", name="Settings").click()
        return page.get_by_label("Statistics at seats")

    expect(switch()).not_to_be_checked()
    expect(seen).to_have_count(0)
    page.keyboard.press("Escape")
    page.evaluate(COUNTED, [SEEN])
    expect(seen).to_have_count(5)
    expect(seen.first).to_have_attribute("aria-label", "Hands: 1234 · VPIP 100 % · PFR 22 %")
    switch().uncheck()
    expect(seen).to_have_count(0)
    page.get_by_label("Statistics at seats").check()
    expect(seen).to_have_count(5)
    page.keyboard.press("Escape")
    page.evaluate(FORGET)
    expect(seen).to_have_count(0)
    expect(switch()).to_have_count(0)
