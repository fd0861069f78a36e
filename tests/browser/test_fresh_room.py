"""A room as it is shipped, just started: how long a newcomer needs to his first action."""

from __future__ import annotations

import json
import time

import pytest

from pokerroom.ops.config import default_config_path
from tests.browser.conftest import ARTEFACTS
from tests.integration.support import running_room


@pytest.fixture
def room(browser, tmp_path):
    """As `make serve` starts it: nobody was there before, and the house's bots think as long as they are set to."""
    with running_room(tmp_path / "data", default_config_path().read_text(encoding="utf-8")) as running:
        yield running


def test_a_newcomer_is_at_a_game_at_once(new_player):
    """From opening the page it takes a guest two clicks and one key to his first action, well within a minute."""
    began = time.monotonic()
    guest = new_player()
    guest.page.locator("#guest:not([disabled])").wait_for()
    opened = time.monotonic()
    guest.page.click("#guest")
    guest.page.locator("#play-now:not([disabled])").click()
    guest.page.locator(".place.own").wait_for()
    seated = time.monotonic()
    guest.wait_for_turn()
    asked = time.monotonic()
    guest.call()
    acted = time.monotonic()
    guest.shot("first-action")
    times = {"page": opened - began, "seat": seated - opened, "turn": asked - seated, "action": acted - asked}
    told = {"page_to_first_action_s": acted - began, **{f"{name}_s": took for name, took in times.items()}}
    rounded = {name: round(took, 1) for name, took in told.items()}
    (ARTEFACTS / "times.json").write_text(json.dumps(rounded) + "\n")
    assert acted - began < 60
