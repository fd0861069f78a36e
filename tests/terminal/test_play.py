"""The terminal client, driven by Textual's pilot, at a real room with the house's bots."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
from textual.widgets import DataTable, Input, RichLog

from pokerroom.terminal.app import PlayApp
from pokerroom.terminal.table_screen import TableScreen
from pokerroom_protocol import messages as m
from tests.integration.support import RunningRoom, running_room

pytestmark = pytest.mark.services

CONFIG = """
[house]
think_ms = 20
[[tables]]
id = "home"
name = "Home"
seats = 4
small_blind = 50
hand_pause_ms = 100
house_bots = 2
"""
SOON_S = 30


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with running_room(tmp_path_factory.mktemp("terminal") / "data", CONFIG) as running:
        yield running


def played(scenario: Callable, room: RunningRoom, name: str, table: str | None = None) -> PlayApp:
    """Runs a scenario with the app and its pilot on a loop of its own."""
    enter = m.Register(id=0, name=name, password="correct horse")
    app = PlayApp("127.0.0.1", room.game_port, enter, table)

    async def run() -> None:
        async with app.run_test(size=(140, 42)) as pilot:
            await scenario(app, pilot)

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        runner.run(run())
    return app


async def until(pilot, wanted: Callable[[], bool]) -> None:
    give_up = time.monotonic() + SOON_S
    while not wanted():
        assert time.monotonic() < give_up, "it does not come about"
        await pilot.pause(0.05)


def log_of(app: PlayApp) -> str:
    return "\n".join(strip.text for strip in app.screen.query_one("#log", RichLog).lines)


def test_from_the_lobby_to_a_decision_and_back(room):
    """A table is opened from the lobby, a seat taken by a key, a turn answered, a bet sized, the seat given up."""

    async def scenario(app: PlayApp, pilot) -> None:
        await until(pilot, lambda: app.query_one(DataTable).row_count == 1)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen._snapshot is not None)
        screen = app.screen
        await until(pilot, lambda: len(screen._snapshot.seats) == 2)
        await pilot.press("s")
        await until(pilot, lambda: screen._snapshot.your_seat is not None)
        await until(pilot, lambda: screen._turn is not None)
        await pilot.press("2")
        half = screen.query_one("#amount", Input).value
        await pilot.press("a")
        assert screen.query_one("#amount", Input).value != half
        await pilot.press("c")
        await until(pilot, lambda: "tess: c" in log_of(app))
        await pilot.press("x")
        give_up = time.monotonic() + SOON_S
        while screen._snapshot.your_seat is not None:
            assert time.monotonic() < give_up, log_of(app)[-600:] + repr(screen._snapshot)[-1500:]
            await pilot.press("f")
            await pilot.pause(0.05)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, TableScreen))

    assert played(scenario, room, "tess").problem is None


def test_a_named_table_is_opened_and_chat_is_said(room):
    """`--table` leads there at once; what is typed is read as it is, markup and all, and plays nothing."""

    async def scenario(app: PlayApp, pilot) -> None:
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen._snapshot is not None)
        await pilot.press("slash")
        await pilot.press("left_square_bracket", "b", "right_square_bracket", "s", "x", "enter")
        await until(pilot, lambda: "uma: [b]sx" in log_of(app))
        assert app.screen._snapshot.your_seat is None

    assert played(scenario, room, "uma", "home").problem is None


def test_a_refused_entrance_ends_with_the_reason(room):
    """A name that is taken is told to who started the command."""

    async def nothing(app: PlayApp, pilot) -> None:
        await until(pilot, lambda: app.line.online)

    async def refused(app: PlayApp, pilot) -> None:
        await until(pilot, lambda: app.problem is not None)

    played(nothing, room, "vera")
    assert played(refused, room, "vera").problem == "An account of this name exists."
