"""New hands are saved to a folder of the device, where the browser lets a page write to one."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.players import HAND_S

pytestmark = pytest.mark.timeout(300)  # several hands in each test

# the browser's own folder for a page: a test cannot choose one in the window of the system
PICKER = "globalThis.showDirectoryPicker = () => navigator.storage.getDirectory()"
FILES = """async () => {
  const texts = {};
  for await (const [name, handle] of (await navigator.storage.getDirectory()).entries())
    texts[name] = await (await handle.getFile()).text();
  return texts;
}"""
BETWEEN_MS = """async () => {
  const { client } = (await import("/app/room.js")).room;
  const now = client.serverNow.bind(client);
  client.serverNow = () => Math.floor(now()) + 0.5;
}"""
"""Half of what is measured of the way to the room is in its time: the room wants whole milliseconds."""
FORBIDDEN = """() => {
  FileSystemDirectoryHandle.prototype.getFileHandle = async () => { throw new DOMException("no", "NotAllowedError"); };
}"""
ASKS_AGAIN = """() => {
  let state = "prompt";
  FileSystemHandle.prototype.queryPermission = async ({ mode }) => (mode === "readwrite" ? state : "granted");
  FileSystemHandle.prototype.requestPermission = async ({ mode }) => {
    if (mode !== "readwrite" || !navigator.userActivation.isActive) throw new DOMException("no", "SecurityError");
    return (state = "granted");
  };
}"""
"""A browser that wants the player to allow the folder at each visit, by a click."""


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


def numbers(text):
    return re.findall(r"^PokerStars Hand #(\d+)", text, re.MULTILINE)


def saved(page, hands):
    """The one file and its text, if it has so many hands."""
    for name, text in page.evaluate(FILES).items():
        if (
            name.endswith(".txt") and len(numbers(text)) >= hands
        ):  # a browser writes to a file beside it first
            return name, text
    return None


def download_window(player):
    player.to_lobby()
    player.page.click("#history")
    player.page.click("#download-hands")


def close_windows(player):
    while player.page.locator("dialog[open]").count():
        player.page.keyboard.press("Escape")


def starts_to_save(player):
    """The player enters, and chooses a folder."""
    player.enter()
    player.page.evaluate(PICKER)
    player.page.evaluate(BETWEEN_MS)
    download_window(player)
    player.page.click("#save-to-folder")
    expect(player.page.locator("#hands-form")).to_contain_text("Each new hand is saved")
    close_windows(player)
    return player


def leaves_its_seat(player):
    player.stand_up()
    player.to_lobby()


def all_numbers(player):
    """The numbers of all hands of the player, as the room exports them."""
    download_window(player)
    with player.page.expect_download() as saving:
        player.page.locator("#hands-form button.primary").last.click()
    close_windows(player)
    return numbers(Path(saving.value.path()).read_text(encoding="utf-8"))


def test_each_new_hand_is_saved_to_a_folder(new_player):
    """One after the other in the file of the day, with the own cards. The player is told when it ends."""
    player = starts_to_save(new_player("saving-e2e")).sit_down("Home")
    page = player.page
    name, text = folding_until(player, lambda: saved(page, 2))
    assert re.fullmatch(r"saving-e2e \d{4}-\d\d-\d\d\.txt", name)
    ids = numbers(text)
    assert len(set(ids)) == len(ids) == len(re.findall(r"^Dealt to saving-e2e \[", text, re.MULTILINE))
    page.evaluate(FORBIDDEN)
    folding_until(player, page.locator(".notices").filter(has_text="no longer saved").count)
    download_window(player)
    expect(page.locator("#hands-form")).to_contain_text("wait for the folder")
    page.locator("#hands-form").get_by_role("button", name="Stop").click()
    expect(page.locator("#save-to-folder")).to_be_visible()
    close_windows(player)
    expect(page.locator("#allow-folder")).to_have_count(0)


def test_saving_goes_on_after_a_reload(new_player):
    """In the same folder without a question, with the hands that ended while the page was closed; each hand once."""
    player = starts_to_save(new_player("reload-e2e")).sit_down("Home")
    page = player.page
    folding_until(player, lambda: saved(page, 1))
    player.wait_for_turn()
    page.goto("about:blank")  # the clock folds the hand meanwhile
    page.wait_for_timeout(8_000)
    page.goto(f"{player.url}#tables")
    page.locator(".place.own").wait_for()
    folding_until(player, lambda: saved(page, 2))
    leaves_its_seat(player)
    expected = all_numbers(player)
    _, text = folding_until(player, lambda: saved(page, len(expected)))
    found = numbers(text)
    assert found[: len(expected)] == expected
    assert len(set(found)) == len(found)
    download_window(player)
    expect(page.locator("#hands-form")).to_contain_text("Each new hand is saved")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#save-to-folder")).to_be_visible()
    page.reload()
    download_window(player)
    expect(page.locator("#save-to-folder")).to_be_visible()


def test_a_browser_that_asks_again_is_asked_by_a_click(new_player):
    """Hands wait until the player has allowed the folder again in the lobby; then all of them are saved."""
    player = starts_to_save(new_player("asks-e2e")).sit_down("Home")
    page = player.page
    name, text = folding_until(player, lambda: saved(page, 1))
    page.add_init_script(f"({ASKS_AGAIN})()")
    page.reload()
    player.to_lobby()
    line = page.locator("pr-lobby .folder")
    expect(line).to_contain_text("wait for the folder")
    before = len(numbers(text))
    page.locator(".bar nav a").nth(1).click()
    ended = page.locator("pr-table .lines li").filter(has_text="The pot goes to")
    folding_until(player, ended.count)
    page.wait_for_timeout(7_000)
    assert len(numbers(page.evaluate(FILES)[name])) == before
    player.to_lobby()
    page.click("#allow-folder")
    expect(line).to_have_count(0)
    folding_until(player, lambda: saved(page, before + 1))


def test_the_folder_of_another_account_is_left_alone(new_player):
    """Another account in the same browser saves nothing there; the first one goes on when it is back."""
    player = starts_to_save(new_player("folder-e2e"))
    page = player.page
    page.click("#settings")
    page.get_by_role("button", name="Log out").click()
    page.click("#guest")
    player.sit_down("Home")
    ended = page.locator("pr-table .lines li").filter(has_text="The pot goes to")
    folding_until(player, ended.count)
    page.wait_for_timeout(7_000)
    assert saved(page, 1) is None
    leaves_its_seat(player)
    download_window(player)
    expect(page.locator("#save-to-folder")).to_be_visible()
    close_windows(player)
    page.click("#settings")
    page.get_by_role("button", name="Log out").click()
    form = page.locator("pr-entrance form")
    form.get_by_role("button", name="Log in").first.click()
    form.locator("input[name=name]").fill("folder-e2e")
    form.locator("input[name=password]").fill("correct horse")
    form.locator("button.primary").click()
    player.sit_down("Home")
    name, _ = folding_until(player, lambda: saved(page, 1))
    assert name.startswith("folder-e2e ")
