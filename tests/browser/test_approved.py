"""The main states of the client look as they were approved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import ARTEFACTS
from tests.browser.pictures import APPROVING, compare, same_fonts

HERE = Path(__file__).parent
STATES = (HERE / "states.js").read_text(encoding="utf-8")
SCENES = (HERE / "scenes.js").read_text(encoding="utf-8")
FROZEN = "Date.now = () => Date.UTC(2026, 0, 2, 20, 30);"

WIDE, PHONE = (1280, 720), (390, 844)
SCREENS = {
    "entrance": (WIDE, "entrance", None),
    "lobby-cash": (WIDE, "lobby", 0),
    "lobby-sit-and-gos": (WIDE, "lobby", 1),
    "lobby-ultimate": (WIDE, "lobby", 2),
    "table-waiting": (WIDE, "waiting", 1),
    "table-turn": (WIDE, "turn", 1),
    "table-won": (WIDE, "won", 1),
    "four-tables": (WIDE, "turn", 4),
    "phone-turn": (PHONE, "turn", 1),
    "ultimate-decision": (WIDE, "ultimate", None),
}
"""Each picture: the size of the window, the scene, and which tab or how many tables."""

LIGHT = {"entrance", "lobby-sit-and-gos", "phone-turn"}


@pytest.fixture
def screen(new_player):
    """A page that shows one of the screens, always the same."""

    def show(name: str):
        size, scene, number = SCREENS[name]
        player = new_player(
            size=size,
            script=FROZEN,
            color_scheme="light" if name in LIGHT else "dark",
            reduced_motion="reduce",
            timezone_id="UTC",
            bypass_csp=True,
        )
        page = player.page
        page.locator("#guest:not([disabled])").wait_for()
        made_up = scene in {"waiting", "turn", "won"}
        if scene != "entrance":
            player.enter()
        page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby" if made_up else scene})
        if made_up:
            fields = {"count": number, "seats": 6, "cards": 2, "state": scene, "button": 2}
            page.evaluate(f"(fields) => ({STATES})(fields)", fields)
        elif scene == "lobby":
            page.locator(".lobby-head .tabs button").nth(number).click()
        page.mouse.move(0, size[1] - 1)  # nothing is under the pointer
        page.evaluate("document.activeElement.blur()")
        return player

    return show


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_looks_as_approved(screen, name):
    """A screenshot of the state equals the approved picture, within a small tolerance."""
    page = screen(name).page
    same_fonts(page)
    compare(page.screenshot(animations="disabled"), name, ARTEFACTS)


BROKEN = {
    "a colour": ".deed-call { background: #1c6f6f !important; }",
    "a corner": ".plate { border-radius: 4px !important; }",
    "a place": ".board { translate: 0 3px; }",
}


@pytest.mark.skipif(APPROVING, reason="nothing broken is approved")
def test_a_broken_style_is_found(screen, tmp_path):
    """A change of one rule fails, and the failure names the three pictures."""
    page = screen("table-turn").page
    same_fonts(page)
    for rule in BROKEN.values():
        style = page.add_style_tag(content=rule)
        with pytest.raises(pytest.fail.Exception, match=r"(?s)approved .*seen .*difference .*APPROVE=1"):
            compare(page.screenshot(animations="disabled"), "table-turn", tmp_path)
        style.evaluate("style => style.remove()")
    assert {path.name for path in tmp_path.iterdir()} == {"table-turn.png", "table-turn.difference.png"}
