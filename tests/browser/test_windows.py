"""Every window at every width: nothing is cut or scrolls sideways, and what a window offers is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.screens import EXAMPLES, SCENES, STATES
from tests.browser.screens import WINDOWS as MADE_UP

FITS = (Path(__file__).parent / "fits.js").read_text(encoding="utf-8")

WINDOWS = (
    "security",
    "limits",
    "excluded",
    "settings",
    "cashier",
    "history",
    "statistics",
    "hand",
    "round",
    "download",
    "share-hand",
    "links",
    "note",
    "notes",
    "statistics-of",
    "tournament",
    "tournament-tables",
    "tournament-prizes",
    "tournament-levels",
    "tournament-over",
    "tournament-again",
    "leagues",
    "deal-propose",
    "deal",
    "deal-agreed",
    "rebuy",
    "rebuy-dear",
    "add-on",
    "rules-holdem",
    "rules-sit-and-go",
    "rules-tournament",
    "rules-ultimate",
    "keys",
    "buy-in",
    "top-up",
    "options",
    "leave",
    "create-table",
    "share",
    "host",
    "ask-seat",
    "tickets",
    "clubs",
    "club",
    "club-results",
    "club-chips",
    "results",
    "reality",
)
SIZES = {360: 640, 768: 1024, 844: 390, 1280: 720}


def opened(page: Any, name: str) -> Any:
    """Open one window over a made-up table, with long made-up answers of the room."""
    while page.locator("dialog[open]").count():
        page.keyboard.press("Escape")
    page.evaluate(f"(fields) => ({STATES})(fields)", {"count": 1, "seats": 6, "cards": 2, "state": "turn"})
    page.evaluate(f"(fields) => ({MADE_UP})(fields)", {"name": name, "examples": EXAMPLES})
    return page.locator("dialog[open]")


@pytest.mark.parametrize("locale", ["de-DE", "pl-PL"])
@pytest.mark.parametrize("width", SIZES)
def test_every_window_fits(new_player, width, locale):
    """In the languages with the longest words: nothing is cut, no buttons touch, and the window alone scrolls."""
    page = new_player(size=(width, SIZES[width]), locale=locale).enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    found = {}
    for name in WINDOWS:
        opened(page, name)
        if problems := page.evaluate(FITS):
            found[name] = problems
    assert found == {}


def test_an_excluded_player_sees_what_holds(new_player):
    """Until when, what remains possible, and how to make it longer."""
    page = new_player().enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    assert opened(page, "limits").locator("#exclude").count() == 1
    window = opened(page, "excluded")
    assert window.locator("#exclude button").inner_text() == "Make it longer"
    said = window.locator("#excluded").inner_text()
    assert "excluded from play until" in said
    assert "withdraw" in said


def test_a_tournament_tells_what_it_sells(new_player):
    """Rebuys, the add-on and re-entries: with price, chips, how many, and until when; and which deals are possible."""
    page = new_player().enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    terms = "1,000 chips for 11, up to 3 for each player, until the end of level 12"
    deals = "Deal: possible at the final table, with 4 players left or fewer."
    expect(opened(page, "tournament").locator(".sold li")).to_have_text(
        [
            f"Rebuy: {terms}, with at most 2,000 chips.",
            "Add-on: 1,500 chips for 11, once for each player, in the break after level 12.",
            "Re-entry: 1,500 chips for 3, up to 3 entries for each player, until the end of level 12.",
            f"{deals} 10 % of the unpaid prizes or more stay for the winner.",
        ]
    )


DECIDED = {
    "deal-propose": "#propose-deal",
    "deal": "#accept-deal",
    "rebuy": "#buy-chips",
    "add-on": "#buy-chips",
}
"""Windows that the room or the player opens for a decision, and the button that decides."""


@pytest.mark.parametrize("size", [(360, 640), (844, 390), (1280, 720)])
def test_a_decision_of_a_tournament_is_in_view(new_player, size):
    """Its button is there without scrolling, and terms and kinds are told."""
    page = new_player(size=size, locale="pl-PL").enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    for name, button in DECIDED.items():
        expect(opened(page, name).locator(button), name).to_be_in_viewport(ratio=1)
    page.evaluate("import('/app/i18n.js').then(({ speak }) => speak('en'))")
    expect(opened(page, "deal")).to_contain_text("By ICM: what each player wins on average from here")
    expect(opened(page, "add-on")).to_contain_text("7,500 chips for 11.")
    expect(opened(page, "tournament-over").locator("thead th")).to_have_text(["Rank", "Player", "Prize"])


UNCOVERED = """(found) => { const { left, width, top, bottom } = found.getBoundingClientRect();
    return [top + 2, bottom - 2].every((y) => found.contains(document.elementFromPoint(left + width / 2, y))); }"""
"""Whether neither the edge of the window nor its buttons hide a part of an element."""


@pytest.mark.parametrize("size", [(360, 640), (390, 844), (1280, 720)])
def test_what_a_player_decides_in_a_tournament_is_not_hidden(new_player, size):
    """Without scrolling: what is left for the winner of a deal, and registering again. A wide window hides no hint."""
    page = new_player(size=size).enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    window = opened(page, "deal-propose")
    seen = [window.locator("#for-the-winner")]
    if size[0] > 1_000:
        seen.append(window.get_by_text("All players must accept"))
    assert [one.evaluate(UNCOVERED) for one in seen] == [True] * len(seen)
    assert opened(page, "tournament-again").get_by_text("Register again").evaluate(UNCOVERED)


def test_the_marks_of_a_deal_are_told(new_player):
    """In words below the names, for each player by name to a screen reader."""
    page = new_player().enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    window = opened(page, "deal")
    expect(window).to_contain_text("✓ has accepted · … has not answered yet")
    expect(window.get_by_role("img", name="has not answered yet")).to_have_count(3)
    expect(opened(page, "deal-agreed")).not_to_contain_text("has not answered yet")


def test_a_level_has_the_minutes_of_the_language(new_player):
    """With a comma in German."""
    page = new_player(locale="de-DE").enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    examples = EXAMPLES["tournament"]
    examples = EXAMPLES | {"tournament": examples | {"levels": [examples["levels"][0] | {"length": 20}]}}
    page.evaluate(f"(fields) => ({STATES})(fields)", {"count": 1, "seats": 6, "cards": 2, "state": "turn"})
    page.evaluate(f"(fields) => ({MADE_UP})(fields)", {"name": "tournament-levels", "examples": examples})
    expect(page.locator("dialog li").filter(has_text="0,3 min").first).to_be_visible()


def test_statistics_are_by_stake_or_position_or_of_another_player(new_player):
    """The graph is told in words, too. Statistics of another player have a period and positions, too."""
    page = new_player().enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    window = opened(page, "statistics")
    expect(window.locator("figure > svg")).to_have_attribute(
        "aria-label", window.locator("figcaption").inner_text()
    )
    expect(window.locator(".statistics tbody tr")).to_have_count(3)
    window.locator("select[name=by]").select_option("position")
    rows = window.locator(".statistics tbody th")
    expect(rows).to_have_text(["Early", "Middle", "Cutoff", "Button", "Small blind", "Big blind", "Total"])
    expect(window.locator("tbody tr").first.locator("td").nth(2)).to_have_text("44%")
    window.locator("input[name=player]").fill("bob")
    window.get_by_role("button", name="Show").click()
    expect(window.locator("h2")).to_have_text("Statistics of bob")
    expect(window.locator("select")).to_have_count(2)
    expect(rows.first).to_have_text("Early")
    window.locator("select[name=by]").select_option("stake")
    expect(rows.first).not_to_have_text("Early")


def test_a_replay_fits_a_phone_held_sideways(new_player):
    """The felt and the buttons for its steps are in view together, and the cards are as large as at a table."""
    page = new_player(size=(844, 390)).enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    window = opened(page, "hand")
    expect(window.locator(".replay")).to_be_in_viewport(ratio=1)
    expect(window.get_by_role("button", name="Next step")).to_be_in_viewport(ratio=1)
    assert window.locator(".window-body a").last.bounding_box()["y"] < 390
    plate = window.locator(".place.top .plate").bounding_box()
    back = window.locator(".place.top .hole .card").first.bounding_box()
    assert back["width"] >= 18
    assert back["y"] <= plate["y"] - 8


def test_a_replay_names_seats_on_narrow_plates(new_player):
    """House bots without their prefix, and no name of a seat is cut on a phone."""
    page = new_player(size=(360, 640), locale="pl-PL").enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    names = opened(page, "hand").locator(".place .name")
    expect(names).to_have_text(["Ty", "Player2"])
    expect(page.locator("dialog .free")).to_have_count(0)
    names.last.evaluate("(name) => { name.textContent = 'Miejsce 10'; }")
    assert names.last.evaluate("(name) => name.scrollWidth <= name.clientWidth")


def test_a_new_table_fits_a_phone_held_sideways(new_player):
    """The name of the table and the button that creates it are in view together."""
    page = new_player(size=(844, 390), locale="pl-PL").enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    window = opened(page, "create-table")
    expect(window.locator("input[name=name]")).to_be_in_viewport(ratio=1)
    expect(window.locator("button.primary")).to_be_in_viewport(ratio=1)


def test_a_window_that_cannot_load_says_so(new_player):
    """It loads when it is opened: without its file the player is told, and the next attempt opens it."""
    player = new_player().enter()
    page = player.page
    page.route("**/app/cashier.js", lambda route: route.abort())
    page.click("#cashier")
    expect(page.locator(".notices")).to_contain_text("could not be loaded")
    assert len(player.problems) == 1
    player.problems.clear()  # the browser reports the file that is missing
    page.unroute("**/app/cashier.js")
    page.click("#cashier")
    expect(page.locator("dialog[open]")).to_be_visible()
