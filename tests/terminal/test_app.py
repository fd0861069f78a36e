"""What the terminal client does where there is no room."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pokerroom.terminal.app import TerminalApp
from pokerroom.terminal.sessions import SessionFile
from tests.terminal.support import line, on_a_loop, player


def test_where_no_room_answers_it_says_so_and_tries_again(tmp_path):
    """The address is named, and nothing is asked in vain."""

    async def scenario():
        async with line(1) as wire:
            wire.down = True
            async with player(wire.port, tmp_path) as me:
                await me.sees(f"No room answers at 127.0.0.1:{wire.port}")
                await me.press("ctrl+q")
                await me.leaves()

    on_a_loop(scenario)


@pytest.mark.parametrize("in_worker", [False, True])
def test_a_fault_shows_no_values(tmp_path, capsys, in_worker):
    """A traceback of the client has no variables in it: a session's token may be one."""

    async def broken() -> None:
        token = "a-secret-of-20-letters"
        raise RuntimeError("broken" if token else "")

    async def scenario() -> str:
        app = TerminalApp(host="127.0.0.1", port=1, sessions=SessionFile(tmp_path / "s.json", "room"))

        async def run() -> None:
            async with app.run_test() as pilot:
                if in_worker:
                    app.run_worker(broken())
                else:
                    app.call_later(broken)
                await pilot.pause(0.2)

        with pytest.raises(Exception, match="broken"):
            await run()
        console = Console(record=True, width=200, file=io.StringIO())
        for shown in app._exit_renderables:  # private: what Textual prints after the end
            console.print(shown)
        return console.export_text()

    text = on_a_loop(scenario)
    everything = text + "".join(capsys.readouterr())

    assert "RuntimeError: broken" in everything
    assert "a-secret-of-20-letters" not in everything.replace('token = "a-secret-of-20-letters"', "")
