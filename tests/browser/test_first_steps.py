"""The first steps of the README, read from it and done by a newcomer in a browser."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.browser.players import HAND_S, STEP_S, Player
from tests.integration.support import RunningRoom, running_room

ROOT = Path(__file__).parents[2]
PLAY = re.search(
    r"^## Play$(.*?)^## ", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)[1]
COMMAND, OUTPUT = (
    block.strip() for block in re.findall(r"^```\n(.*?)^```", PLAY, re.MULTILINE | re.DOTALL)[:2]
)
STEPS = [" ".join(step.split()) for step in re.findall(r"^\d+\. (.*(?:\n   .*)*)", PLAY, re.MULTILINE)]
MORE = " ".join(re.search(r"^For more opponents (.*?)$\n\n", PLAY, re.MULTILINE | re.DOTALL)[1].split())
LABEL = re.compile(r"\*([^*]+)\*")
NUMBERS = {"one": 1, "four": 4}


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


class ShippedRoom(RunningRoom):
    """The room that the command of the README starts: `serve` without settings."""

    def launch(self, command, *_settings):
        target = COMMAND.removeprefix("make ")
        recipe = re.search(
            rf"^{target}:.*\n(?:\t.*\n)*\texec \$\(BIN\)/pokerroom (.*) \$\(OPTIONS\)$",
            MAKEFILE,
            re.MULTILINE,
        )
        assert recipe is not None, (
            f"README says {COMMAND}, and that is no `pokerroom` command of the Makefile"
        )
        assert recipe[1] == command
        return super().launch(command)


@pytest.fixture(scope="module")
def room(browser, tmp_path_factory):
    with running_room(tmp_path_factory.mktemp("shipped") / "data", kind=ShippedRoom) as running:
        yield running


def steady(text: str) -> list[str]:
    """Lines without what differs between rooms: version, ports, and blanks that align."""
    return [
        re.sub(r"\d+\.\d+\.\d+(?= is)|(?<=:)\d+", "N", " ".join(line.split())) for line in text.splitlines()
    ]


def choose(newcomer: Player, labels: list[str]) -> None:
    """Click the first of these buttons that can be clicked, as the page labels it."""
    until = time.monotonic() + HAND_S
    while time.monotonic() < until:
        for label in labels:
            button = newcomer.page.get_by_role("button", name=re.compile(rf"^{re.escape(label)}\b"))
            if button.count() and button.first.is_enabled():
                button.first.click()
                return
        time.sleep(STEP_S)
    raise AssertionError(f"no button {labels}, which README says to choose")


def bots_in(said: str) -> int:
    """How many house bots a step promises."""
    number = re.search(r"(\w+) house bots?", said)
    assert number is not None, said
    return NUMBERS[number[1]]


def test_the_room_says_what_the_readme_shows(room):
    """The lines of the README are those that the room prints when it is ready, but for version and ports."""
    said = steady("".join(room.output))
    shown = steady(OUTPUT)
    assert said[said.index(shown[0]) :][: len(shown)] == shown


def test_the_steps_lead_to_the_first_action(new_player, room):
    """Each step names the buttons to choose, as the page labels them; the last one is the first own action."""
    told = "".join(room.output)
    addresses = re.findall(r"http://\S+|127\.0\.0\.1:\d+", told[told.index("is ready") :])
    opening, joining, acting = STEPS
    assert "second address" in opening
    newcomer = new_player()
    assert newcomer.url == addresses[1]
    choose(newcomer, LABEL.findall(opening))
    assert "heads-up" in joining
    # a person needs longer to come here than the bots need to sit down after the start
    newcomer.page.locator(".quick .hint").filter(has_text="Heads-up").wait_for()
    choose(newcomer, LABEL.findall(joining))
    newcomer.page.locator(".place.own").wait_for()
    assert newcomer.page.locator(".place").count() == 2
    assert newcomer.page.locator(".place.taken:not(.own) .name").count() == bots_in(joining)
    newcomer.wait_for_turn()
    choose(newcomer, LABEL.findall(acting))
    done = newcomer.page.locator(".lines .acted").filter(has_text=re.compile(rf"^{newcomer.shown_name()} "))
    done.first.wait_for()


def test_the_table_with_more_opponents_is_there(new_player):
    """The lobby has the table that the README names; the newcomer sits down there as told, among that many bots."""
    sit, table, again = LABEL.findall(MORE)
    newcomer = new_player().enter()
    row = newcomer.row(table)
    row.get_by_role("button", name=f"{sit}: {table}").click()
    newcomer.page.locator("dialog").get_by_role("button", name=again, exact=True).click()
    newcomer.table(table).locator(".place.own").wait_for()
    seated = newcomer.table(table).locator(".place.taken:not(.own)")
    seated.nth(bots_in(MORE) - 1).wait_for()
    assert seated.count() == bots_in(MORE)
    newcomer.wait_for_turn()
    newcomer.call()
