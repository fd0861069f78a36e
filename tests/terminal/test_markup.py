"""Names that other people choose are told as they are: no markup of Textual in them does anything."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from pokerroom.terminal.app import TerminalApp
from pokerroom.terminal.dialogs import (
    AmountDialog,
    AmountQuestion,
    ChoiceDialog,
    Field,
    FormDialog,
    TextDialog,
)
from pokerroom.terminal.lobby import Listing
from pokerroom.terminal.sessions import SessionFile
from tests.terminal.support import Player, on_a_loop

NAMES = ("[/b]", "[bold]Friday[/]", "[@click=app.quit]Friday[/]", "[red")
DIALOGS = {
    "choice": lambda name: ChoiceDialog(name, {"1": "one"}),
    "one of the choices": lambda name: ChoiceDialog("one", {"1": name}),
    "text": lambda name: TextDialog(name, "text", "t"),
    "form": lambda name: FormDialog(name, [Field(name="one", label=name, value="1")]),
    "amount": lambda name: AmountDialog(
        AmountQuestion(title=name, low=1, high=9, proposed=1, step=1, presets={"h": (name, 2)})
    ),
}


class Lobby(App[None]):
    """Nothing but a list with these names."""

    def compose(self) -> ComposeResult:
        """See `App`."""
        yield Listing(("table",), id="tables")

    def on_mount(self) -> None:
        """See `App`."""
        self.query_one(Listing).show({name: [name] for name in NAMES})


def test_a_list_shows_names_as_they_are():
    """A host chooses the name of a table or a sit-and-go, and sends the link."""

    async def scenario():
        app = Lobby()
        async with app.run_test(size=(60, 12)) as pilot:
            me = Player(app, pilot)
            for name in NAMES:
                await me.sees(name)

    on_a_loop(scenario)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", DIALOGS)
def test_a_dialog_shows_names_as_they_are(kind, name):
    """In the title, and in what there is to choose."""

    async def scenario():
        app = App()
        async with app.run_test(size=(70, 20)) as pilot:
            await app.push_screen(DIALOGS[kind](name))
            await Player(app, pilot).sees(name)

    on_a_loop(scenario)


@pytest.mark.parametrize("name", NAMES)
def test_a_notice_shows_names_as_they_are(tmp_path, name):
    """A notice tells what another player, or the operator, has named."""

    async def scenario():
        file = SessionFile(tmp_path / "sessions.json", "room")
        app = TerminalApp(host="127.0.0.1", port=9, sessions=file)
        async with app.run_test(size=(70, 20), notifications=True) as pilot:
            app.screen.notify(name, title=name)
            await pilot.pause(0.5)
            await Player(app, pilot).sees(name)

    on_a_loop(scenario)
