"""axe finds nothing wrong on the main screens, in both themes."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from tests.browser.screens import SCREENS, show

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
WINDOWS = {"keys": "?", "settings": "s"}
"""Each window, and the key that opens it."""


def violations(page: Any) -> list[str]:
    """Run axe in the page as it is; each violation with the elements that it names."""
    page.add_script_tag(content=AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes']]}" for each in found
    ]


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_has_no_violation(new_player, name, scheme):
    """Names, roles, order of headings, contrast, and whatever else axe knows."""
    assert violations(show(new_player, name, scheme).page) == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_windows_have_no_violation(new_player, scheme):
    """The windows that a key opens, over a table."""
    page = show(new_player, "table-turn", scheme).page
    found = {}
    for name, key in WINDOWS.items():
        page.keyboard.press(key)
        page.locator("dialog[open]").wait_for()
        found[name] = violations(page)
        page.keyboard.press("Escape")
    assert [each for each in found.values() if each] == []
