"""The main states of the client look as they were approved."""

from __future__ import annotations

import pytest

from tests.browser.conftest import ARTEFACTS
from tests.browser.pictures import APPROVING, compare, same_fonts
from tests.browser.screens import SCREENS, show

LIGHT = {
    "entrance",
    "phone-invited",
    "lobby-sit-and-gos",
    "phone-turn",
    "tablet-statistics",
    "window-download",
    "window-links",
    "window-notes",
    "window-rules",
    "tablet-window-history",
    "phone-lobby-tournaments",
    "phone-window-hand",
    "phone-window-tournament",
    "phone-window-graph",
    "phone-window-share-hand",
    "phone-window-tickets",
    "phone-window-deal-de",
    "phone-window-rebuy-pl",
    "phone-window-leagues",
    "window-tournament-over",
    "window-add-on",
}


@pytest.fixture
def screen(new_player):
    """A page that shows one of the screens, dark or light."""
    return lambda name: show(new_player, name, "light" if name in LIGHT else "dark")


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
