"""A player's past in the room's archive: what the history says, and what can still be done."""

from __future__ import annotations

import asyncio
import io
import re
import threading
from collections.abc import Iterator

import psycopg
import pytest
from PIL import Image
from playwright.sync_api import expect

from pokerroom.adapters import opened_ledger
from pokerroom.bridge import as_future
from pokerroom.history.statistics.tally import tally_of
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ledger.operators import Role
from pokerroom.ops.embedded import running
from tests.browser.conftest import ARTEFACTS, HOME, LIMITS
from tests.browser.players import HAND_S, Player
from tests.browser.test_looks import PHONE, accessible, no_sideways_scrolling
from tests.integration.support import RunningRoom, running_room

CONFIG = f"""
{LIMITS}
[retention]
hands_days = 0
[checkpoints]
every_s = 0
{HOME}
[[ultimate]]
id = "uth"
name = "Against the house"
ante_min = 100
betting_s = 5
closing_s = 3
decision_s = 5
result_pause_ms = 1500
"""


@pytest.fixture(scope="module")
def room(browser, tmp_path_factory) -> Iterator[RunningRoom]:
    """A room of its own: the hands of other tests stay."""
    with running_room(tmp_path_factory.mktemp("archived") / "data", CONFIG) as started:
        yield started


def archive(room: RunningRoom) -> int:
    """Archive all that was played, as if it were old; return how many records."""
    addresses = running(room.data_dir)
    assert addresses is not None
    owner = addresses.owner_database_url
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE transfers SET created = created - interval '9 days'")

    async def signed() -> None:
        async with opened_ledger(addresses.database_url, owner) as ledger:
            await as_future(ledger.count_statistics(tally_of))
            await as_future(ledger.write_checkpoint(CheckpointKey(bytes(32)), open_s=0))

    work = threading.Thread(
        target=lambda: asyncio.run(signed())
    )  # the browser has an event loop in this thread
    work.start()
    work.join()
    folder = room.data_dir.parent / "archive"
    folder.mkdir(exist_ok=True)
    done = room.command("archive", "--days", "2", "--to", str(folder))
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[0])


def lit(player: Player) -> bool:
    """Whether the notice of a refusal has the colour of its edge, which a window above it would dim."""
    notice = player.page.locator(".notices p.refused")
    box = notice.bounding_box()
    assert box is not None
    clip = {"x": box["x"] + 1, "y": box["y"] + box["height"] / 2, "width": 2, "height": 2}
    shot = Image.open(io.BytesIO(player.page.screenshot(animations="disabled", clip=clip))).convert("RGB")
    colour = notice.evaluate("notice => getComputedStyle(notice).borderLeftColor")
    wanted = [int(part) for part in re.findall(r"\d+", colour)[:3]]
    return all(abs(one - other) < 16 for one, other in zip(shot.getpixel((0, 0)), wanted, strict=True))


def covered(player: Player, seen: str) -> bool:
    """Whether a notice lies above it."""
    box = player.page.locator(seen).bounding_box()
    assert box is not None
    notices = [notice.bounding_box() for notice in player.page.locator(".notices p").all()]
    assert notices
    return any(
        one["x"] < box["x"] + box["width"]
        and box["x"] < one["x"] + one["width"]
        and one["y"] < box["y"] + box["height"]
        and box["y"] < one["y"] + one["height"]
        for one in notices
    )


def test_a_hand_in_the_archive_keeps_its_result_alone(new_player, room):
    """It is no button any more, and a sentence says why; the download counts it. A refusal is seen above the window."""
    anna = new_player("anna-e2e", **PHONE).enter()
    page = anna.page
    anna.sit_down("Home")
    anna.wait_for_turn()
    page.keyboard.press("f")
    anna.stand_up()  # no second hand comes to the first line
    anna.to_lobby()
    page.click("#history")
    lines = page.locator("dialog .records tbody tr")
    expect(lines.first).to_be_visible(timeout=1000 * HAND_S)
    result = lines.first.locator(".sum").inner_text()
    assert archive(room) >= 1
    lines.first.locator("button").click()  # of the list from before
    notices = page.locator(".notices:popover-open")
    expect(notices).to_contain_text("in the room's archive: its result is in your history")
    anna.shot("archived-refused")
    page.keyboard.press("Escape")

    page.click("#history")
    page.locator("dialog").wait_for()
    assert lit(anna)
    for seen in ("dialog .records", "dialog .icon"):
        assert not covered(anna, seen), seen
    lines = lines.filter(has_text="Home: hand, in the archive")
    expect(lines).to_have_count(1)
    expect(lines.locator(".sum")).to_have_text(result)
    expect(lines.locator("button")).to_have_count(0)
    expect(page.locator("dialog")).to_contain_text("What is in the archive keeps its result.")
    no_sideways_scrolling(anna)
    accessible(anna, "a history with archived hands")
    anna.shot("archived-360")
    page.click("#download-hands")
    form = page.locator("#hands-form")
    form.get_by_role("button", name="Download").click()
    expect(form).to_contain_text("Not in the file, as they are too long or in the archive: 1.")


@pytest.mark.parametrize("size", [(360, 740), (844, 390), (1280, 800)])
def test_an_archived_past_in_german(new_player, room, size):
    """The same at other sizes."""
    name = f"bea-{size[0]}"
    bea = new_player(name, size=size, locale="de-DE").enter()
    bea.sit_down("Home")
    bea.wait_for_turn()
    bea.page.keyboard.press("f")
    bea.to_lobby()
    bea.page.click("#history")
    lines = bea.page.locator("dialog .records tbody tr")
    expect(lines.first).to_be_visible(timeout=1000 * HAND_S)
    bea.page.keyboard.press("Escape")
    assert archive(room) >= 1
    bea.page.click("#history")
    expect(lines.filter(has_text="Home: Hand, im Archiv")).not_to_have_count(0)
    expect(bea.page.locator("dialog")).to_contain_text("Frag den Betreiber danach.")
    no_sideways_scrolling(bea)
    bea.shot(f"archived-de-{size[0]}")


def test_the_console_marks_archived_games_of_a_player(new_player, new_page, room, token):
    """The operator reads which record is in a file."""
    carl = new_player("carl-e2e").enter()
    carl.sit_down("Home")
    carl.wait_for_turn()
    carl.page.keyboard.press("f")
    carl.to_lobby()
    carl.page.click("#history")
    expect(carl.page.locator("dialog .records tbody tr").first).to_be_visible(timeout=1000 * HAND_S)
    assert archive(room) >= 1
    console = new_page().open("#players/carl-e2e").sign_in(token(Role.SUPPORT))
    games = console.page.locator("table").filter(has_text="Last games")
    expect(games).to_contain_text("Hand, in the archive")
    console.page.screenshot(path=ARTEFACTS / "archived-console.png", full_page=True)
