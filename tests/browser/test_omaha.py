"""Omaha in the browser: four cards, legible at every size of the window."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

CORNERS = """() => [...document.querySelectorAll("pr-table:not([hidden]) .place.own .hole .card")].map((card) => {
  const box = card.getBoundingClientRect();
  const seen = document.elementFromPoint(box.x + box.width * .25, box.y + box.height * .25);
  return { width: box.width, inside: box.x >= 0 && box.y >= 0 && box.right <= innerWidth, seen: card.contains(seen) };
})"""
"""Of each own card: its width, whether it is in the window, and whether its rank is on top of all else."""


@pytest.mark.parametrize(
    "size", [(1280, 800), (640, 400), (360, 720)], ids=["one table", "a quarter", "a phone"]
)
def test_four_cards_are_legible(new_player, size):
    """Your four cards have their ranks on top, and the others as many backs as you have cards."""
    player = new_player(size=size).enter()
    expect(player.row("Four cards")).to_contain_text("Omaha")
    player.sit_down("Four cards")
    player.wait_for_turn()

    own = player.page.evaluate(CORNERS)
    assert [card["seen"] and card["inside"] for card in own] == [True] * 4
    assert min(card["width"] for card in own) >= 24
    backs = player.page.locator(".place:not(.own) .hole:not(.open)").first
    expect(backs.locator(".card")).to_have_count(4)
    player.page.keyboard.press("c")
    expect(player.page.locator(".dock.deciding")).to_have_count(0)
