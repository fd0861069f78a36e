"""The window that offers a rebuy or an add-on closes when the offer is over, and the page says why."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.screens import EXAMPLES, SCENES, STATES

OFFERED = """async ({ offer, ms }) => {
  const { room } = await import("/app/room.js");
  room.model("1").snapshot.seats[0].stack = 0;
  const until_ms = room.client.serverNow() + ms;
  room.dispatchEvent(new CustomEvent("chips", { detail: { ...offer, tournament: "1", until_ms } }));
}"""
THEN = """async (change) => {
  const { room } = await import("/app/room.js");
  new Function("room", "snapshot", change)(room, room.model("1").snapshot);
  room.dispatchEvent(new CustomEvent("table", { detail: "1" }));
}"""
MOVED = """room.dispatchEvent(new CustomEvent("moved", { detail: { old: "0", table: "1" } }))"""
GONE = "snapshot.your_seat = null"
ENDS = {
    "time": ("rebuy", 2_000, "", "Rebuy: the time to decide is over."),
    "out": ("rebuy", 60_000, GONE, "You are out of the tournament, so you can buy no rebuy."),
    "ended": ("rebuy", 60_000, "snapshot.tournament.phase = 'finished'", "The tournament is over."),
    "bought": ("rebuy", 60_000, "snapshot.seats[0].stack = 100", "Your chips have come. Play on."),
    "moved": ("rebuy", 60_000, MOVED, None),
    "add-on": ("add_on", 2_000, "", "Add-on: the time to decide is over."),
}
"""For each end: what is offered, for how many milliseconds, what happens to the table, and what the page says."""


@pytest.fixture
def offered(new_player):
    """A page at a table of a tournament; offers a rebuy or the add-on there, and returns the page."""
    page = new_player(bypass_csp=True).enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})

    def show(kind: str, ms: int):
        fields = {"count": 1, "seats": 6, "cards": 2, "state": "waiting", "tournament": True}
        page.evaluate(f"(fields) => ({STATES})(fields)", fields)
        page.evaluate(OFFERED, {"offer": EXAMPLES["chips_offered"] | {"kind": kind}, "ms": ms})
        return page

    return show


def test_an_offer_ends(offered):
    """With its time, or when the player is out, has the chips, or moves, or the tournament is over."""
    for name, (kind, ms, change, said) in ENDS.items():
        page = offered(kind, ms)
        page.locator("#buy-chips").wait_for()
        page.evaluate(THEN, change)
        expect(page.locator("dialog"), name).to_have_count(0, timeout=5_000)
        if said:
            expect(page.locator(".notices p").last, name).to_contain_text(said)


def test_an_offer_that_is_too_dear_says_why(offered):
    """Buying is off; a wallet that is filled meanwhile turns it on."""
    page = offered("rebuy", 60_000)
    buy = page.locator("#buy-chips")
    expect(buy).to_be_enabled()
    page.evaluate(THEN, "room.balance = 1_099; room.dispatchEvent(new Event('lobby'))")
    expect(buy).to_be_disabled()
    expect(page.locator("dialog .problem")).to_contain_text(
        "Your wallet has 10.99, which is less than the price."
    )
    page.evaluate(THEN, "room.balance = 1_100; room.dispatchEvent(new Event('lobby'))")
    expect(buy).to_be_enabled()
    expect(page.locator("dialog .problem")).to_have_count(0)


def test_an_offer_stands_while_it_holds(offered):
    """Also when other things happen at the table, and for the add-on without a seat; a repeated one replaces it."""
    for kind, change in (("rebuy", "snapshot.seats[1].stack = 5"), ("add_on", GONE)):
        page = offered(kind, 60_000)
        page.locator("#buy-chips").wait_for()
        page.evaluate(OFFERED, {"offer": EXAMPLES["chips_offered"] | {"kind": kind}, "ms": 60_000})
        page.evaluate(THEN, change)
        page.wait_for_timeout(300)
        expect(page.locator("dialog")).to_have_count(1)
        page.keyboard.press("Escape")
