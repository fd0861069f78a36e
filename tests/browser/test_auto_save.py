"""New hands are saved to a folder of the device, where the browser lets a page write to one."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.players import HAND_S

# the browser's own folder for a page: a test cannot choose one in the window of the system
PICKER = "globalThis.showDirectoryPicker = () => navigator.storage.getDirectory()"
FILES = """async () => {
  const texts = {};
  for await (const [name, handle] of (await navigator.storage.getDirectory()).entries())
    texts[name] = await (await handle.getFile()).text();
  return texts;
}"""
FORBIDDEN = """() => {
  FileSystemDirectoryHandle.prototype.getFileHandle = async () => { throw new DOMException("no", "NotAllowedError"); };
}"""


def folding_until(player, done):
    """What `done` has found at last; the player folds whenever the table asks, in as many hands as it takes."""
    until = time.monotonic() + 3 * HAND_S
    while time.monotonic() < until:
        found = done()
        if found:
            return found
        if player.is_asked():
            player.page.keyboard.press("f")
        player.page.wait_for_timeout(100)
    return pytest.fail("it has not come about")


def saved(page, hands):
    """The one file and its text, if it has so many hands."""
    for name, text in page.evaluate(FILES).items():
        if len(re.findall(r"^PokerStars Hand #", text, re.MULTILINE)) >= hands:
            return name, text
    return None


def test_each_new_hand_is_saved_to_a_folder(new_player):
    """One after the other in the file of the day, with the own cards. The player is told when it ends."""
    player = new_player("saving-e2e").enter()
    page = player.page
    page.evaluate(PICKER)
    page.click("#history")
    page.click("#download-hands")
    page.click("#save-to-folder")
    expect(page.locator("#hands-form")).to_contain_text("each new hand is saved")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    player.sit_down("Home")
    name, text = folding_until(player, lambda: saved(page, 2))
    assert re.fullmatch(r"saving-e2e \d{4}-\d\d-\d\d\.txt", name)
    ids = re.findall(r"^PokerStars Hand #(\d+)", text, re.MULTILINE)
    assert len(set(ids)) == len(ids) == len(re.findall(r"^Dealt to saving-e2e \[", text, re.MULTILINE))
    page.evaluate(FORBIDDEN)
    notice = page.locator(".notices").filter(has_text="no longer saved")
    folding_until(player, notice.count)
    player.to_lobby()
    page.click("#history")
    page.click("#download-hands")
    expect(page.locator("#save-to-folder")).to_be_visible()
