"""Omaha in the browser: four cards, legible at every size of the window."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

CORNERS = """() => [...document.querySelectorAll("pr-table:not([hidden]) .place.own .hole .card")].map((card) => {
  const box = card.getBoundingClientRect();
  const onTop = (x, y) => card.contains(document.elementFromPoint(box.x + box.width * x, box.y + box.height * y));
  const inside = box.x >= 0 && box.y >= 0 && box.right <= innerWidth;
  return { width: box.width, inside, seen: onTop(.25, .25) && onTop(.25, .7) };
})"""
"""Of each own card: its width, whether it is in the window, and whether its rank and suit are on top of all else."""

COVERED = """() => [...document.querySelectorAll("pr-table .bet.near, pr-table .pots .heap")].filter((heap) => {
  const box = heap.getBoundingClientRect();
  const hand = document.querySelector("pr-table .place.own .hole").getBoundingClientRect();
  return box.right > hand.x && box.x < hand.right && box.bottom - 2 > hand.y && box.y < hand.bottom;
}).map((heap) => heap.textContent)"""
"""The chips that lie under the own cards: the own bet, and the pots."""


@pytest.mark.parametrize(
    "size",
    [(1280, 800), (640, 400), (360, 720), (720, 360)],
    ids=["one table", "a quarter", "a phone", "a phone held sideways"],
)
def test_four_cards_are_legible(new_player, size):
    """Your four cards have ranks and suits on top and hide no chips; the others have as many backs as you cards."""
    player = new_player(size=size).enter()
    expect(player.row("Four cards")).to_contain_text("Omaha")
    player.sit_down("Four cards")
    player.wait_for_turn()

    own = player.page.evaluate(CORNERS)
    assert [card["seen"] and card["inside"] for card in own] == [True] * 4
    assert min(card["width"] for card in own) >= 24
    assert player.page.evaluate(COVERED) == []
    backs = player.page.locator(".place:not(.own) .hole:not(.open)").first
    expect(backs.locator(".card")).to_have_count(4)
    player.page.keyboard.press("c")
    # `wait_for` looks at each frame: the turn soon returns
    player.page.locator("pr-table .dock:not(.deciding)").wait_for()


def test_the_lobby_fits_a_tablet(new_player):
    """A table of ten that names its game leaves room for the buttons, also with German words."""
    player = new_player(size=(768, 1024), locale="de-DE").enter()
    button = player.row("Four cards").locator("button").last.bounding_box()
    assert button is not None
    assert button["x"] + button["width"] <= 768
    player.shot("tablet-lobby")
