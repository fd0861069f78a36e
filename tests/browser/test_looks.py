"""How the client looks and reads: languages, colours, sizes, several tables, and what assistive technology gets."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

CHECKS = (Path(__file__).parent / "checks.js").read_text(encoding="utf-8")
PHONE = {"size": (360, 720), "has_touch": True, "is_mobile": True}

LANGUAGES = {
    "en-GB": ("en", "Play as a guest", "Lobby", "Sit down"),
    "de-DE": ("de", "Als Gast spielen", "Lobby", "Hinsetzen"),
    "pl-PL": ("pl", "Graj jako gość", "Lobby", "Usiądź"),
}


def accessible(player, what: str) -> None:
    """Names, roles, contrast, sizes of targets: as the page is now."""
    problems = player.page.evaluate(CHECKS)
    assert problems == [], f"{what}: {problems}"


def no_sideways_scrolling(player) -> None:
    wide = player.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} px too wide"


@pytest.mark.parametrize("locale", LANGUAGES)
def test_the_browsers_language_is_spoken(new_player, locale):
    """English, German and Polish, without a code instead of a text anywhere, and with amounts as written there."""
    language, guest, lobby, sit = LANGUAGES[locale]
    player = new_player(locale=locale)
    expect(player.page.locator("#guest")).to_have_text(guest)
    assert player.page.locator("html").get_attribute("lang") == language
    player.enter()
    expect(player.page.locator("h1")).to_have_text(lobby)
    expect(player.page.locator("tbody .primary").first).to_have_text(sit)
    player.sit_down("Home")
    player.wait_for_turn()
    player.shot(f"table-{language}")
    seen = player.page.locator("body").inner_text()
    codes = re.findall(
        r"\b(?:lobby|table|dock|event|menu|status|did|error|notice|keys|pre|size)\.[a-z_.]+", seen
    )
    assert codes == []
    stakes = player.page.locator(".table-head p").inner_text()
    assert stakes.startswith("0.50 / 1" if language == "en" else "0,50 / 1")


DAY_AND_TIME = """async () => {
  const { dayAndTime } = await import("/app/i18n.js");
  return dayAndTime(Date.UTC(2026, 0, 2, 20, 6));
}"""


@pytest.mark.parametrize(
    ("locale", "written"),
    [("en-GB", "Fri 2 Jan, 20:06"), ("en-US", "Fri, Jan 2, 08:06 PM"), ("de-AT", "Fr., 2. Jän., 20:06")],
)
def test_dates_are_written_as_in_the_readers_region(new_player, locale, written):
    """Days and hours, in the language of the page."""
    page = new_player(locale=locale, timezone_id="UTC").page
    page.locator("#guest:not([disabled])").wait_for()
    assert page.evaluate(DAY_AND_TIME).replace("\u202f", " ") == written


def test_language_colours_and_deck_are_chosen_and_kept(new_player):
    """The settings take effect at once and outlive a reload."""
    player = new_player().enter()
    player.page.keyboard.press("s")
    dialog = player.page.locator("dialog")
    for choice in ("Deutsch", "Light", "Four colours"):
        text = {"Light": "Hell", "Four colours": "Vier Farben"}.get(choice, choice)
        dialog.get_by_text(re.compile(f"{choice}|{text}")).click()
    root = player.page.locator("html")
    expect(root).to_have_attribute("lang", "de")
    expect(dialog.locator("h2")).to_have_text("Einstellungen")
    accessible(player, "the settings")
    player.shot("settings")
    player.page.reload()
    player.page.locator("pr-lobby tbody tr").first.wait_for()
    expect(root).to_have_attribute("lang", "de")
    expect(root).to_have_attribute("data-theme", "light")
    expect(root).to_have_attribute("data-deck", "four")
    assert player.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(243, 241, 234)"


def test_a_phone_has_room_for_everything(new_player):
    """At 360 pixels nothing scrolls sideways, and every control of a decision is on the screen."""
    phone = new_player(**PHONE)
    phone.page.locator("#guest:not([disabled])").wait_for()
    no_sideways_scrolling(phone)
    phone.shot("phone-entrance")
    phone.enter()
    no_sideways_scrolling(phone)
    phone.shot("phone-lobby")
    first = phone.page.locator("tbody button.primary").first.bounding_box()
    assert first is not None
    assert first["y"] + first["height"] <= 720, "the first table is reached without scrolling"
    expect(phone.page.locator(".lobby-head .tab")).to_have_text(["Cash tables", "Sit-and-gos", "Ultimate"])
    phone.sit_down("Home")
    phone.wait_for_turn()
    no_sideways_scrolling(phone)
    phone.shot("phone-table")
    for button in phone.page.locator(".dock button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert box["y"] + box["height"] <= 720


def test_four_tables_side_by_side(new_player):
    """Four tables are seen whole and without overlap; a fifth is refused while there is a seat at each."""
    player = new_player(size=(1440, 900)).enter()
    for table in ("More 1", "More 2", "More 3", "Home"):
        player.sit_down(table)
    boxes = [table.bounding_box() for table in player.page.locator("pr-table").all()]
    assert len({(round(box["x"]), round(box["y"])) for box in boxes}) == 4
    assert all(box["width"] > 600 and box["height"] > 350 for box in boxes)
    player.wait_for_turn()
    time.sleep(0.3)
    player.shot("four-tables")
    asked = player.page.locator("pr-table[data-asks]")
    assert asked.count() >= 1
    player.page.keyboard.press("c")
    player.to_lobby()
    player.row("Mixed").get_by_role("button", name="Watch").click()
    expect(player.page.locator(".notices")).to_contain_text("Four tables")

    # a reload brings back all four; on a phone one is seen at a time, the others by their tabs
    player.page.reload()
    player.page.locator(".bar nav a").nth(4).click()
    expect(player.page.locator("pr-table .place.own")).to_have_count(4)
    player.page.set_viewport_size({"width": 360, "height": 720})
    expect(player.page.locator("pr-table:visible")).to_have_count(1)
    player.wait_for_turn()
    player.page.locator(".bar nav a.asks").first.click()
    expect(player.page.locator("pr-table:visible .dock.deciding")).to_be_visible()
    no_sideways_scrolling(player)
    player.shot("phone-four-tables")


def test_everything_by_keyboard(new_player):
    """Without a mouse: in as a guest, to a table, the help and back, a decision; the focus is always to be seen."""
    player = new_player()
    page = player.page
    page.locator("#guest:not([disabled])").wait_for()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "guest":
            break
    page.keyboard.press("Enter")
    page.locator("#play-now:not([disabled])").focus()
    page.keyboard.press("Enter")
    page.locator(".place.own").wait_for()
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("Fold")
    player.shot("keys")
    accessible(player, "the keys")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    player.wait_for_turn()
    for _ in range(8):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", page.evaluate("document.activeElement.outerHTML")
    page.keyboard.press("f")
    expect(page.locator(".dock.deciding")).to_have_count(0)
    page.keyboard.press("l")
    expect(page.locator("pr-lobby")).to_be_visible()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_accessible_in_both_colour_schemes(new_player, scheme):
    """Entrance, lobby, windows and a table in play: named, labelled, legible, large enough to hit."""
    player = new_player(color_scheme=scheme, bypass_csp=True)
    player.page.locator("#guest:not([disabled])").wait_for()
    accessible(player, "the entrance")
    player.enter()
    player.shot(f"lobby-{scheme}")
    accessible(player, "the lobby")
    player.row("Home").locator("button.primary").click()
    player.page.locator("dialog button.primary").wait_for()
    accessible(player, "the buy-in")
    player.page.locator("dialog button.primary").click()
    player.page.locator(".place.own").wait_for()
    player.wait_for_turn()
    player.shot(f"table-{scheme}")
    accessible(player, "the table")


def test_a_screen_reader_hears_events_and_no_clock(new_player):
    """The live regions tell what players do and that it is our turn; the clock is hidden from them."""
    player = new_player().enter()
    player.sit_down("Home")
    player.wait_for_turn()
    expect(player.page.locator("#assertive")).to_contain_text("Your turn")
    heard = player.page.locator("#polite p")
    expect(heard.first).to_be_attached()
    assert player.page.locator("[aria-live] pr-clock").count() == 0
    clock = player.page.locator(".place.own pr-clock")
    assert clock.get_attribute("aria-hidden") == "true"
    heard_before = player.page.locator("#polite").inner_text()
    expect(clock.locator("b")).to_have_text(re.compile(r"^\d+ → (Check|Fold|Stay in)$"), timeout=15_000)
    player.shot("countdown")
    assert player.page.locator("#polite").inner_text() == heard_before
